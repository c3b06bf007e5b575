"""`trec`: qrels `qid iter docno rel` and runs `qid Q0 docno rank score tag`, as in trec_eval.

Columns stand between any run of blanks or tabs. A line that starts with `#` is a comment, while
ids may hold `#`. What stands after the fifth column of a run belongs to the tag. Scores decide
the order and the rank column is ignored. Scores are doubles; infinite ones are in order as any
other number, NaN is a fault. A number beyond the range of doubles reads as infinite.
"""

from __future__ import annotations

import mmap
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import polars as pl

from tophit.formats.definition import Format, Losses, Role, roles
from tophit.formats.reading.files import Source, StrPath, atomic_write
from tophit.formats.reading.lines import lines_of_first_fields
from tophit.formats.reading.sniff import sample
from tophit.formats.writing.losses import (
    only_ids,
    ranked,
    refuse_blanks,
    run_losses,
    score_losses,
)
from tophit.records.values import Faults, Words
from tophit.relations import CHUNK, GRADE, ITEM, QUERY, RANK, SCORE, Questions, Run

_RUN_COLUMNS = (QUERY, "q0", CHUNK, "rank_given", SCORE, "tag")
_QRELS_COLUMNS = (QUERY, "iter", ITEM, GRADE)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|inf|infinity|nan)", re.I)
_RUN_SHAPE = "qid Q0 docno rank score tag"
_FILLERS = ("q0", "0", "iter")
_BLOCK = 1 << 17  # bytes looked at together; more would not stay in the cache
_TEXT_BLOCK = 1 << 26


def recognise(source: Source) -> frozenset[Role]:
    """Four columns with a number at the end are qrels; six, with a number fifth, a run."""
    seen = sample(source)
    if seen.kind not in ("text", "table"):
        return roles()
    rows = [line.split() for line in seen.lines if not line.startswith("#")]
    if rows and all(len(row) == 1 for row in rows):
        return roles()
    run = sum(len(row) >= 6 and (_is_number(row[4]) or row[1].lower() in _FILLERS) for row in rows)
    qrels = sum(
        len(row) == 4 and (_is_number(row[3]) or row[1].lower() in _FILLERS) for row in rows
    )
    if not run and not qrels:
        return roles()
    return roles("run") if run >= qrels else roles("questions")


def _is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None


def read_run(source: Source, name: str | None) -> Run:
    """Read a run: `score` and no `rank`. The name is the tag of the first line.

    Errors: `InputError` with every line that has too few columns or no number as its score.
    """
    places = _fast(source)
    if places is None:
        places = read_columns(source, _RUN_COLUMNS, number=SCORE, shape=_RUN_SHAPE)
    return Run(
        retrieved=places.select(QUERY, CHUNK, SCORE),
        name=name or _tag(source) or source.stem,
        source=source.name,
    )


def _tag(source: Source) -> str | None:
    """What stands after the fifth column of the first line."""
    for line in sample(source).lines:
        if not line.startswith("#"):
            fields = line.strip(" \t\r").split(None, 5)
            return fields[5] if len(fields) == 6 else None
    return None


def read_questions(source: Source) -> Questions:
    """Read qrels: the questions are the query ids, the items the document ids.

    Errors: `InputError` with every line that has too few columns or no number as its grade, and
    every document that has two different grades for one query.
    """
    judgments = read_columns(source, _QRELS_COLUMNS, number=GRADE, shape="qid iter docno rel")
    judgments = one_grade(judgments.select(QUERY, ITEM, GRADE, "line"), source)
    queries = judgments.select(QUERY).unique(maintain_order=True)
    return Questions(queries=queries, judgments=judgments, source=source.name)


