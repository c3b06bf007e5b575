"""Files and folders to `Documents`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from tophit.documents.convert import UnreadableDocumentError
from tophit.documents.kinds import BY_SUFFIX, KINDS, KNOWN_SUFFIXES
from tophit.errors import DataWarning, Fault, InputError, MissingExtraError, UsageError
from tophit.relations import DOC, TEXT

__all__ = ["KINDS", "Documents", "as_documents", "documents_from_texts", "read_documents"]

_SHOWN = 3


@dataclass(frozen=True, kw_only=True)
class Documents:
    """The documents that were read, and the files that were not.

    `frame` has `doc_id` (path below the folder, with `/`) and `text`, a row a document, in the
    order of the ids. `skipped` has the name and the reason of every file that was left out.
    Offsets into a document are code points of `text`, counted after a byte-order mark.

    >>> documents_from_texts({"a.md": "# A"}).frame.rows()
    [('a.md', '# A')]
    """

    frame: pl.DataFrame
    skipped: tuple[tuple[str, str], ...] = ()
    warnings: tuple[DataWarning, ...] = ()
    source: str = "documents"

    def __len__(self) -> int:
        """How many documents there are."""
        return self.frame.height


def read_documents(path: str | os.PathLike[str]) -> Documents:
    """Read a file, or every document in a folder and the folders below it.

    Text and Markdown are read as UTF-8 exactly (line ends kept, a byte-order mark dropped); HTML,
    PDF and DOCX are converted (extra `documents`). Hidden files and folders are ignored. Files that
    are empty, binary, wrongly encoded, corrupt or of another kind are skipped, each with its
    reason, and counted in a warning.
    Errors: `InputError` where the path does not exist or nothing in it can be read;
    `MissingExtraError` where nothing can be read for want of a converter.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.md").write_text("# A")
    >>> _ = (folder / "b.bin").write_bytes(bytes(4))
    >>> documents = read_documents(folder)
    >>> documents.frame[DOC].to_list(), documents.skipped
    (['a.md'], (('b.bin', 'not a known kind of document'),))
    """
    root = Path(path)
    if not root.exists():
        raise InputError(Fault(file=str(path), expected="a file or a folder", found="nothing"))
    if not root.is_dir():
        return _read_file(root)
    texts: dict[str, str] = {}
    skipped: list[tuple[str, str]] = []
    missing: MissingExtraError | None = None
    for name, file in _files(root):
        try:
            texts[name] = _text(file)
        except UnreadableDocumentError as error:
            skipped.append((name, str(error)))
        except MissingExtraError as error:
            skipped.append((name, str(error)))
            missing = error
    if not texts:
        raise missing or _nothing_read(root, skipped)
    return Documents(
        frame=_frame(texts), skipped=tuple(skipped), warnings=_warnings(skipped), source=str(path)
    )


def documents_from_texts(texts: Mapping[str, str], *, source: str = "documents") -> Documents:
    """Documents from Python: id to text.

    Errors: `UsageError` for texts that are not `str`, or hold lone surrogates.

    >>> documents_from_texts({"a": "one", "b": "two"}).frame.height
    2
    """
    for doc, text in texts.items():
        if not isinstance(text, str):
            raise UsageError(f"document {doc!r}: expected text, found {type(text).__name__}")
        if not _encodable(text):
            raise UsageError(f"document {doc!r}: half of a surrogate pair is not text")
    return Documents(frame=_frame({str(doc): text for doc, text in texts.items()}), source=source)


def as_documents(documents: object) -> Documents:
    """`Documents` from a path, a mapping of id to text, a frame of `doc_id, text`, or themselves.

    Errors: `UsageError` for anything else, `InputError` as `read_documents`.

    >>> len(as_documents({"a": "one"}))
    1
    """
    if isinstance(documents, Documents):
        return documents
    if isinstance(documents, str | os.PathLike):
        return read_documents(documents)
    if isinstance(documents, Mapping):
        return documents_from_texts(documents)
    return documents_from_texts(_from_frame(documents), source="data frame")


def _from_frame(frame: Any) -> dict[str, str]:
    import narwhals as nw

    try:
        native = nw.from_native(frame, pass_through=False)
    except TypeError:
        kind = type(frame).__name__
        raise UsageError(
            f"documents: expected a path, a data frame or id to text, found {kind}"
        ) from None
    eager = native.collect() if isinstance(native, nw.LazyFrame) else native
    if absent := [name for name in (DOC, TEXT) if name not in eager.columns]:
        raise UsageError(f"documents: the frame has no column {' and '.join(absent)}")
    pairs = list(zip(eager[DOC].to_list(), eager[TEXT].to_list(), strict=True))
    texts = {str(doc): text for doc, text in pairs}
    if len(texts) != len(pairs):
        raise UsageError(f"documents: {len(pairs) - len(texts)} rows repeat a {DOC}")
    return texts


def _read_file(file: Path) -> Documents:
    try:
        text = _text(file, named=True)
    except UnreadableDocumentError as error:
        fault = Fault(file=str(file), expected="a readable document", found=str(error))
        raise InputError(fault) from None
    return Documents(frame=_frame({file.name: text}), source=str(file))


def _text(file: Path, *, named: bool = False) -> str:
    """The text of a file; one that the user named may have any ending and is then plain text."""
    kind = BY_SUFFIX.get(file.suffix.lower(), BY_SUFFIX[""] if named else None)
    if kind is None:
        raise UnreadableDocumentError("not a known kind of document")
    if not file.is_file():
        raise UnreadableDocumentError("not a regular file")
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise UnreadableDocumentError(error.strerror or type(error).__name__) from None
    text = kind.read(raw)
    if not text.strip():
        raise UnreadableDocumentError("empty")
    return text


def _files(root: Path) -> Iterator[tuple[str, Path]]:
    """Every file below `root` with its id, hidden ones left out, in the order of the ids."""
    found: list[tuple[str, Path]] = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if not name.startswith("."):
                file = Path(folder, name)
                found.append((_printable(file.relative_to(root).as_posix()), file))
    return iter(sorted(found))


def _printable(name: str) -> str:
    """A file name that is not UTF-8 keeps its odd bytes as backslash escapes."""
    return name if _encodable(name) else name.encode("utf-8", "backslashreplace").decode()


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _frame(texts: Mapping[str, str]) -> pl.DataFrame:
    schema = {DOC: pl.String, TEXT: pl.String}
    return pl.DataFrame({DOC: list(texts), TEXT: list(texts.values())}, schema=schema)


def _warnings(skipped: list[tuple[str, str]]) -> tuple[DataWarning, ...]:
    if not skipped:
        return ()
    count = len(skipped)
    message = f"{count} file{'s were' if count > 1 else ' was'} skipped: {_listed(skipped)}"
    return (DataWarning(code="documents_skipped", count=count, message=message),)


def _nothing_read(root: Path, skipped: list[tuple[str, str]]) -> InputError:
    found = f"{len(skipped)} that cannot be read: {_listed(skipped)}" if skipped else "no files"
    fault = Fault(file=str(root), expected="at least one document", found=found)
    return InputError(fault, hint=f"documents end in {' '.join(KNOWN_SUFFIXES)}")


def _listed(skipped: list[tuple[str, str]]) -> str:
    shown = "; ".join(f"{name} ({reason})" for name, reason in skipped[:_SHOWN])
    return f"{shown}; ..." if len(skipped) > _SHOWN else shown
