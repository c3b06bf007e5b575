"""Whole sentences: as many neighbours as fit, so that no chunk begins or ends inside one."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import pairwise

import regex

from tophit.splitting.encoded import encoded_texts
from tophit.splitting.pieces import Piece
from tophit.tokens import CL100K
from tophit.tokens import tokenizer as named

# A mark with the quotes and brackets that close behind it, and a blank; marks of scripts without
# blanks end alone; so does a blank line.
_END = regex.compile(
    r"""[.!?…]+["'”’)\]]*(?=\s)|[。！？｡]+["'”’）」』]*|[।॥؟]+(?=\s|$)|\n\s*\n""", regex.VERSION1
)
Count = Callable[[int, int], int]


def split_texts(
    texts: Iterable[str], *, size: int, overlap: int = 0, tokenizer: str = CL100K
) -> Iterator[list[Piece]]:
    """Chunks of whole sentences, of at most `size` tokens; a longer sentence is cut by tokens.

    `overlap` repeats the last sentences of the chunk before that fit into so many tokens.

    >>> [piece.text for piece in next(split_texts(["One two. Three four! Five."], size=6))]
    ['One two. Three four!', 'Five.']
    """
    if tokenizer == CL100K:
        for encoded in encoded_texts(texts):
            yield _pieces(encoded.text, encoded.starts(), encoded.count, size, overlap)
        return
    encoding = named(tokenizer)
    for text in texts:
        starts = encoding.starts(text)
        yield _pieces(text, starts, partial(_between, starts), size, overlap)


def _between(starts: list[int], begin: int, end: int) -> int:
    return bisect_left(starts, end, hi=len(starts) - 1) - bisect_left(starts, begin)


def _pieces(
    text: str, starts: list[int], count: Count, size: int, overlap: int
) -> list[Piece]:  # fmt: skip
    sentences = _sentences(text, starts, size, count)
    chunks: list[tuple[int, int]] = []
    first = 0
    while first < len(sentences):
        last = first + 1
        while last < len(sentences) and count(sentences[first][0], sentences[last][1]) <= size:
            last += 1
        chunks.append((sentences[first][0], sentences[last - 1][1]))
        if last == len(sentences):
            break
        following = last
        while (
            following - 1 > first and count(sentences[following - 1][0], chunks[-1][1]) <= overlap
        ):
            following -= 1
        first = following
    return [Piece(text[begin:end], begin, end) for begin, end in chunks]


def _sentences(
    text: str, starts: list[int], size: int, count: Count
) -> list[tuple[int, int]]:  # fmt: skip
    """Where each sentence stands, without the blanks around it; long ones in parts."""
    bounds = [0, *(match.end() for match in _END.finditer(text)), len(text)]
    found: list[tuple[int, int]] = []
    for begin, end in pairwise(bounds):
        sentence = text[begin:end]
        begin += len(sentence) - len(sentence.lstrip())
        end = begin + len(sentence.strip())
        while begin < end and count(begin, end) > size:
            cut = starts[bisect_left(starts, begin) + size]
            while count(begin, cut) > size:  # alone, a piece may have a token more
                cut = starts[bisect_left(starts, cut) - 1]
            found.append((begin, cut))
            begin = cut
        if begin < end:
            found.append((begin, end))
    return found
