"""What a format is: a record that says what it holds, how it is recognised, read and written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import polars as pl

from tophit.errors import DataWarning
from tophit.formats.reading.files import Source, StrPath
from tophit.relations import Questions, Run

Role = Literal["questions", "run", "chunks"]
ROLES: tuple[Role, ...] = ("questions", "run", "chunks")
Losses = tuple[DataWarning, ...]


@dataclass(frozen=True, kw_only=True)
class Format:
    """One file format.

    `recognise` says which roles the content of a file can play in this format: none if it is not
    of this format. A reader or writer that is None means that the format does not hold that role.
    A writer returns what it could not carry, counted and named. `write_both` writes questions and
    a run into one file. `question_lines` gives the line, from 1, where each question begins; None
    where lines mean nothing. `ambiguous` says that several roles are readings of the same records,
    of which one is meant, and not parts of the file. `keys` are the names that a record of this
    format has, each with those that may stand for it: by them the nearest format is found.

    >>> from tophit.formats import FORMATS
    >>> sorted(FORMATS["trec"].reads), sorted(FORMATS["trec"].writes)
    (['questions', 'run'], ['questions', 'run'])
    """

    name: str
    description: str
    recognise: Callable[[Source], frozenset[Role]]
    read_questions: Callable[[Source], Questions] | None = None
    read_run: Callable[[Source, str | None], Run] | None = None
    read_chunks: Callable[[Source], pl.DataFrame] | None = None
    write_questions: Callable[[Questions, StrPath], Losses] | None = None
    write_run: Callable[[Run, StrPath], Losses] | None = None
    write_chunks: Callable[[pl.DataFrame, StrPath], Losses] | None = None
    write_both: Callable[[Questions, Run, StrPath], Losses] | None = None
    question_lines: Callable[[Source], dict[str, int]] | None = None
    ambiguous: bool = False
    keys: tuple[tuple[str, ...], ...] = ()

    @property
    def reads(self) -> frozenset[Role]:
        """The roles that can be read."""
        return self._roles(self.read_questions, self.read_run, self.read_chunks)

    @property
    def writes(self) -> frozenset[Role]:
        """The roles that can be written."""
        return self._roles(self.write_questions, self.write_run, self.write_chunks)

    @staticmethod
    def _roles(*present: object) -> frozenset[Role]:
        return frozenset(role for role, given in zip(ROLES, present, strict=True) if given)


def roles(*names: Role) -> frozenset[Role]:
    """A set of roles.

    >>> sorted(roles("run", "questions"))
    ['questions', 'run']
    """
    return frozenset(names)
