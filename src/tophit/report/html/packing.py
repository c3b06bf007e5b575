"""The data inside the page: texts once, JSON, gzip, base64. The same data give the same bytes."""

from __future__ import annotations

import base64
import gzip
import json
import zlib
from collections.abc import Iterable
from typing import Any

_BASE64 = 4 / 3
_LEVEL = 6  # 9 takes three times as long and saves a hundredth
_SURE = 0.97
_BEHIND = 50_000  # what a packer may hold back
_BMP = 0xFFFF


def packed(data: Any) -> str:
    """Data as text that no markup can be in.

    >>> packed({"a": 1}) == packed({"a": 1})
    True
    """
    # escaped to ASCII, so that half a character in a text stops nothing
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(gzip.compress(text.encode("ascii"), _LEVEL, mtime=0)).decode("ascii")


class Texts:
    """Texts, each kept once and known by its number.

    >>> texts = Texts()
    >>> texts.number("a"), texts.number("b"), texts.number("a"), texts.number(None)
    (0, 1, 0, -1)
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, text: str | None) -> int:
        """The text's number, a new one where it is new; -1 for none."""
        return -1 if text is None else self._numbers.setdefault(text, len(self._numbers))

    @property
    def all(self) -> list[str]:
        """The texts by their numbers."""
        return list(self._numbers)


def fitting(texts: Iterable[str], *, size: int) -> set[str]:
    """Of texts in the order of their importance, those that together take `size` bytes packed.

    A little room is left: in the page the texts stand in another order, which packs otherwise.

    >>> sorted(fitting(["a", "b", "a"], size=100_000)), fitting(["a"], size=0)
    (['a', 'b'], set())
    """
    size = round(size * _SURE) - _BEHIND
    packer = zlib.compressobj(_LEVEL)
    taken: set[str] = set()
    used = 0.0
    for text in texts:
        if text in taken:
            continue
        used += _BASE64 * len(packer.compress(json.dumps(text).encode("ascii")))
        if used > size:
            break
        taken.add(text)
    return taken


def utf16(text: str, offset: int) -> int:
    """An offset in code points as one in UTF-16 units, which is how a browser counts.

    >>> utf16("\\U0001d11e a", 2), utf16("abc", 2)
    (3, 2)
    """
    if text.isascii():
        return offset
    return offset + sum(ord(character) > _BMP for character in text[:offset])
