"""Plain windows of tokens: what a splitter that knows nothing of text does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tophit.splitting.encoded import EncodedText, encoded_texts
from tophit.splitting.pieces import Piece
from tophit.tokens import CL100K
from tophit.tokens import tokenizer as named


def split_texts(
    texts: Iterable[str], *, size: int, overlap: int = 0, tokenizer: str = CL100K
) -> Iterator[list[Piece]]:
    """Windows of `size` tokens, each beginning `size - overlap` tokens after the one before.

    A window that would end inside a character ends before it. Windows of white space are dropped.

    >>> [piece.text for piece in next(split_texts(["a b c d e"], size=3, overlap=1))]
    ['a b c', ' c d e']
    """
    if tokenizer == CL100K:
        return (_counted(each, size, overlap) for each in encoded_texts(texts))
    encoding = named(tokenizer)
    return (
        [Piece(text[start:end], start, end) for start, end in places]
        for text in texts
        for places in [_places(text, encoding.starts(text), size, overlap)]
    )


def _counted(encoded: EncodedText, size: int, overlap: int) -> list[Piece]:
    places = _places(encoded.text, encoded.starts(), size, overlap)
    return [
        Piece(encoded.text[start:end], start, end, encoded.count(start, end))
        for start, end in places
    ]


def _places(text: str, starts: list[int], size: int, overlap: int) -> list[tuple[int, int]]:
    last = len(starts) - 1  # starts ends with the length of the text
    firsts = range(0, max(last - overlap, min(last, 1)), size - overlap)
    places = [(starts[first], starts[min(first + size, last)]) for first in firsts]
    return [(start, end) for start, end in places if text[start:end].strip()]
