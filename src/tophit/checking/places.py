"""Where elements stand in the documents, and how often."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tophit.matching.text.hits import longest_pieces
from tophit.matching.text.normalize import normalize
from tophit.matching.text.origin import Traced, trace
from tophit.matching.text.search import Corpus
from tophit.matching.text.segmentation import Bools, codes_of, starts_of_segments
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
    _edges: dict[str, Bools] = field(default_factory=dict, init=False)
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

    def occurrences(self, element: str, doc: str) -> Iterator[tuple[int, int]]:
        """The places of a normalised element in a normalised document, at word boundaries."""
        form, edges = self.form(doc), self._word_edges(doc)
        at = form.find(element)
        while at >= 0:
            if edges[at] and edges[at + len(element)]:
                yield at, at + len(element)
            at = form.find(element, at + 1)

    def is_word_edge(self, doc: str, *places: int) -> bool:
        """Whether words begin or end at all these places of a normalised document."""
        return bool(self._word_edges(doc)[list(places)].all())

    def _word_edges(self, doc: str) -> Bools:
        if doc not in self._edges:
            starts = starts_of_segments(codes_of(self.form(doc)))
            self._edges[doc] = np.append(starts, True)
        return self._edges[doc]

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
            times = count if count == 1 else len(list(library.occurrences(forms[element], doc)))
            standing.counts[doc] = max(1, times)
        edges = whole and library.is_word_edge(doc, start, end)
        if not edges and forms[element] in library.form(doc):
            standing.inside.append(doc)
    return found_in
