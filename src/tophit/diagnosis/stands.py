"""How an element's text stands where it is not whole: inside a word, altered, or nearly all of it.

Nothing is called absent that a plain search for its letters and digits finds, so this is asked of
every element that is whole nowhere, and of no other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
_SHOWN = 60  # characters of the words that an element stands inside of
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


def only_letters(text: str) -> str:
    """A text without what is no letter, mark of a letter, or digit.

    >>> only_letters("3M’s cash-flow, 5 %")
    '3Mscashflow5'
    """
    if text.isascii():
        return text.encode().translate(None, _MARKS).decode()
    return _NO_LETTER.sub("", text)


@dataclass(frozen=True)
class Searched:
    """A corpus that is asked how elements stand in it."""

    corpus: Corpus

    @cached_property
    def _by_letters(self) -> Folding:
        """Letters and digits alone; case and forms are folded too, as a plain search would."""
        return replace(self.corpus.folding, exact=False, letters=True)

    @cached_property
    def _squeezed(self) -> Corpus:
        forms = squeeze(self.corpus.texts, folding=self._by_letters)
        return Corpus(texts=forms, folding=Folding(exact=True))

    def stands(self, elements: Sequence[str], *, cut: bool = True) -> list[Stand | None]:
        """How each element stands in the corpus; None where it does not, and where it is whole.

        `cut`: a text that ends before nearly all of the element does counts.

        >>> searched = Searched(Corpus(texts=["The 3M's cash-flow.", "concatenate"]))
        >>> [found and found.kind for found in searched.stands(["3Ms cash flow", "cat", "dog"])]
        ['letters', 'inside', None]
        """
        if not elements:
            return []
        found, whole = self._lettered(elements)
        left = [row for row, stand in enumerate(found) if stand is None and row not in whole]
        near = nearest_passages([elements[row] for row in left], self.corpus, least=_LIKE)
        for row, passage in zip(left, near, strict=True):
            if passage is not None and passage.held >= ENOUGH and (cut or not passage.cut):
                found[row] = Stand(NEAR, passage.number, passage.held, passage.line)
        return found

    def _lettered(self, elements: Sequence[str]) -> tuple[list[Stand | None], set[int]]:
        """How they stand by their letters, and those that are whole in a text after all."""
        pairs = self._squeezed.candidates(squeeze(elements, folding=self._by_letters))
        # a short element's letters stand in very many texts, of which the first are looked at
        first = np.searchsorted(pairs.element, pairs.element)
        kept = np.arange(len(pairs.element)) - first < _CANDIDATES
        element, text = pairs.element[kept], pairs.text[kept]
        share, spelled = (
            longest_pieces(elements, self.corpus.texts, element, text, folding=folding).share
            for folding in (self.corpus.folding, self._by_letters)
        )
        whole = set(element[share >= 1.0].tolist())
        found: list[Stand | None] = [None] * len(elements)
        # the best text of each element comes last, of equal ones the first
        for row in np.lexsort((-text, share, spelled >= 1.0)).tolist():
            number = int(element[row])
            if number not in whole:
                kind = LETTERS if spelled[row] >= 1.0 else INSIDE
                found[number] = Stand(kind, int(text[row]), 1.0, "")
        return [
            stand and self._shown(each, stand) for each, stand in zip(elements, found, strict=True)
        ], whole

    def _shown(self, element: str, stand: Stand) -> Stand:
        """With what differs there, or with the words that it stands inside of."""
        form = normalize(element, folding=self.corpus.folding)
        spelled = self._spelled[stand.number]
        start, end = spelled.span(only_letters(form))
        if stand.kind == INSIDE:
            return stand._replace(difference=_words_around(spelled.text, start, end))
        near = compared(
            form, spelled.text[start:end] or form, folding=self.corpus.folding, surrounded=False
        )
        return stand._replace(held=near.held, difference=near.line)

    @cached_property
    def _forms(self) -> Forms:
        return Forms(self.corpus)

    @cached_property
    def _spelled(self) -> dict[int, _Spelled]:
        return _AllSpelled(self._forms)


def _words_around(text: str, start: int, end: int) -> str:
    """The words that a stretch of text begins and ends in."""
    words = [text[a:b] for a, b in segments(text) if a < end and b > start]
    shown = "".join(words)
    return repr(shown) if len(shown) <= _SHOWN else f"{words[0]!r} ... {words[-1]!r}"


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

    def span(self, letters: str) -> tuple[int, int]:
        """Where the text has these letters; nowhere is 0 to 0."""
        at = self.letters.find(letters.lower())
        if at < 0 or not letters or len(self.letters) != len(self.places):
            return 0, 0
        return int(self.places[at]), int(self.places[at + len(letters) - 1]) + 1


class _AllSpelled(dict[int, _Spelled]):
    def __init__(self, forms: Mapping[int, str]) -> None:
        self._forms = forms

    def __missing__(self, number: int) -> _Spelled:
        spelled = self[number] = _Spelled.of(self._forms[number])
        return spelled
