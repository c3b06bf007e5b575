"""Text cut into words: the boundaries of Unicode (UAX #29), over many texts at once.

Every character becomes one byte, its class; the rules then run on whole arrays. Katakana does not
hold together, so that Japanese, like Chinese and Thai, has a boundary between any two characters,
and a semicolon ends a number. A combining mark never leaves its base.

Where Unicode holds a word together at an apostrophe, a full stop or a colon ("l'hôtel", "setup.py")
or at the step from letters to digits ("mp3"), the word is cut all the same, and the cut is said to
be `held`. So equal text is cut alike everywhere, and boundaries.py says what such a place means.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import regex

Codes = NDArray[np.uint32]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Classes = NDArray[np.uint8]

# The two lowest bits say what holds together when two neighbours both have the bit.
_WORD, _BLANK = 1, 2  # WB5, 8-10, 13a, 13b: letters, digits, connectors; WB3d: blanks
_OTHER = 0
_LETTER, _NUMERIC, _CONNECTOR = 4 | _WORD, 8 | _WORD, 12 | _WORD
_HEBREW = 16 | _WORD
_SPACE = 20 | _BLANK
# From here on a class needs a look at its neighbourhood.
_SINGLE_QUOTE, _DOUBLE_QUOTE, _MID_BOTH, _MID_LETTER, _MID_NUMBER = 64, 68, 72, 76, 80
_FLAG, _CR, _LF, _NEWLINE = 84, 88, 92, 96
# From here on a class belongs to the character before it (WB4).
_EXTEND, _ZWJ = 128, 132
_UNKNOWN = 255

# What a word is made of, as its first character says. Blanks count only between two that are solid.
MARK, LETTERS, NUMBER, OTHER_LETTERS = range(4)
# Unicode lets them hold a number together; they end one.
_SEMICOLONS = (0x3B, 0x37E, 0x589, 0xFE14, 0xFE54, 0xFF1B)

_PROPERTIES = {
    "ALetter": _LETTER, "Hebrew_Letter": _HEBREW, "Numeric": _NUMERIC, "ExtendNumLet": _CONNECTOR,
    "WSegSpace": _SPACE, "Single_Quote": _SINGLE_QUOTE, "Double_Quote": _DOUBLE_QUOTE,
    "MidNumLet": _MID_BOTH, "MidLetter": _MID_LETTER, "MidNum": _MID_NUMBER,
    "Regional_Indicator": _FLAG, "CR": _CR, "LF": _LF, "Newline": _NEWLINE,
    "Extend": _EXTEND, "Format": _EXTEND, "ZWJ": _ZWJ,
}  # fmt: skip


def segments(text: str) -> list[tuple[int, int]]:
    """Split text at the word boundaries of Unicode: start and end of every segment.

    >>> [text[a:b] for text in ["Mr. O'Neil paid 3.14 €"] for a, b in segments(text)]
    ['Mr', '.', ' ', "O'Neil", ' ', 'paid', ' ', '3.14', ' ', '€']
    >>> [text[a:b] for text in ["東京タワー", "हिन्दी", "ที่นี่"] for a, b in segments(text)]
    ['東', '京', 'タ', 'ワ', 'ー', 'हिन्दी', 'ที่', 'นี่']
    """
    if not text:
        return []
    cuts = cuts_of(codes_of(text))
    starts = np.flatnonzero(cuts.starts & ~cuts.held).tolist()
    return list(zip(starts, [*starts[1:], len(text)], strict=True))


def codes_of(text: str) -> Codes:
    """The code points of text as an array.

    >>> codes_of("a\\u20ac").tolist()
    [97, 8364]
    """
    encoded = text.encode("utf-32-le", "surrogatepass")
    return np.frombuffer(encoded, dtype=np.uint32)


class Cuts(NamedTuple):
    """For every code point: whether a segment starts there, and whether Unicode has none there."""

    starts: Bools
    held: Bools


def cuts_of(codes: Codes) -> Cuts:
    """Cut text into segments. A line break is its own segment.

    >>> cuts = cuts_of(codes_of("it's 4"))
    >>> cuts.starts.tolist()
    [True, False, True, True, True, True]
    >>> cuts.held.tolist()
    [False, False, True, True, False, False]
    """
    classes = _classes_of(codes)
    attached = classes >= _EXTEND
    if not attached.any():
        return Cuts(*_starts(classes))
    after_break = np.ones(len(classes), dtype=bool)
    after_break[1:] = (classes[:-1] >= _CR) & (classes[:-1] <= _NEWLINE)
    base = np.flatnonzero(~attached | after_break)
    starts, held = (np.zeros(len(classes), dtype=bool) for _ in range(2))
    starts[base], held[base] = _starts(np.where(attached, _OTHER, classes)[base], positions=base)
    joined = np.flatnonzero(classes[:-1] == _ZWJ) + 1  # WB3c
    starts[joined[_is_pictograph(codes[joined])]] = False
    return Cuts(starts, held & starts)


def _starts(classes: Classes, *, positions: Ints | None = None) -> tuple[Bools, Bools]:
    starts = np.ones(len(classes), dtype=bool)
    together = classes[:-1] & classes[1:]
    if positions is None:
        starts[1:] = (together & (_WORD | _BLANK)) == 0
    else:
        adjacent = np.diff(positions) == 1
        starts[1:] = ((together & _WORD) == 0) & ~(((together & _BLANK) != 0) & adjacent)
    held = np.zeros(len(classes), dtype=bool)
    steps = _is_number(classes[:-1]) & _is_letter(classes[1:])
    steps |= _is_letter(classes[:-1]) & _is_number(classes[1:])
    held[1:] = steps
    special = np.flatnonzero(classes >= _SINGLE_QUOTE)
    if len(special):
        _apply_rules_between(classes, special, starts, held)
    return starts | held, held


def _is_letter(classes: Classes) -> Bools:
    found: Bools = (classes == _LETTER) | (classes == _HEBREW)
    return found


def _is_number(classes: Classes) -> Bools:
    found: Bools = classes == _NUMERIC
    return found


def _apply_rules_between(classes: Classes, special: Ints, starts: Bools, held: Bools) -> None:
    kind = classes[special]
    before = np.where(special > 0, classes[special - 1], _OTHER)
    last = len(classes) - 1
    after = np.where(special < last, classes[np.minimum(special + 1, last)], _OTHER)
    hebrew = before == _HEBREW
    letters = _is_letter(before) & _is_letter(after)
    numbers = _is_number(before) & _is_number(after)
    quote = (kind == _SINGLE_QUOTE) | (kind == _MID_BOTH)
    inside = numbers & (quote | (kind == _MID_NUMBER))  # WB11, WB12
    inside |= hebrew & (after == _HEBREW) & (kind == _DOUBLE_QUOTE)  # WB7b, WB7c
    inside |= hebrew & (after == _HEBREW) & (kind == _SINGLE_QUOTE)  # a geresh is a letter's part
    between = letters & (quote | (kind == _MID_LETTER)) & ~inside  # WB6, WB7
    held[special[between]] = held[special[between] + 1] = True
    starts[special[inside]] = False
    starts[special[inside] + 1] = False
    starts[special[hebrew & (kind == _SINGLE_QUOTE)]] = False  # WB7a
    starts[special[(kind == _CR) & (after == _LF)] + 1] = False  # WB3
    _pair_flags(special[kind == _FLAG], starts)


def _pair_flags(flags: Ints, starts: Bools) -> None:
    # WB15, WB16: regional indicators stand in pairs, counted from the first of their run.
    if len(flags) == 0:
        return
    heads = np.ones(len(flags), dtype=bool)
    heads[1:] = np.diff(flags) != 1
    index = np.arange(len(flags))
    in_run = index - np.maximum.accumulate(np.where(heads, index, 0))
    starts[flags[in_run % 2 == 1]] = False


# ------------------------------------------------------------------------------ classes


def kinds_of(heads: Codes) -> Classes:
    """What words with these first characters are made of: letters, digits, or marks.

    `OTHER_LETTERS` are those that hold no word together: Chinese, Japanese, Thai.

    >>> kinds_of(codes_of("a4_\u4e2d%")).tolist() == [LETTERS, NUMBER, LETTERS, OTHER_LETTERS, MARK]
    True
    """
    _classes_of(heads)
    kinds: Classes = _tables()[1][heads]
    return kinds


@cache
def _tables() -> tuple[Classes, Classes]:
    # Filled as characters are met: the whole of Unicode would take half a second.
    return np.full(0x110000, _UNKNOWN, dtype=np.uint8), np.zeros(0x110000, dtype=np.uint8)


@cache
def _patterns() -> dict[int, regex.Pattern[str]]:
    import regex  # takes 50 ms to import

    names: dict[int, list[str]] = {}
    for name, value in _PROPERTIES.items():
        names.setdefault(value, []).append(rf"\p{{Word_Break={name}}}")
    return {value: regex.compile(f"[{''.join(parts)}]") for value, parts in names.items()}


def _classes_of(codes: Codes) -> Classes:
    table, _ = _tables()
    classes: Classes = table[codes]
    if (classes == _UNKNOWN).any():
        met = np.zeros(len(table), dtype=bool)
        met[codes] = True
        _classify(np.flatnonzero(met & (table == _UNKNOWN)).astype(np.uint32))
        classes = table[codes]
    return classes


def _classify(codes: Codes) -> None:
    import regex

    chars = codes.tobytes().decode("utf-32-le", "surrogatepass")
    classes = np.full(len(codes), _OTHER, dtype=np.uint8)
    for value, pattern in _patterns().items():
        classes[[found.start() for found in pattern.finditer(chars)]] = value
    classes[np.isin(codes, _SEMICOLONS)] = _OTHER
    solid = [found.start() for found in regex.finditer(r"[\p{L}\p{N}\p{M}\p{Pc}]", chars)]
    kinds = np.zeros(len(codes), dtype=np.uint8)
    kinds[solid] = OTHER_LETTERS
    kinds[_is_letter(classes) | (classes == _CONNECTOR)] = LETTERS
    kinds[_is_number(classes)] = NUMBER
    for table, values in zip(_tables(), (classes, kinds), strict=True):
        table[codes] = values


def _is_pictograph(codes: Codes) -> Bools:
    import regex

    pattern = regex.compile(r"\p{Extended_Pictographic}")
    return np.array([pattern.match(chr(code)) is not None for code in codes.tolist()], dtype=bool)
