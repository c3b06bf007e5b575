"""The table of splitters. A new one is a small module and an entry here.

A splitter is a function `split_texts(texts, *, size, overlap, tokenizer, **options)` in the module
named, loaded when it is needed, that yields a list of `Piece` for each text, in order; its further
keyword parameters are its options. Splitters of other people are opened by `own.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tophit.errors import UsageError, unknown

if TYPE_CHECKING:
    from tophit.splitting.pieces import Piece


@dataclass(frozen=True, kw_only=True)
class Splitter:
    """One way to split: its name, what it does in a line, and the function that does it.

    `options` are its own, with their defaults. `sized`: it makes chunks of the size that it is
    told; an object of a framework was told before.
    """

    name: str
    summary: str
    function: str | Callable[..., Iterator[list[Piece]]]
    options: Mapping[str, Any] = field(default_factory=dict)
    overlaps: bool = True
    sized: bool = True
    extra: str = "bench"

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
        function = self.function
        if isinstance(function, str):
            module, _, name = function.partition(":")
            function = getattr(import_module(f"tophit.splitting.{module}"), name)
        return function(texts, size=size, overlap=overlap, tokenizer=tokenizer, **options)

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
            function="spring_ai:split_texts",
            options={
                "min_chunk_size_chars": 350, "min_chunk_length_to_embed": 5,
                "max_num_chunks": 10_000, "keep_separator": True, "punctuation": ".?!\n",
                "last_window": "keep",
            },
            overlaps=False,
        ),
        Splitter(
            name="recursive",
            summary="the largest of paragraphs, sentences, words that fit (semantic-text-splitter)",
            function="recursive:split_texts",
            options={"trim": True},
        ),
        Splitter(
            name="markdown",
            summary="as recursive, but Markdown's headings, lists and blocks come first",
            function="recursive:split_markdown",
            options={"trim": True},
        ),
        Splitter(
            name="sentence",
            summary="whole sentences, as many as fit",
            function="sentence:split_texts",
        ),
        Splitter(
            name="tokens",
            summary="plain windows of tokens, wherever they end",
            function="windows:split_texts",
        ),
    )
}  # fmt: skip


def open_splitter(given: Any, *, name: str | None = None) -> Splitter:
    """A splitter of the table, PACKAGE.MODULE:NAME, a function, or an object of a framework.

    Errors: `UsageError` for what is none.

    >>> open_splitter("recursive").overlaps, open_splitter(lambda text: [text]).sized
    (True, False)
    """
    from tophit.imports import is_name, named_object
    from tophit.splitting import own

    if isinstance(given, Splitter):
        return given
    if isinstance(given, str) and not is_name(given):
        if given not in SPLITTERS:
            raise unknown("splitter", given, [*SPLITTERS, "PACKAGE.MODULE:NAME"])
        return SPLITTERS[given]
    found = named_object(given) if isinstance(given, str) else given
    called = getattr(found, "__name__", None) or type(found).__name__
    return Splitter(
        name=name or called.strip("<>"),
        summary="a splitter of your own",
        function=own.function_of(found),
        overlaps=own.takes_overlap(found),
        sized=own.takes_size(found),
    )
