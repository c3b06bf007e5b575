"""What several steps look at: files read once, frames of any kind in memory."""

from __future__ import annotations

import os
from typing import Any, Literal

import narwhals as nw
import polars as pl

from tophit.frames.arrow import polars_from
from tophit.frames.inputs import as_questions, as_run, listed, questions_from, run_from
from tophit.relations import QUERY, Questions, Run


def read_once(given: Any, kind: Literal["questions", "run", "chunks"]) -> Any:
    """A path is read, a dict or a list of records becomes questions or a run; a frame stays one.

    Errors: those of the readers.

    >>> read_once(iter("ab"), "chunks")
    ['a', 'b']
    """
    if kind != "chunks":
        return as_questions(given) if kind == "questions" else as_run(given)
    if isinstance(given, str | os.PathLike):
        from tophit.formats import read_chunks

        return read_chunks(os.fspath(given))
    return listed(given)


def collected(frame: Any) -> pl.DataFrame:
    """A frame of any library, lazy or not, as one of Polars in memory.

    >>> collected(pl.LazyFrame({"rank": [1]})).rows()
    [(1,)]
    """
    return polars_from(nw.from_native(frame).lazy().collect())


def questions_in_memory(given: Any) -> Questions:
    """Whatever holds questions, as `Questions` in memory.

    Errors: as `questions_from`.

    >>> questions_in_memory({"q1": ["d1"]}).judgments.select("query_id", "item_id").rows()
    [('q1', 'd1')]
    """
    held = read_once(given, "questions")
    if isinstance(held, Questions):
        return held
    asked = questions_from(held)
    queries = collected(asked.queries.unique()).sort(QUERY)
    if asked.texts is not None:
        queries = queries.join(asked.texts, on=QUERY, how="left", maintain_order="left")
    return Questions(
        queries=queries,
        judgments=collected(asked.judgments),
        warnings=asked.warnings,
    )


def run_in_memory(given: Any) -> Run:
    """Whatever holds what was retrieved, as a `Run` in memory.

    Errors: as `run_from`.

    >>> run_in_memory({"q1": ["d1"]}).retrieved.rows()
    [('q1', 'd1', 1)]
    """
    held = read_once(given, "run")
    if isinstance(held, Run):
        return held
    found = run_from(held)
    retrieved = collected(found.retrieved)
    return Run(retrieved=retrieved, queries=found.queries, warnings=found.warnings)
