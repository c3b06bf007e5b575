"""Help texts: what a command does, its arguments, options in groups, tables of names, examples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import click

from tophit.errors import unknown

OTHER = "Other"
_HELP_WIDTH = 80
_WIDEST_TERM = 26

Rows = Sequence[tuple[str, str]]
Section = tuple[str, Callable[[], Rows | str]]


class Names(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """A name out of a table of the library: `tophit.choices:MATCHES`, loaded when it is needed.

    Errors: `tophit.UsageError` with the nearest names.
    """

    name = "name"

    def __init__(self, kind: str, table: str) -> None:
        self.kind = kind
        self.table = table

    def names(self) -> list[str]:
        """The names in the table."""
        module, _, attribute = self.table.partition(":")
        return list(getattr(import_module(module), attribute))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name as the table has it; case does not matter."""
        known = self.names()
        folded = {name.lower(): name for name in known}
        if str(value).lower() not in folded:
            raise unknown(self.kind, str(value), known)
        return folded[str(value).lower()]

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[click.shell_completion.CompletionItem]:
        """What a shell may complete."""
        items = [name for name in self.names() if name.startswith(incomplete)]
        return [click.shell_completion.CompletionItem(name) for name in items]


class Option(click.Option):
    """An option in a group of the help; the names of its table stand in its help text."""

    def __init__(self, *args: Any, group: str = OTHER, **kwargs: Any) -> None:
        self.group = group
        super().__init__(*args, **kwargs)

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """The option as written, and its help with the names it may be."""
        record = super().get_help_record(ctx)
        if record is None or not isinstance(self.type, Names):
            return record
        term, text = record
        listed = f": {', '.join(self.type.names())}."
        return term, text.replace(": NAMES.", listed)

    def get_help_extra(self, ctx: click.Context) -> Any:
        """The default; a range such as x>=1 is said by the error."""
        extra = super().get_help_extra(ctx)
        extra.pop("range", None)
        return extra


class Argument(click.Argument):
    """An argument with a text of its own (newer versions of click have `help` for that)."""

    def __init__(self, *args: Any, explained: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.explained = explained


class Command(click.Command):
    """A command whose help has arguments, grouped options, tables of names and examples."""

    def __init__(
        self,
        *args: Any,
        examples: Sequence[tuple[str, str]] = (),
        tables: Sequence[Section] = (),
        **kwargs: Any,
    ) -> None:
        self.examples = examples
        self.tables = tables
        super().__init__(*args, **kwargs)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write arguments, then each group of options, then the tables."""
        arguments = [
            (param.make_metavar(ctx), param.explained)
            for param in self.get_params(ctx)
            if isinstance(param, Argument)
        ]
        sections: dict[str, Any] = {"Arguments": arguments}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None and isinstance(param, click.Option):
                sections.setdefault(getattr(param, "group", OTHER), []).append(record)
        # --help, which click adds, goes last
        sections[OTHER] = sections.pop(OTHER, [])
        write_rows(formatter, sections)
        for title, make in self.tables:
            content = make()
            if isinstance(content, str):
                with formatter.section(title):
                    formatter.write_text(content)
            else:
                write_rows(formatter, {title: content})

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples."""
        write_examples(formatter, self.examples)


def write_rows(formatter: click.HelpFormatter, sections: dict[str, Rows]) -> None:
    """Write sections of terms and texts, the texts in one column over all of them."""
    terms = [len(term) for rows in sections.values() for term, _ in rows]
    column = max((length for length in terms if length <= _WIDEST_TERM), default=0)
    for title, rows in sections.items():
        if rows:
            with formatter.section(title):
                formatter.write_dl([(term.ljust(column), text) for term, text in rows], column)


def write_examples(formatter: click.HelpFormatter, examples: Sequence[tuple[str, str]]) -> None:
    """Write examples: what each does, and the line to type."""
    if not examples:
        return
    with formatter.section("Examples"):
        for number, (what, line) in enumerate(examples):
            if number:
                formatter.write("\n")
            formatter.write_text(f"# {what}")
            indent = " " * formatter.current_indent
            for part in line.splitlines():
                formatter.write(f"{indent}{part}\n")


def option(*names: str, group: str = OTHER, **kwargs: Any) -> Callable[[Any], Any]:
    """An option in a group of the help."""
    return click.option(*names, cls=Option, group=group, **kwargs)


def argument(name: str, *, explained: str, **kwargs: Any) -> Callable[[Any], Any]:
    """An argument with a help text."""
    return click.argument(name, cls=Argument, explained=explained, **kwargs)


def command(
    name: str,
    *,
    examples: Sequence[tuple[str, str]],
    tables: Sequence[Section] = (),
) -> Callable[[Callable[..., Any]], Command]:
    """Turn a function into a command; its docstring is what the help says first."""
    return click.command(
        name,
        cls=Command,
        examples=examples,
        tables=tables,
        context_settings={
            "help_option_names": ["-h", "--help"],
            "show_default": True,
            "max_content_width": _HELP_WIDTH,
        },
    )
