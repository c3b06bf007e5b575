"""Questions and retriever as `evaluate` takes them: files read once, functions called."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from tophit.formats import read_questions, read_run
from tophit.frames import as_questions, chunks_from, retrievals_as_dicts
from tophit.measures import Measure
from tophit.relations import Run
from tophit.retrieval import is_retriever
from tophit.retrieval.held import given_name, run_held


@dataclass(frozen=True, kw_only=True)
class Given:
    """Questions and run as `evaluate` takes them; `name` is that of the run, None for its own."""

    questions: Any
    run: Any
    chunks: pl.DataFrame | None
    name: str | None


def inputs_of(
    questions: Any, retriever: Any, chunks: Any, *, folder: Path, name: str,
    depth: int | None = None, measures: Iterable[Measure] = (),
) -> Given:  # fmt: skip
    """Read what is a path (from here, else from `folder`), and ask what is a retriever.

    It is asked as deep as `depth` and `measures` look (`retrieval.held`).

    `retriever` None: `questions` are a list of `Retrieval`. `name` is for a run without a name.
    Errors: those of the readers and of `retrieve`.
    """
    index = None if chunks is None else _index(chunks, folder)
    if retriever is None:
        judged, run = retrievals_as_dicts(questions)
        return Given(questions=judged, run=run, chunks=index, name=name)
    questions = _questions(questions, folder)
    if is_retriever(retriever) and not isinstance(retriever, Run):
        called = given_name(retriever) if callable(retriever) else None
        run = run_held(
            questions, retriever, depth=depth, measures=measures, chunks=index,
            name=called or (name if callable(retriever) else None),
        )  # fmt: skip
        return Given(questions=questions, run=run, chunks=index, name=None)
    if isinstance(retriever, str | Path):
        retriever = read_run(beside(retriever, folder))
    own = isinstance(retriever, Run)
    return Given(questions=questions, run=retriever, chunks=index, name=None if own else name)


def beside(path: str | Path, folder: Path) -> Path:
    """The path from the current folder, or from `folder` where nothing is there.

    >>> beside("nowhere.jsonl", Path("nowhere"))
    PosixPath('nowhere.jsonl')
    """
    there = folder / path
    return there if not Path(path).exists() and there.exists() else Path(path)


def _index(chunks: Any, folder: Path) -> pl.DataFrame:
    given = beside(chunks, folder) if isinstance(chunks, str | Path) else chunks
    found: pl.DataFrame = chunks_from(given).collect().to_polars()
    return found


def _questions(questions: Any, folder: Path) -> Any:
    """Files and dicts as `Questions`, so that their texts and fingerprints are known."""
    if isinstance(questions, str | Path):
        return read_questions(beside(questions, folder))
    return as_questions(questions)
