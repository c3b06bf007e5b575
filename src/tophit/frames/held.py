"""What several steps look at: files read once, frames of any kind in memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any, Literal

import narwhals as nw
import polars as pl

from tophit.frames.arrow import polars_from
from tophit.frames.inputs import questions_from, run_from
from tophit.relations import QUERY, Questions, Run


def opened(given: Any, kind: Literal["questions", "run", "chunks"]) -> Any:
    """A path is read, an iterator becomes a list; anything else stays what it is.

    Errors: those of the readers.

    >>> opened(iter("ab"), "run")
    ['a', 'b']
    """
    if isinstance(given, str | os.PathLike):
        from tophit import formats

        readers: dict[str, Callable[[Any], Any]] = {
            "questions": formats.read_questions,
            "run": formats.read_run,
            "chunks": formats.read_chunks,
        }
        return readers[kind](given)
    return list(given) if isinstance(given, Iterator) else given


def collected(frame: Any) -> pl.DataFrame:
    """A frame of any library, lazy or not, as one of Polars in memory.

    >>> collected(pl.LazyFrame({"rank": [1]})).rows()
    [(1,)]
    """
    return polars_from(nw.from_native(frame).lazy().collect())


def questions_of(given: Any) -> Questions:
    """Whatever holds questions, as `Questions` in memory.

    Errors: as `questions_from`.

    >>> questions_of({"q1": ["d1"]}).judgments.select("query_id", "item_id").rows()
    [('q1', 'd1')]
    """
    held = opened(given, "questions")
    if isinstance(held, Questions):
        return held
    asked = questions_from(held)
    return Questions(
        queries=collected(asked.queries.unique()).sort(QUERY),
        judgments=collected(asked.judgments),
        warnings=asked.warnings,
    )


def run_of(given: Any) -> Run:
    """Whatever holds what was retrieved, as a `Run` in memory.

    Errors: as `run_from`.

    >>> run_of({"q1": ["d1"]}).retrieved.rows()
    [('q1', 'd1', 1)]
    """
    held = opened(given, "run")
    if isinstance(held, Run):
        return held
    found = run_from(held)
    return Run(retrieved=collected(found.retrieved), warnings=found.warnings)
