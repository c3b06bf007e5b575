"""Where a piece of text may begin and end: the places between words that a reader takes as such.

A place between two words is a boundary, but for those where Unicode holds them together (`held`,
segmentation.py). `_OPENED` are the exceptions where a reader sees a boundary all the same,
`_CLOSED` the places inside a number, where nothing may begin or end though Unicode has a boundary.
Each rule is one function here; docs/matching.md has them as a table. Rules look at the neighbouring
words alone, so that a passage and the page it comes from are read alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tophit.matching.text.hashes import Hashes, hashes_of
from tophit.matching.text.segmentation import MARK, NUMBER, Bools, Codes, Ints, kinds_of

# What stands before an apostrophe when the word behind it is a word of its own: l'hôtel, dell'arte.
ELISIONS = (
    *(
        "l",
        "d",
        "j",
        "m",
        "t",
        "s",
        "c",
        "n",
        "qu",
        "jusqu",
        "lorsqu",
        "puisqu",
        "quoiqu",
    ),  # French
    *("un", "all", "dall", "dell", "nell", "sull", "coll", "quell", "quest", "bell", "sant", "gl"),
    *("anch", "com", "dov", "cos", "tutt", "mezz", "senz"),  # Italian
    "b",  # Irish
)
# What may stand behind an apostrophe of even one letter before it: I'm, I'd.
ENGLISH = ("s", "m", "d", "ll", "re", "ve")
# What belongs to the word before it: can't, aujourd'hui, Qur'an, ma'am, ne'er, e'en.
CLOSED_SUFFIXES = ("t", "hui", "an", "am", "er", "en")

_APOSTROPHES = (0x27, 0x2019)
DASHES = (0x2D, 0x2010, 0x2011, 0x2013, 0x2212, 0xFE63, 0xFF0D)
PLUS_MINUS = (0xB1, 0x2213)
CURRENCIES = (0x24, 0xA2, 0xA3, 0xA4, 0xA5, 0xE3F, 0xFDFC, 0xFF04, *range(0x20A0, 0x20D0))
# A dash or a full stop behind one of these is no sign of the number that follows.
_NOT_BEFORE_SIGNS = tuple(map(ord, ")]}%\u2030\u00b0-.\u2013\u2212"))
_STOP, _COLON, _SLASH, _CARET, _SPACE = map(ord, ".:/^ ")
# How the next word follows: a blank between two that are solid, or a sign and its number.
_LOOSE, _BLANK, ATTACHED = range(3)


@dataclass(frozen=True)
class Shape:
    """Words as the rules see them: first character, kind, hash, and whether nothing stands before.

    `glued` says that a word follows the one before it without a blank, `firsts` that it begins a
    text. All arrays end in two empty words, so that each word has neighbours on both sides.
    """

    codes: Codes
    start: Ints
    end: Ints
    head: Codes
    kind: NDArray[np.uint8]
    glued: Bools
    firsts: Bools
    held: Bools
    word: Hashes

    @classmethod
    def of(
        cls, codes: Codes, *, start: Ints, end: Ints, first: Ints, word: Hashes, held: Bools
    ) -> Shape:
        """The words at `start` to `end` of the codes; texts begin with the words `first`."""
        head = codes[start]
        glued = np.zeros(len(start), dtype=bool)
        glued[1:] = start[1:] == end[:-1]
        firsts = np.zeros(len(start), dtype=bool)
        firsts[first[first < len(start)]] = True
        padded = (
            np.append(values, np.zeros(2, dtype=values.dtype))
            for values in (start, end, head, kinds_of(head), glued, firsts, held[start], word)
        )
        return cls(codes, *padded)

    @property
    def count(self) -> int:
        """How many words there are."""
        return len(self.start) - 2

    def where(self, *heads: int) -> Ints:
        """The words of one character, of these."""
        wanted = np.isin(self.head, heads) if len(heads) > 2 else np.zeros(len(self.head), bool)
        for code in heads if len(heads) <= 2 else ():
            wanted |= self.head == code
        wanted[self.count :] = False
        return np.flatnonzero(wanted)

    def number(self, words: Ints, *, digits: Sequence[int] | None = None) -> Bools:
        """Whether these are numbers (of so many characters)."""
        found: Bools = self.kind[words] == NUMBER
        if digits:
            found &= np.isin(self.end[words] - self.start[words], digits)
        return found

    def free(self, words: Ints) -> Bools:
        """Whether a sign may stand here: no word, number or closing mark is right before."""
        before = self.head[words - 1]
        currency = np.isin(before, CURRENCIES) & ~(
            self.glued[words - 1] & (self.kind[words - 2] != MARK)
        )
        mark = (self.kind[words - 1] == MARK) & ~np.isin(before, (*_NOT_BEFORE_SIGNS, *CURRENCIES))
        found: Bools = ~self.glued[words] | mark | currency
        return found


@dataclass(frozen=True, kw_only=True)
class Edges:
    """Which words a piece may begin with (`opens`) and end with (`closes`).

    `numbers` are the words that follow a place where a number would be cut.
    """

    opens: Bools
    closes: Bools
    numbers: Bools


def edges_of(shape: Shape, *, opened: Ints, bound: Ints) -> Edges:
    """Say of the place before every word, and behind the last, whether it is a boundary.

    `opened` and `bound` are places in the codes that the text's own look says it of (marks.py): a
    boundary, and a blank inside a number.
    """
    count = shape.count
    places, numbers = ~shape.held[: count + 1], np.zeros(count + 1, dtype=bool)
    for rule in _OPENED:
        places[rule(shape)] = True
    places[_words_at(shape, opened)] = True
    for closed in (*(rule(shape) for rule in _CLOSED), _words_at(shape, bound + 1)):
        places[closed] = False
        numbers[closed] = True
    texts = np.append(np.flatnonzero(shape.firsts[:count]), count)
    places[texts], numbers[texts] = True, False
    return Edges(opens=places[:-1], closes=places[1:], numbers=numbers[:-1])


def gaps(shape: Shape, *, exact: bool) -> NDArray[np.uint8]:
    """How the next word follows each one.

    A blank beside a mark says nothing ("5 %" is "5%"), unless all characters count; that a sign
    belongs to its number always does.
    """
    count = shape.count
    blank = ~shape.glued[1 : count + 1]
    if not exact:
        blank &= (shape.kind[:count] != MARK) & (shape.kind[1 : count + 1] != MARK)
    found = np.where(blank, _BLANK, _LOOSE).astype(np.uint8)
    found[_signs(shape)] = ATTACHED
    found[_leading_points(shape)] = ATTACHED
    return found


def _words_at(shape: Shape, places: Ints) -> Ints:
    words = np.searchsorted(shape.start[: shape.count], places)
    return words[shape.start[words] == places] if len(places) else words


# ------------------------------------------------------------------------------ held, yet open


@cache
def _hashes_of(words: tuple[str, ...]) -> Hashes:
    # as they are and as they begin a sentence, for --match-exact
    return hashes_of([form for word in words for form in (word, word.capitalize(), word.upper())])


def _among(shape: Shape, words: Ints, listed: Sequence[str]) -> Bools:
    return np.isin(shape.word[words], _hashes_of(tuple(listed)))


def _apostrophes(shape: Shape) -> Ints:
    """Apostrophes between letters, but for those around a single letter: rock'n'roll."""
    found = shape.where(*_APOSTROPHES)
    found = found[shape.held[found] & shape.held[found + 1] & shape.glued[found + 1]]
    following = np.isin(shape.head[found + 2], _APOSTROPHES) & shape.held[found + 2]
    before = np.isin(shape.head[found - 2], _APOSTROPHES) & shape.held[found - 1]
    inner = (following & (_size(shape, found + 1) == 1)) | (before & (_size(shape, found - 1) == 1))
    behind: Ints = found[~inner]
    return behind


def _size(shape: Shape, words: Ints) -> Ints:
    return shape.end[words] - shape.start[words]


def _before_suffixes(shape: Shape) -> Ints:
    """Gandhi's, Ankara'da, I'm; not O'Neil, can't, aujourd'hui, nor in scripts but Latin."""
    found = _apostrophes(shape)
    last = shape.codes[shape.start[found] - 1]
    latin = (last < 0x300) | ((last >= 0x1E00) & (last < 0x1F00))
    english = _among(shape, found + 1, ENGLISH)
    closed = _among(shape, found + 1, CLOSED_SUFFIXES)
    return found[latin & ~closed & (english | (_size(shape, found - 1) > 1))]


def _behind_elisions(shape: Shape) -> Ints:
    """l'hôtel, dell'arte, and Greek, where nothing else has an apostrophe."""
    found = _apostrophes(shape)
    last = shape.codes[shape.start[found] - 1]
    greek = ((last >= 0x370) & (last < 0x400)) | ((last >= 0x1F00) & (last < 0x2000))
    words: Ints = found[greek | _among(shape, found - 1, ELISIONS)] + 1
    return words


def _around_colons(shape: Shape) -> Ints:
    """Status:approved."""
    found = shape.where(_COLON)
    found = found[shape.held[found]]
    return np.concatenate([found, found + 1])


_OPENED: tuple[Callable[[Shape], Ints], ...] = (_before_suffixes, _behind_elisions, _around_colons)

# ------------------------------------------------------------------------------ inside numbers


def _signs(shape: Shape) -> Ints:
    """A dash glued to a number, a currency's or .5, that is no range: -5, -$5, (-.5)."""
    found = shape.where(*DASHES)
    found = found[shape.glued[found + 1] & (shape.end[found] - shape.start[found] == 1)]
    between = np.isin(shape.head[found + 1], (*CURRENCIES, _STOP)) & shape.glued[found + 2]
    numbers = shape.number(found + 1) | (between & shape.number(found + 2))
    behind: Ints = found[numbers & shape.free(found)]
    return behind


