"""Matching: which retrieved chunk holds which item, and how much of it."""

from __future__ import annotations

from dataclasses import dataclass

import narwhals as nw

from tophit.choices import MATCHES
from tophit.errors import DataWarning, Fault, InputError, unknown
from tophit.matching.ids import id_hits
from tophit.relations import DOC, END, QUERY, START, TEXT, Lazy
from tophit.settings import DEFAULT_FOLDING, Folding

_NEEDS = {"text": (TEXT,), "spans": (DOC, START, END), "ids": ()}


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

    >>> import polars as pl
    >>> judged = pl.LazyFrame({"query_id": ["q"], "item_id": ["d"], "grade": [1.0]})
    >>> run = pl.LazyFrame({"query_id": ["q"], "chunk_id": ["d"], "rank": [1]})
    >>> match_hits(nw.from_native(judged), nw.from_native(run)).match
    'ids'
    """
    return hits_by(choose_match(match, judgments, retrieved), judgments, retrieved, folding=folding)


def hits_by(match: str, judgments: Lazy, retrieved: Lazy, *, folding: Folding) -> Matching:
    """As `match_hits`, where `choose_match` has decided already."""
    if match == "ids":
        return Matching(hits=id_hits(judgments, retrieved), match=match)
    if match == "spans":
        from tophit.matching.spans import span_hits

        return Matching(hits=span_hits(judgments, retrieved), match=match)
    from tophit.matching.text.hits import text_hits

    judged = judgments.select(QUERY).unique()
    places = retrieved.join(judged, on=QUERY, how="semi")
    found = text_hits(
        judgments.collect().to_polars(), places.collect().to_polars(), folding=folding
    )
    return Matching(hits=nw.from_native(found).lazy(), match=match)


def choose_match(match: str, judgments: Lazy, retrieved: Lazy) -> str:
    """Decide how relevance is decided; `auto`: text where both sides have it, else spans, else ids.

    Errors: `UsageError` for an unknown name; `InputError` when a side lacks what was asked for.

    >>> import polars as pl
    >>> ids = nw.from_native(pl.LazyFrame({"query_id": ["q"], "chunk_id": ["d"]}))
    >>> choose_match("auto", ids, ids)
    'ids'
    """
    if match not in MATCHES:
        raise unknown("match", match, MATCHES)
    if match == "auto":
        both = [
            side for side in ("text", "spans") if _has(judgments, side) and _has(retrieved, side)
        ]
        return both[0] if both else "ids"
    faults = [
        Fault(
            file=name,
            field=", ".join(_NEEDS[match]),
            expected=f"for --match {match}",
            found="nothing",
        )
        for name, side in (("questions", judgments), ("run", retrieved))
        if not _has(side, match)
    ]
    if faults:
        raise InputError(faults, hint="--match auto takes what both sides have")
    return match


def _has(side: Lazy, match: str) -> bool:
    needed = _NEEDS[match]
    if not set(needed) <= set(side.collect_schema().names()):
        return False
    if not needed or not side.implementation.is_polars():
        return True
    present = nw.all_horizontal(*[~nw.col(name).is_null() for name in needed], ignore_nulls=True)
    row = side.select(nw.len().alias("rows"), present.any().alias("any")).collect()
    return bool(row["rows"][0] == 0 or row["any"][0])
