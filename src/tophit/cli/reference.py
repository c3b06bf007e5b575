"""docs/commands.md from the commands themselves, so that the page cannot be out of date.

python -m tophit.cli.reference > docs/commands.md
"""

from __future__ import annotations

import sys

import click

from tophit.cli.commands import COMMANDS, all_commands, tophit

_WIDTH = 80
INTRODUCTION = """\
# Commands

This page is made from the program (`python -m tophit.cli.reference`): it shows what
`tophit COMMAND --help` prints.

Everywhere, a file named `-` is standard input or output, and `.gz` and `.zst` files are read and
written as they are. Progress goes to standard error, and only on a terminal. Colour appears only on
a terminal, and never with `NO_COLOR` set.

| exit status | meaning |
| --: | :-- |
| 0 | done |
| 1 | a gate failed (`--fail-under` and its like) |
| 2 | bad input or usage; the message names the file, the line, the field |
| 70 | a fault of tophit itself; `TOPHIT_TRACEBACK=1` shows where |
| 130 | interrupted |
"""


def page() -> str:
    """The whole page, in Markdown."""
    parts = [INTRODUCTION, _contents()]
    parts += [
        f"## tophit {name}\n\n```text\n{help_text(name, c)}\n```\n" for name, c in all_commands()
    ]
    return "\n".join(parts)


def help_text(name: str, command: click.Command) -> str:
    """What `tophit NAME --help` prints on a terminal of 80 places."""
    parent = click.Context(tophit, info_name="tophit")
    context = click.Context(
        command,
        info_name=name,
        parent=parent,
        terminal_width=_WIDTH - 2,
        **command.context_settings,
    )
    return command.get_help(context)


def _contents() -> str:
    lines = []
    for title, group in COMMANDS.items():
        lines.append(f"{title}:\n")
        lines += [f"- [tophit {name}](#tophit-{name}): {what}" for name, (_, what) in group.items()]
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(page())
