"""Where elements stand in the documents, and how often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from tophit.matching.text.hits import longest_pieces
from tophit.matching.text.normalize import normalize, says_nothing
from tophit.matching.text.occurrences import Page
from tophit.matching.text.origin import Traced, trace
from tophit.matching.text.search import Corpus
from tophit.settings import DEFAULT_FOLDING, Folding


class Place(NamedTuple):
    """Where something stands: the document's id, and start and end in code points."""

    doc: str
    start: int
    end: int


@dataclass
class Library:
    """Documents by id, with what was computed of each."""

    documents: dict[str, str]
    folding: Folding = DEFAULT_FOLDING
    _forms: dict[str, str] = field(default_factory=dict, init=False)
    _pages: dict[str, Page] = field(default_factory=dict, init=False)
    _traced: dict[str, Traced] = field(default_factory=dict, init=False)

    @cached_property
    def ids(self) -> list[str]:
        """The ids, in order."""
        return list(self.documents)

    @cached_property
    def corpus(self) -> Corpus:
        """The documents' texts, to be searched."""
        return Corpus(texts=list(self.documents.values()), folding=self.folding)

    def form(self, doc: str) -> str:
        """The document after normalisation."""
        if doc not in self._forms:
            self._forms[doc] = normalize(self.documents[doc], folding=self.folding)
        return self._forms[doc]

    def says_something(self, text: str) -> bool:
        """Whether normalisation leaves of a text anything to look for."""
        return not says_nothing(normalize(text, folding=self.folding), folding=self.folding)

    def page(self, doc: str) -> Page:
        """The document, to look for elements in."""
        if doc not in self._pages:
            self._pages[doc] = Page.of(self.documents[doc], folding=self.folding)
        return self._pages[doc]

    def occurrences(self, element: str, doc: str) -> list[tuple[int, int]]:
        """Where an element stands whole in a document: the places after normalisation."""
        return self.page(doc).places(element)

    def original(self, doc: str, start: int, end: int) -> Place:
        """The place in the document as it was given, of a place after normalisation."""
        if doc not in self._traced:
            self._traced[doc] = trace(self.documents[doc], folding=self.folding)
        traced = self._traced[doc]
        return Place(doc, int(traced.starts[start]), int(traced.ends[end - 1]))


class Standing(NamedTuple):
    """How often an element stands in each document, and where its edges lie inside a word.

    `counts` has the documents that hold it whole. In those of `inside` it begins or ends inside a
    word: a long element is whole there all the same, a short one is not.
    """

    counts: dict[str, int]
    inside: list[str]

    @property
    def total(self) -> int:
        """How often it occurs in all documents."""
        return sum(self.counts.values())


def standings(elements: Sequence[str], library: Library) -> list[Standing]:
    """Count every element in every document.

    >>> library = Library({"a": "A cat, a cat.", "b": "concatenate a bird"})
    >>> standings(["cat", "bird", "dog"], library)[0]
    Standing(counts={'a': 2}, inside=['b'])
    """
    found = library.corpus.candidates(elements)
    pieces = longest_pieces(
        elements, library.corpus.texts, found.element, found.text, folding=library.folding
    )
    forms = [normalize(element, folding=library.folding) for element in elements]
    found_in = [Standing({}, []) for _ in elements]
    rows = zip(
        found.element.tolist(), found.text.tolist(), found.count.tolist(), pieces.share.tolist(),
        pieces.chunk_start.tolist(), pieces.chunk_end.tolist(), strict=True,
    )  # fmt: skip
    for element, text, count, share, start, end in rows:
        doc, standing = library.ids[text], found_in[element]
        whole = share >= 1.0
        if whole:
            times = count if count == 1 else len(library.occurrences(elements[element], doc))
            standing.counts[doc] = max(1, times)
        edges = whole and library.page(doc).is_boundary(start, end)
        if not edges and forms[element] in library.form(doc):
            standing.inside.append(doc)
    return found_in
