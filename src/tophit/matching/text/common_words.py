"""The longest run of whole words that an element and a chunk share, for many pairs at once.

Words are the segments of UAX #29 that are no blanks. Two neighbouring words and whether a blank
stands between them become one 64-bit number, a couple. Couples that stand in both texts of a pair
are joined, each run is followed from its first couple only, and a single word counts where no run
is longer. What is found is compared character by character, so that equal numbers of unequal words
cannot make a wrong piece; such a pair, and one with too many couples in common ("0 0 0 0 ..."),
goes to `exact_run`, which needs linear time.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tophit.matching.text.segmentation import Bools, Codes, Ints, codes_of, starts_of_segments
from tophit.matching.text.suffixes import exact_run

_Hashes = NDArray[np.uint64]

_BASE = 0x9E3779B97F4A7C15
_FIRST, _SECOND, _BLANK, _TEXT, _SLOT = (
    np.uint64(value)
    for value in (
        0xBF58476D1CE4E5B9,
        0x94D049BB133111EB,
        0xD6E8FEB86659FD93,
        0xC2B2AE3D27D4EB4F,
        0xFF51AFD7ED558CCD,
    )
)
_REAL = np.uint64(2)
_LENGTHS = 64  # lengths of words that are counted apart; from the last of them on as one
_SPACE = 32
_LINE_FEED = 10
# Words of elements that are looked up at a time, and common couples that are held at a time.
_LOOKUPS = 1 << 20
_COMMON = 1 << 21


@dataclass(frozen=True)
class Words:
    """The words of many texts, one after the other.

    `joined` and `codes` hold all characters, `offset` where each text starts in them, `length` how
    long it is. Text i has the words `first[i]` to `first[i + 1]`; `start` and `end` are their
    places in `codes`, `word` their hashes and `couple` those of each with its next one. `owner`
    says whose a word is.
    """

    joined: str
    codes: Codes
    offset: Ints
    length: Ints
    first: Ints
    start: Ints
    end: Ints
    owner: Ints
    word: _Hashes
    couple: _Hashes

    def text_of(self, number: int) -> str:
        """One of the texts."""
        start = int(self.offset[number])
        return self.joined[start : start + int(self.length[number])]


def words_of(joined: str, *, side: int) -> Words:
    """Split normalised texts into words. Each text ends in a line feed, which none of them holds.

    `side` tells elements (0) from chunks (1).

    >>> words = words_of("a cat\\n\\ncat.\\n", side=0)
    >>> words.first.tolist(), words.start.tolist(), words.end.tolist()
    ([0, 2, 2, 4], [0, 2, 7, 10], [1, 5, 10, 11])
    >>> bool(words.word[1] == words.word[2])
    True
    """
    codes = codes_of(joined)
    ends = np.flatnonzero(codes == _LINE_FEED)
    offset = np.append(0, ends + 1)[:-1]
    bounds = np.append(np.flatnonzero(starts_of_segments(codes)), len(codes))
    start, end = bounds[:-1], bounds[1:]
    head = codes[start]
    is_word = (head != _LINE_FEED) & ((head != _SPACE) | (end - start > 1))
    start, end = start[is_word], end[is_word]
    first = np.append(np.searchsorted(start, offset), len(start))
    word = _hashes(codes, start, end)
    return Words(
        joined=joined,
        codes=codes,
        offset=offset,
        length=ends - offset,
        first=first,
        start=start,
        end=end,
        owner=np.repeat(np.arange(len(offset)), np.diff(first)),
        word=word,
        couple=_couples(codes, start, first, word, side=side),
    )


def _hashes(codes: Codes, start: Ints, end: Ints) -> _Hashes:
    # A polynomial of the characters, from differences of one running sum.
    powers, inverses = _powers(1 << max(19, len(codes).bit_length()))
    total = np.zeros(len(codes) + 1, dtype=np.uint64)
    np.cumsum(codes.astype(np.uint64) * powers[: len(codes)], out=total[1:])
    word = (total[end] - total[start]) * inverses[start] * _FIRST
    return word ^ (word >> np.uint64(32))  # so that short words differ in their upper bits too


@lru_cache(maxsize=1)
def _powers(size: int) -> tuple[_Hashes, _Hashes]:
    inverse = pow(_BASE, -1, 1 << 64)
    tables = np.empty((2, size), dtype=np.uint64)
    tables[:, 0] = 1
    tables[0, 1:], tables[1, 1:] = _BASE, inverse
    np.cumprod(tables, axis=1, out=tables)
    return tables[0], tables[1]


def _couples(codes: Codes, start: Ints, first: Ints, word: _Hashes, *, side: int) -> _Hashes:
    couple = np.empty(len(word), dtype=np.uint64)
    after_blank = (codes[start[1:] - 1] == _SPACE).astype(np.uint64)
    couple[:-1] = word[:-1] * _FIRST + (word[1:] + after_blank * _BLANK) * _SECOND
    # The last word of a text has no next one, and a number that nothing on the other side has.
    couple |= _REAL
    couple[first[1:][first[1:] > first[:-1]] - 1] = side
    return couple


def longest_runs(elements: Words, chunks: Words, element: Ints, chunk: Ints) -> Ints:
    """Find the longest run of words that stands in both texts of every pair as one piece.

    `element` and `chunk` are arrays of equal length: the pairs, as indices of texts. Four rows come
    back, a column a pair: start and end in the element, start and end in the chunk, in characters,
    all 0 where nothing is common. Of several longest runs it is the first in the element, then the
    first in the chunk.

    >>> elements = words_of("the red cat\\n", side=0)
    >>> chunks = words_of("a red cat sat\\nconcatenate\\n", side=1)
    >>> longest_runs(elements, chunks, np.array([0, 0]), np.array([0, 1])).T.tolist()
    [[4, 11, 2, 9], [0, 0, 0, 0]]
    """
    places = np.zeros((4, len(element)), dtype=np.int64)
    order = np.argsort(chunk, kind="stable")
    element, chunk = element[order], chunk[order]
    effort = np.cumsum(np.diff(elements.first)[element])
    low = 0
    while low < len(order):
        reached = (effort[low - 1] if low else 0) + _LOOKUPS
        high = max(low + 1, int(np.searchsorted(effort, reached, side="right")))
        _fill(elements, chunks, element[low:high], chunk[low:high], places[:, low:high])
        low = high
    result = np.empty_like(places)
    result[:, order] = places
    return result


def _fill(elements: Words, chunks: Words, element: Ints, chunk: Ints, places: Ints) -> None:
    lookup = _Lookup.of(elements, chunks, element, chunk)
    asked = lookup.words(elements.couple, chunks.couple)
    common = _common(asked.keys, lookup.chunk_keys(chunks.couple))
    pair = asked.pair[common.probe]
    found = np.bincount(pair, weights=common.count, minlength=len(element))
    if found.sum() > _COMMON and len(element) > 1:
        half = len(element) // 2
        _fill(elements, chunks, element[:half], chunk[:half], places[:, :half])
        _fill(elements, chunks, element[half:], chunk[half:], places[:, half:])
        return
    size = np.diff(elements.first)[element] + np.diff(chunks.first)[chunk]
    heavy = found > 16 * size + 4096
    _follow_runs(lookup, asked, common.without(heavy[pair]), places)
    _try_single_words(lookup, places)
    wrong = heavy | ~_equal(elements, chunks, element, chunk, places)
    for row in np.flatnonzero(wrong).tolist():
        places[:, row] = exact_run(elements.text_of(element[row]), chunks.text_of(chunk[row]))


@dataclass(frozen=True)
class _Asked:
    """Words of elements to look for: the pair, the word, and its hash made one of the chunk's."""

    pair: Ints
    word: Ints
    keys: _Hashes


