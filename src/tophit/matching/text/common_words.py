"""The longest run of whole words that an element and a chunk share, for many pairs at once.

Two neighbouring words and how the second follows the first become one 64-bit number, a couple
(words.py). Couples that stand in both texts of a pair are joined, each run is followed from its
first couple only and shortened to the boundaries of both texts, and a single word counts where no
run is longer. What is found is compared character by character, so that equal numbers of unequal
words cannot make a wrong piece; such a pair, and one with too many couples in common ("0 0 0 0
..."), goes to `exact_run`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tophit.matching.text.exact import agreeing, exact_run, whole_places
from tophit.matching.text.hashes import Hashes
from tophit.matching.text.segmentation import Bools, Ints
from tophit.matching.text.words import Words

_TEXT, _SLOT = np.uint64(0xC2B2AE3D27D4EB4F), np.uint64(0xFF51AFD7ED558CCD)
_LENGTHS = 64  # lengths of words that are counted apart; from the last of them on as one
# Words of elements that are looked up at a time, and common couples that are held at a time.
_LOOKUPS = 1 << 20
_COMMON = 1 << 21


def longest_runs(elements: Words, chunks: Words, element: Ints, chunk: Ints) -> Ints:
    """Find the longest run of words that stands in both texts of every pair as one piece.

    `element` and `chunk` are arrays of equal length: the pairs, as indices of texts. Four rows come
    back, a column a pair: start and end in the element, start and end in the chunk, in characters,
    all 0 where nothing is common. Of several longest runs it is the first in the element, then the
    first in the chunk.

    >>> from tophit.matching.text.words import words_of
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
    places[:] = -1
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
    if elements.window > 2:
        _try_short_elements(elements, chunks, element, chunk, places)
    else:
        _try_single_words(lookup, places)
    wrong = heavy | ~agreeing(elements, chunks, element, chunk, places)
    for row in np.flatnonzero(wrong).tolist():
        places[:, row] = exact_run(elements, int(element[row]), chunks, int(chunk[row]))
    _give_places(elements, chunks, element, chunk, places)


def _give_places(elements: Words, chunks: Words, element: Ints, chunk: Ints, places: Ints) -> None:
    """Turn the first and last words of pieces into characters of their texts; -1 means none."""
    found = places[1] >= 0
    words_found = places[:2].copy()
    for words, text, rows in ((elements, element, places[:2]), (chunks, chunk, places[2:])):
        offset = words.offset[text[found]]
        rows[0, found] = words.start[rows[0, found]] - offset
        rows[1, found] = words.end[rows[1, found]] - offset
    if elements.window > 2:  # marks at its edges belong to an element, and are not compared
        owned = np.flatnonzero(found)
        first, last = elements.first[element], elements.first[element + 1] - 1
        places[0, owned[words_found[0][owned] == first[owned]]] = 0
        ends = owned[words_found[1][owned] == last[owned]]
        places[1, ends] = elements.length[element[ends]]
    places[:, ~found] = 0


@dataclass(frozen=True)
class _Asked:
    """Words of elements to look for: the pair, the word, and its hash made one of the chunk's."""

    pair: Ints
    word: Ints
    keys: Hashes


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

    def words(self, ours: Hashes, theirs: Hashes) -> _Asked:
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
        alone = _alone(elements, self.own)
        held = np.flatnonzero(
            alone & _may_hold(self.chunks.word[self.theirs], elements.word[self.own])
        )
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

    def chunk_keys(self, hashes: Hashes) -> Hashes:
        return hashes[self.theirs] ^ _salt(self.chunks.owner[self.theirs])


def _salt(chunk: Ints) -> Hashes:
    salt: Hashes = (chunk.astype(np.uint64) + np.uint64(1)) * _TEXT
    return salt


def _may_hold(build: Hashes, probe: Hashes) -> Bools:
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


def _common(probe: Hashes, build: Hashes, *, among: Bools | None = None) -> _Common:
    """Join keys; `among` says which of `build` count."""
    # Most keys are thrown out before anything is sorted.
    probes = np.flatnonzero(_may_hold(build, probe))
    held = _may_hold(probe[probes], build)
    builds = np.flatnonzero(held if among is None else held & among)
    # Key and place in one number: sorting values is many times as fast as sorting places by value.
    low = np.uint64((1 << len(builds).bit_length()) - 1)
    packed = np.sort((build[builds] & ~low) | np.arange(len(builds), dtype=np.uint64))
    builds, keys = builds[(packed & low).astype(np.int64)], packed & ~low
    if len(keys) == 0:
        probes = probes[:0]
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
    first, last = _within_boundaries(elements, chunks, ours, theirs, more)
    kept = last - first >= (elements.window - 2 and elements.window - 1)
    pair, first, last, theirs = (values[kept] for values in (pair, first, last, theirs - ours))
    best = _first_longest(pair, elements.end[last] - elements.start[first], first, theirs)
    pair, first, last, theirs = pair[best], first[best], last[best], theirs[best]
    places[:, pair] = first, last, first + theirs, last + theirs


