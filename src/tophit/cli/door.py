"""From whatever happens inside a command to a message on standard error and an exit status.

0 done · 1 a gate failed · 2 bad input or usage · 70 a fault of tophit itself ·
130 interrupted · 141 the reader of a pipe went away · 143 terminated
"""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
import traceback
from collections.abc import Callable
from typing import Any

import click

from tophit.errors import InputError, TophitError
from tophit.report.visible import visible

GATE_FAILED = 1
BAD_INPUT = 2
INTERNAL = 70
INTERRUPTED = 130
PIPE_CLOSED = 141
TERMINATED = 143
TRACEBACK_VARIABLE = "TOPHIT_TRACEBACK"


class GateError(Exception):
    """A gate failed; everything about it has been printed."""


def exit_status(run: Callable[[], Any]) -> int:
    """Call `run`; say on standard error what went wrong, and return the exit status.

    >>> exit_status(lambda: None)
    0
    """
    try:
        returned = run()
        sys.stdout.flush()
    except GateError:
        return GATE_FAILED
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except click.ClickException as error:
        return _click_error(error)
    except SystemExit as error:
        # click answers a closed pipe in this way, and nothing else
        return _pipe_closed() if error.code == 1 else int(error.code or 0)
    except TophitError as error:
        say_error(error)
        return BAD_INPUT
    except OSError as error:
        return _os_error(error)
    except Exception as error:
        return _internal(error)
    # click returns the status of an early exit (--help, --version) instead of raising it
    return returned if isinstance(returned, int) else 0


def settle_streams() -> None:
    """UTF-8 into files and pipes; on a terminal, a mark for what it cannot show; SIGTERM tidies up.

    Data must have the same bytes under every locale, and a table must not fail on one character.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            if stream.isatty():
                stream.reconfigure(errors="replace")
            else:
                stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    signal.signal(signal.SIGTERM, _terminated)


def _terminated(*_: object) -> None:
    # an exception, so that temporary files are removed on the way out
    raise SystemExit(TERMINATED)


def colour() -> bool | None:
    """Whether click may colour: never with NO_COLOR, else only on a terminal (None)."""
    return False if os.environ.get("NO_COLOR") else None


def say(label: str, text: str, *, style: str) -> None:
    """Print a labelled message to standard error, further lines set in.

    >>> say("note", "nothing to do", style="yellow")
    """
    first, *rest = visible(text).splitlines() or [""]
    click.echo(f"{click.style(label, fg=style, bold=True)}: {first}", err=True, color=colour())
    for line in rest:
        click.echo(f"  {line}", err=True, color=colour())


def say_error(error: TophitError) -> None:
    """Print an error; several faults of the input are counted first."""
    faults = len(error.faults) if isinstance(error, InputError) else 1
    text = f"{faults:,} faults in the input\n{error}" if faults > 1 else str(error)
    say("error", text, style="red")


def _click_error(error: click.ClickException) -> int:
    """Print click's own message, and where the help is; a bare `tophit` asks for the help."""
    context = getattr(error, "ctx", None)
    text = error.format_message()
    if type(error).__name__ == "NoArgsIsHelpError":  # in click 8.2 and later
        click.echo(text)
        return 0
    if context is not None:
        text += f"\nTry '{context.command_path} --help'."
    say("error", text[0].lower() + text[1:], style="red")
    return BAD_INPUT


def _os_error(error: OSError) -> int:
    if error.errno == errno.EPIPE:
        return _pipe_closed()
    name = f"{error.filename}: " if error.filename else ""
    say("error", f"{name}{error.strerror or error}", style="red")
    return BAD_INPUT


def _pipe_closed() -> int:
    # the interpreter flushes once more at exit, and must find an open stream there
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return PIPE_CLOSED


def _internal(error: Exception) -> int:
    if os.environ.get(TRACEBACK_VARIABLE):
        click.echo("".join(traceback.format_exception(error)), err=True)
    text = str(error).splitlines()
    what = f"{type(error).__name__}: {text[0]}" if text else type(error).__name__
    say(
        "internal error",
        f"{what}\nThis is a fault of tophit, not of your input. Set {TRACEBACK_VARIABLE}=1 and run "
        "the\ncommand again to see where it happened.",
        style="red",
    )
    return INTERNAL
