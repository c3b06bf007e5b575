"""Texts as letters and numbers alone, for labels that another extractor read from the same page.

Marks and blanks count for nothing, so that a letter is a unit of its own, wherever words end. A
number is one unit, with its sign and its decimal point: 3.5 is not 35, and 1,234 is not 12 34. A
piece still begins and ends at boundaries, and it is at least `WINDOW` units long or all of the
element.
"""

from __future__ import annotations

import re

import numpy as np

from tophit.matching.text.boundaries import ATTACHED, CURRENCIES, DASHES, PLUS_MINUS, Edges
from tophit.matching.text.hashes import Hashes, hashes
from tophit.matching.text.points import point_hashes, without_points
from tophit.matching.text.segmentation import MARK, NUMBER, Bools, Ints, codes_of, kinds_of
from tophit.matching.text.words import Words

WINDOW = 4
_CONNECTOR, _STOP = ord("_"), ord(".")
_GROUPED = re.compile(r"\d{1,3}(?:[,']\d{3})+(?:\.\d+)?")
_MIX = np.uint64(0x9E3779B97F4A7C15)


def letters_of(words: Words, *, side: int) -> Words:
    """The same texts with a letter or a number as each word. `side` as for `words_of`.

    >>> from tophit.matching.text.words import words_of
    >>> units = letters_of(words_of("it's -1,234.5 km\\n", side=0), side=0)
    >>> [units.joined[a:b] for a, b in zip(units.start, units.end)]
    ['i', 't', 's', '-1,234.5', 'k', 'm']
    """
    kinds = kinds_of(words.codes[words.start])
    letter, place, word = _letters(words, np.flatnonzero((kinds != MARK) & (kinds != NUMBER)))
    numbers = np.flatnonzero(kinds == NUMBER)
    begins = _signed(words, numbers)
    spelled = [
        _spelled(words, first, last)
        for first, last in zip(begins.tolist(), numbers.tolist(), strict=True)
    ]
    size = np.fromiter(map(len, spelled), dtype=np.int64, count=len(spelled))
    plain = np.append(words.plain[letter], codes_of("".join(spelled)))
    plain_end = np.append(np.arange(len(letter)) + 1, len(letter) + np.cumsum(size))
    start = np.append(place, words.start[begins])
    order = np.argsort(start, kind="stable")
    owner_word = np.append(word, numbers)[order]
    heads, tails = _edges_of_words(owner_word)
    firsts = np.append(word, begins)[order]
    plain_end = plain_end[order]
    plain_start = plain_end - np.append(np.ones(len(letter), dtype=np.int64), size)[order]
    start = start[order]
    end = np.where(tails, words.end[owner_word], np.append(start[1:], 0))
    unit = hashes(plain, plain_start, plain_end)
    first = np.searchsorted(owner_word, words.first)
    letters = without_points(words.codes)
    return Words(
        joined=words.joined, codes=words.codes, offset=words.offset, length=words.length,
        first=first, start=start, end=end, owner=words.owner[owner_word],
        plain=plain, plain_start=plain_start, plain_end=plain_end,
        word=unit, gap=np.zeros(len(unit), dtype=np.uint8),
        couple=_windows(unit, first, side=side), window=WINDOW,
        points=None if letters is None else point_hashes(words.codes, letters, start, end),
        edges=Edges(
            opens=heads & words.edges.opens[firsts],
            closes=tails & words.edges.closes[owner_word],
            numbers=heads & words.edges.numbers[firsts],
        ),
    )  # fmt: skip


def _letters(words: Words, chosen: Ints) -> tuple[Ints, Ints, Ints]:
    """The letters of words: their place in `plain`, in `codes`, and their words."""
    count = words.plain_end[chosen] - words.plain_start[chosen]
    index = np.repeat(np.arange(len(chosen)), count)
    letter = np.arange(len(index)) + (words.plain_start[chosen] - (np.cumsum(count) - count))[index]
    kept = words.plain[letter] != _CONNECTOR
    letter, word = letter[kept], chosen[index[kept]]
    letters = without_points(words.codes)
    place = letter if letters is None else np.flatnonzero(letters)[letter]
    return letter, place, word


def _edges_of_words(word: Ints) -> tuple[Bools, Bools]:
    """Which units are the first and which the last of their word."""
    heads, tails = np.ones(len(word), dtype=bool), np.ones(len(word), dtype=bool)
    heads[1:] = tails[:-1] = word[1:] != word[:-1]
    return heads, tails


def _signed(words: Words, numbers: Ints) -> Ints:
    """The word that each number begins with: its sign, its point, or itself: -$.5."""
    begins = numbers
    for marks, behind in (((_STOP,), 1), (CURRENCIES, 2), ((), 1)):
        before = np.maximum(begins - behind, 0)
        head = words.codes[words.start[before]]
        sign = (words.gap[before] == ATTACHED) | np.isin(head, PLUS_MINUS)
        if marks:
            sign &= np.isin(words.codes[words.start[begins - 1]], marks)
        sign &= (begins >= behind) & (words.owner[before] == words.owner[begins])
        begins = np.where(sign, before, begins)
    return begins


def _spelled(words: Words, first: int, last: int) -> str:
    """A number as it is compared: with its sign and point, without marks between thousands."""
    number = words.joined[words.start[last] : words.end[last]]
    if _GROUPED.fullmatch(number):
        number = number.replace(",", "").replace("'", "")
    before = words.joined[words.start[first] : words.start[last]]
    signs = dict.fromkeys(DASHES, "-") | dict.fromkeys(PLUS_MINUS, "±") | {_STOP: "."}
    return "".join(signs.get(ord(char), "") for char in before) + number


def _windows(unit: Hashes, first: Ints, *, side: int) -> Hashes:
    """A hash for each unit with the three behind it; the last three of a text match nothing."""
    window = unit.copy()
    for step in range(1, WINDOW):
        following = unit[step:]
        window[: len(following)] = window[: len(following)] * _MIX + following
    window |= np.uint64(2)
    last = first[1:, None] - np.arange(1, WINDOW)
    window[last[last >= first[:-1, None]]] = side
    return window
