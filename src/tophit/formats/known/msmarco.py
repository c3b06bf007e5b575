"""`msmarco`: qrels `qid 0 pid rel` and runs `qid pid rank`, separated by tabs."""

from __future__ import annotations

import polars as pl

from tophit.formats.definition import Format, Losses, Role, roles
from tophit.formats.known import trec
from tophit.formats.reading.blank_columns import read_columns
from tophit.formats.reading.columns import ranks_from_one
from tophit.formats.reading.files import Source, StrPath
from tophit.formats.reading.sniff import sample
from tophit.formats.writing.losses import in_order, only_ids, run_losses
from tophit.records.values import Description, Faults
from tophit.relations import CHUNK, ITEM, QUERY, RANK, Questions, Run

_COLUMNS = (QUERY, CHUNK, RANK)


def recognise(source: Source) -> frozenset[Role]:
    """Runs by three columns with a whole number at the end; qrels are those of `trec`."""
    seen = sample(source)
    if seen.kind not in ("text", "table"):
        return roles()
    lines = [line.split() for line in seen.lines if not line.startswith("#")]
    run = sum(len(row) == 3 and row[2].isdecimal() for row in lines)
    if 2 * run > len(lines):
        return roles("run")
    return trec.recognise(source) - roles("run")


def read_run(source: Source, name: str | None) -> Run:
    """Read a run: `rank` as it stands there, or one more where the first rank is 0.

    Errors: `InputError` with every line that has no three columns or no whole number from 0 as
    its rank.
    """
    places = read_columns(source, _COLUMNS, number=RANK, shape="qid pid rank")
    wrong = places.filter((pl.col(RANK) < 0) | (pl.col(RANK) != pl.col(RANK).round()))
    faults = Faults(source.name)
    for line, rank in wrong.select("line", RANK).iter_rows():
        faults.add(expected="a rank from 0", value=Description(f"{rank:g}"), line=line, field=RANK)
    faults.check()
    retrieved = ranks_from_one(places.select(QUERY, CHUNK, pl.col(RANK).cast(pl.Int64)))
    return Run(retrieved=retrieved, name=name or source.stem, source=source.name)


def write_questions(questions: Questions, path: StrPath) -> Losses:
    """Write qrels, one line a judgment with an id.

    Errors: `InputError` for ids with blanks, `UsageError` where no item has an id.
    """
    held = only_ids(questions, format="msmarco")
    trec.check_ids(held.rows, (QUERY, ITEM), path)
    rows = held.rows.iter_rows()
    trec.write_lines(
        path, (f"{query}\t0\t{item}\t{trec.number_text(grade)}" for query, item, grade in rows)
    )
    return held.lost


def write_run(run: Run, path: StrPath) -> Losses:
    """Write the ids of every query in ranked order, counted from 1.

    Errors: `InputError` for ids with blanks.
    """
    places = in_order(run.retrieved)
    if RANK not in places.columns:
        places = places.with_columns(pl.int_range(1, pl.len() + 1).over(QUERY).alias(RANK))
    trec.check_ids(places, (QUERY, CHUNK), path)
    rows = places.select(QUERY, CHUNK, RANK).iter_rows()
    trec.write_lines(path, (f"{query}\t{chunk}\t{rank}" for query, chunk, rank in rows))
    return run_losses(run, kept=(QUERY, CHUNK, RANK), format="msmarco")


FORMAT = Format(
    name="msmarco",
    description="MS MARCO qrels and runs (query, passage, rank), separated by tabs",
    recognise=recognise,
    read_questions=trec.read_questions,
    read_run=read_run,
    write_questions=write_questions,
    write_run=write_run,
)
