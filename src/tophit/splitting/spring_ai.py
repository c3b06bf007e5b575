"""Spring AI's `TokenTextSplitter`, window by window as the Java code does it.

Two of its habits matter for numbers and are kept: a window that ends inside a character holds
U+FFFD, and the cut text is encoded again to learn how many tokens to drop, so that after such a
character the next window may begin a few tokens off. Lengths and indexes are UTF-16 units, as
Java counts. What looks like a special token is ordinary text here; Java would throw.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from tophit.errors import UsageError
from tophit.splitting.pieces import Piece
from tophit.tokens import CL100K, CharacterBytes, Cl100k, cl100k

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
    [Piece(text='One. Two.', start=0, end=9), Piece(text='Three. Four', start=10, end=21)]
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
    encoding = cl100k()
    return (_split(text, rules, encoding) for text in texts)


def _split(text: str, rules: _Rules, encoding: Cl100k) -> list[Piece]:
    if not text.strip(_TRIMMED):
        return []
    tokens = encoding.encode(text)
    begins = [0, *encoding.byte_ends(tokens).tolist()]
    source = _Source(text)
    pieces: list[Piece] = []
    at = windows = 0
    while at < len(tokens) and windows < rules.max_num_chunks:
        window = tokens[at : at + rules.size]
        chunk = encoding.decode(window)
        if not chunk.strip(_TRIMMED):
            at += len(window)
            continue
        if rules.last_window == "cut" or len(tokens) - at > rules.size:
            chunk = _cut(chunk, rules)
        _keep(pieces, source.piece(chunk, begins[at], fold=not rules.keep_separator), rules)
        at += len(encoding.encode(chunk))
        windows += 1
    if at < len(tokens):
        rest = encoding.decode(tokens[at:])
        _keep(pieces, source.piece(rest, begins[at], fold=True), rules)
    return pieces


def _cut(chunk: str, rules: _Rules) -> str:
    last = max((chunk.rfind(mark) for mark in rules.punctuation), default=-1)
    if last < 0 or _utf16_length(chunk[:last]) <= rules.min_chunk_size_chars:
        return chunk
    return chunk[: last + 1]


def _keep(pieces: list[Piece], piece: Piece, rules: _Rules) -> None:
    if _utf16_length(piece.text) > rules.min_chunk_length_to_embed:
        pieces.append(piece)


def _utf16_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


class _Source:
    """The document: a window stands where its first token does, at a known byte."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._bytes = None if text.isascii() else CharacterBytes(text)

    def piece(self, chunk: str, first_byte: int, *, fold: bool) -> Piece:
        """The trimmed chunk and its place; no place where it holds half a character."""
        shown = chunk.replace(_LINE_SEPARATOR, " ") if fold else chunk
        begin = first_byte if self._bytes is None else self._bytes.exact(first_byte)
        text = shown.strip(_TRIMMED)
        if begin is None:
            return Piece(text, None, None)
        start = begin + len(shown) - len(shown.lstrip(_TRIMMED))
        end = start + len(text)
        found = self._text[start:end]
        verbatim = (found.replace(_LINE_SEPARATOR, " ") if fold else found) == text
        return Piece(text, start, end) if verbatim else Piece(text, None, None)
