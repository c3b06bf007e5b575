"""All places where an element stands whole in one text: how often, and where."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tophit.matching.text.exact import whole_places
from tophit.matching.text.letters import letters_of
from tophit.matching.text.marks import settle_line_ends
from tophit.matching.text.normalize import normalize_all
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
        there = whole_places(words, 0, self.words, 0)
        last = there + len(words.word) - 1
        starts, ends = self.words.start[there], self.words.end[last]
        return list(zip(starts.tolist(), ends.tolist(), strict=True))

    def is_boundary(self, *places: int) -> bool:
        """Whether a piece may begin or end at all these places of the normalised text."""
        words, edges = self.words, self.words.edges
        allowed = np.zeros(int(words.length[0]) + 1, dtype=bool)
        allowed[words.start], allowed[words.end] = edges.opens, edges.closes
        return bool(allowed[list(places)].all())


def _words(text: str, *, side: int, folding: Folding) -> Words:
    line = settle_line_ends(normalize_all([text], folding=folding))
    words = words_of(line, side=side, exact=folding.exact)
    return letters_of(words, side=side) if folding.letters else words
