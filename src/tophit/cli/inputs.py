"""Reading what a command was given: questions, and runs whose names tell them apart."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tophit.errors import UsageError

if TYPE_CHECKING:
    from tophit.relations import Questions, Run

STDIO = "-"


def read_inputs(
    questions: str,
    runs: Sequence[str],
    *,
    format_: str | None = None,
    questions_format: str | None = None,
    run_format: str | None = None,
) -> tuple[Questions, list[Run]]:
    """Read the questions and every run; names that occur twice are told apart by their paths.

    Without a run the file of questions holds what was retrieved, too.

    Errors: `UsageError` when standard input is asked for twice; those of the readers.
    """
    from tophit.formats import read_questions, read_questions_and_run, read_run

    if not runs:
        both, run = read_questions_and_run(questions, format=questions_format or format_)
        return both, [run]
    one_standard_input([questions, *runs])
    asked = read_questions(questions, format=questions_format or format_)
    read = [read_run(path, format=run_format or format_) for path in runs]
    names = told_apart([run.name for run in read], runs)
    return asked, [
        dataclasses.replace(run, name=name) for run, name in zip(read, names, strict=True)
    ]


def one_standard_input(paths: Sequence[str]) -> None:
    """Refuse `-` twice. Errors: `UsageError`.

    >>> one_standard_input(["q.jsonl", "-"])
    """
    if list(paths).count(STDIO) > 1:
        raise UsageError("standard input (-) can be read once only; give a file for the others")


def told_apart(names: Sequence[str], paths: Sequence[str]) -> list[str]:
    """The names, where they differ; else file names, else what differs in the paths, else numbers.

    >>> told_apart(["run", "run"], ["a/bm25.txt", "a/dense.txt"])
    ['bm25', 'dense']
    >>> told_apart(["run", "run"], ["out/small/run.jsonl", "out/large/run.jsonl"])
    ['small/run', 'large/run']
    >>> told_apart(["run", "run"], ["run.txt", "run.txt"])
    ['run', 'run (2)']
    """
    parts = [[*Path(path).parts[:-1], Path(path).name.split(".")[0] or name]
             for path, name in zip(paths, names, strict=True)]  # fmt: skip
    found = list(names)
    for depth in range(1, max(map(len, parts), default=0) + 1):
        twice = {name for name, count in Counter(found).items() if count > 1}
        if not twice:
            return found
        found = [
            "/".join(part[-depth:]) if name in twice or twice & {original} else name
            for name, original, part in zip(found, names, parts, strict=True)
        ]
    seen: Counter[str] = Counter()
    for place, name in enumerate(found):
        seen[name] += 1
        if seen[name] > 1:
            found[place] = f"{name} ({seen[name]})"
    return found
