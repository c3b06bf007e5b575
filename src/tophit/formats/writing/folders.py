"""Folders written whole or not at all."""

from __future__ import annotations

import contextlib
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

from tophit.errors import OutputError


@contextlib.contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """A new folder to fill, beside `target`; when the block ends it takes the place of `target`.

    On any exception, an interrupt included, what was written is removed and `target` stays as it
    was. Folders above it are made. What `target` held before is gone, so ask first.
    Errors: `OutputError` when it cannot be written.

    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "out"
    >>> with whole_folder(target) as folder:
    ...     _ = (folder / "note.txt").write_text("four chunks")
    >>> [path.name for path in target.iterdir()], [path.name for path in target.parent.iterdir()]
    (['note.txt'], ['out'])
    """
    unique = secrets.token_hex(6)
    building = target.with_name(f".{target.name}.{unique}.tmp")
    former = target.with_name(f".{target.name}.{unique}.old")
    try:
        building.mkdir(parents=True)
        yield building
        if target.exists():
            target.rename(former)
        building.rename(target)
    except OSError as error:
        reason = error.strerror or str(error)
        raise OutputError(f"cannot write the folder {target}: {reason}") from error
    finally:
        shutil.rmtree(building, ignore_errors=True)
        if former.exists() and not target.exists():
            former.rename(target)
        shutil.rmtree(former, ignore_errors=True)
