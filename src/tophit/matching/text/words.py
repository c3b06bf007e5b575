"""The words of many texts as arrays: their places, what they are made of, and their hashes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tophit.matching.text import boundaries, marks
from tophit.matching.text.hashes import Hashes, hashes
from tophit.matching.text.points import point_hashes, without_points
from tophit.matching.text.segmentation import Bools, Codes, Ints, codes_of, cuts_of

_FIRST, _SECOND, _GAP = (
    np.uint64(value) for value in (0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93)
)
_REAL = np.uint64(2)
_SPACE = 32
_LINE_FEED = 10


@dataclass(frozen=True, kw_only=True)
class Words:
    """The words of many texts, one after the other.

    `joined` and `codes` hold all characters, `offset` where each text starts in them, `length` how
    long it is. Text i has the words `first[i]` to `first[i + 1]`; `start` and `end` are their
    places in `codes`, `owner` says whose a word is.

    `plain` is what is compared, characters without points, with the words at `plain_start` to
    `plain_end`; `word` is the hash of a word, `gap` how the next one follows (boundaries.py) and
    `couple` the hash of both, or of `window` words. `points` has a hash of each word's points,
    where any text has some.
    """

    joined: str
    codes: Codes
    offset: Ints
    length: Ints
    first: Ints
    start: Ints
    end: Ints
    owner: Ints
    plain: Codes
    plain_start: Ints
    plain_end: Ints
    word: Hashes
    gap: NDArray[np.uint8]
    couple: Hashes
    points: Hashes | None
    edges: boundaries.Edges
    window: int = 2

    def text_of(self, number: int) -> str:
        """One of the texts."""
        start = int(self.offset[number])
        return self.joined[start : start + int(self.length[number])]

    @cached_property
    def next_open(self) -> Ints:
        """For every word, and the place behind the last one, the next word that may come first."""
        return _next(self.edges.opens)

    @cached_property
    def last_closed(self) -> Ints:
        """For every word the last one up to it that may come last; -1 where there is none."""
        closes = self.edges.closes
        found: Ints = len(closes) - 1 - _next(closes[::-1])[:-1][::-1]
        return found


def _next(allowed: Bools) -> Ints:
    places = np.where(allowed, np.arange(len(allowed)), len(allowed))
    return np.append(np.minimum.accumulate(places[::-1])[::-1], len(allowed))


def words_of(marked: str, *, side: int, exact: bool = False) -> Words:
    """Split normalised texts into words. Each text ends in a line feed, which none of them holds.

    The texts may hold the marks of boundaries (marks.py). `side` tells elements from chunks (1).

    >>> words = words_of("a cat\\n\\ncat.\\n", side=0)
    >>> words.first.tolist(), words.start.tolist(), words.end.tolist()
    ([0, 2, 2, 4], [0, 2, 7, 10], [1, 5, 10, 11])
    >>> bool(words.word[1] == words.word[2])
    True
    """
    joined, opened, bound = _unmarked(marked)
    codes = codes_of(joined)
    ends = np.flatnonzero(codes == _LINE_FEED)
    offset = np.append(0, ends + 1)[:-1]
    cuts = cuts_of(codes)
    bounds = np.append(np.flatnonzero(cuts.starts), len(codes))
    start, end = bounds[:-1], bounds[1:]
    head = codes[start]
    is_word = (head != _LINE_FEED) & ((head != _SPACE) | (end - start > 1))
    start, end, head = start[is_word], end[is_word], head[is_word]
    first = np.append(np.searchsorted(start, offset), len(start))
    plain, places = codes, None
    if (letters := without_points(codes)) is not None:
        places = np.append(0, np.cumsum(letters != 0))
        plain = letters[letters != 0]
    plain_start, plain_end = (start, end) if places is None else (places[start], places[end])
    word = hashes(plain, plain_start, plain_end)
    shape = boundaries.Shape.of(codes, start=start, end=end, first=first, word=word, held=cuts.held)
    edges = boundaries.edges_of(shape, opened=opened, bound=bound)
    gap = boundaries.gaps(shape, exact=exact)
    return Words(
        joined=joined,
        codes=codes,
        offset=offset,
        length=ends - offset,
        first=first,
        start=start,
        end=end,
        owner=np.repeat(np.arange(len(offset)), np.diff(first)),
        plain=plain,
        plain_start=plain_start,
        plain_end=plain_end,
        word=word,
        gap=gap,
        couple=_couples(first, word, gap, side=side),
        points=None if letters is None else point_hashes(codes, letters, start, end),
        edges=edges,
    )


def _unmarked(marked: str) -> tuple[str, Ints, Ints]:
    """The texts without the marks of boundaries, and where these stood."""
    none = np.zeros(0, dtype=np.int64)
    if marks.OPEN not in marked and marks.BOUND not in marked:
        return marked, none, none
    codes = codes_of(marked)
    opened, bound = codes == ord(marks.OPEN), codes == ord(marks.BOUND)
    kept = ~(opened | bound)
    place = np.cumsum(kept)
    joined = codes[kept].tobytes().decode("utf-32-le", "surrogatepass")
    return joined, place[opened], place[bound]


def _couples(first: Ints, word: Hashes, gap: NDArray[np.uint8], *, side: int) -> Hashes:
    couple = np.empty(len(word), dtype=np.uint64)
    couple[:-1] = word[:-1] * _FIRST + (word[1:] + gap[:-1].astype(np.uint64) * _GAP) * _SECOND
    # The last word of a text has no next one, and a number that nothing on the other side has.
    couple |= _REAL
    couple[first[1:][first[1:] > first[:-1]] - 1] = side
    return couple
