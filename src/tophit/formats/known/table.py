"""`table`: CSV, TSV, Parquet and sheets with the relations' columns, or the usual other names.

Every column of a delimited file is read as text and turned into its type, so ids stay as they
stand there. Instead of one row an item or a place, a column may hold lists (`expected`,
`retrieved`, and their usual other names), as JSON has them or as Python and NumPy print them.
A row with a query id and nothing that is expected is an unanswerable question; a row of a run
with a query id and no chunk, rank or score is a query whose list is empty.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

import polars as pl

from tophit.formats.definition import Format, Losses, Role, roles
from tophit.formats.known.trec import one_grade
from tophit.formats.reading import table_records
from tophit.formats.reading.columns import LINE, LIST, Columns, ranks_from_one
from tophit.formats.reading.files import Source, StrPath, atomic_write, plain_name
from tophit.formats.reading.sniff import sample
from tophit.formats.writing.losses import in_order
from tophit.records.columns import columns_of
from tophit.records.made import made_id, question_id
from tophit.records.values import Description
from tophit.relations import (
    ANSWERS,
    CHUNK,
    CHUNKS,
    DOC,
    END,
    EXPECTED,
    EXPECTED_IDS,
    GRADE,
    ITEM,
    JUDGMENTS,
    QUERIES,
    QUERY,
    QUESTION,
    RANK,
    RETRIEVED,
    RETRIEVED_IDS,
    RETRIEVED_LIST,
    SCORE,
    START,
    TAG_PREFIX,
    TEXT,
    Questions,
    Run,
)

_QUESTION_COLUMNS = {**QUERIES, EXPECTED: LIST, EXPECTED_IDS: LIST, **JUDGMENTS}
_RUN_COLUMNS = {**QUERIES, RETRIEVED_LIST: LIST, RETRIEVED_IDS: LIST, **RETRIEVED, **ANSWERS}
_ITEM_COLUMNS = (ITEM, CHUNK, TEXT, DOC, START, END)


def recognise(source: Source) -> frozenset[Role]:
    """The roles whose columns are there, under their own or their usual other names."""
    seen = sample(source)
    if seen.kind not in ("table", "parquet"):
        return roles()
    questions = set(columns_of(seen.fields, _QUESTION_COLUMNS))
    run = set(columns_of(seen.fields, _RUN_COLUMNS))
    if {QUERY, QUESTION}.isdisjoint(questions | run):
        columns = set(columns_of(seen.fields, CHUNKS))
        is_chunks = {CHUNK, TEXT} <= columns or {CHUNK, DOC, START, END} <= columns
        return roles("chunks") if is_chunks else roles()
    found: set[Role] = set()
    if _is_ranked(run) or {RETRIEVED_LIST, RETRIEVED_IDS} & run:
        found.add("run")
    # A ranked list has ids too; read as judgments it would make all of them relevant.
    if {EXPECTED, EXPECTED_IDS} & questions or (
        {ITEM, TEXT, START} & questions and (GRADE in questions or RANK not in run)
    ):
        found.add("questions")
    return frozenset(found)


def _is_ranked(columns: Iterable[str]) -> bool:
    """Whether a row is one place of a ranked list."""
    return not {CHUNK, TEXT}.isdisjoint(columns) and not {RANK, SCORE}.isdisjoint(columns)


def read_questions(source: Source) -> Questions:
    """Read questions, a row an expected item or a list of them.

    Errors: `InputError` with all faults.
    """
    columns = Columns(source, _QUESTION_COLUMNS)
    columns.require_one((QUERY, QUESTION))
    columns.require_one((EXPECTED, EXPECTED_IDS, ITEM, TEXT, START))
    if _are_records(columns):
        columns.both_offsets()
        columns.faults.check()
        return table_records.read_questions(source, columns.names)
    rows = _filled(columns.frame(), TEXT, QUESTION)
    columns.require_ids(rows, QUERY)
    expects = _any_value(rows, (*_ITEM_COLUMNS, GRADE))
    if not {GRADE, QUESTION} & set(rows.columns):
        # Nothing but ids: a row without one is a hole, not an unanswerable question.
        expects = expects | True
    if ITEM in rows.columns:
        columns.require_ids(rows, ITEM, expects)
    columns.require_spans(rows, filled=True)
    columns.require_one_question(rows)
    columns.faults.check()
    queries = _queries(rows, columns)
    return Questions(
        queries=queries, judgments=_judgments(rows.filter(expects), columns), source=source.name
    )


def _are_records(columns: Columns) -> bool:
    """Whether rows are to be read one by one: they hold lists or texts, or are told by a text.

    A table with a column `chunk_id` is one that tophit wrote: what stands there is what is meant.
    """
    names = columns.names
    if QUERY not in names or not {EXPECTED, EXPECTED_IDS}.isdisjoint(names):
        return True
    return CHUNK not in names and (TEXT in names or columns.has_lists(ITEM))


def _filled(rows: pl.DataFrame, *names: str) -> pl.DataFrame:
    """Rows with null for empty text."""
    return rows.with_columns(
        pl.when(pl.col(name).str.strip_chars() != "").then(name).alias(name)
        for name in names
        if name in rows.columns
    )


def _any_value(rows: pl.DataFrame, names: tuple[str, ...]) -> pl.Series:
    present = [pl.col(name).is_not_null() for name in names if name in rows.columns]
    return rows.select(pl.any_horizontal(pl.lit(False), *present).alias("any"))["any"]


def _judgments(rows: pl.DataFrame, columns: Columns) -> pl.DataFrame:
    if ITEM not in rows.columns:
        position = pl.int_range(1, pl.len() + 1).over(QUERY)
        none = [] if CHUNK in rows.columns else [pl.lit(None, pl.String).alias(CHUNK)]
        rows = rows.with_columns(pl.format("e{}", position).alias(ITEM), *none)
    grade = pl.col(GRADE).fill_null(1.0) if GRADE in rows.columns else pl.lit(1.0).alias(GRADE)
    # A `chunk_id` that is empty everywhere says that the items have made-up names.
    rows = _kept(rows.with_columns(grade), JUDGMENTS, always=(QUERY, ITEM, GRADE, CHUNK))
    return one_grade(rows.rename({LINE: "line"}), columns.source, line_of=columns.line_at)


def _kept(rows: pl.DataFrame, relation: dict[str, str], *, always: tuple[str, ...]) -> pl.DataFrame:
    """The columns of the relation that hold something, and `_line`."""
    names = [n for n in relation if n in rows.columns and (n in always or rows[n].count())]
    return rows.select(*names, LINE)


def _queries(rows: pl.DataFrame, columns: Columns) -> pl.DataFrame:
    kept = [QUERY, QUESTION] if QUESTION in rows.columns and rows[QUESTION].count() else [QUERY]
    tags = [name for name in columns.table.columns if name.startswith(TAG_PREFIX)]
    rows = rows.with_columns(columns.table[name].cast(pl.String) for name in tags)
    return rows.select(*kept, *tags).unique(QUERY, keep="first", maintain_order=True)


def read_run(source: Source, name: str | None) -> Run:
    """Read a run, a row a place of a ranked list, or a row a query and its list.

    Errors: `InputError` with all faults.
    """
    columns = Columns(source, _RUN_COLUMNS)
    columns.require_one((QUERY, QUESTION))
    if not _is_ranked(columns.names) and {RETRIEVED_LIST, RETRIEVED_IDS} & set(columns.names):
        return table_records.read_run(source, columns.names, name)
    columns.require_one((CHUNK, TEXT))
    columns.require_one((RANK, SCORE))
    columns.refuse_lists(CHUNK, TEXT)
    rows = _with_ids(_filled(columns.frame(lenient=(SCORE,)), QUESTION), columns)
    answered = [name for name in ANSWERS if name in rows.columns]
    has_place = _any_value(rows, (CHUNK, RANK, SCORE, TEXT))
    has_place |= columns.breaks_off(~has_place)
    if CHUNK in columns.names:
        columns.require_ids(rows, CHUNK, has_place)
    order = SCORE if SCORE in rows.columns and not _any_value(rows, (RANK,)).any() else RANK
    _check_order(rows.filter(has_place), columns, order)
    columns.require_spans(rows, filled=False)
    columns.require_one_question(rows)
    columns.faults.check()
    answers = None
    if len(answered) > 1:
        answers = rows.select(answered).unique(QUERY, keep="first", maintain_order=True)
    asked = [name for name in QUERIES if name in rows.columns]
    places = _kept(rows.filter(has_place), RETRIEVED, always=(QUERY, CHUNK, order))
    return Run(
        retrieved=ranks_from_one(places.drop(LINE)),
        name=name or source.stem,
        answers=answers,
        queries=rows.select(asked).unique(QUERY, keep="first", maintain_order=True),
        source=source.name,
    )


def _with_ids(rows: pl.DataFrame, columns: Columns) -> pl.DataFrame:
    """The rows with the ids of queries and chunks, made of their texts where there are none."""
    if QUERY in rows.columns:
        columns.require_ids(rows, QUERY)
    else:
        rows = rows.with_columns(pl.col(QUESTION).map_elements(question_id, pl.String).alias(QUERY))
        columns.require_ids(rows, QUERY, name=columns.names[QUESTION])
    if CHUNK in rows.columns:
        return rows
    return rows.with_columns(pl.col(TEXT).map_elements(made_id, pl.String).alias(CHUNK))


def _check_order(rows: pl.DataFrame, columns: Columns, order: str) -> None:
    if order not in rows.columns:
        return
    if missing := rows[order].null_count():
        found = Description(f"{missing:,} rows without one")
        columns.faults.add(
            expected=f"a {order} in every row", value=found, field=columns.names[order]
        )


def read_chunks(source: Source) -> pl.DataFrame:
    """Read chunks, a row a chunk. Errors: `InputError` with all faults."""
    columns = Columns(source, CHUNKS)
    columns.require_one((CHUNK,))
    columns.require_one((TEXT, START))
    columns.refuse_lists(CHUNK, TEXT)
    rows = columns.frame()
    columns.require_ids(rows, CHUNK)
    columns.require_once(rows, CHUNK)
    columns.require_spans(rows, filled=False)
    columns.faults.check()
    texts = (TEXT,) if TEXT in columns.names else ()
    rows = _kept(rows, CHUNKS, always=(CHUNK, *texts)).drop(LINE)
    return rows.with_columns(pl.col(texts).fill_null(""))


def write_questions(questions: Questions, path: StrPath) -> Losses:
    """Write a row an expected item, and one for a question that expects nothing."""
    rows = questions.queries.join(
        questions.judgments, on=QUERY, how="left", maintain_order="left_right"
    )
    _write(rows, path)
    return ()


def write_run(run: Run, path: StrPath) -> Losses:
    """Write a row a place; question and answer stand in every row of their query.

    A query whose list is empty has one row, without a place.
    """
    rows = in_order(run.retrieved)
    for said in (run.queries, run.answers):
        if said is not None:
            silent = said.join(rows, on=QUERY, how="anti", maintain_order="left")
            rows = rows.join(said, on=QUERY, how="left", maintain_order="left")
            rows = pl.concat([rows, silent], how="diagonal")
    _write(rows, path)
    return ()


def write_chunks(chunks: pl.DataFrame, path: StrPath) -> Losses:
    """Write a row a chunk."""
    _write(chunks, path)
    return ()


def _write(frame: pl.DataFrame, path: StrPath) -> None:
    name = plain_name(Path(path)).lower()
    with atomic_write(path, binary=True) as file:
        # Polars' stubs want more of a file than it uses.
        stream = cast("Any", file)
        if name.endswith((".parquet", ".pq")):
            frame.write_parquet(stream)
        else:
            frame.write_csv(stream, separator="\t" if name.endswith((".tsv", ".tab")) else ",")


FORMAT = Format(
    name="table",
    description="CSV, TSV, Parquet or Excel with columns such as query_id, item_id, rank, score",
    recognise=recognise,
    ambiguous=True,
    read_questions=read_questions,
    read_run=read_run,
    read_chunks=read_chunks,
    write_questions=write_questions,
    write_run=write_run,
    write_chunks=write_chunks,
)
