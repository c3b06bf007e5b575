"""Opening and writing files: compression, byte-order marks, standard streams, whole-file writes."""

from __future__ import annotations

import contextlib
import errno
import gzip
import io
import os
import re
import secrets
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import IO, Any, BinaryIO, Literal, TextIO, TypeVar, cast, overload

from tophit.choices import ENDINGS
from tophit.errors import Fault, InputError, OutputError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

StrPath = str | os.PathLike[str]
T = TypeVar("T")

STDIO = "-"
BOM = b"\xef\xbb\xbf"
_GZIP_MAGIC = b"\x1f\x8b"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
HEAD_BYTES = 1 << 16
LONE_RETURN = re.compile(rb"\r(?!\n)")
LINE_ENDS = re.compile("\r\n?|[\f\v]")
_SUFFIXES = (".gz", ".zst")


class Source:
    """One input: how messages name it, its bytes, and what they parse to, each read once.

    `path` is a file, a folder, or `-` for standard input. Compression is recognised by content
    (gzip and Zstandard), whatever the name. A UTF-8 byte-order mark is dropped.

    Errors: `InputError` for a path that does not exist, a file of zero bytes, a file that cannot
    be read or decompressed, and (from `data`, `head`, `text`) a folder where a file was expected.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "run.txt"
    >>> _ = path.write_bytes(BOM + b"q1 Q0 d1 1 0.5 t")
    >>> source = Source(path)
    >>> source.stem, source.data
    ('run', b'q1 Q0 d1 1 0.5 t')
    """

    def __init__(self, path: StrPath) -> None:
        self.is_stdin = os.fspath(path) == STDIO
        self.path = Path(path)
        self.name = "standard input" if self.is_stdin else os.fspath(path)
        self._once: dict[str, Any] = {}
        if not self.is_stdin and not self.path.exists():
            raise self.error("a file", "no such file")

    def error(self, expected: str, found: str, *, line: int | None = None) -> InputError:
        """The error for this input as a whole, or for one of its lines."""
        return InputError(Fault(file=self.name, line=line, expected=expected, found=found))

    def once(self, key: str, make: Callable[[Source], T]) -> T:
        """`make(self)`, remembered under `key`: recognising and reading parse a file once."""
        if key not in self._once:
            self._once[key] = make(self)
        return cast("T", self._once[key])

    @property
    def is_folder(self) -> bool:
        """Whether the input is a folder."""
        return not self.is_stdin and self.path.is_dir()

    @property
    def stem(self) -> str:
        """What the file is called without its endings: `out/bm25.run.gz` gives `bm25`."""
        return "stdin" if self.is_stdin else run_name(self.path)

    @property
    def suffix(self) -> str:
        """The lower-case ending below any compression: `questions.csv.gz` gives `.csv`."""
        return "" if self.is_stdin else Path(plain_name(self.path)).suffix.lower()

    @cached_property
    def head(self) -> bytes:
        """The first 64 KiB, decompressed, without reading the rest of a file."""
        if not self._can_reopen or "data" in self.__dict__:
            return self.data[:HEAD_BYTES]
        with self._reading(), self._open() as stream:
            return self._filled(_read_some(stream))

    @cached_property
    def data(self) -> bytes:
        """All bytes, decompressed, without a byte-order mark."""
        if self.is_stdin:
            raw = sys.stdin.buffer.read()
            with self._reading():
                data = _decompressed(raw)
        else:
            with self._reading(), self._open() as stream:
                data = stream.read()
        return self._filled(data)

    @cached_property
    def text(self) -> str:
        """All text. Errors: `InputError` with the line where the bytes are not UTF-8."""
        try:
            return self.data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = self.data.count(b"\n", 0, error.start) + 1
            byte = self.data[error.start]
            raise self.error("UTF-8 text", f"the byte 0x{byte:02X}", line=line) from None

    @cached_property
    def line_text(self) -> str:
        """All text with one mark, `\\n`, at every line's end, for files of one record a line."""
        return LINE_ENDS.sub("\n", self.text)

    @property
    def mappable(self) -> Path | None:
        """The path, if the file's bytes can be used as they are (no compression, no mark)."""
        if self.is_stdin or not self.path.is_file():
            return None
        with self._reading(), self.path.open("rb") as stream:
            start = stream.read(4)
        packed = start.startswith((_GZIP_MAGIC, _ZSTD_MAGIC, BOM))
        return None if packed or not start else self.path

    @property
    def _can_reopen(self) -> bool:
        return self.is_folder or (self.path.is_file() and not self.is_stdin)

    @contextlib.contextmanager
    def _open(self) -> Iterator[IO[bytes]]:
        if self.is_folder:
            raise self.error("a file", "a folder")
        with self.path.open("rb") as raw:
            start = raw.read(4)
            whole: IO[bytes] = raw
            if raw.seekable():
                raw.seek(0)
            else:
                # A pipe cannot go back, so what was read is put in front again.
                whole = io.BytesIO(start + raw.read())
            if start.startswith(_GZIP_MAGIC):
                with gzip.open(whole, "rb") as stream:
                    yield cast("IO[bytes]", stream)
            elif start.startswith(_ZSTD_MAGIC):
                with zstd.open(whole, "rb") as packed:
                    yield cast("IO[bytes]", packed)
            else:
                yield whole

    def _filled(self, data: bytes) -> bytes:
        data = data[len(BOM) :] if data.startswith(BOM) else data
        if not data:
            raise self.error("data", "a file of zero bytes")
        if data.startswith(_UTF_16):
            raise self.error("UTF-8 text", "UTF-16 text")
        return data

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except (gzip.BadGzipFile, EOFError, zlib.error, zstd.ZstdError) as error:
            raise self.error("a whole compressed file", f"damaged data ({error})") from error
        except OSError as error:
            raise self.error("a readable file", error.strerror or str(error)) from error


