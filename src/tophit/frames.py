"""Anything that people hold in Python, as relations: frames of any library, dicts, lists, files."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl
from narwhals.typing import IntoFrame

from tophit.errors import DataWarning, Fault, InputError, UsageError
from tophit.relations import (
    CHUNK,
    CHUNKS,
    DOC,
    END,
    GRADE,
    ITEM,
    JUDGMENTS,
    QUERY,
    RANK,
    RETRIEVED,
    SCORE,
    START,
    SYNONYMS,
    TEXT,
    TOKENS,
    Lazy,
    Questions,
    Run,
    schema,
)

Frame = nw.DataFrame[Any] | nw.LazyFrame[Any]
_RECORD_KEYS = {CHUNK: "id", TEXT: TEXT, DOC: "doc", START: START, END: END, TOKENS: TOKENS}


def text_id(value: Any) -> str | None:
    """An id as text: 1, 1.0, NumPy's 1 and "1" are the same; None, NaN and "" are no id.

    >>> text_id(9007199254740993), text_id(1.0), text_id(" a"), text_id("")
    ('9007199254740993', '1', ' a', None)
    """
    if value is None or value == "" or value != value:
        return None
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real) and float(value).is_integer():
        return str(int(float(value)))
    return str(value)


def questions_from(questions: Any) -> tuple[Frame, Frame]:
    """Give the relations `queries` and `judgments` of whatever holds the questions.

    A path is read by its format; a `Questions` is taken as it is; a frame has the columns of
    `judgments` (or their usual other names); a dict is `{query: {id: grade}}` or `{query: [ids]}`;
    an iterable holds named tuples such as ir_measures' `Qrel`, or dicts of columns.

    Errors: `InputError` for missing columns or values; `UsageError` for any other type.

    >>> queries, judgments = questions_from({"q1": {"d1": 1}, "q2": []})
    >>> len(queries), judgments.rows()
    (2, [('q1', 'd1', 1.0)])
    """
    if isinstance(questions, str | Path):
        from tophit.formats import read_questions

        questions = read_questions(questions)
    if isinstance(questions, Questions):
        return nw.from_native(questions.queries), nw.from_native(questions.judgments)
    if isinstance(questions, Mapping):
        return _questions_from_dict(questions)
    judgments = _relation(questions, JUDGMENTS, required=(QUERY,), kind="questions")
    if ITEM not in judgments.collect_schema().names():
        judgments = _with_item_ids(judgments)
    return judgments.select(QUERY).unique(), judgments.filter(~nw.col(ITEM).is_null())


def run_from(run: Any) -> Frame:
    """Give the relation `retrieved` of whatever holds the run.

    A path, a `Run`, a frame; a dict `{query: {id: score}}` (scores decide) or
    `{query: [ids or records]}` (the given order counts); an iterable of named tuples such as
    ir_measures' `ScoredDoc`.

    Errors: as `questions_from`.

    >>> run_from({"q1": ["d2", "d1"]}).rows()
    [('q1', 'd2', 1), ('q1', 'd1', 2)]
    """
    if isinstance(run, str | Path):
        from tophit.formats import read_run

        run = read_run(run)
    if isinstance(run, Run):
        return nw.from_native(run.retrieved)
    if isinstance(run, Mapping):
        return _run_from_dict(run)
    return _relation(run, RETRIEVED, required=(QUERY, CHUNK), kind="run")


def chunks_from(chunks: Any, *, leader: Frame | None = None) -> Lazy:
    """Give the relation `chunks` of whatever holds the index, on the engine of `leader`.

    A path, a frame, or records (`{"id": ..., "text": ...}`, as in the files).

    Errors: as `questions_from`.

    >>> chunks_from([{"id": "c1", "text": "a"}]).collect().rows()
    [('c1', 'a')]
    """
    if isinstance(chunks, str | Path):
        from tophit.formats import read_chunks

        chunks = read_chunks(chunks)
    frame = _relation(chunks, CHUNKS, required=(CHUNK,), kind="chunks")
    return _on_engine(frame, frame if leader is None else leader)


def _questions_from_dict(questions: Mapping[Any, Any]) -> tuple[Frame, Frame]:
    rows: list[tuple[str | None, str | None, float]] = []
    for query, items in questions.items():
        graded = items.items() if isinstance(items, Mapping) else ((item, 1.0) for item in items)
        rows += [(text_id(query), text_id(item), _number(grade, query)) for item, grade in graded]
    queries = pl.DataFrame(
        {QUERY: [text_id(query) for query in questions]}, schema=schema({QUERY: "String"})
    )
    columns = schema(JUDGMENTS, only=[QUERY, ITEM, GRADE])
    return nw.from_native(queries), nw.from_native(pl.DataFrame(rows, schema=columns, orient="row"))


def _number(value: Any, query: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(
            Fault(field=f"query {query!r}", expected="a number", found=repr(value))
        ) from None


def _run_from_dict(run: Mapping[Any, Any]) -> Frame:
    scored = [isinstance(places, Mapping) for places in run.values() if len(places)]
    if any(scored) != all(scored):
        raise InputError(
            Fault(field="run", expected="all queries as {id: score} or all as lists", found="both")
        )
    records: list[dict[str, Any]] = []
    for query, places in run.items():
        if isinstance(places, Mapping):
            records += [
                {CHUNK: key, SCORE: _number(s, query)} | {QUERY: query} for key, s in places.items()
            ]
        else:
            records += [
                _place(place) | {QUERY: query, RANK: n} for n, place in enumerate(places, 1)
            ]
    columns = [QUERY, CHUNK, SCORE if any(scored) else RANK]
    columns += [
        name for name in (TEXT, DOC, START, END, TOKENS) if any(name in row for row in records)
    ]
    for row in records:
        row[QUERY], row[CHUNK] = text_id(row[QUERY]), text_id(row[CHUNK])
    return nw.from_native(pl.DataFrame(records, schema=schema(RETRIEVED, only=columns)))


def _place(place: Any) -> dict[str, Any]:
    if isinstance(place, Mapping):
        return {name: place[key] for name, key in _RECORD_KEYS.items() if key in place}
    if isinstance(place, tuple) and len(place) == 2:
        return {CHUNK: place[0]}
    return {CHUNK: place}


def _relation(
    source: Any, relation: dict[str, str], *, required: Sequence[str], kind: str
) -> Frame:
    frame = _frame(source, kind=kind)
    renamed = _renamed(frame, relation, required=required)
    missing = [name for name in required if name not in renamed.collect_schema().names()]
    if missing:
        raise InputError(
            [
                Fault(
                    file=kind,
                    field=name,
                    expected=f"a column {name!r}",
                    found=str(frame.collect_schema().names()),
                )
                for name in missing
            ]
        )
    known = [name for name in relation if name in renamed.collect_schema().names()]
    types = renamed.collect_schema()
    return renamed.select(_typed(name, relation[name], types[name], kind=kind) for name in known)


def _frame(source: Any, *, kind: str) -> Frame:
    if isinstance(source, nw.DataFrame | nw.LazyFrame):
        return source
    try:
        frame: Frame = nw.from_native(source)
    except TypeError:
        return nw.from_native(_frame_from_rows(source, kind=kind))
    return nw.from_native(_plain_pandas(frame)) if frame.implementation.is_pandas() else frame


def _frame_from_rows(source: Any, *, kind: str) -> pl.DataFrame:
    rows = (
        list(source)
        if isinstance(source, Iterable) and not isinstance(source, str | bytes)
        else None
    )
    if rows and all(hasattr(row, "_asdict") for row in rows):
        rows = [row._asdict() for row in rows]
    if not rows or not all(isinstance(row, Mapping) for row in rows):
        raise UsageError(
            f"{kind}: expected a path, a data frame, a dict or a list of named tuples, "
            f"found {type(source).__name__}"
        )
    names = list(dict.fromkeys(name for row in rows for name in row))
    ids = {name for name in names if name.lower() in _ID_NAMES}
    columns = {name: [row.get(name) for row in rows] for name in names}
    return pl.DataFrame(
        {
            name: [text_id(v) for v in values] if name in ids else values
            for name, values in columns.items()
        },
        strict=False,
    )


_ID_NAMES = {name for key in (QUERY, ITEM, CHUNK, DOC) for name in (key, *SYNONYMS[key])}


def _plain_pandas(frame: Any) -> IntoFrame:
    """Turn id columns of Python objects (numbers and text mixed, say) into text."""
    native = frame.to_native().copy(deep=False)
    for name in native.columns:
        if str(native[name].dtype) == "object" and str(name).lower() in _ID_NAMES:
            native[name] = [text_id(value) for value in native[name]]
    return native  # type: ignore[no-any-return]


def _renamed(frame: Frame, relation: dict[str, str], *, required: Sequence[str]) -> Frame:
    columns = frame.collect_schema().names()
    lowered = {name.lower().strip(): name for name in columns}
    wanted: dict[str, str] = {}
    for name in _search_order(relation, required):
        for alias in (name, *SYNONYMS.get(name, ())):
            found = lowered.get(alias)
            if (
                found is not None
                and found not in wanted.values()
                and (alias == name or alias not in relation or name in required or name == ITEM)
            ):
                wanted[name] = found
                break
    return frame.select(nw.col(source).alias(name) for name, source in wanted.items())


def _search_order(relation: dict[str, str], required: Sequence[str]) -> list[str]:
    first = [name for name in (QUERY, ITEM, *required) if name in relation]
    return list(dict.fromkeys([*first, *relation]))


def _typed(name: str, type_name: str, found: Any, *, kind: str) -> nw.Expr:
    column = nw.col(name)
    if type_name == "String":
        if found.is_float():
            column = column.cast(nw.Int64)
        return column.cast(nw.String)
    if not (found.is_numeric() or found == nw.Boolean):
        raise InputError(Fault(file=kind, field=name, expected="numbers", found=str(found)))
    return column.cast(nw.Int64 if type_name == "Int64" else nw.Float64)


def _with_item_ids(judgments: Frame) -> Frame:
    names = judgments.collect_schema().names()
    if TEXT not in names and not {DOC, START, END} <= set(names):
        raise InputError(
            Fault(
                file="questions",
                field=ITEM,
                expected="a column item_id, or text, or doc_id with start and end",
                found=str(names),
            )
        )
    if isinstance(judgments, nw.LazyFrame) and not judgments.implementation.is_polars():
        raise InputError(
            Fault(file="questions", field=ITEM, expected="a column item_id", found="none")
        )
    order = nw.lit(1).cum_sum().over(QUERY).cast(nw.String)
    return judgments.lazy().collect().with_columns(nw.concat_str(nw.lit("e"), order).alias(ITEM))


@dataclass(frozen=True)
class Retrieval:
    """One question in its simplest form: the ids retrieved, best first, and the relevant ones.

    No relevant id: the question is unanswerable.

    >>> Retrieval(["d2", "d1"], ["d1"]).relevant_ids
    ['d1']
    """

    ranked_ids: Sequence[Any]
    relevant_ids: Iterable[Any]


def retrievals_as_dicts(
    retrievals: Any,
) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    """Give judgments and run, as dicts of lists under "1", "2", ..., of a list of `Retrieval`.

    Errors: `UsageError` for anything else.

    >>> retrievals_as_dicts([Retrieval(["b"], ["a"])])
    ({'1': ['a']}, {'1': ['b']})
    """
    listed = list(retrievals) if isinstance(retrievals, Iterable) else [retrievals]
    wrong = [entry for entry in listed if not isinstance(entry, Retrieval)]
    if wrong:
        raise UsageError(
            f"without a run, expected a list of tophit.Retrieval, found {type(wrong[0]).__name__}"
        )
    judged = {str(n): list(entry.relevant_ids) for n, entry in enumerate(listed, 1)}
    return judged, {str(n): list(entry.ranked_ids) for n, entry in enumerate(listed, 1)}


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """The relations on one engine, and the way back to the caller's kind of frame."""

    queries: Lazy
    judgments: Lazy
    retrieved: Lazy
    to_caller: Callable[[Lazy], Any]
    warnings: tuple[DataWarning, ...] = ()

    @property
    def in_process(self) -> bool:
        """True on Polars, where values are collected; False on DuckDB and Spark, where sums are."""
        return self.retrieved.implementation.is_polars()


