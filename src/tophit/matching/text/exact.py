"""The longest common run of two texts word by word: for the pairs that hashes cannot decide."""

from __future__ import annotations

import numpy as np

from tophit.matching.text.points import compatible
from tophit.matching.text.segmentation import Bools, Ints
from tophit.matching.text.words import Words


def agreeing(elements: Words, chunks: Words, element: Ints, chunk: Ints, places: Ints) -> Bools:
    """Whether each piece is the same in both texts: its words, how they follow, their points.

    `places` are the first and last word in the element and in the chunk, a column a pair.
    """
    first, last, begins, ends = places
    count = np.where(last >= 0, last - first + 1, 0)
    inside = (begins >= chunks.first[chunk]) & (ends < chunks.first[chunk + 1])
    agree: Bools = (count == 0) | inside
    pair, ours = _expand(first, count)
    theirs = np.minimum(ours + (begins - first)[pair], len(chunks.word) - 1)
    size = elements.plain_end[ours] - elements.plain_start[ours]
    same = size == chunks.plain_end[theirs] - chunks.plain_start[theirs]
    same &= (elements.gap[ours] == chunks.gap[theirs]) | (ours == last[pair])
    agree[pair[~same]] = False
    word, at = _expand(elements.plain_start[ours[same]], size[same])
    begin = (chunks.plain_start[theirs] - elements.plain_start[ours])[same]
    unequal = (
        elements.plain[at] != chunks.plain[np.minimum(at + begin[word], len(chunks.plain) - 1)]
    )
    agree[pair[same][word[unequal]]] = False
    if elements.points is not None and chunks.points is not None:
        here, other = elements.points[ours], chunks.points[theirs]
        for row in np.flatnonzero((here != other) & (here != 0) & (other != 0)).tolist():
            if not compatible(_word(elements, ours[row]), _word(chunks, theirs[row])):
                agree[pair[row]] = False
    return agree


def exact_run(elements: Words, element: int, chunks: Words, chunk: int) -> tuple[int, ...]:
    """The longest run of words common to two texts: its first and last word in each, else -1.

    A row of a table for each word of the element: where the run that ends at each word of the
    chunk may begin. Of several longest runs it is the first in the element, then in the chunk.

    >>> from tophit.matching.text.words import words_of
    >>> ours, theirs = words_of("the red cat\\n", side=0), words_of("a red cat sat\\n", side=1)
    >>> exact_run(ours, 0, theirs, 0)
    (1, 2, 1, 2)
    """
    part = slice(int(chunks.first[chunk]), int(chunks.first[chunk + 1]))
    opens, closes, gap = chunks.edges.opens[part], chunks.edges.closes[part], chunks.gap[part]
    equal = _EqualWords(elements, chunks, part)
    best, found = (0, 0, 0), (-1, -1, -1, -1)
    begin = np.full(part.stop - part.start, -1)
    for ours in range(int(elements.first[element]), int(elements.first[element + 1])):
        carried = np.append(-1, begin[:-1])
        if ours > elements.first[element]:
            carried[1:][gap[:-1] != elements.gap[ours - 1]] = -1
        carried = np.where((carried < 0) & opens & bool(elements.edges.opens[ours]), ours, carried)
        begin = np.where(equal.to(ours), carried, -1)
        ends = np.flatnonzero((begin >= 0) & closes) if elements.edges.closes[ours] else ()
        if len(ends) == 0:
            continue
        first = int(begin[ends].min())
        there = int(ends[begin[ends] == first][0]) + part.start - (ours - first)
        if ours - first < elements.window - 2:
            continue
        rank = (int(elements.start[first]) - int(elements.end[ours]), first, there)
        if rank < best:
            best, found = rank, (first, ours, there, there + ours - first)
    return found


def whole_places(elements: Words, element: int, chunks: Words, chunk: int) -> Ints:
    """The words of a text that all of an element begins at, between boundaries.

    >>> from tophit.matching.text.words import words_of
    >>> ours, theirs = words_of("a cat\\n", side=0), words_of("is a cat a cat?\\n", side=1)
    >>> whole_places(ours, 0, theirs, 0).tolist()
    [1, 3]
    """
    begin, end = int(elements.first[element]), int(elements.first[element + 1])
    size = end - begin
    there = np.arange(int(chunks.first[chunk]), int(chunks.first[chunk + 1]) - size + 1)
    if size == 0:
        return there[:0]
    there = there[chunks.edges.opens[there] & chunks.edges.closes[there + size - 1]]
    for step in range(size):
        there = there[chunks.word[there + step] == elements.word[begin + step]]
    same = np.zeros(len(there), dtype=np.int64)
    places = np.stack([same + begin, same + end - 1, there, there + size - 1])
    return there[agreeing(elements, chunks, same + element, same + chunk, places)]


class _EqualWords:
    """Which words of a chunk equal a word of the element."""

    def __init__(self, elements: Words, chunks: Words, part: slice) -> None:
        self._elements, self._chunks = elements, chunks
        self._theirs = np.arange(part.start, part.stop)
        numbers: dict[bytes, int] = {}
        forms = (numbers.setdefault(_plain(chunks, word), len(numbers)) for word in self._theirs)
        self._forms = np.fromiter(forms, dtype=np.int64, count=len(self._theirs))
        self._numbers = numbers
        self._pointed = elements.points is not None and chunks.points is not None

    def to(self, ours: int) -> Bools:
        """For each word of the chunk whether it equals this one."""
        equal: Bools = self._forms == self._numbers.get(_plain(self._elements, ours), -1)
        if self._pointed:
            word = _word(self._elements, ours)
            for place in np.flatnonzero(equal).tolist():
                equal[place] = compatible(word, _word(self._chunks, self._theirs[place]))
        return equal


def _plain(words: Words, word: int) -> bytes:
    found: bytes = words.plain[words.plain_start[word] : words.plain_end[word]].tobytes()
    return found


def _word(words: Words, word: int) -> str:
    return words.joined[words.start[word] : words.end[word]]


def _expand(first: Ints, count: Ints) -> tuple[Ints, Ints]:
    """Spell out ranges: the index of the range, and its members, one after the other."""
    index = np.repeat(np.arange(len(count)), count)
    shift = first - (np.cumsum(count) - count)
    return index, np.arange(len(index)) + shift[index]
