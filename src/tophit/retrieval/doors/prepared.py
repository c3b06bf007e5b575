"""A prepared run: the places of a file, or of a `Run`, by the question's id or else its text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from tophit.errors import UsageError
from tophit.formats import read_run
from tophit.records.places import Place
from tophit.relations import CHUNK, DOC, END, QUERY, RANK, SCORE, START, TEXT, TOKENS, Run
from tophit.retrieval.protocol import Live, Request

_OF_PLACE = (CHUNK, SCORE, TEXT, DOC, START, END, TOKENS)


def recognises(given: Any) -> bool:
    """A `Run`."""
    return isinstance(given, Run)


def open_prepared(given: Run | str | Path) -> Live:
    """Open it. A question that the run does not have finds nothing.

    >>> run = Run(retrieved=pl.DataFrame({"query_id": ["q"], "chunk_id": ["a"], "rank": [1]}))
    >>> open_prepared(run).one(Request(question="?", id="q"))
    [Place(id='a', score=None, text=None, doc=None, start=None, end=None, tokens=None)]
    """
    run = given if isinstance(given, Run) else read_run(given)
    lists = _lists(run.retrieved)

    def one(request: Request) -> list[Place]:
        return lists.get(request.id, lists.get(request.question, []))[: request.depth]

    return Live(name=run.name, one=one, identity=f"run {run.source}")


def _lists(retrieved: pl.DataFrame) -> dict[str, list[Place]]:
    if RANK not in retrieved.columns and SCORE not in retrieved.columns:
        raise UsageError("a prepared run needs ranks or scores")
    by = [QUERY, RANK] if RANK in retrieved.columns else [QUERY, SCORE, CHUNK]
    falling = [False, False] if RANK in retrieved.columns else [False, True, True]
    frame = retrieved.sort(by, descending=falling)
    columns = [
        frame[name].to_list() if name in frame.columns else [None] * frame.height
        for name in _OF_PLACE
    ]
    lists: dict[str, list[Place]] = {}
    for query, *values in zip(frame[QUERY].to_list(), *columns, strict=True):
        lists.setdefault(query, []).append(Place(*values))
    return lists
