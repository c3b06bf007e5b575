"""`trec`: qrels `qid iter docno rel` and runs `qid Q0 docno rank score tag`, as in trec_eval.

Columns stand between any run of blanks or tabs. A line that starts with `#` is a comment, while
ids may hold `#`. What stands after the fifth column of a run belongs to the tag. Scores decide
the order and the rank column is ignored. Lines whose columns are shifted, since an id has a blank
inside, are faults: the rank would be taken for the score. Scores are doubles; infinite ones are in
order as any other number, NaN is a fault. A number beyond the range of doubles reads as infinite.
"""

from __future__ import annotations

import mmap
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from tophit.formats.definition import Format, Losses, Role, roles
from tophit.formats.reading.blank_columns import read_columns
from tophit.formats.reading.files import LONE_RETURN, Source, StrPath, atomic_write
from tophit.formats.reading.lines import lines_of_first_fields
from tophit.formats.reading.sniff import sample
from tophit.formats.writing.losses import (
    only_ids,
    ranked,
    refuse_blanks,
    run_losses,
    score_losses,
)
from tophit.records.values import BLANK_MARKS, Description, Faults, shown
from tophit.relations import CHUNK, GRADE, ITEM, QUERY, RANK, SCORE, Questions, Run

_RUN_COLUMNS = (QUERY, "q0", CHUNK, RANK, SCORE, "tag")
_STARTS_A_NUMBER = r"^[-+.]?\d"
_RARE_ENDS = (b"\r", b"\f", b"\v")
_QRELS_COLUMNS = (QUERY, "iter", ITEM, GRADE)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|inf|infinity|nan)", re.I)
_RUN_SHAPE = "qid Q0 docno rank score tag"
_EMPTY = "# no lines"
_FILLERS = ("q0", "0", "iter")
_BLOCK = 1 << 17  # bytes looked at together; more would not stay in the cache


def recognise(source: Source) -> frozenset[Role]:
    """Four columns with a number at the end are qrels; six, with a number fifth, a run."""
    seen = sample(source)
    if seen.kind not in ("text", "table"):
        return roles()
    if seen.lines == (_EMPTY,):
        return roles("questions", "run")
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
        _refuse_shifted(places, source)
    return Run(
        retrieved=places.select(QUERY, CHUNK, SCORE),
        name=name or _tag(source) or source.stem,
        source=source.name,
    )


def _refuse_shifted(places: pl.DataFrame, source: Source) -> None:
    """Refuse lines whose columns are shifted by a blank in an id: a word as rank, a score as tag.

    A number may be a tag, but then the same one in many lines; a word may stand for a rank, but
    then no score is where the tag should be.
    """
    first = pl.col("tag").str.extract(r"^([^ \t]+)")
    has_score, has_rank = (
        column.cast(pl.Float64, strict=False).is_not_null() for column in (first, pl.col(RANK))
    )
    has_more = pl.col("tag").str.contains(r"[ \t]")
    scores = places.filter(has_score)["tag"]
    one_tag = places.height > 1 and places["tag"].n_unique() == 1
    differ = len(scores) > 1 and 2 * scores.n_unique() > len(scores)
    shifted = places.filter(
        ~has_rank & (has_more | has_score)
        | has_score & (has_more & pl.lit(not one_tag) | pl.lit(differ))
    )
    faults = Faults(source.name)
    for line, rank, tag in shifted.select("line", RANK, "tag").iter_rows():
        found = Description(
            f"the rank {shown(rank)} and the tag {shown(tag)}: a blank inside an id?"
        )
        faults.add(expected=f"6 columns ({_RUN_SHAPE})", value=found, line=line)
    faults.check()


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
            found = Description(f"{row['_before']:g} and {row[GRADE]:g}")
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
        layout = _layout(buffer)
        may_comment = buffer.find(b"#") >= 0
    if layout is not None:
        return _scan(path or source.data, layout, may_comment=may_comment)
    data = _regular(source.data)
    layout = _layout(data)
    return None if layout is None else _scan(data, layout, may_comment=may_comment)


def _regular(data: bytes) -> bytes:
    """The same lines with one blank between columns, and none around line ends."""
    for end in (b"\r\n", *_RARE_ENDS):
        data = data.replace(end, b"\n")
    data = data.replace(b"\t", b" ")
    # Halving runs again and again is six times as fast as a regular expression.
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    data = data.replace(b"\n ", b"\n").replace(b" \n", b"\n")
    while b"\n\n" in data:
        data = data.replace(b"\n\n", b"\n")
    return data.strip(b" \n")