def plain_name(path: Path) -> str:
    """The file's name without `.gz` or `.zst`.

    >>> plain_name(Path("out/run.trec.gz"))
    'run.trec'
    """
    name = path.name
    return name[: -len(path.suffix)] if path.suffix.lower() in _SUFFIXES else name


def run_name(path: StrPath) -> str:
    """What a run is called by its file: the name without the endings that are known.

    >>> run_name("out/v1.2.jsonl.gz"), run_name("bm25.run.txt"), run_name("a/v1.2")
    ('v1.2', 'bm25', 'v1.2')
    """
    name = plain_name(Path(path))
    while (ending := Path(name).suffix) and ending.lower() in ENDINGS:
        name = name[: -len(ending)]
    return name or "run"


def _read_some(stream: IO[bytes]) -> bytes:
    parts, size = [], 0
    while size < HEAD_BYTES and (part := stream.read(HEAD_BYTES - size)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def _decompressed(data: bytes) -> bytes:
    if data.startswith(_GZIP_MAGIC):
        return gzip.decompress(data)
    if data.startswith(_ZSTD_MAGIC):
        return zstd.decompress(data)
    return data


@overload
def atomic_write(
    path: StrPath, *, binary: Literal[False] = False
) -> contextlib.AbstractContextManager[TextIO]: ...
@overload
def atomic_write(
    path: StrPath, *, binary: Literal[True]
) -> contextlib.AbstractContextManager[BinaryIO]: ...
def atomic_write(path: StrPath, *, binary: bool = False) -> contextlib.AbstractContextManager[Any]:
    """Write a file whole or not at all: a temporary file beside it, renamed when the block ends.

    Text is UTF-8 with `\\n` at line ends. A name ending in `.gz` or `.zst` is compressed, with the
    same bytes every time. `-` is standard output. On any exception, an interrupt included, the
    temporary file is removed and what stood under `path` before stays as it was.

    Errors: `OutputError` naming the file when it cannot be written (no such folder, a full disk).

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "note.txt"
    >>> with atomic_write(path) as file:
    ...     _ = file.write("four chunks")
    >>> path.read_text()
    'four chunks'
    """
    return _written(path, binary=binary)


def check_writable(path: StrPath) -> None:
    """Refuse a file that cannot be written, before any work is done. Errors: `OutputError`.

    >>> check_writable("-")
    """
    if os.fspath(path) == STDIO:
        return
    file, folder = Path(path), Path(path).parent
    if file.is_dir():
        why = "it is a folder"
    elif not folder.is_dir():
        why = f"there is no folder {folder}"
    elif not os.access(file if file.exists() else folder, os.W_OK):
        why = "permission denied"
    else:
        return
    raise OutputError(f"cannot write {path}: {why}")


@contextlib.contextmanager
def _written(path: StrPath, *, binary: bool) -> Iterator[IO[Any]]:
    if os.fspath(path) == STDIO:
        with _standard_output(binary=binary) as stream:
            yield stream
        return
    target = Path(os.path.realpath(path))
    try:
        if target.exists() and not stat.S_ISREG(target.stat().st_mode):
            if target.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            with _stream(target, target, binary=binary) as stream:
                yield stream
            return
        temporary = target.with_name(f".tophit-{secrets.token_hex(8)}.tmp")
        try:
            with _stream(temporary, target, binary=binary) as stream:
                yield stream
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        if not _is_about(error, target):
            raise
        reason = error.strerror or str(error)
        raise OutputError(f"cannot write {os.fspath(path)}: {reason}") from error


def _is_about(error: OSError, target: Path) -> bool:
    """Whether an error comes from writing, and not from what the caller did in the block."""
    if isinstance(error, ConnectionError | TimeoutError):
        return False
    if error.filename is None:
        return True
    return Path(os.fsdecode(cast("StrPath", error.filename))).parent == target.parent


@contextlib.contextmanager
def _standard_output(*, binary: bool) -> Iterator[IO[Any]]:
    sys.stdout.flush()
    raw = getattr(sys.stdout, "buffer", None)
    if binary or raw is None:
        yield sys.stdout if raw is None else raw
        return
    # What the terminal is set to must not decide which bytes go into a pipe.
    stream = io.TextIOWrapper(raw, encoding="utf-8", newline="\n", write_through=True)
    try:
        yield stream
        stream.flush()
    finally:
        stream.detach()


@contextlib.contextmanager
def _stream(file: Path, target: Path, *, binary: bool) -> Iterator[IO[Any]]:
    with contextlib.ExitStack() as stack:
        stream: Any = stack.enter_context(file.open("wb"))
        suffix = target.suffix.lower()
        if suffix == ".gz":
            # No name and no time inside: the same input gives the same bytes.
            packed = gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0, compresslevel=6)
            stream = stack.enter_context(packed)
        elif suffix == ".zst":
            stream = stack.enter_context(zstd.open(stream, "wb"))
        if not binary:
            text = io.TextIOWrapper(stream, encoding="utf-8", newline="\n")
            stream = stack.enter_context(text)
        yield stream
