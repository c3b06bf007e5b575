"""The table of splitters. A new one is a small module and an entry here.

A splitter is a function `(texts, *, size, overlap, tokenizer, **options)` that yields a list of
`Piece` for each text, in order; its further keyword parameters are its options, with defaults.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tophit.errors import UsageError, unknown
from tophit.splitting import recursive, spring_ai, windows
from tophit.splitting.pieces import Piece

_COMMON = ("texts", "size", "overlap", "tokenizer")


@dataclass(frozen=True, kw_only=True)
class Splitter:
    """One way to split: its name, what it does in a line, and the function that does it."""

    name: str
    summary: str
    function: Callable[..., Iterator[list[Piece]]]
    overlaps: bool = True
    extra: str = "bench"

    @property
    def options(self) -> dict[str, Any]:
        """The splitter's own options and their defaults.

        >>> SPLITTERS["spring-ai"].options["min_chunk_size_chars"]
        350
        """
        parameters = inspect.signature(self.function).parameters.values()
        return {each.name: each.default for each in parameters if each.name not in _COMMON}

    def pieces(
        self, texts: Iterable[str], *, size: int, overlap: int, tokenizer: str, **options: Any
    ) -> Iterator[list[Piece]]:
        """The pieces of each text. Errors: `UsageError` for a size or an option that cannot be.

        >>> splitter = SPLITTERS["tokens"]
        >>> [pieces] = splitter.pieces(["a b c"], size=2, overlap=0, tokenizer="cl100k_base")
        >>> [(piece.text, piece.start, piece.end) for piece in pieces]
        [('a b', 0, 3), (' c', 3, 5)]
        """
        self.check(size=size, overlap=overlap)
        for option in options:
            if option not in self.options:
                raise unknown(f"option of the splitter {self.name!r}", option, list(self.options))
        return self.function(texts, size=size, overlap=overlap, tokenizer=tokenizer, **options)

    def check(self, *, size: int, overlap: int) -> None:
        """Refuse a size or an overlap that cannot be.

        >>> SPLITTERS["spring-ai"].check(size=800, overlap=10)
        Traceback (most recent call last):
        tophit.errors.UsageError: the splitter 'spring-ai' has no overlap; asked for 10
        """
        if size < 1:
            raise UsageError(f"a chunk's size must be at least 1 token, not {size}")
        if not 0 <= overlap < size:
            raise UsageError(f"the overlap must be from 0 to {size - 1} (size - 1), not {overlap}")
        if overlap and not self.overlaps:
            raise UsageError(f"the splitter {self.name!r} has no overlap; asked for {overlap}")


SPLITTERS: dict[str, Splitter] = {
    splitter.name: splitter
    for splitter in (
        Splitter(
            name="spring-ai",
            summary="Spring AI's TokenTextSplitter: token windows cut after the last mark",
            function=spring_ai.split_texts,
            overlaps=False,
        ),
        Splitter(
            name="recursive",
            summary="the largest of paragraphs, sentences, words that fit (semantic-text-splitter)",
            function=recursive.split_texts,
        ),
        Splitter(
            name="markdown",
            summary="as recursive, but Markdown's headings, lists and blocks come first",
            function=recursive.split_markdown,
        ),
        Splitter(
            name="tokens",
            summary="plain windows of tokens, wherever they end",
            function=windows.split_texts,
        ),
    )
}
