"""What is printed: tables to standard output, progress to standard error on a terminal only."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

_WIDEST = 140


def console(*, err: bool = False) -> Console:
    """A console that colours only on a terminal and reads no markup in names."""
    from rich.console import Console

    made = Console(stderr=err, highlight=False, markup=False, emoji=False)
    made.width = min(made.width, _WIDEST)
    return made


def width() -> int:
    """How many places a line of standard output has."""
    return console().width


def show(content: RenderableType) -> None:
    """Print to standard output, without blanks at line ends where nothing is coloured."""
    out = console()
    if out.is_terminal:
        out.print(content)
        return
    with out.capture() as capture:
        out.print(content)
    for line in capture.get().splitlines():
        click.echo(line.rstrip())


@contextlib.contextmanager
def working(what: str) -> Iterator[None]:
    """Say what is being done while it is, on a terminal only."""
    if not sys.stderr.isatty():
        yield
        return
    with console(err=True).status(what):
        yield


@contextlib.contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on a terminal, as a function of (done, in all); None where there is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import Progress

    with Progress(console=console(err=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
