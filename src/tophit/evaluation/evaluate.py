"""The one pass: rank, match, score, and average, the same on every engine."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tophit.errors import UsageError
from tophit.evaluation.averages import average, scores_of
from tophit.evaluation.clusters import clusters_of
from tophit.evaluation.fingerprint import (
    corpus_fingerprint,
    questions_fingerprint,
    settings_fingerprint,
)
from tophit.evaluation.relate import Matcher, relate
from tophit.evaluation.result import Result
from tophit.evaluation.scoring import query_totals, score_queries
from tophit.evaluation.warnings import check_grades, data_warnings
from tophit.frames import Inputs, chunks_from, inputs_from, materialised, retrievals_as_dicts
from tophit.measures import Measure, parse_measures
from tophit.relations import Run
from tophit.settings import Folding
from tophit.tokens import CL100K

DEFAULT_MEASURES = "Hit Partial MRR"


def evaluate(
    questions: Any,
    run: Any = None,
    *,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    k: int = 4,
    match: str = "auto",
    match_exact: bool = False,
    strip_markup: bool = False,
    min_grade: float = 1,
    population: str = "answerable",
    depth: int | None = None,
    level: float = 0.95,
    name: str | None = None,
    chunks: Any = None,
    tokenizer: str = CL100K,
    cluster: str | None = None,
) -> Result:
    """Score what a retriever returned against what it should have returned.

    `questions` and `run` are paths (any format), frames of Polars, pandas, PyArrow, DuckDB or Spark
    with the relations' columns, dicts (`{query: {id: grade}}` and `{query: {id: score}}` or
    `{query: [ids]}`), or `questions` alone is a list of `Retrieval`. `k` is the cutoff of measures
    written without one; `depth` cuts every ranking first. `match`: auto, text, spans or ids.
    `population`: answerable (questions without a relevant item stay out), or trec_eval,
    trec_eval-c for parity. Questions without results count as 0. `chunks` are all chunks of the
    index, for Ceiling. A token budget (`Hit@3200tok`) takes the run's tokens, else it counts those
    of its texts by `tokenizer`. `cluster`: a tag of the questions (a column of their frame), or
    `doc` for the document expected; questions that share it depend on each other, and the intervals
    come from the clusters.

    The result holds for each measure the mean in [0, 1], its interval at `level` and n, and the
    scores a question. No question that counts: value 0.0, n 0, no interval, and a warning.

    Errors: `UsageError` for unknown names and bad cutoffs, `InputError` for faults of the data.

    >>> judgments = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}}
    >>> run = {"q1": ["a"], "q2": ["x", "y", "b"], "q3": ["x", "y", "z"]}
    >>> result = evaluate(judgments, run, measures="Hit@4 MRR")
    >>> round(result["Hit@4"].value, 4), round(result["MRR"].value, 4)
    (0.6667, 0.4444)
    """
    parsed = parse_measures(measures, k=k)
    _check_options(depth=depth, min_grade=min_grade)
    if run is None:
        questions, run = retrievals_as_dicts(questions)
    if isinstance(questions, str | Path):
        from tophit.formats import read_questions

        questions = read_questions(questions)
    inputs = inputs_from(questions, run)
    chunks = _read_once(chunks)
    matcher = Matcher(match=match, folding=Folding(exact=match_exact, strip_markup=strip_markup))
    found = relate(
        inputs, measures=parsed, matcher=matcher, depth=depth, chunks=chunks, tokenizer=tokenizer
    )
    totals = query_totals(
        inputs.queries,
        found.judgments,
        found.of_run,
        measures=parsed,
        min_grade=min_grade,
        places=found.places,
    )
    scored = materialised(
        score_queries(
            found.hits,
            totals,
            measures=parsed,
            min_grade=min_grade,
            pieces=found.pieces,
            index=found.index,
        )
    )
    grouped = None if cluster is None else clusters_of(questions, cluster, leader=scored)
    averages = average(scored, parsed, population=population, level=level, clusters=grouped)
    check_grades(inputs, averages)
    settings: dict[str, Any] = {
        "k": k,
        "match": found.match,
        "population": population,
        "min_grade": min_grade,
        "depth": depth,
    }
    return Result(
        name=name or _name(run),
        **settings,
        questions=averages.questions,
        measures=averages.measures,
        scores=inputs.to_caller(scores_of(scored, parsed, population=population)),
        cluster=cluster,
        n_clusters=averages.n_clusters,
        fingerprints=_fingerprints(inputs, chunks, settings),
        warnings=(*inputs.warnings, *data_warnings(inputs, found, scored, averages)),
    )


def _check_options(*, depth: Any, min_grade: Any) -> None:
    """Errors: `UsageError` for a depth that is no whole number from 1, a grade without a value."""
    whole = isinstance(depth, numbers.Integral) and not isinstance(depth, bool)
    if depth is not None and not (whole and depth >= 1):
        raise UsageError(f"depth must be a whole number of at least 1, not {depth!r}")
    if not isinstance(min_grade, numbers.Real) or not math.isfinite(min_grade):
        raise UsageError(f"min_grade must be a number, not {min_grade!r}")


def _read_once(chunks: Any) -> Any:
    """The chunks of a file, which several steps look at."""
    if not isinstance(chunks, str | Path):
        return chunks
    from tophit.formats import read_chunks

    return read_chunks(chunks)


def _fingerprints(inputs: Inputs, chunks: Any, settings: dict[str, Any]) -> dict[str, str]:
    """Those of what is in process: nothing is collected from an engine for them."""
    found: dict[str, str] = {}
    if inputs.asked is not None:
        found["questions"] = questions_fingerprint(inputs.asked)
    if chunks is not None:
        index = chunks_from(chunks)
        if index.implementation.is_polars():
            found["corpus"] = corpus_fingerprint(index.collect().to_polars())
    return {**found, "settings": settings_fingerprint(settings)}


def _name(run: Any) -> str:
    if isinstance(run, Run):
        return run.name
    return Path(run).name.split(".")[0] if isinstance(run, str | Path) else "run"
