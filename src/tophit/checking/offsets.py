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
    for unit in other_units(document):
        other = Place(place.doc, unit.at(place.start), unit.at(place.end))
        if place.end <= unit.total and agrees(text, other, library):
            return Wrong(found, unit.reason, other)
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


class Unit(NamedTuple):
    """Something that offsets may count in place of code points: how many a document has of it.

    `at` gives the code point where an offset in this unit stands.
    """

    reason: str
    total: int
    at: Callable[[int], int]


def other_units(document: str) -> Iterator[Unit]:
    """What offsets of a document may count, where it makes a difference.

    >>> [(unit.reason, unit.total, unit.at(3)) for unit in other_units("\N{CAT FACE} cat")]
    [('they count UTF-16 units', 6, 2), ('they count bytes', 8, 0)]
    """
    if not document.isascii():
        units, raw = (document.encode(each, "surrogatepass") for each in ("utf-16-le", "utf-8"))
        yield Unit(
            "they count UTF-16 units",
            len(units) // 2,
            lambda at: len(units[: 2 * at].decode("utf-16-le", "ignore")),
        )
        yield Unit("they count bytes", len(raw), lambda at: len(raw[:at].decode("utf-8", "ignore")))
    if "\r\n" in document:
        plain = document.replace("\r\n", "\n")
        yield Unit(
            "they count a line break of two characters as one",
            len(plain),
            lambda at: at + plain.count("\n", 0, at),
        )


def _shortened(text: str, most: int = 60) -> str:
    return text if len(text) <= most else f"{text[:most]}..."
