"""Find elements in a whole index: each element against every text, without looking at every pair.

All texts are normalised, freed of blanks and hyphens (so that every reading of a line end agrees),
joined, and each window of so many characters becomes one 64-bit number. The first and the last
window of an element are looked up among them; what remains is compared character by character, and
`longest_pieces` decides on the few pairs left, so that this module finds nothing that matching by
text would not. Time grows with the length of the texts, hardly with the number of elements.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tophit.matching.text.hits import longest_pieces
from tophit.matching.text.marks import MARKS
from tophit.matching.text.normalize import normalize_all
from tophit.matching.text.points import without_points
from tophit.matching.text.segmentation import Codes, codes_of
from tophit.settings import DEFAULT_FOLDING, Folding

_Ints = NDArray[np.int64]
_Hashes = NDArray[np.uint64]

# An odd number of the golden ratio, and another, mix two halves of a window into one number.
_LEFT, _RIGHT = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_WINDOWS = (8, 16)
_SLOTS = np.uint64(64 - 20)
_NO_LETTERS = re.compile(r"[^\w\n]+|_+")
# Characters that are hashed at a time, at about 50 bytes each.
_BLOCK = 1 << 21
# How many windows of an element are looked up for its parts, and how many texts are then compared.
_SAMPLES = 64
_CANDIDATES = 12
# A window in more texts than this tells nothing about any of them.
_EVERYWHERE = 256


def squeeze(texts: Sequence[str], *, folding: Folding = DEFAULT_FOLDING) -> list[str]:
    """Normalise texts, and drop blanks, hyphens and points: equal under every reading of a text.

    >>> squeeze(["Well-\\nknown  men", "well-known"])
    ['wellknownmen', 'wellknown']
    """
    found = [""] * len(texts)
    # Plain ASCII apart: one curly quote makes a whole string four times as slow to fold.
    for ascii_only in (True, False):
        group = [number for number, text in enumerate(texts) if text.isascii() is ascii_only]
        joined = normalize_all([texts[number] for number in group], folding=folding)
        for mark in (" ", "-", *MARKS):
            joined = joined.replace(mark, "")
        joined = _unpointed(joined)
        if folding.letters:
            joined = _NO_LETTERS.sub("", joined)
        for number, form in zip(group, joined.split("\n"), strict=False):
            found[number] = form
    return found


def _unpointed(text: str) -> str:
    letters = without_points(codes_of(text))
    if letters is None:
        return text
    left: bytes = letters[letters != 0].tobytes()
    return left.decode("utf-32-le", "surrogatepass")


@dataclass(frozen=True, kw_only=True)
class Found:
    """Pairs of an element and a text, sorted by element and then by text.

    `count` says how often the text holds the element, if word boundaries did not matter.
    """

    element: _Ints
    text: _Ints
    count: _Ints


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """Texts to be searched, as they were given.

    >>> corpus = Corpus(texts=["a dog", "The red\\n cat.", "scared cats"])
    >>> corpus.first_whole(["red cat", "cat", "bird"]).tolist()
    [1, 1, -1]
    """

    texts: Sequence[str]
    folding: Folding = DEFAULT_FOLDING

    def first_whole(self, elements: Sequence[str]) -> _Ints:
        """For each element the first text that holds it whole, else -1."""
        first = np.full(len(elements), -1, dtype=np.int64)
        pairs = self.candidates(elements)
        head = np.searchsorted(pairs.element, np.arange(len(elements) + 1))
        low, width = head[:-1], 1
        while True:
            # few texts at a time: most elements are whole in the first one
            high = np.minimum(low + width, head[1:])
            open_ = np.flatnonzero((first < 0) & (low < high))
            if len(open_) == 0:
                return first
            rows = np.concatenate([np.arange(low[e], high[e]) for e in open_.tolist()])
            element, text = pairs.element[rows], pairs.text[rows]
            whole = self._shares(elements, element, text) >= 1.0
            # assigned from the last to the first, so that the first one stays
            first[element[whole][::-1]] = text[whole][::-1]
            low, width = high, 4 * width

    def best_parts(self, elements: Sequence[str]) -> tuple[_Ints, NDArray[np.float64]]:
        """For each element the text that holds most of it, else -1, and the share of it.

        Texts are looked for by samples of the element, so that the best one may be missed where
        very many share its words.
        """
        best = np.full(len(elements), -1, dtype=np.int64)
        share = np.zeros(len(elements))
        pairs = self.sampled(elements)
        shares = self._shares(elements, pairs.element, pairs.text)
        order = np.lexsort((-pairs.text, shares))  # the first text of the best ones comes last
        best[pairs.element[order]] = pairs.text[order]
        share[pairs.element[order]] = shares[order]
        best[share == 0] = -1
        return best, share

    def _shares(self, elements: Sequence[str], element: _Ints, text: _Ints) -> NDArray[np.float64]:
        return longest_pieces(elements, self.texts, element, text, folding=self.folding).share

    # -------------------------------------------------------------------------- candidates

    @cached_property
    def _squeezed(self) -> list[str]:
        return self._squeeze(self.texts)

    def _squeeze(self, texts: Sequence[str]) -> list[str]:
        return squeeze(texts, folding=self.folding)

    def candidates(self, elements: Sequence[str]) -> Found:
        """The pairs where the text holds the element, if word boundaries did not matter.

        >>> found = Corpus(texts=["concatenate", "a cat"]).candidates(["cat"])
        >>> found.element.tolist(), found.text.tolist()
        ([0, 0], [0, 1])
        """
        forms = self._squeeze(elements)
        found: list[tuple[_Ints, _Ints]] = []
        for size, members in _by_window(forms).items():
            probe = _Probe.of(forms, members, size=size)
            for block in self._blocks():
                found += [probe.find(block)]
        return _distinct(found, self._text_count)

    def sampled(self, elements: Sequence[str]) -> Found:
        """For each element the texts that share most of its windows, at most twelve.

        `count` is the number of windows.
        """
        forms = self._squeeze(elements)
        found: list[tuple[_Ints, _Ints]] = []
        for size, members in _by_window(forms, parts=True).items():
            samples = [
                (member, forms[member][at : at + size])
                for member in members
                for at in _sample_places(len(forms[member]), size)
            ]
            probe = _Probe.of([form for _, form in samples], range(len(samples)), size=size)
            owner = np.array([member for member, _ in samples], dtype=np.int64)
            for block in self._blocks():
                sample, text = _rare(*probe.find(block), samples=len(samples))
                found.append((owner[sample], text))
        return _most_counted(_distinct(found, self._text_count))

    @property
    def _text_count(self) -> int:
        return len(self.texts)

    def _blocks(self) -> Iterator[_Block]:
        first, size = 0, 0
        for number, form in enumerate(self._squeezed):
            size += len(form)
            if size >= _BLOCK or number == len(self._squeezed) - 1:
                yield _Block.of(self._squeezed[first : number + 1], first=first)
                first, size = number + 1, 0


def _by_window(forms: list[str], *, parts: bool = False) -> dict[int, list[int]]:
    """The elements by the size of the window to look up; those that are empty are left out."""
    sizes: dict[int, list[int]] = {}
    for number, form in enumerate(forms):
        # a part is looked for by windows of which several fit into it
        length = max(1, len(form) // 3) if parts else len(form)
        fitting = [size for size in _WINDOWS if size <= length]
        if form:
            sizes.setdefault(fitting[-1] if fitting else length, []).append(number)
    return sizes


def _sample_places(length: int, size: int) -> list[int]:
    last = length - size
    count = min(_SAMPLES, last + 1)
    return sorted({round(n * last / max(1, count - 1)) for n in range(count)})


def _distinct(found: list[tuple[_Ints, _Ints]], texts: int) -> Found:
    none = (np.zeros(0, dtype=np.int64),) * 2
    element, text = (np.concatenate(part) for part in zip(none, *found, strict=True))
    keys, count = np.unique(element * texts + text, return_counts=True)
    return Found(element=keys // max(1, texts), text=keys % max(1, texts), count=count)


def _rare(sample: _Ints, text: _Ints, *, samples: int) -> tuple[_Ints, _Ints]:
    """Count a window once a text, and leave out those that stand in very many texts."""
    keys = np.unique(sample + samples * text)
    sample, text = keys % samples, keys // samples
    kept = np.bincount(sample, minlength=samples)[sample] <= _EVERYWHERE
    return sample[kept], text[kept]


def _most_counted(found: Found) -> Found:
    order = np.lexsort((found.text, -found.count, found.element))
    element = found.element[order]
    heads = np.flatnonzero(np.append(True, element[1:] != element[:-1]))
    place = np.arange(len(element)) - np.repeat(heads, np.diff(heads, append=len(element)))
    kept = np.sort(order[place < _CANDIDATES])
    return Found(element=found.element[kept], text=found.text[kept], count=found.count[kept])


# ------------------------------------------------------------------------------ windows


@dataclass(frozen=True)
class _Block:
    """Squeezed texts, joined; `starts` says where each begins, `first` the first one's number."""

    joined: str
    codes: Codes
    starts: _Ints
    first: int

    @classmethod
    def of(cls, forms: list[str], *, first: int) -> _Block:
        joined = "\n".join(forms)
        sizes = np.fromiter(map(len, forms), dtype=np.int64, count=len(forms)) + 1
        return cls(joined, codes_of(joined), np.cumsum(sizes) - sizes, first)

    def text_at(self, place: _Ints) -> _Ints:
        return np.searchsorted(self.starts, place, side="right") - 1 + self.first


