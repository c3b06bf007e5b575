"""Hyphens at line ends, read as the other text has them.

"inter-", break, "national" is usually one word without a hyphen, and `normalize` reads it so. It
may also be a compound ("well-known") or stand before a blank ("pre- and post-war"); where a blank
follows the hyphen ("capabili- ties"), it usually is what it seems. For a pair of texts the reading
that the other text has counts, hyphen by hyphen.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from tophit.matching.text.marks import SOFT, USUAL, settle, settle_line_ends

_MARK = re.compile(rf"(\w+)([{''.join(USUAL)}])(?=(\w+))")
_READINGS = ("-", "- ", "")


@dataclass(frozen=True)
class Ending:
    """One line end: its place in the marked text, its usual reading, and what the others give.

    `others` holds pairs: the words as they stand under another reading, and that reading.
    """

    at: int
    usual: str
    joined: str
    others: tuple[tuple[str, str], ...]


def endings(marked: str) -> list[Ending]:
    """The line ends of a marked text (`normalize_all`) that may be read in several ways.

    >>> from tophit.matching.text.marks import JOINED
    >>> [ending.others for ending in endings(f"a well{JOINED}known man")]
    [(('well-known', '-'), ('well- known', '- '))]
    """
    found = []
    for match in _MARK.finditer(marked):
        left, usual, right = match[1], USUAL[match[2]], match[3]
        readings = ("",) if match[2] == SOFT else _READINGS
        others = tuple((left + how + right, how) for how in readings if how != usual)
        found.append(Ending(match.end(2) - 1, usual, left + usual + right, others))
    return found


@dataclass(frozen=True)
class Reading:
    """A text under the readings chosen for it, and the way back to the usual one.

    `text` keeps the marks of boundaries; places are counted without them.
    """

    text: str
    changes: tuple[
        tuple[int, str, str], ...
    ]  # place in `text`, what stands there, what usually does

    @property
    def plain(self) -> str:
        """The text without marks."""
        return settle(self.text)

    def usual_place(self, place: int) -> int:
        """The place in the text under its usual readings.

        >>> from tophit.matching.text.marks import JOINED
        >>> reading = reread(f"well{JOINED}known", endings(f"well{JOINED}known"), "well-known")
        >>> [reading.usual_place(place) for place in (0, 4, 5, 10)]
        [0, 4, 4, 9]
        """
        shift = 0
        for at, chosen, usual in self.changes[: bisect_right(self.changes, place, key=_first)]:
            inside = min(place - at, len(chosen))
            shift += (
                inside - min(inside, len(usual))
                if inside < len(chosen)
                else len(chosen) - len(usual)
            )
        return place - shift


def _first(change: tuple[int, str, str]) -> int:
    return change[0]


def reread(marked: str, ends: list[Ending], other: str) -> Reading | None:
    """Read the line ends of `marked` as `other` has them; None where nothing changes.

    >>> from tophit.matching.text.marks import JOINED
    >>> marked = f"a well{JOINED}known inter{JOINED}national"
    >>> reread(marked, endings(marked), "his well-known international work").text
    'a well-known international'
    >>> reread(marked, endings(marked), "nothing of it") is None
    True
    """
    chosen = [
        (end, reading)
        for end in ends
        if end.joined not in other
        for reading in [next((how for words, how in end.others if words in other), None)]
        if reading is not None
    ]
    if not chosen:
        return None
    text, changes, last = "", [], 0
    for end, reading in chosen:
        text += settle_line_ends(marked[last : end.at])
        changes.append((len(settle(text)), reading, end.usual))
        text += reading
        last = end.at + 1
    return Reading(text + settle_line_ends(marked[last:]), tuple(changes))
