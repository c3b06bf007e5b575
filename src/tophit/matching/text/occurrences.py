"""All places where an element stands whole in one text: how often, and where."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tophit.matching.text.exact import agreeing
from tophit.matching.text.marks import settle_line_ends
from tophit.matching.text.normalize import normalize_all
from tophit.matching.text.segmentation import Bools, Ints
from tophit.matching.text.words import Words, words_of
from tophit.settings import DEFAULT_FOLDING, Folding


@dataclass(frozen=True)
class Page:
    """One text to look for elements in. Line ends have their usual reading."""

    words: Words
    folding: Folding = DEFAULT_FOLDING

    @classmethod
    def of(cls, text: str, *, folding: Folding = DEFAULT_FOLDING) -> Page:
        """A page of a text as it was given.

        >>> page = Page.of("A cat's cat; a bobcat.")
        >>> page.places("cat")
        [(2, 5), (8, 11)]
        >>> page.is_boundary(2), page.is_boundary(19)
        (True, False)
        """
        return cls(_words(text, side=1, folding=folding), folding)

    def places(self, element: str) -> list[tuple[int, int]]:
        """Where the element, as it was given, stands whole: in the text after normalisation."""
        words = _words(element, side=0, folding=self.folding)
        size = len(words.word)
        there = np.arange(max(0, len(self.words.word) - size + 1)) if size else np.arange(0)
        there = there[self.words.edges.opens[there] & self.words.edges.closes[there + size - 1]]
        for step in range(size):
            there = there[self.words.word[there + step] == words.word[step]]
        there = there[_agree(words, self.words, there)]
        starts, ends = self.words.start[there], self.words.end[there + size - 1]
        return list(zip(starts.tolist(), ends.tolist(), strict=True))

    def is_boundary(self, *places: int) -> bool:
        """Whether a piece may begin or end at all these places of the normalised text."""
        words, edges = self.words, self.words.edges
        allowed = np.zeros(int(words.length[0]) + 1, dtype=bool)
        allowed[words.start], allowed[words.end] = edges.opens, edges.closes
        return bool(allowed[list(places)].all())


def _words(text: str, *, side: int, folding: Folding) -> Words:
    line = settle_line_ends(normalize_all([text], folding=folding))
    return words_of(line, side=side, exact=folding.exact)


def _agree(element: Words, text: Words, there: Ints) -> Bools:
    none = np.zeros(len(there), dtype=np.int64)
    last = len(element.word) - 1
    return agreeing(element, text, none, none, np.stack([none, none + last, there, there + last]))
