"""Files that a command writes besides what it prints; `-` is standard output."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from tophit.cli.inputs import STDIO
from tophit.errors import OutputError, UsageError

Writer = Callable[[str], None]


def write_outputs(wanted: Mapping[str, tuple[str | None, Writer]]) -> bool:
    """Write every file that was asked for; returns whether standard output is still free.

    `wanted` is option -> (file or None, the function that writes it).
    Errors: `UsageError` when two options name the same file, before anything is written.
    """
    files: dict[str, str] = {}
    for option, (file, _) in wanted.items():
        if file is None:
            continue
        if file in files:
            name = "standard output (-)" if file == STDIO else file
            raise UsageError(f"{files[file]} and {option} both write to {name}")
        files[file] = option
    for file, write in wanted.values():
        if file is not None:
            write(file)
    return STDIO not in files


def write_text(path: str, text: str) -> None:
    """Write a file whole or not at all; GitHub's step summary is added to, as it wants it."""
    from tophit.formats import atomic_write

    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary and path == summary:
        try:
            with Path(path).open("a", encoding="utf-8", newline="\n") as file:
                file.write(text + "\n")
        except OSError as error:
            raise OutputError(f"cannot write {path}: {error.strerror}") from error
        return
    with atomic_write(path) as stream:
        stream.write(text)