@dataclass(frozen=True)
class _Lookup:
    """Pairs of texts, sorted by chunk, with what all their words have in common.

    `used` are the elements of the pairs, `place` says for each pair which of these; `own` are the
    words of these and `own_first` where each element's begin. The chunks are neighbours: their
    words are a slice. A hash is mixed with the salt of its chunk, so that equal keys mean equal
    words in one chunk.
    """

    elements: Words
    chunks: Words
    element: Ints
    chunk: Ints
    place: Ints
    own: Ints
    own_first: Ints
    theirs: slice

    @classmethod
    def of(cls, elements: Words, chunks: Words, element: Ints, chunk: Ints) -> _Lookup:
        used, place = np.unique(element, return_inverse=True)
        count = elements.first[used + 1] - elements.first[used]
        _, own = _expand(elements.first[used], count)
        theirs = slice(int(chunks.first[chunk[0]]), int(chunks.first[chunk[-1] + 1]))
        own_first = np.append(0, np.cumsum(count))
        return cls(elements, chunks, element, chunk, place, own, own_first, theirs)

    def words(self, ours: _Hashes, theirs: _Hashes) -> _Asked:
        """For every pair the words of the element that some chunk may hold."""
        known = np.flatnonzero(_may_hold(theirs[self.theirs], ours[self.own]))
        first = np.searchsorted(known, self.own_first)
        pair, at = _expand(first[self.place], np.diff(first)[self.place])
        word = self.own[known][at]
        return _Asked(pair, word, ours[word] ^ _salt(self.chunk)[pair])

    def long_words(self, least: Ints) -> _Asked:
        """The words that some chunk may hold and that are at least as long as `least` of the pair.

        The longest come first, and words of equal length in their order.
        """
        elements = self.elements
        held = np.flatnonzero(_may_hold(self.chunks.word[self.theirs], elements.word[self.own]))
        word, owner = self.own[held], self._owner()[held]
        length = elements.end[word] - elements.start[word]
        word = word[np.argsort(owner * (length.max(initial=0) + 1) - length, kind="stable")]
        # How many words there are up to those of an element that are so long; 0 is the longest.
        rank = owner * _LENGTHS + _LENGTHS - 1 - np.minimum(length, _LENGTHS - 1)
        reach = np.cumsum(np.bincount(rank, minlength=(len(self.own_first) - 1) * _LENGTHS))
        first = np.append(0, reach[_LENGTHS - 1 :: _LENGTHS])[self.place]
        end = reach[self.place * _LENGTHS + _LENGTHS - 1 - np.minimum(least, _LENGTHS - 1)]
        pair, at = _expand(first, end - first)
        return _Asked(pair, word[at], elements.word[word[at]] ^ _salt(self.chunk)[pair])

    def _owner(self) -> Ints:
        return np.repeat(np.arange(len(self.own_first) - 1), np.diff(self.own_first))

    def chunk_keys(self, hashes: _Hashes) -> _Hashes:
        return hashes[self.theirs] ^ _salt(self.chunks.owner[self.theirs])