def inputs_from(questions: Any, run: Any) -> Inputs:
    """Bring questions and run onto one engine: that of the run, or of the questions, else Polars.

    pandas and PyArrow frames are computed on Polars and come back as pandas and PyArrow.

    >>> given = inputs_from({"q1": ["d1"]}, {"q1": ["d1"]})
    >>> given.in_process
    True
    """
    queries, judgments = questions_from(questions)
    retrieved = run_from(run)
    leader = next((f for f in (retrieved, judgments) if _is_sql(f)), retrieved)
    queries, judgments, retrieved = (_on_engine(f, leader) for f in (queries, judgments, retrieved))
    if GRADE not in judgments.collect_schema().names():
        judgments = judgments.with_columns(nw.lit(1.0).alias(GRADE))
    return Inputs(
        queries=queries.select(QUERY).unique(),
        judgments=judgments,
        retrieved=retrieved,
        to_caller=_way_back(run, leader),
    )


def _is_sql(frame: Frame) -> bool:
    return isinstance(frame, nw.LazyFrame) and not frame.implementation.is_polars()


def _on_engine(frame: Frame, leader: Frame) -> Lazy:
    if not _is_sql(leader):
        if isinstance(frame, nw.LazyFrame):
            return frame
        return nw.from_native(frame.to_polars()).lazy()
    if _is_sql(frame):
        return frame.lazy()
    return to_engine(frame.lazy().collect().to_polars(), leader)