def one_grade(
    judgments: pl.DataFrame,
    source: Source,
    *,
    line_of: Callable[[int | None], int | None] = lambda line: line,
) -> pl.DataFrame:
    """Drop judgments that are there twice; the column `line` goes with them.

    `line_of` gives the line of the file for what stands in `line`.

    Errors: `InputError` where one item has two grades, since either would be a guess.
    """
    once = judgments.unique(set(judgments.columns) - {"line"}, keep="first", maintain_order=True)
    before = pl.col(GRADE).first().over(QUERY, ITEM).alias("_before")
    again = once.with_columns(before).filter(pl.col(GRADE) != pl.col("_before"))
    if again.height:
        faults = Faults(source.name)
        for row in again.iter_rows(named=True):
            found = Words(f"{row['_before']:g} and {row[GRADE]:g}")
            expected = f"one grade for {row[ITEM]!r} in query {row[QUERY]!r}"
            faults.add(expected=expected, value=found, line=line_of(row["line"]), field=GRADE)
        faults.check()
    return once.drop("line")


def _fast(source: Source) -> pl.DataFrame | None:
    """The run, read by Polars; None where that is not certain to be right.

    Certain means: one and the same separator everywhere, never two in a row nor at the start of
    a line, so that a field is never empty; the sixth column filled in every line, so that none
    is short; no comment; every score a number. The rest of a longer line is cut off unread.
    """
    path = source.mappable
    with _buffer(source, path) as buffer:
        separator = _separator(buffer)
        may_comment = buffer.find(b"#") >= 0
    if separator is not None:
        return _scan(path or source.data, separator, may_comment=may_comment)
    data = _regular(source.data)
    separator = _separator(data)
    return None if separator is None else _scan(data, separator, may_comment=may_comment)


def _regular(data: bytes) -> bytes:
    """The same lines with one blank between columns, and none around line ends."""
    data = data.replace(b"\r\n", b"\n").replace(b"\t", b" ")
    # Halving runs again and again is six times as fast as a regular expression.
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    data = data.replace(b"\n ", b"\n").replace(b" \n", b"\n")
    while b"\n\n" in data:
        data = data.replace(b"\n\n", b"\n")
    return data.strip(b" \n")


def _scan(data: Path | bytes, separator: str, *, may_comment: bool) -> pl.DataFrame | None:
    try:
        lines = pl.scan_csv(
            data,
            separator=separator,
            has_header=False,
            quote_char=None,
            schema={n: pl.Float64 if n == SCORE else pl.String for n in _RUN_COLUMNS},
            truncate_ragged_lines=True,
            # Looking for comments costs a third of the time, so only where a `#` is at all.
            comment_prefix="#" if may_comment else None,
            glob=False,
        )
        places = lines.select(QUERY, CHUNK, SCORE, "tag").collect()
    except pl.exceptions.PolarsError:
        return None
    holes = sum(places.null_count().row(0))
    return None if holes or places[SCORE].is_nan().any() else places


@contextmanager
def _buffer(source: Source, path: Path | None) -> Iterator[mmap.mmap | bytes]:
    if path is None:
        yield source.data
        return
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as buffer:
        yield buffer


def _separator(buffer: mmap.mmap | bytes) -> str | None:
    """The one separator of the file, if no two stand side by side or beside a line's end."""
    blank, tab = (buffer.find(mark) >= 0 for mark in (b" ", b"\t"))
    if blank == tab or buffer[:1] in (b" ", b"\t", b"\n"):
        return None
    mark = 32 if blank else 9
    # Copies of blocks: a memory map cannot be closed while an array looks into it.
    for start in range(0, len(buffer), _BLOCK):
        block = np.frombuffer(buffer[start : start + _BLOCK + 1], np.uint8)
        gap = (block == mark) | (block == 10)
        if (gap[1:] & gap[:-1]).any():
            return None
    return chr(mark)


