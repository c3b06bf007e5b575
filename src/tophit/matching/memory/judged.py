"""The judged places of a run in memory: ranks are settled for these alone.

Nearly all places of a run are judged by nobody, and need no rank of their own. A place's rank by
score is 1 + the number of higher scores in its query, and where scores tie, the number of higher
ids among the equal ones: both are counted for the judged places only. The general way (ranking.py
and ids.py), which every engine takes, gives the same; the tests compare the two.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tophit.matching.ids import TARGET
from tophit.matching.memory.blocks import Blocks, Ints, blocks_of, by_falling, fall, matrices
from tophit.relations import (
    CHUNK,
    DOC,
    GRADE,
    ITEM,
    N_REPEATED,
    N_RETRIEVED,
    N_TIED,
    QUERY,
    RANK,
    RANK_BEST,
    RANK_WORST,
    SCORE,
    SHARE,
)

_SEED = 20_26
_PART = 1 << 18  # rows at a time: what is made on the way stays in the cache
_Hashes = NDArray[np.uint32]


@dataclass(frozen=True, kw_only=True)
class Judged:
    """The relation `hits`, and what each query of the run holds: ranking.per_query's columns."""

    hits: pl.DataFrame
    per_query: pl.DataFrame


def judged_places(
    retrieved: pl.DataFrame, wanted: pl.DataFrame, *, depth: int | None = None
) -> Judged | None:
    """Find the hits by id of a run in memory; None where given ranks tie (ranking.py settles that).

    `retrieved`: query_id, chunk_id and rank (from 1) or score. `wanted`: query_id, item_id, grade
    and `_target`, the id that a chunk (or its doc_id) must have. Missing ids equal nothing. `depth`
    cuts the hits and the counts of places.

    >>> run = pl.DataFrame({"query_id": ["q", "q"], "chunk_id": ["d1", "d2"], "score": [1.0, 1.0]})
    >>> wanted = pl.DataFrame(
    ...     {"query_id": ["q"], "item_id": ["d1"], "grade": [1.0], "_target": ["d1"]}
    ... )
    >>> judged_places(run, wanted).hits.select("item_id", "rank").rows()
    [('d1', 2)]
    """
    blocks = blocks_of(retrieved[QUERY])
    hashes = _hashes(retrieved[CHUNK])
    found = _found(retrieved, wanted, hashes)
    block_of = pl.DataFrame({QUERY: blocks.ids, "_block": np.arange(len(blocks.ids))})
    found = found.join(block_of, on=QUERY, how="left")
    if RANK in retrieved.columns:
        if _has_tied_ranks(blocks, retrieved[RANK].to_numpy()):
            return None
        rank = retrieved[RANK].gather(found["_row"])
        ranks = [rank.alias(name) for name in (RANK, RANK_BEST, RANK_WORST)]
    else:
        ranks = _ranks_by_score(retrieved, blocks, found["_row"].to_numpy(), found["_block"])
    hits = found.with_columns(*ranks, pl.lit(1.0).alias(SHARE))
    if depth is not None:
        hits = hits.filter(pl.col(RANK) <= depth)
    counts = {
        QUERY: blocks.ids,
        N_RETRIEVED: _places_within(retrieved, blocks, depth),
        N_REPEATED: _repeated(retrieved, blocks, hashes),
        N_TIED: np.zeros(len(blocks.ids), dtype=np.int64),
    }
    return Judged(
        hits=hits.select(QUERY, ITEM, CHUNK, RANK, GRADE, RANK_BEST, RANK_WORST, SHARE),
        per_query=pl.DataFrame(counts),
    )


def _places_within(retrieved: pl.DataFrame, blocks: Blocks, depth: int | None) -> Ints:
    """Count the places of each query down to a rank; given ranks may have gaps."""
    if depth is None:
        return blocks.sizes
    if RANK not in retrieved.columns or not len(blocks.ids):
        return np.minimum(blocks.sizes, depth)
    within = (retrieved[RANK] <= depth).to_numpy()[blocks.rows(np.arange(len(retrieved)))]
    return np.add.reduceat(within, blocks.starts, dtype=np.int64)


def _lookup(hashes: _Hashes, wanted: _Hashes) -> Ints:
    """Give the rows whose hash may be a wanted one: all that are, and some others."""
    bits = min(26, max(16, (64 * len(wanted)).bit_length()))
    shift = np.uint32(32 - bits)
    table = np.zeros(1 << bits, dtype=bool)
    table[wanted >> shift] = True
    return np.concatenate(
        [
            start + np.flatnonzero(table[hashes[start : start + _PART] >> shift])
            for start in range(0, len(hashes) + 1, _PART)
        ]
    )


def _hashes(ids: pl.Series) -> _Hashes:
    return ids.hash(_SEED).to_numpy().astype(np.uint32)


