"""Spring AI's `TokenTextSplitter`, window by window as the Java code does it.

Two of its habits matter for numbers and are kept: a window that ends inside a character holds
U+FFFD, and the cut text is encoded again to learn how many tokens to drop, so that after such a
character the next window may begin a few tokens off. Lengths and indexes are UTF-16 units, as
Java counts. What looks like a special token is ordinary text here; Java would throw.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from tophit.errors import UsageError
from tophit.splitting.encoded import EncodedText, encoded_texts
from tophit.splitting.pieces import Piece
from tophit.tokens import CL100K, cl100k

LastWindow = Literal["keep", "cut"]
_TRIMMED = "".join(map(chr, range(0x21)))  # what Java's String.trim drops
_LINE_SEPARATOR = "\n"  # System.lineSeparator() wherever such an application is deployed


@dataclass(frozen=True, kw_only=True)
class _Rules:
    size: int
    min_chunk_size_chars: int
    min_chunk_length_to_embed: int
    max_num_chunks: int
    keep_separator: bool
    punctuation: str
    last_window: LastWindow


def split_texts(
    texts: Iterable[str],
    *,
    size: int,
    overlap: int = 0,
    tokenizer: str = CL100K,
    min_chunk_size_chars: int = 350,
    min_chunk_length_to_embed: int = 5,
    max_num_chunks: int = 10_000,
    keep_separator: bool = True,
    punctuation: str = ".?!\n",
    last_window: LastWindow = "keep",
) -> Iterator[list[Piece]]:
    """The chunks of each text, as `TokenTextSplitter` makes them. `size` is its `chunkSize`.

    A window is cut after its last `punctuation` mark if that stands beyond `min_chunk_size_chars`.
    `last_window="cut"` cuts the last one too, as releases before 1.1.x did (their issue 4981).
    `keep_separator=False` turns line ends into spaces. Chunks of at most
    `min_chunk_length_to_embed` units are dropped. What is left after `max_num_chunks` windows
    becomes one last chunk. `overlap` and `tokenizer` are not Spring AI's: the encoding is cl100k.

    >>> list(split_texts(["One. Two. Three. Four"], size=5, min_chunk_size_chars=0))[0]
    [Piece(text='One. Two.', start=0, end=9, tokens=4),
     Piece(text='Three. Four', start=10, end=21, tokens=3)]
    """
    if last_window not in get_args(LastWindow):
        raise UsageError(f"last_window must be 'keep' or 'cut', not {last_window!r}")
    rules = _Rules(
        size=size,
        min_chunk_size_chars=min_chunk_size_chars,
        min_chunk_length_to_embed=min_chunk_length_to_embed,
        max_num_chunks=max_num_chunks,
        keep_separator=keep_separator,
        punctuation=punctuation,
        last_window=last_window,
    )
    sources = map(_Source, encoded_texts(texts))
    return (_split(source, rules, counts=tokenizer == CL100K) for source in sources)


def _split(source: _Source, rules: _Rules, *, counts: bool) -> list[Piece]:
    if not source.text.strip(_TRIMMED):
        return []
    last = len(source.encoded.tokens)
    pieces: list[Piece] = []
    at = windows = 0
    while at < last and windows < rules.max_num_chunks:
        window = source.window(at, min(at + rules.size, last))
        if not window.text.strip(_TRIMMED):
            at = min(at + rules.size, last)
            continue
        if rules.last_window == "cut" or last - at > rules.size:
            window = window.cut(rules)
        _keep(pieces, source.piece(window, fold=not rules.keep_separator), rules)
        at += source.count(window)
        windows += 1
    if at < last:
        _keep(pieces, source.piece(source.window(at, last), fold=True), rules)
    return pieces if counts else [piece._replace(tokens=None) for piece in pieces]


def _keep(pieces: list[Piece], piece: Piece, rules: _Rules) -> None:
    if _utf16_length(piece.text) > rules.min_chunk_length_to_embed:
        pieces.append(piece)


def _utf16_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


class _Window(NamedTuple):
    """Decoded tokens, and the character at which they begin; None where that is inside one."""

    text: str
    start: int | None

    def cut(self, rules: _Rules) -> _Window:
        """Up to its last mark, if that stands far enough."""
        last = max((self.text.rfind(mark) for mark in rules.punctuation), default=-1)
        if last < 0 or _utf16_length(self.text[:last]) <= rules.min_chunk_size_chars:
            return self
        return _Window(self.text[: last + 1], self.start)


class _Source:
    """The document: a window stands where its first token does, at a known character."""

    def __init__(self, encoded: EncodedText) -> None:
        self.text = encoded.text
        self.encoded = encoded
        self._encoding = cl100k()

    def window(self, first: int, last: int) -> _Window:
        """The tokens from `first` to before `last`."""
        start, end = self.encoded.exact(first), self.encoded.exact(last)
        if start is None or end is None:
            return _Window(self._encoding.decode(self.encoded.tokens[first:last]), start)
        return _Window(self.text[start:end], start)

    def count(self, window: _Window) -> int:
        """How many tokens a window is, encoded again."""
        return self._count(window.text, window.start)

    def piece(self, window: _Window, *, fold: bool) -> Piece:
        """The trimmed chunk and its place; no place where it holds half a character."""
        shown = window.text.replace(_LINE_SEPARATOR, " ") if fold else window.text
        text = shown.strip(_TRIMMED)
        if window.start is None:
            return Piece(text, None, None, self._count(text, None))
        start = window.start + len(shown) - len(shown.lstrip(_TRIMMED))
        end = start + len(text)
        found = self.text[start:end]
        verbatim = (found.replace(_LINE_SEPARATOR, " ") if fold else found) == text
        tokens = self._count(text, start)
        return Piece(text, start, end, tokens) if verbatim else Piece(text, None, None, tokens)

    def _count(self, text: str, start: int | None) -> int:
        if start is not None and self.text.startswith(text, start):
            return self.encoded.count(start, start + len(text))
        return len(self._encoding.encode(text))
