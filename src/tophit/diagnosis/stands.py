"""How an element's text stands where it is not whole: inside a word, altered, or nearly all of it.

Nothing is called absent that a plain search for its letters and digits finds, so this is asked of
every element that is whole nowhere, and of no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import regex

from tophit.diagnosis.nearest import Nearest, nearest_passages, passages_in
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
        near = passages_in(elements, best, self.corpus)
        found = [
            None if number < 0 else self._stand(element, number, passage)
            for element, number, passage in zip(elements, best, near, strict=True)
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

    def _stand(self, element: str, number: int, near: Nearest | None) -> Stand:
        text = self.corpus.texts[number]
        word = _inside(element, text, folding=self.corpus.folding)
        if word is not None:
            return Stand(INSIDE, number, 1.0, word)
        line = near.line if near is not None else _beside(element, text, self.corpus.folding)
        return Stand(LETTERS, number, near.held if near is not None else 1.0, line)


def _inside(element: str, text: str, *, folding: Folding) -> str | None:
    """The words that an element begins and ends in, if it stands in the text as it is written."""
    form, there = normalize(element, folding=folding), normalize(text, folding=folding)
    at = there.find(form)
    if at < 0:
        return None
    words = [there[a:b] for a, b in segments(there) if a < at + len(form) and b > at]
    return repr("".join(words)) if len(words) < 5 else f"{words[0]!r} ... {words[-1]!r}"


def _beside(element: str, text: str, folding: Folding) -> str:
    """The element and the text's own letters for it, where they have not one word in common."""
    ours = normalize(element, folding=folding)
    there = normalize(text, folding=folding)
    wanted = only_letters(ours).lower()
    places = [place for place, char in enumerate(there) if only_letters(char)]
    at = only_letters(there).lower().find(wanted)
    if at < 0 or not wanted:
        return ours
    return f"[{ours} → {there[places[at] : places[at + len(wanted) - 1] + 1]}]"
