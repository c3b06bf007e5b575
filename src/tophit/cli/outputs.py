"""Files that a command writes besides what it prints; `-` is standard output."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tophit.cli.help import option
from tophit.cli.inputs import STDIO
from tophit.cli.options import OUTPUTS
from tophit.errors import OutputError, UsageError

if TYPE_CHECKING:
    import polars as pl

SUFFIX = "_file"


def output_option(name: str, text: str) -> Callable[[Any], Any]:
    """An option that names a file to write."""
    return option(name, _parameter(name), metavar="FILE", group=OUTPUTS, help=text)


def _parameter(name: str) -> str:
    return name.lstrip("-").replace("-", "_") + SUFFIX


@dataclass(frozen=True)
class Outputs:
    """The files that were asked for, by option, refused before any work is done."""

    files: dict[str, str]

    @classmethod
    def taken_from(cls, options: dict[str, Any], *, tables: Sequence[str] = ()) -> Outputs:
        """Take the options made by `output_option` out of `options`; `tables` go by their ending.

        Errors: `UsageError` where two name the same file, or a table has an unknown ending;
        `OutputError` where one cannot be written.
        """
        from tophit.formats import check_writable
        from tophit.report.frames import check_ending

        files: dict[str, str] = {}
        for parameter in [name for name in options if name.endswith(SUFFIX)]:
            name = "--" + parameter.removesuffix(SUFFIX).replace("_", "-")
            file = options.pop(parameter)
            if file is None:
                continue
            if other := [known for known, path in files.items() if path == file]:
                where = "standard output (-)" if file == STDIO else file
                raise UsageError(f"{other[0]} and {name} both write to {where}")
            if name in tables:
                check_ending(file)
            check_writable(file)
            files[name] = file
        return cls(files)

    @property
    def leave_screen_free(self) -> bool:
        """Whether nothing else goes to standard output."""
        return STDIO not in self.files.values()

    def write_text(self, name: str, make: Callable[[], str]) -> None:
        """Write a text, if it was asked for."""
        if name in self.files:
            write_text(self.files[name], make())

    def write_parts(self, name: str, make: Callable[[], Iterable[str]]) -> None:
        """Write a text that comes in parts, if it was asked for; it is never held whole."""
        if name in self.files:
            write_parts(self.files[name], make())

    def write_frame(self, name: str, make: Callable[[], pl.DataFrame]) -> None:
        """Write a table, if it was asked for."""
        from tophit.report.frames import write_frame

        if name in self.files:
            write_frame(make(), self.files[name])


def write_text(path: str, text: str) -> None:
    """Write a file whole or not at all; GitHub's step summary is added to, as it wants it."""
    write_parts(path, [text])


def write_parts(path: str, parts: Iterable[str]) -> None:
    """As `write_text`, of a text in parts."""
    from tophit.formats import atomic_write

    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary and path == summary:
        try:
            with Path(path).open("a", encoding="utf-8", newline="\n") as file:
                file.writelines(parts)
                file.write("\n")
        except OSError as error:
            raise OutputError(f"cannot write {path}: {error.strerror}") from error
        return
    with atomic_write(path) as stream:
        for part in parts:
            stream.write(part)
