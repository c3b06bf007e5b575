"""Questions and retriever as `evaluate` takes them: files read once, functions called."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from tophit.formats import read_questions, read_run
from tophit.frames import chunks_from, retrievals_as_dicts
from tophit.frames.native import relation_of, typed
from tophit.frames.python import questions_from_dict
from tophit.relations import QUERIES, QUERY, QUESTION, Questions, Run
from tophit.retrieval import retrieve

_ALL = 2**31 - 1  # as many places as the function returns
_LAMBDA = "<lambda>"


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """Questions and run as `evaluate` takes them; `name` is that of the run, None for its own."""

    questions: Any
    run: Any
    chunks: pl.DataFrame | None
    name: str | None


def inputs_of(questions: Any, retriever: Any, chunks: Any, *, folder: Path, name: str) -> Inputs:
    """Read what is a path (from here, else from `folder`), and call what is a function.

    `retriever` None: `questions` are a list of `Retrieval`. `name` is for a run without a name.
    Errors: those of the readers and of `retrieve`.
    """
    index = None if chunks is None else _index(chunks, folder)
    if retriever is None:
        judged, run = retrievals_as_dicts(questions)
        return Inputs(questions=judged, run=run, chunks=index, name=name)
    questions = _questions(questions, folder)
    if isinstance(retriever, str | Path):
        retriever = read_run(beside(retriever, folder))
    elif callable(retriever):
        return _called(questions, retriever, index, name=name)
    own = isinstance(retriever, Run)
    return Inputs(questions=questions, run=retriever, chunks=index, name=None if own else name)


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
    if isinstance(questions, Mapping):
        queries, judgments = questions_from_dict(questions)
        return Questions(queries=queries, judgments=judgments)
    return questions


def _called(
    questions: Any,
    function: Callable[[str], Iterable[Any]],
    index: pl.DataFrame | None,
    *,
    name: str,
) -> Inputs:
    called = getattr(function, "__name__", _LAMBDA)
    run = retrieve(
        index, _texts(questions), retriever=function, depth=_ALL,
        name=name if called == _LAMBDA else called,
    )  # fmt: skip
    return Inputs(questions=questions, run=run, chunks=index, name=None)


def _texts(questions: Any) -> pl.DataFrame:
    """What to ask: the questions' texts, or the keys of a dict, which are the questions there.

    Errors: `InputError` where a frame or a list of records has no column `question`.
    """
    if isinstance(questions, Questions):
        queries = questions.queries
        if QUESTION in queries.columns or questions.source != "questions":
            return queries
        return queries.select(QUERY, pl.col(QUERY).alias(QUESTION))
    found = relation_of(questions, QUERIES, required=(QUERY, QUESTION), kind="questions")
    frame = typed(found, QUERIES, kind="questions").lazy().collect().to_polars()
    asked: pl.DataFrame = frame.unique(QUERY, keep="first", maintain_order=True)
    return asked
