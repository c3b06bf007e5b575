"""How an element's text stands where it is not whole: inside a word, altered, or nearly all of it.

Nothing is called absent that a plain search for its letters and digits finds, so this is asked of
every element that is whole nowhere, and of no other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import regex

from tophit.diagnosis.nearest import Forms, compared, nearest_passages
from tophit.matching.text.hits import longest_pieces
from tophit.matching.text.normalize import normalize
from tophit.matching.text.search import Corpus, squeeze
from tophit.matching.text.segmentation import segments
from tophit.outcomes import INSIDE, LETTERS, NEAR
from tophit.settings import Folding

# So much of an element in one place is the element, altered.
ENOUGH = 0.9
# A longest piece of less is chance, and no place to look at.
_LIKE = 0.1
_CANDIDATES = 12
_NO_LETTER = regex.compile(r"[^\p{L}\p{M}\p{N}]+")
_MARKS = bytes(code for code in range(128) if not chr(code).isalnum())


class Stand(NamedTuple):
    """How an element stands in text `number` of a corpus: inside a word, by its letters, or nearly.

    `held` is the fraction of it that this place has, `difference` a line with what differs.
    """

    kind: str
    number: int
    held: float
    difference: str


def letters(text: str, *, folding: Folding) -> str:
    """Only the letters and digits of a text, folded as ever.

    >>> letters("3M’s cash-flow, 5 %", folding=Folding())
    '3mscashflow5'
    """
    (form,) = squeeze([text], folding=folding)
    return only_letters(form)


def only_letters(text: str) -> str:
    """A text without what is no letter, mark of a letter, or digit."""
    if text.isascii():
        return text.encode().translate(None, _MARKS).decode()
    return _NO_LETTER.sub("", text)


@dataclass(frozen=True)
class Searched:
    """A corpus that is asked how elements stand in it."""

    corpus: Corpus

    @cached_property
    def _letters(self) -> Corpus:
        # case and forms are folded whatever the level, since a plain search would not mind them
        folding = Folding(strip_markup=self.corpus.folding.strip_markup)
        forms = squeeze(self.corpus.texts, folding=folding)
        return Corpus(texts=[only_letters(form) for form in forms], folding=Folding(exact=True))

    def stands(self, elements: Sequence[str], *, cut: bool = True) -> list[Stand | None]:
        """How each element stands in the corpus; None where it does not, and where it is whole.

        `cut`: a text that ends before nearly all of the element does counts.

        >>> searched = Searched(Corpus(texts=["The 3M's cash-flow.", "concatenate"]))
        >>> [found and found.kind for found in searched.stands(["3Ms cash flow", "cat", "dog"])]
        ['letters', 'inside', None]
        """
        if not elements:
            return []
        found, whole = self._by_letters(elements)
        left = [row for row, stand in enumerate(found) if stand is None and row not in whole]
        near = nearest_passages([elements[row] for row in left], self.corpus, least=_LIKE)
        for row, passage in zip(left, near, strict=True):
            if passage is not None and passage.held >= ENOUGH and (cut or not passage.cut):
                found[row] = Stand(NEAR, passage.number, passage.held, passage.line)
        return found

    def _by_letters(self, elements: Sequence[str]) -> tuple[list[Stand | None], set[int]]:
        """How they stand by their letters, and those that are whole in a text after all."""
        folding = Folding(strip_markup=self.corpus.folding.strip_markup)
        forms = [only_letters(form) for form in squeeze(elements, folding=folding)]
        pairs = self._letters.candidates(forms)
        best, whole = self._best(elements, pairs.element, pairs.text)
        found = [
            None if number < 0 else self._stand(element, number)
            for element, number in zip(elements, best, strict=True)
        ]
        return found, whole

    def _best(
        self, elements: Sequence[str], element: np.ndarray, text: np.ndarray
    ) -> tuple[list[int], set[int]]:
        """Of the texts with an element's letters the first that holds its longest piece, else -1.

        A short element's letters stand in very many, of which the first are looked at.
        """
        first = np.searchsorted(element, element)
        kept = np.arange(len(element)) - first < _CANDIDATES
        element, text = element[kept], text[kept]
        share = longest_pieces(
            elements, self.corpus.texts, element, text, folding=self.corpus.folding
        ).share
        best = np.full(len(elements), -1, dtype=np.int64)
        order = np.lexsort((-text, share))
        best[element[order]] = text[order]
        whole = np.unique(element[share >= 1.0])
        best[whole] = -1
        return best.tolist(), set(whole.tolist())

    def _stand(self, element: str, number: int) -> Stand:
        form, there = normalize(element, folding=self.corpus.folding), self._forms[number]
        at = there.find(form)
        if at >= 0:
            return Stand(INSIDE, number, 1.0, _word_around(there, at, at + len(form)))
        part = self._spelled[number].part(only_letters(form))
        near = compared(form, part or form, folding=self.corpus.folding, surrounded=False)
        return Stand(LETTERS, number, near.held, near.line)

    @cached_property
    def _forms(self) -> Forms:
        return Forms(self.corpus)

    @cached_property
    def _spelled(self) -> dict[int, _Spelled]:
        return _AllSpelled(self._forms)


def _word_around(text: str, start: int, end: int) -> str:
    """The words that a stretch of text begins and ends in."""
    words = [text[a:b] for a, b in segments(text) if a < end and b > start]
    return repr("".join(words)) if len(words) < 5 else f"{words[0]!r} ... {words[-1]!r}"


class _Spelled(NamedTuple):
    """The letters of a text, and where each stands in it."""

    text: str
    letters: str
    places: np.ndarray

    @classmethod
    def of(cls, text: str) -> _Spelled:
        kept = np.ones(len(text), dtype=bool)
        for gap in _NO_LETTER.finditer(text):
            kept[gap.start() : gap.end()] = False
        return cls(text, _NO_LETTER.sub("", text).lower(), np.flatnonzero(kept))

    def part(self, letters: str) -> str | None:
        """The part of the text that has these letters."""
        at = self.letters.find(letters.lower())
        if at < 0 or not letters or len(self.letters) != len(self.places):
            return None
        return self.text[self.places[at] : self.places[at + len(letters) - 1] + 1]


class _AllSpelled(dict[int, _Spelled]):
    def __init__(self, forms: Mapping[int, str]) -> None:
        self._forms = forms

    def __missing__(self, number: int) -> _Spelled:
        spelled = self[number] = _Spelled.of(self._forms[number])
        return spelled
