"""Reading what a command was given: questions, and runs whose names tell them apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tophit.errors import UsageError

if TYPE_CHECKING:
    import polars as pl

    from tophit.relations import Questions, Run

STDIO = "-"


@dataclass(frozen=True, kw_only=True)
class Reading:
    """In which formats the files of a command are read; None is what their content says."""

    questions: str | None = None
    runs: str | None = None

    @classmethod
    def taken_from(cls, options: dict[str, Any]) -> Reading:
        """Take the options of formats out of `options`; `--format` is that of every file."""
        every = options.pop("format_")
        own = {name: options.pop(f"{name}_format") for name in ("questions", "run")}
        return cls(questions=own["questions"] or every, runs=own["run"] or every)

    def read(self, questions: str, runs: Sequence[str]) -> tuple[Questions, list[Run]]:
        """Read the questions and every run; names that occur twice are told apart by their paths.

        Without a run the file of questions holds what was retrieved, too.

        Errors: `UsageError` when standard input is asked for twice; those of the readers.
        """
        from tophit.formats import read_questions, read_questions_and_run, read_run

        if not runs:
            both, run = read_questions_and_run(questions, format=self.questions)
            return both, [run]
        one_standard_input([questions, *runs])
        asked = read_questions(questions, format=self.questions)
        read = [read_run(path, format=self.runs) for path in runs]
        names = told_apart([run.name for run in read], runs)
        return asked, [replace(run, name=name) for run, name in zip(read, names, strict=True)]

    def lines(self, questions: str) -> dict[str, int]:
        """The line of each question in its file, where it has lines."""
        from tophit.formats import question_lines

        return question_lines(questions, format=self.questions)


def read_index(path: str) -> pl.DataFrame:
    """All chunks of an index. Errors: those of the reader."""
    from tophit.formats import read_chunks

    return read_chunks(path)


def one_standard_input(paths: Sequence[str]) -> None:
    """Refuse `-` twice. Errors: `UsageError`.

    >>> one_standard_input(["q.jsonl", "-"])
    """
    if list(paths).count(STDIO) > 1:
        raise UsageError("standard input (-) can be read once only; give a file for the others")


def told_apart(names: Sequence[str], paths: Sequence[str]) -> list[str]:
    """The names, where they differ; else file names, else folders, else numbers.

    >>> told_apart(["run", "run"], ["a/bm25.txt", "a/dense.txt"])
    ['bm25', 'dense']
    >>> told_apart(["run", "run"], ["out/small/run.jsonl", "out/large/run.jsonl"])
    ['small', 'large']
    >>> told_apart(["run", "run"], ["run.txt", "run.txt"])
    ['run', 'run (2)']
    """
    from tophit.evaluation.results import distinct_names

    found = list(names)
    parts = [_parts(path, name) for path, name in zip(paths, names, strict=True)]
    again = [place for place, name in enumerate(names) if names.count(name) > 1]
    for depth in range(1, max(map(len, parts), default=0) + 1):
        if len(set(found)) == len(found):
            return found
        same_file = len({parts[place][-1] for place in again}) == 1
        for place in again:
            longer = parts[place][-depth:]
            found[place] = "/".join(longer[:-1] if same_file and len(longer) > 1 else longer)
    return distinct_names(found)


def _parts(path: str, name: str) -> list[str]:
    from tophit.formats import run_name

    *folders, file = Path(path).parts or (name,)
    return [*(folder for folder in folders if folder != "/"), run_name(file)]
