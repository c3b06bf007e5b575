"""Credit: which hits count for an item, and at which position.

Every item is credited once, at the first rank where a chunk holds it whole. Several items may stand
in one chunk: for the measures that walk down a ranking the j-th found item stands at
max(its rank, j), so that no value exceeds 1. Columns that the measures read:

    relevant           grade >= the relevance level
    whole              the chunk holds all of the item
    credit             1 on the row where a relevant item is credited, else 0
    position           max(rank, j) of that row
    gain_credit        the same for any item with a grade above 0, whatever the level (nDCG, ERR)
    gain_position      max(rank, j) among these
    place              1 on the first credited row at its rank: a place counts once
    judged_place       1 on the first whole row at its rank, whatever its grade
    nonrelevant_above  judged nonrelevant items (0 <= grade < level) credited down to this row
    n_relevant, n_nonrelevant, n_retrieved and the totals of measures: constant within a query
"""

from __future__ import annotations

import narwhals as nw

from tophit.measures.definition import Cutoff, Measure
from tophit.relations import (
    ALTERNATIVE,
    GRADE,
    ITEM,
    N_RETRIEVED,
    QUERY,
    RANK,
    SHARE,
    TOKENS_THROUGH,
    Lazy,
)

N_RELEVANT = "n_relevant"
N_NONRELEVANT = "n_nonrelevant"
_ORDER = [RANK, "_minus_grade", ITEM]


def flag(condition: nw.Expr) -> nw.Expr:
    """1 where the condition holds, else 0: a whole number that every engine can sum.

    >>> import polars as pl
    >>> frame = nw.from_native(pl.DataFrame({"rank": [1, 5]}))
    >>> frame.select(flag(nw.col("rank") <= 4))["literal"].to_list()
    [1, 0]
    """
    return nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0))


def ratio(part: nw.Expr, whole: nw.Expr) -> nw.Expr:
    """`part / whole`; 0 where both are 0: a part of nothing is nothing, and no engine divides by 0.

    >>> import polars as pl
    >>> frame = nw.from_native(pl.DataFrame({"n": [1, 0], "of": [2, 0]}))
    >>> frame.select(share=ratio(nw.col("n"), nw.col("of")))["share"].to_list()
    [0.5, 0.0]
    """
    return part / nw.when(whole > 0).then(whole).otherwise(nw.lit(1))


def within(measure: Measure, column: str = RANK) -> nw.Expr:
    """True on the rows that stand before the measure's cutoff; always true without one.

    A budget cuts ranks by the tokens down to a place, and positions at the last place that fits.
    """
    if measure.cutoff is None:
        return nw.col(column) >= 1
    if measure.cutoff.unit == "tok":
        if column == RANK:
            return nw.col(TOKENS_THROUGH) <= measure.cutoff.value
        return nw.col(column) <= nw.col(places_column(measure.cutoff))
    return nw.col(column) <= measure.cutoff.value


def places(measure: Measure) -> nw.Expr:
    """How many places the cutoff opens, as an aggregate: k, or the rank of the last that fits.

    It divides, so it is at least 1: where not even the first chunk fits, nothing is found anyhow.
    """
    cutoff = measure.cutoff
    if cutoff is None:
        return nw.col(N_RETRIEVED).max()
    if cutoff.unit == "tok":
        fits = nw.col(places_column(cutoff)).max()
        return nw.max_horizontal(fits, nw.lit(1))
    return nw.lit(cutoff.value)


def places_column(cutoff: Cutoff) -> str:
    """The column that holds the rank of a query's last place within a token budget, else 0."""
    return f"places_within_{cutoff}"


def credited(hits: Lazy, *, min_grade: float) -> Lazy:
    """Add the columns of this module to `hits` (one row a query, item and rank).

    Ties within a rank are settled by grade, highest first, then item id.

    >>> import polars as pl
    >>> hits = pl.LazyFrame({"query_id": ["q", "q"], "item_id": ["a", "b"], "chunk_id": ["c", "c"],
    ...     "rank": [1, 1], "grade": [1.0, 1.0], "share": [1.0, 1.0]})
    >>> credited(nw.from_native(hits), min_grade=1).collect().to_native()["position"].to_list()
    [1, 2]
    """
    grade = nw.col(GRADE)
    relevant = hits.with_columns(
        relevant=grade >= min_grade, whole=nw.col(SHARE) >= 1.0, _minus_grade=-grade
    ).with_columns(
        _first=nw.when(nw.col("whole")).then(nw.col(RANK)).min().over(QUERY, ITEM),
    )
    first = nw.col("whole") & (nw.col(RANK) == nw.col("_first"))
    numbered = relevant.with_columns(
        credit=flag(first & nw.col("relevant")),
        gain_credit=flag(first & (grade > 0)),
        _nonrelevant=flag(first & (grade >= 0) & (grade < min_grade)),
        _one=nw.lit(1),
    ).with_columns(
        _row=nw.col("_one").cum_sum().over(QUERY, order_by=_ORDER),
        position=_position("credit"),
        gain_position=_position("gain_credit"),
        nonrelevant_above=nw.col("_nonrelevant").cum_sum().over(QUERY, order_by=_ORDER),
    )
    return numbered.with_columns(
        place=_first_at_rank(nw.col("credit") == 1),
        judged_place=_first_at_rank(nw.col("whole")),
    )


def numbered(pieces: Lazy, *, min_grade: float) -> Lazy:
    """Add `relevant` and `_row` to pieces (one row a query, item, alternative and rank)."""
    order = [RANK, ITEM, ALTERNATIVE]
    return pieces.with_columns(relevant=nw.col(GRADE) >= min_grade, _one=nw.lit(1)).with_columns(
        _row=nw.col("_one").cum_sum().over(QUERY, order_by=order)
    )


def _position(credit: str) -> nw.Expr:
    found = nw.col(credit).cum_sum().over(QUERY, order_by=_ORDER)
    return nw.max_horizontal(nw.col(RANK), found)


def _first_at_rank(condition: nw.Expr) -> nw.Expr:
    first = nw.when(condition).then(nw.col("_row")).min().over(QUERY, RANK)
    return flag(condition & (nw.col("_row") == first))
