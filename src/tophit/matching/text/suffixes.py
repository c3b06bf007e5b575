"""The longest common run of two texts in linear time, for the pairs that the joins cannot take."""

from __future__ import annotations

from tophit.matching.text.segmentation import segments


def exact_run(element: str, chunk: str) -> tuple[int, int, int, int]:
    """The longest run of whole words common to two normalised texts: start and end in each.

    A suffix automaton of the element's segments reads the chunk's segments, blanks among them, and
    knows at each one the longest run that ends there. Of several longest runs it is the first in
    the element, then the first in the chunk; nothing in common gives zeros.
    Blumer et al., The smallest automaton recognizing the subwords of a text, 1985.

    >>> exact_run("the red cat", "a red cat sat")
    (4, 11, 2, 9)
    >>> exact_run("cat", "concatenate")
    (0, 0, 0, 0)
    """
    ours, theirs = segments(element), segments(chunk)
    words = [chunk[start:end] for start, end in theirs]
    automaton = _Automaton([element[start:end] for start, end in ours])
    best = (0, 0, 0)
    places = (0, 0, 0, 0)
    for last, (state, count) in enumerate(automaton.read(words)):
        if count and words[last - count + 1] == " ":
            state, count = automaton.shortened(state, count)
        if count == 0 or words[last] == " ":
            continue
        final = automaton.first_end[state]
        start, end = ours[final - count + 1][0], ours[final][1]
        there = theirs[last - count + 1][0]
        if (rank := (start - end, start, there)) < best:
            best, places = rank, (start, end, there, theirs[last][1])
    return places


class _Automaton:
    """All runs of a sequence; each state knows its longest run and where that first ends."""

    def __init__(self, sequence: list[str]) -> None:
        self._next: list[dict[str, int]] = [{}]
        self._link = [-1]
        self._length = [0]
        self.first_end = [-1]
        last = 0
        for position, item in enumerate(sequence):
            last = self._extend(last, item, position)

    def _add(self, length: int, ended: int, link: int, following: dict[str, int]) -> int:
        self._next.append(following)
        self._link.append(link)
        self._length.append(length)
        self.first_end.append(ended)
        return len(self._next) - 1

    def _extend(self, last: int, item: str, position: int) -> int:
        new = self._add(self._length[last] + 1, position, 0, {})
        state = last
        while state >= 0 and item not in self._next[state]:
            self._next[state][item] = new
            state = self._link[state]
        if state >= 0:
            self._link[new] = self._split(state, item)
        return new

    def _split(self, state: int, item: str) -> int:
        target = self._next[state][item]
        if self._length[target] == self._length[state] + 1:
            return target
        copy = self._add(
            self._length[state] + 1,
            self.first_end[target],
            self._link[target],
            dict(self._next[target]),
        )
        while state >= 0 and self._next[state].get(item) == target:
            self._next[state][item] = copy
            state = self._link[state]
        self._link[target] = copy
        return copy

    def read(self, sequence: list[str]) -> list[tuple[int, int]]:
        """At every item: the state and the length of the longest run that ends there."""
        found = []
        state, count = 0, 0
        for item in sequence:
            while state > 0 and item not in self._next[state]:
                state = self._link[state]
                count = self._length[state]
            if item in self._next[state]:
                state, count = self._next[state][item], count + 1
            found.append((state, count))
        return found

    def shortened(self, state: int, count: int) -> tuple[int, int]:
        """The state and the length of a run without its first item."""
        shorter = self._link[state]
        return (shorter if self._length[shorter] == count - 1 else state), count - 1