def _found(retrieved: pl.DataFrame, wanted: pl.DataFrame, hashes: _Hashes) -> pl.DataFrame:
    """Join the places with the wanted ids; `_row` is the place's row. Documents' ids count too."""
    by_chunk = _joined(retrieved, wanted, hashes, on=CHUNK)
    if DOC not in retrieved.columns:
        return by_chunk
    by_document = _joined(retrieved, wanted, _hashes(retrieved[DOC]), on=DOC)
    return pl.concat([by_chunk, by_document]).unique([QUERY, ITEM, "_row"])


def _joined(
    retrieved: pl.DataFrame, wanted: pl.DataFrame, hashes: _Hashes, *, on: str
) -> pl.DataFrame:
    rows = _lookup(hashes, _hashes(wanted[TARGET]))
    places = retrieved.select(QUERY, CHUNK, pl.col(on).alias(TARGET))[rows].with_columns(_row=rows)
    return places.join(wanted, on=[QUERY, TARGET], how="inner").drop(TARGET)


def _has_tied_ranks(blocks: Blocks, ranks: NDArray[np.int64]) -> bool:
    for listed in matrices(blocks, ranks):
        in_order = np.sort(listed, axis=1)
        if (in_order[:, 1:] == in_order[:, :-1]).any():
            return True
    return False


def _ranks_by_score(
    retrieved: pl.DataFrame, blocks: Blocks, rows: Ints, block: pl.Series
) -> list[pl.Series]:
    scores = retrieved[SCORE].to_numpy()
    of_hits, block_of = scores[rows], block.to_numpy()
    if not fall(blocks, scores):
        blocks = by_falling(blocks, scores)
        scores = scores[blocks.rows(np.arange(len(scores)))]
    best = _count(scores, blocks, block_of, of_hits, np.greater) + 1
    worst = _count(scores, blocks, block_of, of_hits, np.greater_equal)
    rank = best.copy()
    tied = np.flatnonzero(worst > best)
    if len(tied):
        first = blocks.starts[block_of[tied]] + best[tied] - 1
        rank[tied] += _higher_ids(retrieved, blocks, rows[tied], first, (worst - best)[tied] + 1)
    named = {RANK: rank, RANK_BEST: best, RANK_WORST: worst}
    return [pl.Series(name, values) for name, values in named.items()]


def _count(
    scores: NDArray[np.float64],
    blocks: Blocks,
    block_of: Ints,
    of_hits: NDArray[np.float64],
    before: np.ufunc,
) -> Ints:
    """Count, for each hit, the scores of its block that stand before its own: a binary search."""
    start = blocks.starts[block_of]
    low, high = start, start + blocks.sizes[block_of]
    while (low < high).any():
        middle = np.minimum((low + high) // 2, len(scores) - 1)
        stands_before = before(scores[middle], of_hits) & (low < high)
        low, high = (
            np.where(stands_before, middle + 1, low),
            np.where(stands_before, high, np.minimum(high, middle)),
        )
    return low - start


def _higher_ids(
    retrieved: pl.DataFrame, blocks: Blocks, rows: Ints, first: Ints, sizes: Ints
) -> Ints:
    """Count, for each tied hit, the places of its tie that stand before it: higher ids first."""
    ties, at = np.unique(first, return_index=True)
    lengths = sizes[at]
    ends = np.cumsum(lengths)
    within = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - lengths, lengths)
    members = blocks.rows(np.repeat(ties, lengths) + within)
    table = retrieved.select(CHUNK)[members].with_columns(
        pl.col(CHUNK).fill_null(""), _row=members, _tie=np.repeat(np.arange(len(ties)), lengths)
    )
    settled = table.sort("_tie", CHUNK, descending=[False, True]).with_columns(_before=within)
    hits = pl.DataFrame({"_row": rows})
    return hits.join(settled, on="_row", how="left", maintain_order="left")["_before"].to_numpy()


def _repeated(retrieved: pl.DataFrame, blocks: Blocks, hashes: _Hashes) -> Ints:
    """Count in each block the places whose chunk stands there before: exact, by way of hashes."""
    suspects = [np.zeros(0, dtype=np.uint32)]
    for listed in matrices(blocks, hashes):
        in_order = np.sort(listed, axis=1)
        suspects.append(in_order[:, 1:][in_order[:, 1:] == in_order[:, :-1]])
    repeated = np.zeros(len(blocks.ids), dtype=np.int64)
    suspicious = np.unique(np.concatenate(suspects))
    if len(suspicious):
        rows = _lookup(hashes, suspicious)
        table = retrieved.select(QUERY, CHUNK)[rows].drop_nulls(CHUNK)
        counts = table.group_by(QUERY).agg(n=pl.len() - pl.col(CHUNK).n_unique())
        joined = pl.DataFrame({QUERY: blocks.ids}).join(
            counts, on=QUERY, how="left", maintain_order="left"
        )
        repeated = joined["n"].fill_null(0).cast(pl.Int64).to_numpy()
    return repeated
