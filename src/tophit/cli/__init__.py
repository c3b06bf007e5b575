"""The command line: a thin door. Every command calls one public function.

commands.py   the table of commands, loaded when they are asked for; a module each
door.py       from errors to messages and exit statuses
help.py       help texts: grouped options, examples, tables of names
options.py    options that several commands share
inputs.py     questions and runs from files, told apart by name
outputs.py    files that a command writes besides what it prints
gates.py      limits and baselines, and the exit status that they give
reports.py    everything that `tophit eval` writes and prints
screen.py     what is printed, where, and how wide
reference.py  docs/commands.md from the commands themselves
"""

from __future__ import annotations


def main() -> None:
    """Run `tophit` with the arguments of the process, and exit with its status."""
    try:
        from tophit.cli.commands import tophit
        from tophit.cli.door import settle_streams

        settle_streams()
        tophit.main(prog_name="tophit")
    except KeyboardInterrupt:
        # while something was loading, before there was a door
        raise SystemExit(130) from None
