"""A retriever where a run may stand: `evaluate`, `compare`, `diagnose` and the pytest plugin."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from tophit.frames import as_questions
from tophit.frames.native import relation_of, typed
from tophit.measures import Measure
from tophit.relations import QUERIES, QUERY, QUESTION, Questions, Run
from tophit.retrieval.doors.table import is_retriever
from tophit.retrieval.protocol import DEPTH

_LAMBDA = "<lambda>"


def run_held(
    questions: Any,
    run: Any,
    *,
    depth: int | None = None,
    measures: Iterable[Measure] = (),
    chunks: Any = None,
    name: str | None = None,
) -> Any:
    """The run that a retriever gives for the questions; anything that is no retriever as it is.

    It is asked as deep as the measures look, `depth` cuts, or `retrieve` does by default, whichever
    is most. Errors: those of `retrieve`; `InputError` for questions without texts.

    >>> run = run_held({"Which fees?": ["a"]}, lambda question: ["b", "a"])
    >>> run.retrieved["chunk_id"].to_list()
    ['b', 'a']
    >>> run_held({"q1": ["a"]}, {"q1": ["a"]})
    {'q1': ['a']}
    """
    if isinstance(run, Run | Mapping | Path) or not is_retriever(run):
        return run
    from tophit.retrieval.runs import retrieve

    cutoffs = [m.cutoff.value for m in measures if m.cutoff and m.cutoff.unit == "places"]
    return retrieve(
        chunks if isinstance(chunks, pl.DataFrame) else None,
        texts_of(questions),
        retriever=run,
        depth=max([DEPTH, depth or 0, *cutoffs]),
        name=name,
    )


def texts_of(questions: Any) -> Any:
    """What to ask: the questions' texts, or the keys of a dict, which are the questions there.

    Errors: `InputError` where a frame or a list of records has no column `question`.

    >>> texts_of({"Which fees?": ["a"]}).rows()
    [('Which fees?', 'Which fees?')]
    """
    if isinstance(questions, str | Path):
        return questions
    questions = as_questions(questions)
    if isinstance(questions, Questions):
        queries = questions.queries
        if QUESTION in queries.columns or questions.source != "questions":
            return queries
        return queries.select(QUERY, pl.col(QUERY).alias(QUESTION))
    found = relation_of(questions, QUERIES, required=(QUERY, QUESTION), kind="questions")
    frame = typed(found, QUERIES, kind="questions").lazy().collect().to_polars()
    asked: pl.DataFrame = frame.unique(QUERY, keep="first", maintain_order=True)
    return asked


def given_name(retriever: Any) -> str | None:
    """What a function is called; None for one without a name.

    >>> given_name(len), given_name(lambda question: [])
    ('len', None)
    """
    name = getattr(retriever, "__name__", None)
    return None if name in (None, _LAMBDA) else str(name)
