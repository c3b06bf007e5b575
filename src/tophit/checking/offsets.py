"""Offsets that do not agree with the text: what they count instead, and what is right."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from tophit.checking.places import Library, Place
from tophit.matching.text.normalize import normalize


class Wrong(NamedTuple):
    """What stands at the offsets, why they are off, and the right ones where they are certain."""

    found: str
    reason: str
    right: Place | None


def agrees(text: str, place: Place, library: Library) -> bool:
    """True if the document has the text at this place, but for what normalisation equalises.

    >>> agrees("a cat", Place("d", 4, 10), Library({"d": "see A  cat."}))
    True
    """
    there = library.documents[place.doc][place.start : place.end]
    if place.end > len(library.documents[place.doc]):
        return False
    if there == text:
        return True
    return normalize(there, folding=library.folding) == normalize(text, folding=library.folding)


def explained(text: str, place: Place, library: Library) -> Wrong:
    """Say what is wrong with offsets that do not agree, and find the right ones.

    They are certain where they agree once they are read as UTF-16 units, as bytes or as counted
    without carriage returns, or else where the document has the text only once.

    >>> explained("cat", Place("d", 3, 6), Library({"d": "\\N{CAT FACE} cat and dog"})).reason
    'they count UTF-16 units'
    """
    document = library.documents[place.doc]
    there = document[place.start : place.end]
    beyond = place.end > len(document)
    found = f"the document ends at {len(document)}" if beyond else repr(_shortened(there))
    for reason, start, end in _other_units(document, place):
        if document[start:end] == text:
            return Wrong(found, reason, Place(place.doc, start, end))
    return _by_search(text, place, library, found)


def _by_search(text: str, place: Place, library: Library, found: str) -> Wrong:
    places = list(_verbatim(text, place.doc, library))
    if not places:
        places = [
            library.original(place.doc, start, end)
            for start, end in library.occurrences(text, place.doc)
        ]
    if len(places) == 1:
        moved = places[0].start - place.start
        return Wrong(found, f"it stands {abs(moved)} characters {_side(moved)}", places[0])
    if not places:
        return Wrong(found, "the document does not have it", None)
    near = min(places, key=lambda other: abs(other.start - place.start))
    return Wrong(found, f"it stands {len(places)} times, the nearest at {near.start}", None)


def _side(moved: int) -> str:
    return "further on" if moved > 0 else "before"


def _verbatim(text: str, doc: str, library: Library) -> Iterator[Place]:
    document = library.documents[doc]
    at = document.find(text)
    while at >= 0:
        yield Place(doc, at, at + len(text))
        at = document.find(text, at + 1)


def _other_units(document: str, place: Place) -> Iterator[tuple[str, int, int]]:
    """The offsets read as if they counted something else than code points."""
    readings: list[tuple[str, Callable[[int], int]]] = []
    if not document.isascii():
        units, raw = document.encode("utf-16-le", "surrogatepass"), document.encode()
        readings = [
            (
                "they count UTF-16 units",
                lambda at: len(units[: 2 * at].decode("utf-16-le", "ignore")),
            ),
            ("they count bytes", lambda at: len(raw[:at].decode("utf-8", "ignore"))),
        ]
    if "\r\n" in document:
        plain = document.replace("\r\n", "\n")
        one = "they count a line break of two characters as one"
        readings.append((one, lambda at: at + plain.count("\n", 0, at)))
    for reason, position in readings:
        yield reason, position(place.start), position(place.end)


def _characters(encoded: bytes, encoding: str) -> int:
    return len(encoded.decode(encoding, "ignore"))


def _shortened(text: str, most: int = 60) -> str:
    return text if len(text) <= most else f"{text[:most]}..."