def _behind_signs(shape: Shape) -> Ints:
    found = _signs(shape)
    further = found[~shape.number(found + 1)]
    return np.concatenate([found + 1, further + 2])


def _leading_points(shape: Shape) -> Ints:
    """The point of .5 and -.5."""
    found = shape.where(_STOP)
    found = found[shape.glued[found + 1] & shape.number(found + 1)]
    return found[shape.free(found) | np.isin(found - 1, _signs(shape))]


def _behind_leading_points(shape: Shape) -> Ints:
    return _leading_points(shape) + 1


def _behind_plus_minus(shape: Shape) -> Ints:
    """± 5."""
    found = shape.where(*PLUS_MINUS)
    near = shape.number(found + 1) | np.isin(shape.head[found + 1], CURRENCIES)
    words: Ints = found[near & ~shape.firsts[found + 1]] + 1
    return words


def _behind_carets(shape: Shape) -> Ints:
    """10^2, as 10² is spelled."""
    found = shape.where(_CARET)
    powers = shape.glued[found] & shape.number(found - 1) & shape.glued[found + 1]
    words: Ints = found[powers] + 1
    return words


def _in_fractions(shape: Shape) -> Ints:
    """1/2 and 3 1/2, but no date: 1/2/2024, 2019/20."""
    found = shape.where(_SLASH)
    found = found[shape.glued[found] & shape.glued[found + 1]]
    small = shape.number(found - 1, digits=(1, 2)) & shape.number(found + 1, digits=(1, 2))
    joined = shape.glued[found - 1] & np.isin(shape.head[found - 2], (_SLASH, _STOP, _COLON))
    joined |= shape.glued[found + 2] & np.isin(shape.head[found + 2], (_SLASH, _COLON))
    found = found[small & ~joined]
    whole = ~shape.glued[found - 1] & shape.number(found - 2, digits=(1, 2, 3))
    mixed = found[whole & ~shape.firsts[found - 1]] - 1
    return np.concatenate([found, found + 1, mixed])


def _in_times(shape: Shape) -> Ints:
    """10:30, with a boundary before the seconds: 10:30:45."""
    found = shape.where(_COLON)
    found = found[shape.glued[found] & shape.glued[found + 1]]
    found = found[shape.number(found - 1, digits=(1, 2)) & shape.number(found + 1, digits=(2,))]
    seconds = shape.glued[found - 1] & (shape.head[found - 2] == _COLON)
    return np.concatenate([found[~seconds], found + 1])


_CLOSED: tuple[Callable[[Shape], Ints], ...] = (
    _behind_signs,
    _behind_leading_points,
    _behind_plus_minus,
    _behind_carets,
    _in_fractions,
    _in_times,
)
