"""What tophit raises and what it warns about.

TophitError                 every error on purpose: exit status 2 on the command line
├── InputError              the data are wrong; carries every fault of the file at once
├── UsageError              what was asked for does not exist or does not fit together
├── OutputError             a result cannot be written: a full disk, a folder that is not there
├── EndpointError           a system that was asked is not there, or does not answer as agreed
├── UnansweredError         a retriever failed on a question, which it names
└── MissingExtraError       an optional dependency is not installed; names the extra
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

_SHOWN_FAULTS = 20
_SHOWN_ALIKE = 3
_POSITION = re.compile(r"\[\d+\]")


class TophitError(Exception):
    """Base of every error that tophit raises on purpose.

    >>> issubclass(InputError, TophitError)
    True
    """


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One thing wrong in the input: where it is, what was expected there and what was found.

    `line` counts from 1 and is None where lines mean nothing (Parquet, dicts).

    >>> str(Fault(file="run.txt", line=3, field="score", expected="a number", found="'abc'"))
    "run.txt, line 3, score: expected a number, found 'abc'"
    """

    expected: str
    found: str
    file: str | None = None
    line: int | None = None
    field: str | None = None

    def __str__(self) -> str:
        place = [self.file, None if self.line is None else f"line {self.line}", self.field]
        where = ", ".join(part for part in place if part)
        says = f"expected {self.expected}, found {self.found}"
        return f"{where}: {says}" if where else says


class InputError(TophitError):
    """The input is wrong. `faults` holds all of its faults; the text tells of 20 causes.

    >>> fault = Fault(file="q.jsonl", line=2, field="id", expected="an id", found="nothing")
    >>> print(InputError([fault]))
    q.jsonl, line 2, id: expected an id, found nothing
    """

    def __init__(self, faults: Fault | Iterable[Fault], *, hint: str | None = None) -> None:
        self.faults: tuple[Fault, ...] = (faults,) if isinstance(faults, Fault) else tuple(faults)
        self.hint = hint
        super().__init__(self._text())

    def _text(self) -> str:
        causes: dict[Any, list[Fault]] = {}
        for fault in self.faults:
            field = _POSITION.sub("[]", fault.field or "")
            causes.setdefault((fault.file, field, fault.expected, fault.found), []).append(fault)
        lines = [line for alike in causes.values() for line in _told(alike)]
        if (more := len(lines) - _SHOWN_FAULTS) > 0:
            lines[_SHOWN_FAULTS:] = [f"... and {more:,} more faults"]
        if self.hint:
            lines.append(f"hint: {self.hint}")
        return "\n".join(lines)


def _told(alike: list[Fault]) -> list[str]:
    """The lines that tell of faults with one cause: each, or the first and where the others are."""
    if len(alike) <= _SHOWN_ALIKE:
        return [str(fault) for fault in alike]
    others = [str(fault.line) for fault in alike[1:] if fault.line is not None]
    where = f": lines {', '.join(others[:_SHOWN_ALIKE])}" if others else ""
    dots = ", ..." if len(others) > _SHOWN_ALIKE else ""
    return [f"{alike[0]} (and {len(alike) - 1:,} more{where}{dots})"]


class UsageError(TophitError):
    """Something asked for does not exist or does not fit together.

    >>> raise UsageError("k must be at least 1, not 0")
    Traceback (most recent call last):
    tophit.errors.UsageError: k must be at least 1, not 0
    """


class OutputError(TophitError):
    """A result cannot be written; nothing half-written is left behind.

    >>> raise OutputError("cannot write out/run.jsonl: No space left on device")
    Traceback (most recent call last):
    tophit.errors.OutputError: cannot write out/run.jsonl: No space left on device
    """


class EndpointError(TophitError):
    """A system that was asked is not there, or does not answer as agreed.

    `status` is that of HTTP where there was one. `passing` says that another try may help, and
    `wait` for how many seconds the system asked before it.

    >>> raise EndpointError("http://localhost:9 refuses the connection")
    Traceback (most recent call last):
    tophit.errors.EndpointError: http://localhost:9 refuses the connection
    """

    def __init__(
        self, text: str, *, status: int | None = None, passing: bool = False, wait: float = 0.0
    ) -> None:
        self.status, self.passing, self.wait = status, passing, wait
        super().__init__(text)


class UnansweredError(TophitError):
    """A retriever failed on a question; the text names both, `__cause__` is what it raised.

    >>> raise UnansweredError("bm25 on question 'q7': KeyError: 'id'")
    Traceback (most recent call last):
    tophit.errors.UnansweredError: bm25 on question 'q7': KeyError: 'id'
    """


class MissingExtraError(TophitError):
    """An optional dependency is missing; the text says which extra brings it.

    >>> print(MissingExtraError("tantivy", extra="bench", purpose="BM25 retrieval"))
    BM25 retrieval needs the package 'tantivy', which is not installed: pip install 'tophit[bench]'
    """

    def __init__(self, package: str, *, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the package {package!r}, which is not installed: "
            f"pip install 'tophit[{extra}]'"
        )


@dataclass(frozen=True, kw_only=True)
class DataWarning:
    """Something that a reader of the numbers should know, counted.

    `code` is stable and machine-readable, `count` how many rows, questions or ids it concerns.

    >>> DataWarning(code="not_asked", count=2, message="2 queries of the run were not asked").count
    2
    """

    code: str
    count: int
    message: str


def counted(count: int, noun: str) -> str:
    """A number with its noun, for a message.

    >>> counted(1, "question"), counted(1200, "query")
    ('1 question', '1,200 queries')
    """
    if count == 1:
        return f"1 {noun}"
    ends_in_y = noun.endswith("y") and noun[-2:-1] not in "aeiou"
    return f"{count:,} {f'{noun[:-1]}ies' if ends_in_y else f'{noun}s'}"


def import_extra(
    module: str, *, extra: str, purpose: str, package: str | None = None
) -> ModuleType:
    """Import an optional dependency, or say which extra to install.

    Errors: `MissingExtraError` when `module` itself cannot be found.

    >>> import_extra("json", extra="none", purpose="an example").__name__
    'json'
    """
    import importlib

    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and module.split(".")[0] != error.name.split(".")[0]:
            raise
        raise MissingExtraError(package or module, extra=extra, purpose=purpose) from error


def unknown(kind: str, name: str, known: Sequence[str]) -> UsageError:
    """The error for a name that is not in a table: it lists the nearest names, or all of them.

    >>> print(unknown("measure", "Hitt", ["Hit", "Partial"]))
    unknown measure 'Hitt'; did you mean Hit? (known: Hit, Partial)
    """
    lowered = {entry.lower(): entry for entry in known}
    near = [
        lowered[match]
        for match in difflib.get_close_matches(name.lower(), lowered, n=3, cutoff=0.5)
    ]
    guess = f"; did you mean {' or '.join(near)}?" if near else ""
    return UsageError(f"unknown {kind} {name!r}{guess} (known: {', '.join(known)})")
