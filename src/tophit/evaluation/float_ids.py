"""Ids that became doubles on the way: `1.0` on one side where the other has `1`."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from tophit.errors import DataWarning, counted
from tophit.pairing import Inputs
from tophit.relations import CHUNK, ITEM, QUERY

_POINT = r"\.0+$"
_WRITTEN = r"^-?\d+\.0+$"
_REMEDY = (
    "a column of numbers with holes becomes doubles in pandas: read it as text "
    "(dtype=str) or as Int64, and write it again"
)


def float_ids(inputs: Inputs, *, match: str) -> Iterator[DataWarning]:
    """Warn of ids that no id of the other side equals, but for a point and a nought.

    Code: float_ids, with the number of such ids. Looked for in process only.
    """
    if not inputs.in_process:
        return
    run, judged = (f.collect().to_polars() for f in (inputs.retrieved, inputs.judgments))
    asked = inputs.queries.collect().to_polars()[QUERY]
    yield from _between("query", asked, run[QUERY])
    if match == "ids" and CHUNK in run.columns:
        target = CHUNK if CHUNK in judged.columns else ITEM
        yield from _between("chunk", judged[target], run[CHUNK])


def _between(kind: str, questions: pl.Series, run: pl.Series) -> Iterator[DataWarning]:
    for ours, theirs, names in (
        (questions, run, ("the questions", "the run")),
        (run, questions, ("the run", "the questions")),
    ):
        written = _written(ours)
        if not written.len():
            continue
        written = written.filter(~written.is_in(theirs.implode()))
        plain = written.str.replace(_POINT, "")
        lost = written.filter(plain.is_in(theirs.implode()))
        if lost.len():
            first = lost.sort()[0]
            other = first.partition(".")[0]
            yield DataWarning(
                code="float_ids",
                count=lost.len(),
                message=f"{counted(lost.len(), f'{kind} id')} of {names[0]} "
                f"{'is' if lost.len() == 1 else 'are'} written {first!r} where {names[1]} "
                f"{'has' if names[1] == 'the run' else 'have'} {other!r}, and match nothing: "
                f"{_REMEDY}",
            )


def _written(ids: pl.Series) -> pl.Series:
    if ids.dtype != pl.String:
        return ids.clear().cast(pl.String)
    # Nearly always none is left after this, and a pattern over millions of ids takes its time.
    ended = ids.filter(ids.str.ends_with(".0")).unique().drop_nulls()
    return ended.filter(ended.str.contains(_WRITTEN))
