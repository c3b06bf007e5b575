"""Matching: which retrieved chunk holds which item, and how much of it."""

from __future__ import annotations

from dataclasses import dataclass

from tophit.choices import MATCHES
from tophit.errors import DataWarning, Fault, InputError, unknown
from tophit.matching.ways import WAYS, decided
from tophit.relations import Lazy
from tophit.settings import DEFAULT_FOLDING, Folding


@dataclass(frozen=True, kw_only=True)
class Matching:
    """The relation `hits`, how it came about, and what could not be matched."""

    hits: Lazy
    match: str
    warnings: tuple[DataWarning, ...] = ()


def match_hits(
    judgments: Lazy,
    retrieved: Lazy,
    *,
    match: str = "auto",
    folding: Folding = DEFAULT_FOLDING,
) -> Matching:
    """Find which ranked chunk holds which item, and how much of it.

    `match`: auto, text, spans or ids. `folding` is for text. Text is matched in
    process, on the places of judged queries alone; ids and spans where the frames live.

    Errors: as `choose_match`; `InputError` for an element that is empty after normalisation.

    >>> import narwhals as nw
    >>> import polars as pl
    >>> judged = pl.LazyFrame({"query_id": ["q"], "item_id": ["d"], "grade": [1.0]})
    >>> run = pl.LazyFrame({"query_id": ["q"], "chunk_id": ["d"], "rank": [1]})
    >>> match_hits(nw.from_native(judged), nw.from_native(run)).match
    'ids'
    """
    return hits_by(choose_match(match, judgments, retrieved), judgments, retrieved, folding=folding)


def hits_by(match: str, judgments: Lazy, retrieved: Lazy, *, folding: Folding) -> Matching:
    """As `match_hits`, where `choose_match` has decided already."""
    return Matching(hits=WAYS[match].hits(judgments, retrieved, folding), match=match)


def choose_match(match: str, judgments: Lazy, retrieved: Lazy) -> str:
    """Decide how relevance is decided; `auto`: text where both sides have it, else spans, else ids.

    Errors: `UsageError` for an unknown name; `InputError` when a side lacks what was asked for.

    >>> import narwhals as nw
    >>> import polars as pl
    >>> ids = nw.from_native(pl.LazyFrame({"query_id": ["q"], "chunk_id": ["d"]}))
    >>> choose_match("auto", ids, ids)
    'ids'
    """
    if match not in MATCHES:
        raise unknown("match", match, MATCHES)
    if match == "auto":
        return decided([judgments, retrieved])
    way = WAYS[match]
    faults = [
        Fault(file=name, field=way.columns, expected=f"for --match {match}", found="nothing")
        for name, side in (("questions", judgments), ("run", retrieved))
        if not way.possible(side)
    ]
    if faults:
        raise InputError(faults, hint="--match auto takes what both sides have")
    return match