def to_engine(frame: pl.DataFrame, leader: Frame) -> Lazy:
    """Bring a small frame to where `leader` lives: its DuckDB connection or Spark session."""
    if leader.implementation.is_polars():
        return nw.from_native(frame).lazy()
    native: Any = leader.to_native()
    if leader.implementation.is_duckdb():
        # the relation's own connection reads the local variable by its name
        tophit_frame = frame.to_arrow()  # noqa: F841
        relation = native.query("tophit_leader", "select * from tophit_frame")
        duck: Lazy = nw.from_native(relation).lazy()
        return duck
    if leader.implementation.is_pyspark():
        spark: Lazy = nw.from_native(native.sparkSession.createDataFrame(frame.to_arrow())).lazy()
        return spark
    raise UsageError(f"frames of {leader.implementation} are not supported")


def _way_back(run: Any, leader: Frame) -> Callable[[Lazy], Any]:
    if _is_sql(leader):
        return lambda scores: scores.to_native()
    source: Any = None
    try:
        source = nw.from_native(run, pass_through=False)
    except TypeError:
        return lambda scores: scores.collect().to_native()
    if isinstance(source, nw.LazyFrame):
        return lambda scores: scores.to_native()
    if source.implementation.is_pandas():
        return lambda scores: scores.collect().to_pandas()
    if source.implementation.is_pyarrow():
        return lambda scores: scores.collect().to_arrow()
    return lambda scores: scores.collect().to_native()
