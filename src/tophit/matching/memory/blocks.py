"""A run in memory as blocks of rows, one block a query: what ranking without a sort needs.

Most run files stand by query and falling score already. Then a block is a slice of the rows, and a
rank is a place in it. Any other order of rows costs one counting sort by query and one sort inside
each block, never a sort of the whole run with its ids.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

Ints = NDArray[np.int64]
_CELLS = 1 << 20  # rows that are sorted at a time: small enough to stay in the cache


@dataclass(frozen=True)
class Blocks:
    """Rows by query: block i is `order[starts[i] : starts[i] + sizes[i]]` of query `ids[i]`.

    `order` is None where the rows stand by query as they are.
    """

    ids: pl.Series
    starts: Ints
    sizes: Ints
    order: Ints | None

    def rows(self, positions: Ints) -> Ints:
        """The rows that stand at these positions of the order."""
        return positions if self.order is None else self.order[positions]


def blocks_of(query: pl.Series) -> Blocks:
    """Find the block of every query.

    >>> blocks = blocks_of(pl.Series(["b", "a", "b"]))
    >>> blocks.ids.to_list(), blocks.sizes.tolist(), blocks.order.tolist()
    (['b', 'a'], [2, 1], [0, 2, 1])
    """
    runs = query.rle().struct.unnest()
    # runs of one row each are no sign of an order, and many ids are slow to compare
    if 2 * len(runs) <= len(query) and runs["value"].n_unique() == len(runs):
        sizes = runs["len"].to_numpy().astype(np.int64)
        return Blocks(runs["value"], _starts(sizes), sizes, None)
    codes = query.cast(pl.Categorical).to_physical().to_numpy()
    order = _counting_sort(codes)
    counts = np.bincount(codes) if len(codes) else np.zeros(0, dtype=np.int64)
    sizes = counts[counts > 0].astype(np.int64)
    starts = _starts(sizes)
    return Blocks(query.gather(order[starts]), starts, sizes, order)


def _starts(sizes: Ints) -> Ints:
    return np.cumsum(sizes) - sizes


def _counting_sort(codes: NDArray[np.uint32]) -> Ints:
    # NumPy sorts 16-bit numbers by counting, four times as fast as it compares 32-bit ones
    order = np.argsort((codes & 0xFFFF).astype(np.uint16), kind="stable")
    high = (codes >> 16).astype(np.uint16)
    return order[np.argsort(high[order], kind="stable")] if high.any() else order


def fall(blocks: Blocks, scores: NDArray[np.float64]) -> bool:
    """True if the scores never rise inside a block, in the order of the rows."""
    if blocks.order is not None:
        return False
    falls = scores[1:] <= scores[:-1]
    falls[blocks.starts[1:] - 1] = True
    return bool(falls.all())


def by_falling(blocks: Blocks, scores: NDArray[np.float64]) -> Blocks:
    """Put the rows of each block in the order of falling scores; equal scores in any order."""
    grouped = blocks.rows(np.arange(len(scores)))
    order = np.empty_like(grouped)
    for positions in same_size(blocks):
        rows = grouped[positions]
        order[positions] = np.take_along_axis(rows, np.argsort(-scores[rows], axis=1), axis=1)
    return Blocks(blocks.ids, blocks.starts, blocks.sizes, order)


def matrices(blocks: Blocks, values: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """Give the values of the blocks as matrices, a block a row, those of one size together.

    >>> blocks = blocks_of(pl.Series(["a", "b", "b", "c"]))
    >>> [matrix.tolist() for matrix in matrices(blocks, np.array([1, 2, 3, 4]))]
    [[[1], [4]], [[2, 3]]]
    """
    for positions in same_size(blocks):
        first, last = int(positions[0, 0]), int(positions[-1, -1])
        if blocks.order is None and last - first + 1 == positions.size:
            yield values[first : last + 1].reshape(positions.shape)
        else:
            yield values[blocks.rows(positions)]


def same_size(blocks: Blocks) -> Iterator[Ints]:
    """Give the positions of the blocks as matrices, a block a row, those of one size together.

    >>> [block.tolist() for block in same_size(blocks_of(pl.Series(["a", "b", "b", "c"])))]
    [[[0], [3]], [[1, 2]]]
    """
    by_size = np.argsort(blocks.sizes, kind="stable")
    changes = np.flatnonzero(np.diff(blocks.sizes[by_size])) + 1
    for group in np.split(by_size, changes):
        if len(group):
            size = int(blocks.sizes[group[0]])
            parts = max(1, len(group) * size // _CELLS)
            for part in np.array_split(group, parts):
                yield blocks.starts[part][:, None] + np.arange(size)
