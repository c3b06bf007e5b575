"""The splitters of the package semantic-text-splitter; its tokenizer is inside its wheel.

A chunk is as many neighbouring units of the highest level as fit: for text runs of line ends, then
sentences, words, characters (UAX #29); for Markdown headings, blocks, list items first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tophit.errors import import_extra
from tophit.splitting.pieces import Piece
from tophit.tokens import CL100K, json_tokenizer

_CL100K_MODEL = "gpt-4"  # the library names encodings by their models


def split_texts(
    texts: Iterable[str], *, size: int, overlap: int = 0, tokenizer: str = CL100K, trim: bool = True
) -> Iterator[list[Piece]]:
    """Chunks of at most `size` tokens that share up to `overlap` tokens with the one before.

    `trim=False` keeps white space at the ends of the chunks.

    >>> list(split_texts(["One two. Three four.\\n\\nFive six."], size=8))[0]
    [Piece(text='One two. Three four.', start=0, end=20), Piece(text='Five six.', start=22, end=31)]
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
    splitter = _splitter(getattr(package, kind), size, overlap, tokenizer, trim)
    for text in texts:
        found = splitter.chunk_indices(text)
        yield [Piece(piece, start, start + len(piece)) for start, piece in found]


def _splitter(kind: Any, size: int, overlap: int, tokenizer: str, trim: bool) -> Any:
    if tokenizer == CL100K:
        return kind.from_tiktoken_model(_CL100K_MODEL, size, overlap, trim)
    engine = json_tokenizer(tokenizer).engine
    return kind.from_huggingface_tokenizer(engine, size, overlap, trim)
