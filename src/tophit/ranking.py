"""Ranks: the given order, or score descending and then chunk id descending as text.

One ranking serves every measure. Besides `rank` each row gets `rank_best` and `rank_worst`: the
ranks that it could have if ties of scores were settled otherwise, so that a tie at a cutoff shows.
"""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from tophit.errors import Fault, InputError
from tophit.relations import CHUNK, QUERY, RANK, SCORE, Lazy

RANK_BEST = "rank_best"
RANK_WORST = "rank_worst"
_Ints = NDArray[np.int64]


def ranked(retrieved: Lazy, *, depth: int | None = None) -> Lazy:
    """Rank the places of every query, counted from 1; with `depth`, keep only the first ones.

    Columns in: query_id, chunk_id, and `rank` (the given order counts) or `score`. Columns out: the
    same with `rank`, `rank_best` and `rank_worst` (equal where no score decides). Ranks that count
    from 0 are moved by one. Ties of scores: chunk id descending, compared as text by code point, as
    trec_eval does.

    Errors: `InputError` when there is neither a rank nor a score.

    >>> import polars as pl
    >>> rows = {"query_id": ["q", "q"], "chunk_id": ["d1", "d2"], "score": [1.0, 1.0]}
    >>> run = nw.from_native(pl.LazyFrame(rows))
    >>> ranked(run).sort("rank").collect()["chunk_id"].to_list()
    ['d2', 'd1']
    """
    columns = retrieved.collect_schema().names()
    if RANK in columns:
        placed = _by_given_rank(retrieved)
    elif SCORE in columns:
        placed = _by_score(retrieved)
    else:
        raise InputError(
            Fault(
                field="rank, score", expected="one of these columns in the run", found=str(columns)
            )
        )
    return placed if depth is None else placed.filter(nw.col(RANK) <= depth)


def _by_given_rank(retrieved: Lazy) -> Lazy:
    rank = nw.col(RANK).cast(nw.Int64)
    zero_based = retrieved.with_columns(rank.min().over(QUERY).alias("_lowest"))
    shifted = nw.when(nw.col("_lowest") == 0).then(rank + 1).otherwise(rank)
    return (
        zero_based.with_columns(shifted.alias(RANK))
        .drop("_lowest")
        .with_columns(nw.col(RANK).alias(RANK_BEST), nw.col(RANK).alias(RANK_WORST))
    )


def _by_score(retrieved: Lazy) -> Lazy:
    if retrieved.implementation.is_polars():
        frame = retrieved.collect()
        positions = sorted_positions(frame)
        if positions is not None:
            return _with_positions(frame, positions).lazy()
        retrieved = frame.lazy()
    best = nw.col(SCORE).rank("min", descending=True).over(QUERY).cast(nw.Int64)
    within_tie = nw.col(CHUNK).rank("ordinal", descending=True).over(QUERY, SCORE).cast(nw.Int64)
    ties = nw.len().over(QUERY, SCORE).cast(nw.Int64)
    return retrieved.with_columns(
        (best + within_tie - 1).alias(RANK),
        best.alias(RANK_BEST),
        (best + ties - 1).alias(RANK_WORST),
    )


def sorted_positions(frame: nw.DataFrame[Any]) -> tuple[_Ints, _Ints, _Ints] | None:
    """Ranks of a run whose rows already stand by query and falling score, else None.

    This is how most run files are written, and it spares the sort. Three arrays (rank, best,
    worst), one entry a row. Only rows inside a tie of scores are sorted, by chunk id.

    >>> import polars as pl
    >>> rows = {"query_id": ["q", "q", "q"], "chunk_id": ["a", "b", "c"], "score": [2.0, 1.0, 1.0]}
    >>> [ranks.tolist() for ranks in sorted_positions(nw.from_native(pl.DataFrame(rows)))]
    [[1, 3, 2], [1, 2, 2], [1, 3, 3]]
    >>> rows["score"] = [1.0, 2.0, 3.0]
    >>> sorted_positions(nw.from_native(pl.DataFrame(rows))) is None
    True
    """
    query, scores = frame[QUERY], frame[SCORE].to_numpy()
    if len(frame) == 0:
        empty = np.zeros(0, dtype=np.int64)
        return empty, empty, empty
    starts = np.ones(len(frame), dtype=bool)
    starts[1:] = (query != query.shift(1)).to_numpy()[1:]
    heads = query[np.flatnonzero(starts)]
    if heads.n_unique() != len(heads) or not (starts[1:] | (scores[1:] <= scores[:-1])).all():
        return None
    rank = _count_from(starts)
    tie_starts = starts.copy()
    tie_starts[1:] |= scores[1:] != scores[:-1]
    if tie_starts.all():
        return rank, rank, rank
    return _settle_ties(frame, rank, tie_starts)


def _count_from(starts: NDArray[np.bool_]) -> _Ints:
    index = np.arange(len(starts), dtype=np.int64)
    return index - np.maximum.accumulate(np.where(starts, index, 0)) + 1


def _settle_ties(
    frame: nw.DataFrame[Any], rank: _Ints, tie_starts: NDArray[np.bool_]
) -> tuple[_Ints, _Ints, _Ints]:
    heads = np.flatnonzero(tie_starts)
    sizes = np.diff(heads, append=len(rank))
    group = np.repeat(np.arange(len(heads)), sizes)
    best = rank[heads][group]
    worst = best + sizes[group] - 1
    tied = np.flatnonzero(sizes[group] > 1)
    rows = frame.select(CHUNK)[tied]
    order = (
        rows.with_columns(
            nw.new_series("_group", group[tied], backend=rows.implementation),
            nw.new_series("_row", tied, backend=rows.implementation),
        )
        .sort("_group", CHUNK, descending=[False, True])["_row"]
        .to_numpy()
    )
    settled = rank.copy()
    settled[order] = rank[tied]
    return settled, best, worst


def _with_positions(
    frame: nw.DataFrame[Any], positions: tuple[_Ints, _Ints, _Ints]
) -> nw.DataFrame[Any]:
    names = (RANK, RANK_BEST, RANK_WORST)
    return frame.with_columns(
        nw.new_series(name, values, backend=frame.implementation)
        for name, values in zip(names, positions, strict=True)
    )