def read_columns(
    source: Source, columns: tuple[str, ...], *, number: str, shape: str
) -> pl.DataFrame:
    """Read columns between blanks or tabs, every line by a regular expression.

    Gives the columns as text, `number` as a double, and `line`, from 1. A column `tag` takes the
    rest of the line. `shape` says in errors what a line looks like.

    Errors: `InputError` with every line of another number of columns or without the number.
    """
    kinds = {name: ".+" if name == "tag" else r"[^ \t]+" for name in columns}
    fields = [f"(?<{name}>{kind})" for name, kind in kinds.items()]
    pattern = "^" + r"[ \t]+".join(fields) + "$"
    tables = []
    lines_before = 0
    for text in _text_blocks(source):
        lines = _text_lines(text, lines_before)
        lines_before += text.count("\n") + 1
        groups = pl.col("text").str.extract_groups(pattern).struct.field(*columns)
        value = pl.col(number).cast(pl.Float64, strict=False).alias("_number")
        tables.append(lines.lazy().with_columns(groups).with_columns(value).collect())
    table = pl.concat(tables)
    is_number = pl.col("_number").is_not_null() & ~pl.col("_number").is_nan()
    bad = table.filter(~is_number.fill_null(False))
    if bad.height:
        _refuse(bad, source, number=number, expected=f"{len(columns)} columns ({shape})")
    return table.with_columns(pl.col("_number").alias(number)).drop("_number", "text")


def _text_blocks(source: Source) -> Iterator[str]:
    """The text in blocks of whole lines: one string of Polars holds at most 4 GB."""
    text, start = source.text, 0
    while start < len(text):
        stop = text.find("\n", start + _TEXT_BLOCK)
        stop = len(text) if stop < 0 else stop
        yield text[start:stop]
        start = stop + 1


def _text_lines(text: str, before: int) -> pl.DataFrame:
    lines = pl.select(pl.lit(text).str.split("\n").explode().alias("text"))
    kept = pl.col("text").str.strip_chars(" \t\r")
    return (
        lines.with_row_index("line", offset=before + 1)
        .filter(~pl.col("text").str.starts_with("#"))
        .with_columns(kept)
        .filter(pl.col("text") != "")
    )


def _refuse(bad: pl.DataFrame, source: Source, *, number: str, expected: str) -> None:
    faults = Faults(source.name)
    for row in bad.iter_rows(named=True):
        line, value = row["line"], row[number]
        if value is None:
            found = Words(f"{len(row['text'].split())}")
            faults.add(expected=expected, value=found, line=line)
        else:
            faults.add(expected="a number", value=value, line=line, field=number)
    faults.check()


def write_questions(questions: Questions, path: StrPath) -> Losses:
    """Write qrels, one line a judgment with an id.

    Errors: `InputError` for ids with blanks, `UsageError` where no item has an id.
    """
    held = only_ids(questions, format="trec")
    check_ids(held.rows, (QUERY, ITEM), path)
    with atomic_write(path) as file:
        for query, item, grade in held.rows.iter_rows():
            file.write(f"{query} 0 {item} {number_text(grade)}\n")
    return held.lost


def write_run(run: Run, path: StrPath) -> Losses:
    """Write a run in its ranked order, with scores that give this order.

    Errors: `InputError` for ids with blanks.
    """
    places, replaced = ranked(run)
    check_ids(places, (QUERY, CHUNK), path)
    tag = re.sub(r"\s+", "_", run.name.strip()) or "run"
    with atomic_write(path) as file:
        for row in places.select(QUERY, CHUNK, RANK, SCORE).iter_rows():
            query, chunk, rank, score = row
            file.write(f"{query} Q0 {chunk} {rank} {score!r} {tag}\n")
    lost = run_losses(run, kept=(QUERY, CHUNK, RANK, SCORE), format="trec")
    return score_losses(replaced, run, format="trec") + lost


def check_ids(frame: pl.DataFrame, columns: tuple[str, ...], path: StrPath) -> None:
    """Refuse ids that could not be read back."""
    for column in columns:
        refuse_blanks(frame[column], field=column, target=str(path), format="trec")


def number_text(value: float) -> str:
    """A grade as a file shows it: whole numbers without a point.

    >>> number_text(1.0), number_text(0.2)
    ('1', '0.2')
    """
    return str(int(value)) if value.is_integer() else repr(value)


FORMAT = Format(
    name="trec",
    description="TREC qrels and runs, as trec_eval reads them",
    recognise=recognise,
    read_questions=read_questions,
    read_run=read_run,
    question_lines=lines_of_first_fields,
    write_questions=write_questions,
    write_run=write_run,
)
