"""A text that is encoded once: where its tokens begin, and how many tokens any piece of it is.

A piece is encoded on its own, so its tokens are not those that stand there in the whole text. But
cl100k first cuts a text into words, numbers and marks, and encodes these one by one. Where a letter
or digit is followed by something else it always cuts, whatever stands around; so between two such
cuts the tokens are the same, and only the ends of a piece must be encoded again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import Any, TypeVar

import numpy as np

from tophit.tokens import cl100k

Source = TypeVar("Source")
Made = TypeVar("Made")


class EncodedText:
    """A text and its cl100k tokens.

    >>> encoded = EncodedText("One two. Three four.")
    >>> encoded.count(0, 8), encoded.count(9, 20), encoded.begins[:3]
    (3, 3, [0, 3, 7])
    """

    def __init__(self, text: str) -> None:
        encoding = cl100k()
        self.text = text
        self.tokens = encoding.encode(text)
        self._encode = encoding.encode
        ends, self._inside = _characters(text, encoding.byte_ends(self.tokens))
        self.begins: list[int] = [0, *ends.tolist()]
        ended = np.bincount(ends, minlength=len(text) + 1)
        self._ended = np.cumsum(ended, dtype=np.int64).data  # read one by one, faster than an array

    def exact(self, token: int) -> int | None:
        """The character at which a token begins, None where that is inside a character."""
        return None if token and token - 1 in self._inside else self.begins[token]

    def starts(self) -> list[int]:
        """Where each token begins, and the text's length; inside a character counts as at it.

        >>> EncodedText("é\\N{PILE OF POO}").starts()
        [0, 1, 1, 2]
        """
        inside = np.asarray(sorted(self._inside), dtype=np.int64) + 1
        begins = np.asarray(self.begins)
        begins[inside] -= 1
        starts: list[int] = begins.tolist()
        return starts

    def about(self, start: int, end: int) -> int:
        """How many tokens of the whole text end in a piece: close to `count`, at no cost."""
        return self._ended[end] - self._ended[start]

    def count(self, start: int, end: int) -> int:
        """How many tokens `text[start:end]` is, encoded on its own."""
        first = self._cut_after(start, end)
        if first >= end:
            return len(self._encode(self.text[start:end]))
        last = self._cut_before(first, end)
        rest = len(self._encode(self.text[last:end])) if last < end else 0
        return len(self._encode(self.text[start:first])) + self.about(first, last) + rest

    def _cut_after(self, start: int, end: int) -> int:
        """The first place after `start` where a word or number ends; at most `end`."""
        text, at = self.text, start
        while at < end and not text[at].isalnum():
            at += 1
        while at < end and text[at].isalnum():
            at += 1
        return at

    def _cut_before(self, first: int, end: int) -> int:
        """The last place up to `end` where a word or number ends; `first` is one."""
        text, at = self.text, end
        if end < len(text) and text[end].isalnum():  # the word goes on behind the piece
            while at > first and text[at - 1].isalnum():
                at -= 1
        while at > first and not text[at - 1].isalnum():
            at -= 1
        return at


def encoded_texts(texts: Iterable[str]) -> Iterator[EncodedText]:
    """Every text with its tokens, the next few encoded on other cores meanwhile.

    >>> [len(each.tokens) for each in encoded_texts(["One two.", ""])]
    [3, 0]
    """
    cl100k()  # loaded once, before there are threads
    return _ahead(EncodedText, texts)


def _characters(text: str, byte_ends: Any) -> tuple[Any, frozenset[int]]:
    """Where each token ends, in characters (the next one begun), and which end inside one.

    The second is a set of token numbers, nearly always empty.
    """
    if text.isascii():
        return byte_ends, frozenset()
    raw = np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)
    begins = (raw & 0xC0) != 0x80
    begun = np.concatenate(([0], np.cumsum(begins)))  # characters that begin before each byte
    inside = np.flatnonzero(~np.append(begins, True)[byte_ends])
    return begun[byte_ends], frozenset(inside.tolist())


def _ahead(make: Callable[[Source], Made], sources: Iterable[Source]) -> Iterator[Made]:
    """`map(make, sources)`, a few made ahead in threads: encoding holds no lock."""
    workers = os.cpu_count() or 1
    left = iter(sources)
    with ThreadPoolExecutor(workers) as pool:
        waiting: list[Future[Made]] = [pool.submit(make, each) for each in islice(left, workers)]
        while waiting:
            made = waiting.pop(0).result()
            waiting += [pool.submit(make, each) for each in islice(left, 1)]
            yield made
