"""Questions, run and chunks as relations, checked, each where it lives."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import polars as pl

from tophit.errors import DataWarning, Fault, InputError
from tophit.frames.engines import is_sql, on_engine
from tophit.frames.native import Frame, is_number, records_of, relation_of, typed
from tophit.frames.python import questions_from_objects, run_from_objects
from tophit.frames.values import check_values
from tophit.records.build import refuse_two_questions
from tophit.records.cells import lists_printed_in
from tophit.records.chunks import chunks_from_records
from tophit.records.made import made_id
from tophit.records.values import Faults
from tophit.relations import (
    CHUNK,
    CHUNKS,
    DOC,
    END,
    EXPECTED,
    EXPECTED_IDS,
    GRADE,
    ITEM,
    JUDGMENTS,
    QUERY,
    QUESTION,
    RANK,
    RETRIEVED,
    RETRIEVED_IDS,
    RETRIEVED_LIST,
    SCORE,
    START,
    TEXT,
    Lazy,
    Questions,
    Run,
    schema,
)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The relations `queries` (the ids alone) and `judgments`.

    `texts` are the questions' texts (query_id, question), in process, where they are known.
    """

    queries: Frame
    judgments: Frame
    texts: pl.DataFrame | None = None
    warnings: tuple[DataWarning, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Retrieved:
    """The relation `retrieved`; `queries` are those of the run, in process, where they are known.

    They have `question` where the run knows the texts.
    """

    retrieved: Frame
    queries: pl.DataFrame | None = None
    warnings: tuple[DataWarning, ...] = ()


def as_questions(questions: Any) -> Any:
    """Give a `Questions` of a path, a dict or a list of records; what else there is, as it is.

    Errors: those of the readers.

    >>> as_questions([{"question": "Which fees?", "expected": ["late fees"]}]).queries.height
    1
    """
    if isinstance(questions, str | os.PathLike):
        from tophit.formats import read_questions

        return read_questions(os.fspath(questions))
    if isinstance(questions, Questions):
        return questions
    questions = listed(questions)
    found = questions_from_objects(_or(records_of(questions, (EXPECTED, EXPECTED_IDS)), questions))
    return questions if found is None else found


def as_run(run: Any) -> Any:
    """Give a `Run` of a path, a dict or a list of records; what else there is, as it is.

    Errors: those of the readers.

    >>> as_run([{"question": "Which fees?", "retrieved": ["late fees"]}]).retrieved.height
    1
    """
    if isinstance(run, str | os.PathLike):
        from tophit.formats import read_run

        return read_run(os.fspath(run))
    if isinstance(run, Run):
        return run
    run = listed(run)
    found = run_from_objects(_or(records_of(run, (RETRIEVED_LIST, RETRIEVED_IDS)), run))
    return run if found is None else found


def _or(found: Any, given: Any) -> Any:
    return given if found is None else found


def listed(source: Any) -> Any:
    """An iterator as a list, since it can be read once only; anything else as it is.

    >>> listed(iter("ab")), listed("ab")
    (['a', 'b'], 'ab')
    """
    return list(source) if isinstance(source, Iterator) else source


def questions_from(questions: Any) -> Asked:
    """Give the relations `queries` and `judgments` of whatever holds the questions.

    A path is read by its format; a `Questions` is taken as it is; a frame has the columns of
    `judgments` (or their usual other names); a dict is `{query: {id: grade}}` or `{query: [ids]}`;
    a list holds records as in the files, or rows: named tuples such as ir_measures' `Qrel`, dicts
    of columns. A row without an item is a question without one.

    Errors: `InputError` for missing columns or values; `UsageError` for any other type.

    >>> asked = questions_from({"q1": {"d1": 1}, "q2": []})
    >>> len(asked.queries), asked.judgments.rows()
    (2, [('q1', 'd1', 1.0)])
    """
    queries: Frame | None = None
    texts: pl.DataFrame | None = None
    warnings: tuple[DataWarning, ...] = ()
    questions = as_questions(questions)
    is_read = isinstance(questions, Questions)
    if isinstance(questions, Questions):
        queries, warnings = nw.from_native(questions.queries), questions.warnings
        texts = questions.queries.select(QUERY, QUESTION) if _has_texts(questions.queries) else None
        questions = questions.judgments
    columns = {**JUDGMENTS, QUESTION: "String"}
    given = relation_of(questions, columns, required=(QUERY,), kind="questions")
    if not is_read:
        _refuse_printed_lists(given, kind="questions")
    if QUESTION in given.collect_schema().names():
        texts = _texts(given, kind="questions")
        given = given.drop(QUESTION)
    names = given.collect_schema().names()
    if ITEM not in names:
        given = _with_item_ids(given)
    checked, found = check_values(given, kind="questions")
    judgments = typed(checked, JUDGMENTS, kind="questions")
    if queries is None:
        queries = judgments
    else:
        queries, _ = check_values(queries.select(QUERY), kind="questions")
        queries = typed(queries, {QUERY: "String"}, kind="questions")
    if GRADE not in names:
        judgments = judgments.with_columns(nw.lit(1.0).alias(GRADE))
    has_item = ~nw.col(ITEM).is_null() & (nw.col(ITEM) != "")
    return Asked(
        queries=queries.select(QUERY),
        judgments=_complete(judgments.filter(has_item), JUDGMENTS),
        texts=texts,
        warnings=(*warnings, *found),
    )


def _has_texts(queries: pl.DataFrame | None) -> bool:
    return queries is not None and QUESTION in queries.columns


def _texts(given: Frame, *, kind: str) -> pl.DataFrame:
    """The texts of the queries, one each. Errors: `InputError` for two texts under one id."""
    columns = {QUERY: "String", QUESTION: "String"}
    pairs = typed(given.select(QUERY, QUESTION), columns, kind=kind).lazy()
    known = pairs.filter(~nw.col(QUESTION).is_null()).unique().collect()
    texts = known.to_polars().sort(QUERY, QUESTION)
    refuse_two_questions(texts, source=kind)
    return texts


def run_from(run: Any) -> Retrieved:
    """Give the relation `retrieved` of whatever holds the run.

    A path, a `Run`, a frame; a dict `{query: {id: score}}` (scores decide) or
    `{query: [ids or records]}` (the given order counts); a list of records as in the files, or of
    rows: named tuples such as ir_measures' `ScoredDoc`.

    Errors: as `questions_from`.

    >>> run_from({"q1": ["d2", "d1"]}).retrieved.rows()
    [('q1', 'd2', 1), ('q1', 'd1', 2)]
    """
    warnings: tuple[DataWarning, ...] = ()
    queries: pl.DataFrame | None = None
    run = as_run(run)
    is_read = isinstance(run, Run)
    if isinstance(run, Run):
        queries, warnings, run = run.queries, run.warnings, run.retrieved
    columns = {**RETRIEVED, QUESTION: "String"}
    given = relation_of(run, columns, required=(QUERY,), kind="run")
    if not is_read:
        _refuse_printed_lists(given, kind="run")
    if QUESTION in given.collect_schema().names():
        queries = _texts(given, kind="run")
        given = given.drop(QUESTION)
    given = _with_chunk_ids(given)
    if not {RANK, SCORE} & set(names := given.collect_schema().names()):
        place, found = "rank, score", ", ".join(names)
        raise InputError(
            Fault(file="run", field=place, expected="one of these columns", found=found)
        )
    types = given.collect_schema()
    if {RANK, SCORE} <= set(types.names()) and not is_number(types[SCORE]):
        given = given.drop(SCORE)  # beside ranks it is information, and text is none
    checked, remarks = check_values(given, kind="run")
    retrieved = _complete(typed(checked, RETRIEVED, kind="run"), RETRIEVED)
    return Retrieved(retrieved=retrieved, queries=queries, warnings=(*warnings, *remarks))


def _refuse_printed_lists(frame: Frame, *, kind: str) -> None:
    """Refuse texts that are lists as Python prints them, in memory: a row has one text."""
    types = frame.collect_schema()
    if is_sql(frame) or TEXT not in types or types[TEXT] != nw.String:
        return
    texts = frame.lazy().select(TEXT).collect().to_polars()[TEXT]
    faults = [
        Fault(
            file=kind,
            field=TEXT,
            expected="one text in a row (explode the lists, or call the column "
            f"{EXPECTED if kind == 'questions' else RETRIEVED_LIST})",
            found=f"{texts[row]!r} in row {row}",
        )
        for row, says in lists_printed_in(texts)
        if says
    ]
    if faults:
        raise InputError(faults)


def _with_chunk_ids(places: Frame) -> Frame:
    """Give places that have texts alone ids made from them; on an engine the text is the id."""
    names = places.collect_schema().names()
    if CHUNK in names:
        return places
    if TEXT not in names:
        found = ", ".join(names)
        raise InputError(
            Fault(file="run", field=CHUNK, expected="a column 'chunk_id', or text", found=found)
        )
    if is_sql(places):
        return places.with_columns(nw.col(TEXT).alias(CHUNK))
    frame = places.lazy().collect().to_polars()
    ids = (
        frame.select(TEXT)
        .unique()
        .with_columns(pl.col(TEXT).map_elements(made_id, pl.String).alias(CHUNK))
    )
    return nw.from_native(frame.join(ids, on=TEXT, how="left", maintain_order="left"))


def chunks_from(chunks: Any, *, leader: Frame | None = None) -> Lazy:
    """Give the relation `chunks` of whatever holds the index, on the engine of `leader`.

    A path, a frame, or a list of records as in the files, or of documents of a framework.

    Errors: as `questions_from`.

    >>> chunks_from([{"id": "c1", "text": "a"}]).collect().rows()
    [('c1', 'a')]
    """
    if isinstance(chunks, str | os.PathLike):
        from tophit.formats import read_chunks

        chunks = read_chunks(os.fspath(chunks))
    chunks = listed(chunks)
    if isinstance(chunks, list | tuple) and chunks:
        records = ((None, chunk) for chunk in chunks)
        chunks = chunks_from_records(records, Faults("chunks"), once=False)
    given = relation_of(chunks, CHUNKS, required=(CHUNK,), kind="chunks")
    frame = typed(given, CHUNKS, kind="chunks")
    return on_engine(frame, frame if leader is None else leader)


def _named(names: Sequence[str]) -> nw.Expr:
    """The name of an item: its text, else its place in a document."""
    has_place, place = {DOC, START, END} <= set(names), nw.lit(None).cast(nw.String)
    if has_place:
        parts = [nw.col(name).cast(nw.String) for name in (DOC, START, END)]
        place = nw.concat_str(parts, separator=" ")
    return (nw.coalesce(nw.col(TEXT), place) if TEXT in names else place).alias(ITEM)


def _no_own_id(names: Sequence[str]) -> list[nw.Expr]:
    """A null id of its own says that the item's name is made up, and matches nothing."""
    return [] if CHUNK in names else [nw.lit(None).cast(nw.String).alias(CHUNK)]


def _complete(frame: Frame, relation: Mapping[str, str]) -> Frame:
    """Give a frame in memory that has no rows all columns: nothing can be missing in none."""
    if isinstance(frame, nw.LazyFrame) or len(frame):
        return frame
    return nw.from_native(pl.DataFrame(schema=schema(dict(relation))))


def _with_item_ids(judgments: Frame) -> Frame:
    """Number the items of each query, where only their texts or places are given."""
    names = judgments.collect_schema().names()
    if TEXT not in names and not {DOC, START, END} <= set(names):
        expected = "a column item_id, or text, or doc_id with start and end"
        found = ", ".join(names)
        raise InputError(Fault(file="questions", field=ITEM, expected=expected, found=found))
    if is_sql(judgments):
        # Rows have no order there to number them by, so what is expected is its own name.
        return judgments.with_columns(_named(names), *_no_own_id(names))
    frame = judgments.lazy().collect().to_polars()
    number = pl.int_range(1, pl.len() + 1).over(QUERY).cast(pl.String)
    given = pl.any_horizontal(pl.col(name).is_not_null() for name in (TEXT, START) if name in names)
    item = pl.when(given).then(pl.concat_str(pl.lit("e"), number))
    # An item that is named here only has no id of its own: nothing can be matched with the name.
    own = pl.col(CHUNK) if CHUNK in names else pl.lit(None, pl.String).alias(CHUNK)
    return nw.from_native(frame.with_columns(item.alias(ITEM), own))
