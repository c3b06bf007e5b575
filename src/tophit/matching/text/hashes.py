"""Hashes of words: equal words have equal numbers, wherever they stand."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tophit.matching.text.segmentation import Codes, Ints, codes_of

Hashes = NDArray[np.uint64]

_BASE = 0x9E3779B97F4A7C15
_FACTOR = np.uint64(0xBF58476D1CE4E5B9)


def hashes(codes: Codes, start: Ints, end: Ints) -> Hashes:
    """A number for every span of the codes: a polynomial of its characters.

    >>> codes = codes_of("cat a cat")
    >>> first, _, last = hashes(codes, np.array([0, 4, 6]), np.array([3, 5, 9]))
    >>> bool(first == last == hashes_of(["cat"])[0])
    True
    """
    # From differences of one running sum.
    powers, inverses = _powers(1 << max(19, len(codes).bit_length()))
    total = np.zeros(len(codes) + 1, dtype=np.uint64)
    np.cumsum(codes.astype(np.uint64) * powers[: len(codes)], out=total[1:])
    found = (total[end] - total[start]) * inverses[start] * _FACTOR
    return found ^ (found >> np.uint64(32))  # so that short words differ in their upper bits too


def hashes_of(words: Iterable[str]) -> Hashes:
    """The numbers of some words.

    >>> len(hashes_of(["a", "b"]))
    2
    """
    listed = list(words)
    sizes = np.array([len(word) for word in listed], dtype=np.int64)
    end = np.cumsum(sizes)
    return hashes(codes_of("".join(listed)), end - sizes, end)


@lru_cache(maxsize=1)
def _powers(size: int) -> tuple[Hashes, Hashes]:
    inverse = pow(_BASE, -1, 1 << 64)
    tables = np.empty((2, size), dtype=np.uint64)
    tables[:, 0] = 1
    tables[0, 1:], tables[1, 1:] = _BASE, inverse
    np.cumprod(tables, axis=1, out=tables)
    return tables[0], tables[1]
