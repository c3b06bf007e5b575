"""Ranks: the given order, or score descending and then chunk id descending as text.

One ranking serves every measure. Besides `rank` each row gets `rank_best` and `rank_worst`: the
ranks that it could have if equal scores were settled otherwise, so that a tie at a cutoff shows.
"""

from __future__ import annotations

import narwhals as nw

from tophit.relations import (
    CHUNK,
    N_REPEATED,
    N_RETRIEVED,
    N_TIED,
    QUERY,
    RANK,
    RANK_BEST,
    RANK_WORST,
    SCORE,
    Lazy,
)

_ID = "_id"
_ORDER = "_order"
_ONE = "_one"
_PLACE = "_place"
_HELPERS = (_ID, _ONE, _ORDER, _PLACE)


def ranked(retrieved: Lazy) -> Lazy:
    """Rank the places of every query, counted from 1.

    Columns in: query_id, chunk_id, and `rank` (the given order counts) or `score`. Columns out: the
    same with `rank`, `rank_best` and `rank_worst`. Equal scores: chunk id descending, compared as
    text by code point, as trec_eval does; a missing id comes last. Equal ranks are settled in the
    same way, and no two places share one: each stands at its given rank, or right after the place
    before it. So 1, 1, 3 and 1, 1, 2 both become 1, 2, 3, and ranks without ties stay as they are,
    gaps too.

    >>> import polars as pl
    >>> rows = {"query_id": ["q", "q"], "chunk_id": ["d1", "d2"], "score": [1.0, 1.0]}
    >>> run = nw.from_native(pl.LazyFrame(rows))
    >>> ranked(run).sort("rank").collect()["chunk_id"].to_list()
    ['d2', 'd1']
    """
    columns = retrieved.collect_schema().names()
    if RANK in columns:
        return _by_given_rank(retrieved)
    return _by_score(retrieved)


def _placed(retrieved: Lazy, key: nw.Expr) -> Lazy:
    """Add the place of each row by falling key, then by falling id."""
    keyed = retrieved.with_columns(
        key.alias(_ORDER), nw.col(CHUNK).fill_null("").alias(_ID), nw.lit(1).alias(_ONE)
    )
    from_last = nw.col(_ONE).cum_sum().over(QUERY, order_by=[_ORDER, _ID]).cast(nw.Int64)
    count = nw.col(_ONE).sum().over(QUERY).cast(nw.Int64)
    return keyed.with_columns((count - from_last + 1).alias(_PLACE))


def _by_score(retrieved: Lazy) -> Lazy:
    placed = _placed(retrieved, nw.col(SCORE) + 0.0)  # -0.0 + 0.0 is 0.0: one zero on every engine
    return placed.with_columns(
        nw.col(_PLACE).alias(RANK),
        nw.col(_PLACE).min().over(QUERY, _ORDER).alias(RANK_BEST),
        nw.col(_PLACE).max().over(QUERY, _ORDER).alias(RANK_WORST),
    ).drop(*_HELPERS)


def _by_given_rank(retrieved: Lazy) -> Lazy:
    given = nw.col(RANK).cast(nw.Int64)
    placed = _placed(retrieved.with_columns(given), -given)
    pushed = (nw.col(RANK) - nw.col(_PLACE)).cum_max().over(QUERY, order_by=[_PLACE])
    settled = placed.with_columns((nw.col(_PLACE) + pushed).alias(RANK))
    return settled.with_columns(
        nw.col(RANK).min().over(QUERY, _ORDER).alias(RANK_BEST),
        nw.col(RANK).max().over(QUERY, _ORDER).alias(RANK_WORST),
    ).drop(*_HELPERS)


def per_query(places: Lazy, *, depth: int | None = None, given: bool = False) -> Lazy:
    """Give what each query of a ranked run holds: places, repeated chunks, tied ranks.

    Columns: query_id, n_retrieved (places down to `depth`), n_repeated (places whose chunk stands
    in the same list before), n_tied (places whose rank was given to another one too; 0 unless the
    ranks were `given`).

    >>> import polars as pl
    >>> rows = {"query_id": ["q", "q"], "chunk_id": ["d", "d"], "rank": [1, 2]}
    >>> run = ranked(nw.from_native(pl.LazyFrame(rows)))
    >>> per_query(run).collect().rows()
    [('q', 2, 1, 0)]
    """
    # a Boolean cannot be summed on Spark
    kept = nw.lit(1) if depth is None else _one_where(nw.col(RANK) <= depth)
    tied = _one_where(nw.col(RANK_WORST) > nw.col(RANK_BEST)) if given else nw.lit(0)
    again = nw.when(nw.col(CHUNK).is_null()).then(nw.lit(0)).otherwise(nw.col("_n") - 1)
    counted = places.with_columns(_one=nw.lit(1), _kept=kept, _tied=tied)
    chunks = counted.group_by(QUERY, CHUNK).agg(
        nw.col("_one").sum().cast(nw.Int64).alias("_n"),
        nw.col("_kept").sum().cast(nw.Int64),
        nw.col("_tied").sum().cast(nw.Int64),
    )
    return (
        chunks.with_columns(_again=again)
        .group_by(QUERY)
        .agg(
            nw.col("_kept").sum().cast(nw.Int64).alias(N_RETRIEVED),
            nw.col("_again").sum().cast(nw.Int64).alias(N_REPEATED),
            nw.col("_tied").sum().cast(nw.Int64).alias(N_TIED),
        )
    )


def _one_where(condition: nw.Expr) -> nw.Expr:
    return nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0))