def _salt(chunk: Ints) -> _Hashes:
    salt: _Hashes = (chunk.astype(np.uint64) + np.uint64(1)) * _TEXT
    return salt


def _may_hold(build: _Hashes, probe: _Hashes) -> Bools:
    """Whether a hash is among those of `build`; a few more than these are said to be."""
    shift = np.uint64(64 - max(10, min(24, (8 * len(build)).bit_length())))
    present = np.zeros(1 << (64 - int(shift)), dtype=bool)
    present[(build * _SLOT) >> shift] = True
    held: Bools = present[(probe * _SLOT) >> shift]
    return held


def _expand(first: Ints, count: Ints) -> tuple[Ints, Ints]:
    """Spell out ranges: the index of the range, and its members, one after the other."""
    index = np.repeat(np.arange(len(count)), count)
    shift = first - (np.cumsum(count) - count)
    return index, np.arange(len(index)) + shift[index]


# ------------------------------------------------------------------------------ joining


@dataclass(frozen=True)
class _Common:
    """Keys that are equal in their upper bits.

    `probe[i]` equals the keys at `build[first[i] : first[i] + count[i]]`.
    """

    probe: Ints
    first: Ints
    count: Ints
    build: Ints

    def without(self, dropped: Bools) -> _Common:
        if not dropped.any():
            return self
        return _Common(self.probe[~dropped], self.first[~dropped], self.count[~dropped], self.build)


def _common(probe: _Hashes, build: _Hashes) -> _Common:
    # Most keys are thrown out before anything is sorted.
    probes = np.flatnonzero(_may_hold(build, probe))
    builds = np.flatnonzero(_may_hold(probe[probes], build))
    # Key and place in one number: sorting values is many times as fast as sorting places by value.
    low = np.uint64((1 << len(builds).bit_length()) - 1)
    packed = np.sort((build[builds] & ~low) | np.arange(len(builds), dtype=np.uint64))
    builds, keys = builds[(packed & low).astype(np.int64)], packed & ~low
    heads = _heads(keys)
    distinct, sizes = keys[heads], np.diff(heads, append=len(keys))
    wanted = probe[probes] & ~low
    at = np.minimum(np.searchsorted(distinct, wanted), max(0, len(distinct) - 1))
    known = np.flatnonzero(distinct[at] == wanted)
    probes, at = probes[known], at[known]
    return _Common(probes, heads[at], sizes[at], builds)


