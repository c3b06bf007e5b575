"""Plain windows of tokens: what a splitter that knows nothing of text does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tophit.splitting.pieces import Piece
from tophit.tokens import CL100K, Tokenizer
from tophit.tokens import tokenizer as named


def split_texts(
    texts: Iterable[str], *, size: int, overlap: int = 0, tokenizer: str = CL100K
) -> Iterator[list[Piece]]:
    """Windows of `size` tokens, each beginning `size - overlap` tokens after the one before.

    A window that would end inside a character ends before it. Windows of white space are dropped.

    >>> [piece.text for piece in next(split_texts(["a b c d e"], size=3, overlap=1))]
    ['a b c', ' c d e']
    """
    encoding = named(tokenizer)
    return (_split(text, size, overlap, encoding) for text in texts)


def _split(text: str, size: int, overlap: int, encoding: Tokenizer) -> list[Piece]:
    starts = encoding.starts(text)
    last = len(starts) - 1  # starts ends with the length of the text
    pieces = []
    for first in range(0, max(last - overlap, min(last, 1)), size - overlap):
        start, end = starts[first], starts[min(first + size, last)]
        if piece := text[start:end]:
            pieces.append(Piece(piece, start, end))
    return [piece for piece in pieces if piece.text.strip()]