@dataclass(frozen=True)
class _Probe:
    """The windows of some elements, sorted by the first one, with the last one beside it."""

    forms: list[str]
    size: int
    first: _Hashes
    last: _Hashes
    element: _Ints

    @classmethod
    def of(cls, forms: list[str], members: Sequence[int], *, size: int) -> _Probe:
        heads = "".join(forms[member][:size] for member in members)
        tails = "".join(forms[member][-size:] for member in members)
        first, last = (_windows(codes_of(text), size)[::size] for text in (heads, tails))
        order = np.argsort(first, kind="stable")
        return cls(forms, size, first[order], last[order], np.asarray(members)[order])

    def find(self, block: _Block) -> tuple[_Ints, _Ints]:
        """The elements and the texts of this block that hold them."""
        windows = _windows(block.codes, self.size)
        place, row = self._look_up(windows)
        length = np.array([len(form) for form in self.forms], dtype=np.int64)[self.element[row]]
        end = place + length - self.size
        fits = end < len(windows)
        fits[fits] = windows[end[fits]] == self.last[row[fits]]
        place, element, length = place[fits], self.element[row[fits]], length[fits]
        kept = length == self.size  # the window is all there is
        longer = np.flatnonzero(~kept)
        kept[longer] = [
            block.joined.startswith(self.forms[e], at)
            for at, e in zip(place[longer].tolist(), element[longer].tolist(), strict=True)
        ]
        return element[kept], block.text_at(place[kept])

    def _look_up(self, windows: _Hashes) -> tuple[_Ints, _Ints]:
        present = np.zeros(1 << 20, dtype=bool)
        present[self.first >> _SLOTS] = True
        place = np.flatnonzero(present[windows >> _SLOTS])
        low = np.searchsorted(self.first, windows[place], side="left")
        high = np.searchsorted(self.first, windows[place], side="right")
        count = high - low
        at = np.repeat(np.arange(len(place)), count)
        row = np.arange(len(at)) - np.repeat(np.cumsum(count) - count, count) + low[at]
        return place[at], row


def _windows(codes: Codes, size: int) -> _Hashes:
    """A number for every window of `size` characters, by halves; equal windows have equal ones."""
    if len(codes) < size:
        return np.zeros(0, dtype=np.uint64)
    if size == 1:
        mixed = codes.astype(np.uint64) * _LEFT
        return mixed ^ (mixed >> np.uint64(29))
    left = _windows(codes, size // 2)
    right = left if size % 2 == 0 else _windows(codes, size - size // 2)
    count = len(codes) - size + 1
    mixed = left[:count] * _LEFT + right[size // 2 :][:count] * _RIGHT
    return mixed ^ (mixed >> np.uint64(31))