# ------------------------------------------------------------------------------ runs


def _follow_runs(lookup: _Lookup, asked: _Asked, common: _Common, places: Ints) -> None:
    elements, chunks = lookup.elements, lookup.chunks
    index, at = _expand(common.first, common.count)
    probe, theirs = common.probe[index], common.build[at] + lookup.theirs.start
    pair, ours = asked.pair[probe], asked.word[probe]
    starts = (
        (elements.couple[ours - 1] != chunks.couple[theirs - 1])
        & (elements.couple[ours] == chunks.couple[theirs])
        & (chunks.owner[theirs] == lookup.chunk[pair])
    )
    pair, ours, theirs = pair[starts], ours[starts], theirs[starts]
    more = _run_lengths(elements.couple, chunks.couple, ours, theirs)
    length = elements.end[ours + more] - elements.start[ours]
    best = _first_longest(pair, length)
    pair, ours, theirs, length = pair[best], ours[best], theirs[best], length[best]
    _place(lookup, pair, ours, theirs, length, places)


def _run_lengths(couples: _Hashes, others: _Hashes, ours: Ints, theirs: Ints) -> Ints:
    """How many couples are equal from each start on (at least 1), in windows that double."""
    lengths = np.ones(len(ours), dtype=np.int64)
    active, width = np.arange(len(ours)), 1
    while len(active):
        at = lengths[active]
        window = np.arange(width)
        left = np.minimum((ours[active] + at)[:, None] + window, len(couples) - 1)
        right = np.minimum((theirs[active] + at)[:, None] + window, len(others) - 1)
        equal = couples[left] == others[right]
        whole = equal.all(axis=1)
        lengths[active] += np.where(whole, width, equal.argmin(axis=1))
        active = active[whole]
        width = max(1, min(2 * width, _COMMON // max(1, len(active))))
    return lengths


def _first_longest(group: Ints, length: Ints) -> Ints:
    """For rows sorted by group, the row of each group's first greatest length."""
    heads = _heads(group)
    greatest = np.repeat(np.maximum.reduceat(length, heads), np.diff(heads, append=len(group)))
    rows = np.flatnonzero(length == greatest)
    return rows[_heads(group[rows])]


def _heads(values: NDArray[Any]) -> Ints:
    """Where each run of equal values starts."""
    starts = np.ones(len(values), dtype=bool)
    starts[1:] = values[1:] != values[:-1]
    return np.flatnonzero(starts)


def _place(
    lookup: _Lookup, pair: Ints, ours: Ints, theirs: Ints, length: Ints, places: Ints
) -> None:
    start = lookup.elements.start[ours] - lookup.elements.offset[lookup.element[pair]]
    chunk_start = lookup.chunks.start[theirs] - lookup.chunks.offset[lookup.chunk[pair]]
    places[:, pair] = start, start + length, chunk_start, chunk_start + length


def _try_single_words(lookup: _Lookup, places: Ints) -> None:
    """Put a single word in place of a run that is shorter, or as long and later in the element."""
    elements, chunks = lookup.elements, lookup.chunks
    best = places[1] - places[0]
    asked = lookup.long_words(best)
    common = _common(asked.keys, lookup.chunk_keys(chunks.word))
    # The words of a pair come longest first, and then in their order.
    heads = _heads(asked.pair[common.probe])
    pair, ours = asked.pair[common.probe[heads]], asked.word[common.probe[heads]]
    theirs = common.build[common.first[heads]] + lookup.theirs.start
    length = elements.end[ours] - elements.start[ours]
    earlier = elements.start[ours] - elements.offset[lookup.element[pair]] < places[0, pair]
    better = (length > best[pair]) | ((length == best[pair]) & earlier)
    _place(lookup, pair[better], ours[better], theirs[better], length[better], places)


def _equal(elements: Words, chunks: Words, element: Ints, chunk: Ints, places: Ints) -> Bools:
    """Whether the piece in the element and the one in the chunk are the same characters."""
    length = places[1] - places[0]
    pair, ours = _expand(elements.offset[element] + places[0], length)
    theirs = ours + (chunks.offset[chunk] + places[2] - elements.offset[element] - places[0])[pair]
    inside = places[3] <= chunks.length[chunk]
    same = elements.codes[ours] == chunks.codes[np.minimum(theirs, len(chunks.codes) - 1)]
    equal: Bools = inside & (places[2] >= 0)
    equal[pair[~same]] = False
    return equal
