"""From the hits of a run and the facts about its items to the outcome of each item."""

from __future__ import annotations

import polars as pl

from tophit.diagnosis.facts import FACTS
from tophit.diagnosis.outcomes import IN_DOCUMENTS, RETRIEVED, outcome, place_of
from tophit.relations import CHUNK, ITEM, N_RETRIEVED, QUERY, RANK, SHARE

OUTCOME = "outcome"
SHARE_RANK = "share_rank"
WHY = "why"
_ITEM = [QUERY, ITEM]
_STRAY = 0.1  # a share of an item that any text may have


def item_outcomes(
    items: pl.DataFrame, hits: pl.DataFrame, of_run: pl.DataFrame, facts: pl.DataFrame, *, k: int
) -> pl.DataFrame:
    """Give a row an item: its outcome, and where it stands.

    `items` has query_id and item_id in the order of the questions. Columns out: these, outcome,
    rank (of the first place that holds it whole), share, share_rank and chunk_id (of the best
    place), retrieved (how many places the question has), and the facts.
    """
    ordered = hits.sort([SHARE, RANK], descending=[True, False])
    best = ordered.group_by(_ITEM, maintain_order=True).agg(
        pl.col(RANK).filter(pl.col(SHARE) >= 1.0).min().alias("rank"),
        pl.col(SHARE).first(),
        pl.col(RANK).first().alias(SHARE_RANK),
        pl.col(CHUNK).first(),
    )
    known = (
        items.join(best, on=_ITEM, how="left", maintain_order="left")
        .join(of_run.select(QUERY, pl.col(N_RETRIEVED).alias(RETRIEVED)), on=QUERY, how="left",
              maintain_order="left")
        .with_columns(pl.col(SHARE).fill_null(0.0), pl.col(RETRIEVED).fill_null(0))
        .join(facts, on=_ITEM, how="left", maintain_order="left")
    )  # fmt: skip
    first = [QUERY, ITEM, OUTCOME, "rank", SHARE, SHARE_RANK, CHUNK, RETRIEVED]
    return known.with_columns(outcome(k=k)).select(*first, *FACTS)


def with_reasons(items: pl.DataFrame, *, k: int) -> pl.DataFrame:
    """Add the column why, after the outcome: a sentence about each item."""
    why = [_why(row, k=k) for row in items.iter_rows(named=True)]
    place = items.columns.index(OUTCOME) + 1
    return items.clone().insert_column(place, pl.Series(WHY, why, dtype=pl.String))


def question_outcomes(items: pl.DataFrame) -> pl.DataFrame:
    """Keep for every question the item that got furthest: its outcome is the question's.

    Of items with one outcome it is the one with the lowest rank, then the greatest share, then the
    first one.
    """
    order = [place_of(), pl.col("rank"), -pl.col(SHARE), pl.col("_row")]
    numbered = items.with_row_index("_row")
    best = numbered.sort(order, nulls_last=True).unique(QUERY, keep="first")
    asked = numbered.group_by(QUERY).agg(pl.col("_row").min().alias("_first"))
    return best.join(asked, on=QUERY).sort("_first").drop("_row", "_first")


def _why(row: dict[str, object], *, k: int) -> str:
    """A sentence about an item."""
    share = float(str(row[SHARE]))
    best = f"{_percent(share)} of it at rank {row[SHARE_RANK]}"
    if share < _STRAY:
        best = "only stray words of it were retrieved" if share else "no part of it was retrieved"
    says = {
        "found": f"whole at rank {row['rank']}",
        "late": f"whole at rank {row['rank']}, and k is {k}",
        "cut": f"no chunk holds it whole; {best}",
        "unretrieved": f"whole in the index, not among the {row[RETRIEVED]} retrieved",
        "absent": _why_absent(row),
        "empty": "nothing was retrieved",
        "missed": f"{best}; the index would tell why",
    }
    return says[str(row[OUTCOME])]


def _why_absent(row: dict[str, object]) -> str:
    if row[IN_DOCUMENTS]:
        return "in the documents, but not in the index: its document was not indexed"
    where = "the documents" if row[IN_DOCUMENTS] is False else "the index"
    return f"not in {where}: the label is wrong, or a document is missing"


def _percent(value: float) -> str:
    """Whole only where it is whole.

    >>> _percent(0.999), _percent(0.004), _percent(0.6)
    ('99 %', '1 %', '60 %')
    """
    return f"{min(99, max(1, round(100 * value)))} %" if value < 1 else "100 %"
