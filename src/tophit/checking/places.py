"""Where elements stand in the documents, how often, and what stands nearest where they do not."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tophit.matching.text.hits import longest_pieces
from tophit.matching.text.normalize import normalize
from tophit.matching.text.origin import Traced, trace
from tophit.matching.text.search import Corpus
from tophit.matching.text.segmentation import Bools, Ints, codes_of, segments, starts_of_segments
from tophit.settings import DEFAULT_FOLDING, Folding

_SHOWN_DIFFERENCES = 3


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
    """How often an element stands in each document, and where it stands only inside words."""

    counts: dict[str, int]
    inside: list[str]

    @property
    def total(self) -> int:
        """How often it occurs in all documents."""
        return sum(self.counts.values())


def standings(elements: Sequence[str], library: Library) -> list[Standing]:
    """Count every element in every document.

    >>> library = Library({"a": "A cat, a cat.", "b": "concatenate a bird"})
    >>> [standing.counts for standing in standings(["cat", "bird", "dog"], library)]
    [{'a': 2}, {'b': 1}, {}]
    """
    found = library.corpus.candidates(elements)
    whole = _wholes(elements, library, found.element, found.text)
    found_in = [Standing({}, []) for _ in elements]
    rows = zip(
        found.element.tolist(), found.text.tolist(), found.count.tolist(), whole, strict=True
    )
    for element, text, count, holds in rows:
        doc = library.ids[text]
        if holds:
            form = normalize(elements[element], folding=library.folding)
            exact = count if count == 1 else len(list(library.occurrences(form, doc)))
            found_in[element].counts[doc] = max(1, exact)
        else:
            found_in[element].inside.append(doc)
    return found_in


def _wholes(
    elements: Sequence[str],
    library: Library,
    element: Ints,
    text: Ints,
) -> list[bool]:
    texts = library.corpus.texts
    pieces = longest_pieces(elements, texts, element, text, folding=library.folding)
    edges = zip(text.tolist(), pieces.chunk_start.tolist(), pieces.chunk_end.tolist(), strict=True)
    return [
        share >= 1.0 and library.is_word_edge(library.ids[doc], start, end)
        for share, (doc, start, end) in zip(pieces.share.tolist(), edges, strict=True)
    ]


# ------------------------------------------------------------------------------ nearest


class Nearest(NamedTuple):
    """The passage that is most like an element, and where the two differ."""

    doc: str
    share: float
    text: str
    differences: tuple[str, ...]


def nearest_passages(elements: Sequence[str], library: Library) -> list[Nearest | None]:
    """For each element the passage around its longest common piece; None where nothing is common.

    >>> library = Library({"a": "Net income was 5 million euros. It rose.", "b": "Nothing here."})
    >>> near = nearest_passages(["net income was 6 million euros"], library)[0]
    >>> near.doc, near.text, near.differences
    ('a', 'net income was 5 million euros', ("'6' where the document has '5'",))
    """
    best, _ = library.corpus.best_parts(elements)
    known = np.flatnonzero(best >= 0)
    pieces = longest_pieces(
        elements, library.corpus.texts, known, best[known], folding=library.folding
    )
    found: list[Nearest | None] = [None] * len(elements)
    for place, number in enumerate(known.tolist()):
        doc = library.ids[int(best[number])]
        element = normalize(elements[number], folding=library.folding)
        start = int(pieces.chunk_start[place] - pieces.element_start[place])
        passage = _passage(library.form(doc), start, len(element))
        text, differences = _compared(element, passage)
        found[number] = Nearest(doc, float(pieces.share[place]), text, tuple(differences))
    return found


def _passage(form: str, start: int, length: int) -> str:
    """The part of a document where the element would stand, and a little more on both sides."""
    slack = 16 + length // 4
    first = max(0, start - slack)
    last = min(len(form), start + length + slack)
    first = form.rfind(" ", 0, first) + 1 if first else 0
    end = form.find(" ", last)
    return form[first : end if end >= 0 else len(form)]


def _compared(element: str, passage: str) -> tuple[str, list[str]]:
    """The passage without what surrounds the element, and the first differences in words."""
    ours, theirs = _words(element), _words(passage)
    matcher = difflib.SequenceMatcher(a=ours, b=theirs, autojunk=False)
    codes = matcher.get_opcodes()
    if codes and codes[0][0] == "insert":
        codes = codes[1:]
    if codes and codes[-1][0] == "insert":
        codes = codes[:-1]
    differences = [
        _difference("".join(ours[a:b]), "".join(theirs[c:d]))
        for kind, a, b, c, d in codes
        if kind != "equal"
    ]
    text = "".join(theirs[codes[0][3] : codes[-1][4]]).strip() if codes else ""
    more = len(differences) - _SHOWN_DIFFERENCES
    shown = differences[:_SHOWN_DIFFERENCES]
    return text, [*shown, f"and {more} more"] if more > 0 else shown


def _words(text: str) -> list[str]:
    return [text[start:end] for start, end in segments(text)]


def _difference(ours: str, theirs: str) -> str:
    ours, theirs = ours.strip(), theirs.strip()
    if not theirs:
        return f"{ours!r}, which the document has not"
    if not ours:
        return f"without {theirs!r}, which the document has"
    return f"{ours!r} where the document has {theirs!r}"
