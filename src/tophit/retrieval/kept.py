"""Folders of indexes that are kept: used again for the same content, built again when damaged.

A marker names what the index is of and the digest of every file in it, so that an index that lost
or changed a byte is never searched.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path

from tophit.errors import UsageError
from tophit.formats.writing.folders import whole_folder

_MARKER = "tophit-index.json"
_PASSING = (".lock",)  # what a library leaves while the index is open


@contextlib.contextmanager
def kept_folder(folder: Path, of: str, build: Callable[[Path], None]) -> Iterator[Path]:
    """The folder with the index of `of`, built by `build` unless it is there and whole.

    Errors: `UsageError` for a folder that holds something else; `OutputError`.
    """
    kept = _marker(folder)
    if kept is None and folder.exists() and not _is_empty(folder):
        raise UsageError(f"{folder} is there and is not an index of tophit; name another folder")
    if kept != {"of": of, "files": _digests(folder)}:
        with whole_folder(folder) as building:
            build(building)
            marker = {"of": of, "files": _digests(building)}
            (building / _MARKER).write_text(json.dumps(marker) + "\n")
    yield folder


def index_bytes(folder: Path) -> int:
    """How many bytes the files of a folder take.

    >>> index_bytes(Path("nowhere"))
    0
    """
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _marker(folder: Path) -> dict[str, object] | None:
    """What the marker says; {} where it is damaged, None where there is none."""
    path = folder / _MARKER
    if not path.is_file():
        return None
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _digests(folder: Path) -> dict[str, str]:
    if not folder.is_dir():
        return {}
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {
        path.relative_to(folder).as_posix(): _digest(path)
        for path in files
        if path.name != _MARKER and path.suffix not in _PASSING
    }


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()[:32]


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and next(folder.iterdir(), None) is None
