"""The table of commands. A new command is a module here with its own name and one line below.

A command's module is loaded when the command is asked for, so that `tophit --help` loads no engine.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

import click

from tophit._version import __version__
from tophit.cli.door import exit_status
from tophit.cli.help import Rows, write_examples, write_rows
from tophit.errors import unknown

# group -> command -> (its module in tophit.cli, what it does in a line)
COMMANDS: dict[str, dict[str, tuple[str, str]]] = {
    "Start here": {
        "demo": ("demo", "The main job on tophit's own documentation."),
    },
    "Score what a retriever returned": {
        "eval": ("eval", "Hit@k and its relatives for one or more runs, with intervals."),
        "compare": ("compare", "Which run is better, and is it more than chance?"),
        "diagnose": ("diagnose", "Why was each question missed?"),
        "curve": ("curve", "What does each further place buy, in hits and in tokens?"),
        "baseline": ("baseline", "Freeze the scores that later runs are held against."),
        "report": ("report", "One page of results, to open in a browser and to pass on."),
    },
    "Know when not to answer": {
        "abstention": ("abstention", "Does a system say that it does not know, and only then?"),
        "threshold": ("threshold", "The score below which it should rather not answer."),
    },
    "Build and try a retriever": {
        "bench": ("bench", "Every combination of splitter, size and retriever, best first."),
        "split": ("split", "Documents to chunks, by any splitter."),
        "retrieve": ("retrieve", "Chunks and questions to a run, by any retriever."),
    },
    "Files and names": {
        "check": ("check", "The faults of a question set, before they cost anybody a day."),
        "convert": ("convert", "From one format to another, losing nothing silently."),
        "measures": ("measures", "The measures: names, aliases, parameters, formulas."),
    },
}

EXAMPLES = (
    ("See it work on tophit's own documentation", "tophit demo"),
    ("Score what your system returned", "tophit eval questions.jsonl run.jsonl"),
    (
        "Find good chunks for your documents and questions",
        "tophit bench docs/ questions.jsonl -o out --size 200 --size 800",
    ),
)


class Commands(click.Group):
    """The commands of the table, each loaded when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names in the order of the help."""
        return [name for group in COMMANDS.values() for name in group]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command. Errors: `tophit.UsageError` with the nearest names."""
        for group in COMMANDS.values():
            if cmd_name in group:
                module = import_module(f"tophit.cli.{group[cmd_name][0]}")
                found: click.Command = module.main
                return found
        raise unknown("command", cmd_name, self.list_commands(ctx))

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the usage line."""
        formatter.write_usage(ctx.command_path, "COMMAND ...")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in their groups, then the options; nothing is loaded for it."""
        sections: dict[str, Rows] = {
            title: [(name, text) for name, (_, text) in group.items()]
            for title, group in COMMANDS.items()
        }
        records = (param.get_help_record(ctx) for param in self.get_params(ctx))
        sections["Options"] = [record for record in records if record]
        write_rows(formatter, sections)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write examples and the exit statuses."""
        write_examples(formatter, EXAMPLES)
        formatter.write_paragraph()
        formatter.write_text(
            "'tophit COMMAND --help' explains a command. A file named - is standard input or "
            "output. Exit status: 0 done, 1 a gate failed, 2 bad input or usage."
        )

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Run, and exit with the status of the outcome; never a traceback."""
        kwargs["standalone_mode"] = False
        run = super().main
        sys.exit(exit_status(lambda: run(*args, **kwargs)))


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
)
@click.version_option(__version__, "--version", prog_name="tophit", message="%(prog)s %(version)s")
def tophit() -> None:
    """Did the answer make it into the context window at all?

    tophit scores what a retriever returned against what it should have
    returned, says how sure the number is, and why each miss was missed.
    """


def all_commands() -> Sequence[tuple[str, click.Command]]:
    """Every command with its name, loaded, in the order of the help."""
    context = click.Context(tophit, info_name="tophit")
    names = tophit.list_commands(context)
    return [(name, tophit.get_command(context, name)) for name in names]  # type: ignore[misc]
