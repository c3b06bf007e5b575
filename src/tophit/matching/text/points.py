"""Points: marks that many leave out, so that a text without them is the same text.

A letter with its point is compared as the letter alone. What points a word has is kept beside it:
two words that both have points are the same only if one has all the points that the other has.
So كتاب equals كِتَاب, and νόμος does not equal νομός.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from tophit.matching.text.hashes import Hashes
from tophit.matching.text.segmentation import Codes, Ints

# Combining marks that are points behind whatever letter: harakat, niqqud, nukta.
_MARKS = (
    "\u0610-\u061a\u064b-\u0652\u0656-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u093c"
)
# Letters, and the marks in them that are points.
_LETTERS = (
    ("\u0627", "\u0653-\u0655"),  # alef with hamza or madda
    ("\u0370-\u03ff\u1f00-\u1fff", "\u0300\u0301\u0313\u0314\u0342"),  # Greek tonos, breathings
    ("\u0435", "\u0308"),  # Russian yo
    ("\u0900-\u097f", "\u093c"),
)
_WASLA = "\u0671"  # alef with a point that Unicode does not take apart
_STRESS = (0x300, 0x301)  # points behind Cyrillic letters alone
_CYRILLIC = (0x400, 0x52F)
_FIRST = 0x300  # no character before this one is or has a point
_KEYS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))


@cache
def unpointed(char: str) -> tuple[str, str]:
    """What is compared of a character, and its points.

    >>> unpointed("\\u03cc") == ("\\u03bf", "\\u0301"), unpointed("\\u064e") == ("", "\\u064e")
    (True, True)
    >>> unpointed("\\u00e9") == ("\\u00e9", "")
    True
    """
    if re.match(f"[{_MARKS}]", char):
        return "", char
    if char == _WASLA:
        return "\u0627", char
    base, *marks = list(unicodedata.normalize("NFD", char))
    for letters, points in _LETTERS:
        if marks and re.match(f"[{letters}]", base):
            found = "".join(mark for mark in marks if re.match(f"[{points}]", mark))
            rest = unicodedata.normalize("NFC", base + "".join(m for m in marks if m not in found))
            if found and len(rest) == 1:
                return rest, found
    return char, ""


def compatible(word: str, other: str) -> bool:
    """Whether one of two words that are equal but for their points has all points of the other.

    >>> compatible("\\u0643\\u062a\\u0627\\u0628", "\\u0643\\u0650\\u062a\\u064e\\u0627\\u0628")
    True
    >>> compatible("\\u03bd\\u03cc\\u03bc\\u03bf\\u03c2", "\\u03bd\\u03bf\\u03bc\\u03cc\\u03c2")
    False
    """
    ours, theirs = _points_of(word), _points_of(other)
    return ours <= theirs or theirs <= ours


@lru_cache(maxsize=1 << 14)
def _points_of(word: str) -> frozenset[tuple[int, str]]:
    points: set[tuple[int, str]] = set()
    place = -1
    for number, char in enumerate(word):
        base, found = unpointed(char)
        if ord(char) in _STRESS and number and _is_cyrillic(ord(word[number - 1])):
            base, found = "", char
        place += len(base)
        points |= {(place, point) for point in found}
    return frozenset(points)


def _is_cyrillic(code: int) -> bool:
    return _CYRILLIC[0] <= code <= _CYRILLIC[1]


# ------------------------------------------------------------------------------ many texts


def without_points(codes: Codes) -> Codes | None:
    """The letters that are compared, 0 for a point; None where no text has any.

    >>> without_points(np.array([0x3BD, 0x3CC, 0x64E], dtype=np.uint32)).tolist()
    [957, 959, 0]
    """
    if len(codes) == 0 or int(codes.max()) < _FIRST:
        return None
    table, known = _table()
    met = np.zeros(len(known), dtype=bool)
    met[codes] = True
    for code in np.flatnonzero(met & ~known).tolist():
        base, _ = unpointed(chr(code))
        table[code], known[code] = ord(base or "\0"), True
    plain: Codes = table[codes]
    stressed = np.flatnonzero(np.isin(codes, _STRESS))
    before = codes[stressed - 1]
    plain[stressed[(before >= _CYRILLIC[0]) & (before <= _CYRILLIC[1])]] = 0
    return None if np.array_equal(plain, codes) else plain


@cache
def _table() -> tuple[Codes, NDArray[np.bool_]]:
    return np.zeros(0x110000, dtype=np.uint32), np.zeros(0x110000, dtype=bool)


def point_hashes(codes: Codes, plain: Codes, start: Ints, end: Ints) -> Hashes:
    """A number for the points of each word, 0 where it has none.

    >>> codes = np.array([0x3BD, 0x3CC, 0x3BD, 0x3BF], dtype=np.uint32)
    >>> found = point_hashes(codes, without_points(codes), np.array([0, 2]), np.array([2, 4]))
    >>> (found > 0).tolist()
    [True, False]
    """
    place = np.cumsum(plain != 0)
    pointed = np.flatnonzero(plain != codes)
    word = np.searchsorted(start, pointed, side="right") - 1
    inside = place[pointed] - place[start[word]]
    mixed = (codes[pointed].astype(np.uint64) ^ _KEYS[0]) * (
        inside.astype(np.uint64) * np.uint64(2) + np.uint64(1)
    )
    mixed = (mixed ^ (mixed >> np.uint64(29))) * _KEYS[1]
    total = np.zeros(len(codes) + 1, dtype=np.uint64)
    total[1:][pointed] = mixed
    np.cumsum(total, out=total)
    found: Hashes = total[end] - total[start]
    return found
