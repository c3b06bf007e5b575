"""How facts about an item become its outcome."""

from __future__ import annotations

import polars as pl

# A question has the outcome of its item that got furthest. What is whole in the index comes before
# what is not, so that found + late + unretrieved is what Ceiling counts where nothing is empty.
BEST_FIRST = ("found", "late", "unretrieved", "cut", "missed", "absent", "empty")
_PLACE = {name: place for place, name in enumerate(BEST_FIRST)}

# Facts about an item; None is unknown.
RETRIEVED = "retrieved"  # how many places the run has for the question
IN_INDEX = "in_index"  # some chunk of the index holds it whole
IN_PARTS = "in_parts"  # chunks of one document hold it together
IN_DOCUMENTS = "in_documents"  # a document holds it whole


def outcome(*, k: int) -> pl.Expr:
    """The outcome of an item, from its rank and the facts about it.

    >>> facts = {"rank": [2, 9, None], "retrieved": [20] * 3, "in_index": [True] * 3,
    ...     "in_parts": [None] * 3, "in_documents": [None] * 3}
    >>> pl.DataFrame(facts).select(outcome(k=4))["outcome"].to_list()
    ['found', 'late', 'unretrieved']
    """
    whole, parts = pl.col(IN_INDEX), pl.col(IN_PARTS).cast(pl.Boolean)
    nowhere = ~pl.col(IN_DOCUMENTS).cast(pl.Boolean)
    return (
        pl.when(pl.col("rank") <= k).then(pl.lit("found"))
        .when(pl.col("rank") > k).then(pl.lit("late"))
        .when(pl.col(RETRIEVED) == 0).then(pl.lit("empty"))
        .when(whole.cast(pl.Boolean)).then(pl.lit("unretrieved"))
        .when(parts).then(pl.lit("cut"))
        .when(whole.is_not_null() | nowhere.fill_null(False)).then(pl.lit("absent"))
        .otherwise(pl.lit("missed"))
        .alias("outcome")
    )  # fmt: skip


def place_of(column: str = "outcome") -> pl.Expr:
    """The place of an outcome in `BEST_FIRST`, to sort by."""
    return pl.col(column).replace_strict(_PLACE, return_dtype=pl.Int64)
