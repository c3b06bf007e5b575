"""What is printed: tables to standard output, progress to standard error on a terminal only."""

from __future__ import annotations

import contextlib
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tophit.cli.door import colour, say
from tophit.cli.inputs import STDIO
from tophit.report.visible import usable_width, visible

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from tophit.errors import DataWarning


def console(*, err: bool = False) -> Console:
    """A console that colours only on a terminal and reads no markup in names."""
    from rich.console import Console

    made = Console(stderr=err, highlight=False, markup=False, emoji=False)
    made.width = usable_width(made.width)
    return made


def width() -> int:
    """How many places a line of standard output has."""
    return console().width


def show(content: RenderableType, *, err: bool = False) -> None:
    """Print a table or text, without blanks at line ends where nothing is coloured."""
    from tophit.report.terminal import Visible

    out, content = console(err=err), Visible(content)
    if out.is_terminal:
        out.print(content)
        return
    with out.capture() as capture:
        out.print(content)
    for line in capture.get().splitlines():
        click.echo(line.rstrip(), err=err)


@contextlib.contextmanager
def working(what: str) -> Iterator[None]:
    """Say what is being done while it is, on a terminal only."""
    if not sys.stderr.isatty():
        yield
        return
    with console(err=True).status(visible(what)):
        yield


@contextlib.contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on a terminal, as a function of (done, in all); None where there is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import Progress

    with Progress(console=console(err=True), transient=True) as bar:
        task = bar.add_task(visible(what), total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextlib.contextmanager
def phases() -> Iterator[Callable[[str, int, int], None] | None]:
    """As `progress`, for work of several steps: a function of (what, done, in all)."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import Progress

    with Progress(console=console(err=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda what, done, total: bar.update(
            task, description=visible(what), completed=done, total=total
        )


def note(text: str) -> None:
    """Print what may be done next, apart from the result: on a terminal only."""
    if text and sys.stdout.isatty():
        click.echo()
        click.echo(click.style(visible(text), dim=True), color=colour())


def told(text: str) -> None:
    """Print a line to standard error."""
    if text:
        click.echo(visible(text), err=True)


def quoted(path: Path | str) -> str:
    """A path as it is typed in a shell."""
    return shlex.quote(str(path))


def listed_warnings(warnings: Iterable[DataWarning]) -> None:
    """Print warnings to standard error."""
    for warning in warnings:
        say("warning", warning.message, style="yellow")


def done(what: str, path: str) -> None:
    """Say on standard error what was written where."""
    where = "standard output" if path == STDIO else path
    click.echo(visible(f"{what} -> {where}"), err=True)
