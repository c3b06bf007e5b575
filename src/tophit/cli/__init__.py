"""The command line: a thin door. Every command calls one public function.

commands.py   the table of commands, loaded when they are asked for
door.py       from errors to messages and exit statuses
help.py       help texts: grouped options, examples, tables of names
options.py    options that several commands share
screen.py     what is printed, where, and how wide
reference.py  docs/commands.md from the commands themselves
"""

from __future__ import annotations


def main() -> None:
    """Run `tophit` with the arguments of the process, and exit with its status."""
    from tophit.cli.commands import tophit
    from tophit.cli.door import settle_streams

    settle_streams()
    tophit.main(prog_name="tophit")
