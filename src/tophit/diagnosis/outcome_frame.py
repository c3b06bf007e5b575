"""From the hits of a run and the facts about its items to the outcome of each item."""

from __future__ import annotations

import polars as pl

from tophit.diagnosis.facts import FACTS
from tophit.outcomes import BY_NAME, K, outcome_of
from tophit.relations import CHUNK, ITEM, N_RETRIEVED, QUERY, RANK, SHARE

OUTCOME = "outcome"
RETRIEVED = "retrieved"
SHARE_RANK = "share_rank"
WHY = "why"
_ITEM = [QUERY, ITEM]


def known_items(
    items: pl.DataFrame, hits: pl.DataFrame, of_run: pl.DataFrame, facts: pl.DataFrame
) -> pl.DataFrame:
    """Give a row an item: where it stands in the run, and the facts about it.

    `items` has query_id and item_id in the order of the questions. Columns out: these, rank (of the
    first place that holds it whole), share, share_rank and chunk_id (of the best place), retrieved
    (how many places the question has), and the facts.
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
    return known.select(*_ITEM, "rank", SHARE, SHARE_RANK, CHUNK, RETRIEVED, *FACTS)


def with_outcomes(items: pl.DataFrame, *, k: int) -> pl.DataFrame:
    """Add the columns outcome and why, after the ids: what became of each item, and a sentence."""
    rows = [{**row, K: k} for row in items.iter_rows(named=True)]
    outcomes = [outcome_of(row) for row in rows]
    names = pl.Series(OUTCOME, [each.name for each in outcomes], dtype=pl.String)
    sentences = [each.why(row) for each, row in zip(outcomes, rows, strict=True)]
    why = pl.Series(WHY, sentences, dtype=pl.String)
    return items.select(*_ITEM, names, why, pl.exclude(_ITEM))


def question_outcomes(items: pl.DataFrame) -> pl.DataFrame:
    """Keep for every question the item that got furthest: its outcome is the question's.

    Of items with one outcome it is the one with the lowest rank, then the greatest share, then the
    first one.
    """
    orders = {name: each.order for name, each in BY_NAME.items()}
    furthest = pl.col(OUTCOME).replace_strict(orders, return_dtype=pl.Int64)
    numbered = items.with_row_index("_row")
    order = [furthest, pl.col("rank"), -pl.col(SHARE), pl.col("_row")]
    best = numbered.sort(order, nulls_last=True).unique(QUERY, keep="first")
    asked = numbered.group_by(QUERY).agg(pl.col("_row").min().alias("_first"))
    return best.join(asked, on=QUERY).sort("_first").drop("_row", "_first")