def _scan(data: Path | bytes, layout: _Layout, *, may_comment: bool) -> pl.DataFrame | None:
    places = _scanned(data, layout.separator, _RUN_COLUMNS, may_comment=may_comment)
    if places is not None and layout.fields > len(_RUN_COLUMNS) * places.height:
        # Only in a longer line can a blank inside an id hide; reading more takes its time.
        more = (*_RUN_COLUMNS, "rest")
        places = _scanned(data, layout.separator, more, may_comment=may_comment)
    if places is None or _may_be_shifted(places):
        return None
    if layout.is_ascii:
        return places
    places = places.with_columns(pl.col(QUERY, CHUNK).str.strip_chars(BLANK_MARKS))
    return None if any(places.select((pl.col(QUERY, CHUNK) == "").any()).row(0)) else places


def _scanned(
    data: Path | bytes, separator: str, names: tuple[str, ...], *, may_comment: bool
) -> pl.DataFrame | None:
    """Query, chunk, score and tag of every line; None where a number or the tag is missing."""
    numbers = (SCORE, RANK) if "rest" in names else (SCORE,)
    try:
        lines = pl.scan_csv(
            data,
            separator=separator,
            has_header=False,
            quote_char=None,
            schema={n: pl.Float64 if n in numbers else pl.String for n in names},
            truncate_ragged_lines=True,
            # Looking for comments costs a third of the time, so only where a `#` is at all.
            comment_prefix="#" if may_comment else None,
            glob=False,
        )
        places = lines.select(QUERY, CHUNK, *numbers, *names[5:]).collect()
    except pl.exceptions.PolarsError:
        return None
    holes = sum(places.drop("rest", strict=False).null_count().row(0))
    return None if holes or places[SCORE].is_nan().any() else places


def _may_be_shifted(places: pl.DataFrame) -> bool:
    """Whether scores may stand where the tags should: a closer look is worth its time."""
    if "rest" in places.columns:
        tag = places["tag"].filter(places["rest"].is_not_null())
        return bool(tag.str.contains(_STARTS_A_NUMBER).any())
    is_number = bool(places.height) and _is_number(places["tag"][0])
    return is_number and 2 * places["tag"].n_unique() > places.height


@contextmanager
def _buffer(source: Source, path: Path | None) -> Iterator[mmap.mmap | bytes]:
    if path is None:
        yield source.data
        return
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as buffer:
        yield buffer


class _Layout(NamedTuple):
    """The one separator of a file, how many fields it has, and if all characters are ASCII."""

    separator: str
    fields: int
    is_ascii: bool


def _layout(buffer: mmap.mmap | bytes) -> _Layout | None:
    """The layout of the file, if no two separators stand side by side or beside a line's end."""
    blank, tab = (buffer.find(mark) >= 0 for mark in (b" ", b"\t"))
    if blank == tab or buffer[:1] in (b" ", b"\t", b"\n"):
        return None
    mark = 32 if blank else 9
    fields, is_ascii = int(buffer[-1:] != b"\n"), True
    # Copies of blocks: a memory map cannot be closed while an array looks into it.
    for start in range(0, len(buffer), _BLOCK):
        data = buffer[start : start + _BLOCK + 1]
        if b"\f" in data or b"\v" in data or (b"\r" in data and LONE_RETURN.search(data)):
            return None
        block = np.frombuffer(data, np.uint8)
        gap = (block == mark) | (block == 10)
        if (gap[1:] & gap[:-1]).any():
            return None
        fields += int(np.count_nonzero(gap[:_BLOCK]))
        is_ascii = is_ascii and data.isascii()
    return _Layout(chr(mark), fields, is_ascii)


def write_questions(questions: Questions, path: StrPath) -> Losses:
    """Write qrels, one line a judgment with an id.

    Errors: `InputError` for ids with blanks, `UsageError` where no item has an id.
    """
    held = only_ids(questions, format="trec")
    check_ids(held.rows, (QUERY, ITEM), path)
    rows = held.rows.iter_rows()
    write_lines(path, (f"{query} 0 {item} {number_text(grade)}" for query, item, grade in rows))
    return held.lost


def write_run(run: Run, path: StrPath) -> Losses:
    """Write a run in its ranked order, with scores that give this order.

    Errors: `InputError` for ids with blanks.
    """
    places, replaced = ranked(run)
    check_ids(places, (QUERY, CHUNK), path)
    tag = re.sub(r"\s+", "_", run.name.strip()) or "run"
    rows = places.select(QUERY, CHUNK, RANK, SCORE).iter_rows()
    write_lines(
        path,
        (f"{query} Q0 {chunk} {rank} {score!r} {tag}" for query, chunk, rank, score in rows),
    )
    lost = run_losses(run, kept=(QUERY, CHUNK, RANK, SCORE), format="trec")
    return score_losses(replaced, run, format="trec") + lost


def write_lines(path: StrPath, lines: Iterable[str]) -> None:
    """Write lines, or a comment where there are none: a file of zero bytes may be cut off."""
    with atomic_write(path) as file:
        count = 0
        for line in lines:
            file.write(f"{line}\n")
            count += 1
        if not count:
            file.write(f"{_EMPTY}\n")


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
