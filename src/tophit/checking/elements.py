"""Each expected element against the documents and the index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tophit.checking.codes import Finding, Fix
from tophit.checking.offsets import agrees, explained, other_units
from tophit.checking.places import Library, Place, Standing
from tophit.checking.standing import Looked
from tophit.documents import resolve_doc_ids
from tophit.matching.text.normalize import normalize, says_nothing
from tophit.outcomes import INSIDE, LETTERS, NEAR
from tophit.relations import DOC, END, START, TEXT
from tophit.settings import Folding

_SHOWN = 80


@dataclass(frozen=True)
class Element:
    """One row of `judgments`: an item, or an alternative of it."""

    row: int
    query_id: str
    item_id: str
    text: str | None = None
    doc_id: str | None = None
    start: int | None = None
    end: int | None = None
    chunk_id: str | None = None

    def finding(self, code: str, message: str, **more: Any) -> Finding:
        """A finding about this element."""
        return Finding(
            code=code,
            query_id=self.query_id,
            item_id=self.item_id,
            doc_id=self.doc_id,
            message=message,
            **more,
        )


def quoted(text: str) -> str:
    """The beginning of a text, in quotes.

    >>> quoted("one\\n two")
    "'one two'"
    """
    plain = " ".join(text.split())
    return repr(plain if len(plain) <= _SHOWN else f"{plain[:_SHOWN]}...")


def check_forms(elements: Sequence[Element], *, folding: Folding) -> Iterator[Finding]:
    """What shows without documents: empty elements, white space at the edges."""
    for element in elements:
        text = element.text
        if text is None:
            continue
        if says_nothing(normalize(text, folding=folding), folding=folding):
            yield element.finding("empty", f"{text!r} is empty after normalisation")
        elif text != text.strip():
            yield element.finding(
                "white_space",
                f"{quoted(text)} begins or ends with white space",
                fix=Fix(row=element.row, values=_stripped(element)),
            )


def _stripped(element: Element) -> dict[str, str | int]:
    text = element.text or ""
    values: dict[str, str | int] = {TEXT: text.strip()}
    if (
        element.start is not None
        and element.end is not None
        and element.end - element.start == len(text)
    ):
        values[START] = element.start + len(text) - len(text.lstrip())
        values[END] = element.end - len(text) + len(text.rstrip())
    return values


def check_documents(elements: Sequence[Element], found: Looked) -> Iterator[Finding]:
    """Whether elements stand in the documents, where they are said to, and how often."""
    library = found.library
    named = resolve_doc_ids((e.doc_id for e in elements if e.doc_id), library.ids)
    yield from _unknown_documents(
        [e for e in elements if named.get(e.doc_id or "", "") is None], library
    )
    for element in elements:
        doc = named.get(element.doc_id) if element.doc_id else None
        if element.text in found.standing:
            yield from _check_text(element, doc, found)
        elif doc is not None and element.text is None:
            yield from _check_span(element, doc, library)


def _unknown_documents(elements: Sequence[Element], library: Library) -> Iterator[Finding]:
    """One finding a name, with the number of elements that use it."""
    import difflib

    by_name: dict[str, list[Element]] = {}
    for element in elements:
        by_name.setdefault(element.doc_id or "", []).append(element)
    for name, those in by_name.items():
        near = difflib.get_close_matches(name, library.ids, n=1)
        guess = f"; is it {near[0]!r}?" if near else ""
        many = f" ({len(those)} elements)" if len(those) > 1 else ""
        message = f"{name!r} is not among the documents{many}{guess}"
        yield those[0].finding("unknown_document", message, count=len(those))


def _check_text(element: Element, doc: str | None, found: Looked) -> Iterator[Finding]:
    text, library = element.text or "", found.library
    standing = found.standing[text]
    if not standing.total:
        yield _not_found(element, found)
        if standing.inside:
            yield element.finding("inside_word", f"{quoted(text)} stands only inside a word")
        return
    if doc in standing.inside:
        yield element.finding("inside_word", f"{quoted(text)} begins or ends inside a word")
        yield from _check_offsets(element, doc, library)
        return
    if standing.total > 1:
        docs = len(standing.counts)
        where = f"in {docs} documents" if docs > 1 else "in the document"
        yield element.finding(
            "repeated",
            f"{quoted(text)} occurs {standing.total} times {where}",
            count=standing.total,
        )
    if doc is not None and doc not in standing.counts:
        yield _wrong_document(element, standing, library)
        return
    yield from _check_offsets(element, doc, library)


# How a text stands that is whole in no document, and the words about it.
_STANDS = {
    INSIDE: "only inside a word, in {doc}: {stand.difference}",
    LETTERS: "its letters and digits do, in {doc}: {stand.difference}",
    NEAR: "nearest in {doc}: {stand.difference}",
}


def _not_found(element: Element, found: Looked) -> Finding:
    """It stands in no document, before anything else; then how near it comes, and what helps."""
    text, library = element.text or "", found.library
    message = f"{quoted(text)} stands in no document"
    stand, near = found.stands.get(text), found.nearest.get(text)
    if stand is not None:
        says = _STANDS[stand.kind].format(doc=library.ids[stand.number], stand=stand)
        message += f"; {says}"
    elif near is not None:
        message += f"; nearest in {library.ids[near.number]}: {near.line}"
    levels = found.found_by.get(text, [])
    remedy = levels[0].use if levels else None
    return element.finding("not_found", message, remedy=remedy)


def _wrong_document(element: Element, standing: Standing, library: Library) -> Finding:
    docs = list(standing.counts)
    message = (
        f"{quoted(element.text or '')} stands in {', '.join(docs[:3])}, not in {element.doc_id}"
    )
    fix = None
    if standing.total == 1:
        places = library.occurrences(element.text or "", docs[0])
        if len(places) == 1:
            place = library.original(docs[0], *places[0])
            fix = Fix(row=element.row, values={DOC: place.doc, START: place.start, END: place.end})
    return element.finding("wrong_document", message, fix=fix)


def _check_offsets(element: Element, doc: str | None, library: Library) -> Iterator[Finding]:
    if doc is None or element.start is None or element.end is None or element.text is None:
        return
    place = Place(doc, element.start, element.end)
    if agrees(element.text, place, library):
        return
    wrong = explained(element.text.strip(), place, library)
    fix = wrong.right and Fix(
        row=element.row, values={START: wrong.right.start, END: wrong.right.end}
    )
    yield element.finding(
        "wrong_offsets",
        f"{quoted(element.text)} is not at {element.start} to {element.end} of {doc}: found "
        f"{wrong.found}; {wrong.reason}",
        fix=fix or None,
    )


def _check_span(element: Element, doc: str, library: Library) -> Iterator[Finding]:
    """A span without a text: it must lie in the document, and hold something."""
    if element.start is None or element.end is None:
        return
    document = library.documents[doc]
    if element.end > len(document):
        fits = [unit.reason for unit in other_units(document) if element.end <= unit.total]
        guess = f"; perhaps {' or '.join(fits)}" if fits else ""
        yield element.finding(
            "wrong_offsets",
            f"{element.start} to {element.end}: {doc} ends at {len(document)}{guess}",
        )
    elif not normalize(document[element.start : element.end], folding=library.folding):
        yield element.finding(
            "empty", f"{element.start} to {element.end} of {doc} is empty after normalisation"
        )
