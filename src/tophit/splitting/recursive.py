"""The splitters of the package semantic-text-splitter; its tokenizer is inside its wheel.

A chunk is as many neighbouring units of the highest level as fit: for text runs of line ends, then
sentences, words, characters (UAX #29); for Markdown headings, blocks, list items first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tophit.errors import import_extra
from tophit.splitting.encoded import EncodedText, encoded_texts
from tophit.splitting.pieces import Piece
from tophit.tokens import CL100K, cl100k, json_tokenizer

_SHORT = 256  # characters: encoding so few costs less than finding them
_NEAR = 8192


def split_texts(
    texts: Iterable[str], *, size: int, overlap: int = 0, tokenizer: str = CL100K, trim: bool = True
) -> Iterator[list[Piece]]:
    """Chunks of at most `size` tokens that share up to `overlap` tokens with the one before.

    `trim=False` keeps white space at the ends of the chunks.

    >>> list(split_texts(["One two. Three four.\\n\\nFive six."], size=8))[0]
    [Piece(text='One two. Three four.', start=0, end=20, tokens=6),
     Piece(text='Five six.', start=22, end=31, tokens=3)]
    """
    return _split("TextSplitter", texts, size, overlap, tokenizer, trim)


def split_markdown(
    texts: Iterable[str], *, size: int, overlap: int = 0, tokenizer: str = CL100K, trim: bool = True
) -> Iterator[list[Piece]]:
    """As `split_texts`, cutting first before headings, then between blocks and list items.

    >>> [piece.text for piece in next(split_markdown(["# A\\none\\n\\n# B\\ntwo"], size=5))]
    ['# A\\none', '# B\\ntwo']
    """
    return _split("MarkdownSplitter", texts, size, overlap, tokenizer, trim)


def _split(
    kind: str, texts: Iterable[str], size: int, overlap: int, tokenizer: str, trim: bool
) -> Iterator[list[Piece]]:
    package = import_extra(
        "semantic_text_splitter",
        extra="bench",
        purpose="Recursive splitting",
        package="semantic-text-splitter",
    )
    made = getattr(package, kind)
    if tokenizer == CL100K:
        return _by_encoding_once(made, texts, size, overlap, trim)
    engine = json_tokenizer(tokenizer).engine
    splitter = made.from_huggingface_tokenizer(engine, size, overlap, trim)
    return (
        [Piece(piece, start, start + len(piece)) for start, piece in splitter.chunk_indices(text)]
        for text in texts
    )


def _by_encoding_once(
    kind: Any, texts: Iterable[str], size: int, overlap: int, trim: bool
) -> Iterator[list[Piece]]:
    encode = cl100k().encode
    for encoded in encoded_texts(texts):
        sizes = _Sizes(encoded, encode, size)
        splitter = kind.from_callback(sizes.size, size, overlap, trim)
        found = splitter.chunk_indices(encoded.text)
        yield [_piece(encoded, piece, start) for start, piece in found]


def _piece(encoded: EncodedText, text: str, start: int) -> Piece:
    end = start + len(text)
    return Piece(text, start, end, encoded.count(start, end))


class _Sizes:
    """Tells the library how many tokens a piece is that it is thinking about.

    It asks about pieces of the text without saying where they stand, but goes forward through it.
    """

    def __init__(
        self, encoded: EncodedText, encode: Callable[[str], list[int]], capacity: int
    ) -> None:
        self._encoded = encoded
        self._encode = encode
        self._far_beyond = 4 * capacity + 100  # only smaller or larger than `size` is asked
        self._at = 0

    def size(self, piece: str) -> int:
        """The tokens of `piece`, or about so many where they are far too many."""
        if len(piece) < _SHORT:
            return len(self._encode(piece))
        text = self._encoded.text
        start = text.find(piece, max(0, self._at - _SHORT), self._at + len(piece) + _NEAR)
        if start < 0:
            start = text.find(piece)
        self._at = start
        about = self._encoded.about(start, start + len(piece))
        return about if about > self._far_beyond else self._encoded.count(start, start + len(piece))