def _within_boundaries(
    elements: Words, chunks: Words, ours: Ints, theirs: Ints, more: Ints
) -> tuple[Ints, Ints]:
    """The first and the last word of the element between which both texts have boundaries."""
    first, last, shift = ours, ours + more + elements.window - 2, theirs - ours
    edges = (elements.edges, chunks.edges)
    if not all(side.opens.all() and side.closes.all() for side in edges):
        first = _settled(first, shift, elements.next_open, chunks.next_open)
        last = _settled(last, shift, elements.last_closed, chunks.last_closed)
    return first, last


def _settled(place: Ints, shift: Ints, ours: Ints, theirs: Ints) -> Ints:
    """Move each place on until both texts let it be."""
    place = ours[place]
    moving = np.arange(len(place))
    while len(moving):
        here, by = place[moving], shift[moving]
        inside = (here >= 0) & (here < len(ours)) & (here + by >= 0) & (here + by < len(theirs))
        moving, here, by = moving[inside], here[inside], by[inside]
        there = theirs[here + by] - by
        moved = (there != here) & (there >= 0) & (there < len(ours))
        place[moving] = there
        moving = moving[moved]
        place[moving] = ours[there[moved]]
    return place


def _run_lengths(couples: Hashes, others: Hashes, ours: Ints, theirs: Ints) -> Ints:
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


def _first_longest(group: Ints, length: Ints, first: Ints, second: Ints) -> Ints:
    """For rows sorted by group the row of each group's greatest length, then least places."""
    if len(group) == 0:
        return group
    heads = _heads(group)
    greatest = np.repeat(np.maximum.reduceat(length, heads), np.diff(heads, append=len(group)))
    rows = np.flatnonzero(length == greatest)
    rows = rows[np.lexsort((second[rows], first[rows], group[rows]))]
    return rows[_heads(group[rows])]


def _heads(values: NDArray[Any]) -> Ints:
    """Where each run of equal values starts."""
    starts = np.ones(len(values), dtype=bool)
    starts[1:] = values[1:] != values[:-1]
    return np.flatnonzero(starts)


def _try_single_words(lookup: _Lookup, places: Ints) -> None:
    """Put a single word in place of a run that is shorter, or as long and later in the element."""
    elements, chunks = lookup.elements, lookup.chunks
    found = places[1] >= 0
    best = np.zeros(len(found), dtype=np.int64)
    best[found] = elements.end[places[1, found]] - elements.start[places[0, found]]
    asked = lookup.long_words(best)
    common = _common(
        asked.keys, lookup.chunk_keys(chunks.word), among=_alone(chunks, lookup.theirs)
    )
    # The words of a pair come longest first, and then in their order.
    heads = _heads(asked.pair[common.probe])
    pair, ours = asked.pair[common.probe[heads]], asked.word[common.probe[heads]]
    theirs = common.build[common.first[heads]] + lookup.theirs.start
    length = elements.end[ours] - elements.start[ours]
    first, there = places[0, pair], places[2, pair]
    earlier = (ours < first) | ((ours == first) & (theirs < there))
    better = (length > best[pair]) | ((length == best[pair]) & earlier)
    pair, ours, theirs = pair[better], ours[better], theirs[better]
    places[:, pair] = ours, ours, theirs, theirs


def _try_short_elements(
    elements: Words, chunks: Words, element: Ints, chunk: Ints, places: Ints
) -> None:
    """Look for all of an element that has no window of letters."""
    size = np.diff(elements.first)[element]
    for row in np.flatnonzero((size > 0) & (size < elements.window)).tolist():
        there = whole_places(elements, int(element[row]), chunks, int(chunk[row]))
        if len(there):
            first, last = elements.first[element[row]], elements.first[element[row] + 1] - 1
            places[:, row] = first, last, there[0], there[0] + last - first


def _alone(words: Words, part: slice | Ints) -> Bools:
    """Which words may stand alone: between two boundaries."""
    alone: Bools = words.edges.opens[part] & words.edges.closes[part]
    return alone
