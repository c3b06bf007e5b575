"""The one pass: rank, match, score, and average, the same on every engine."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Unpack

from tophit.evaluation.averages import average, scores_of, slice_means
from tophit.evaluation.clusters import Clusters, clusters_of
from tophit.evaluation.fingerprint import (
    corpus_fingerprint,
    questions_fingerprint,
)
from tophit.evaluation.levels import level_warnings
from tophit.evaluation.relate import Related, relate
from tophit.evaluation.result import Result, Slice
from tophit.evaluation.scoring import query_totals, score_queries
from tophit.evaluation.slices import fields_of, labels_of, with_all_beside
from tophit.evaluation.warnings import check_grades, data_warnings
from tophit.frames import chunks_from, materialised, read_once, retrievals_as_dicts
from tophit.measures import Measure, parse_measures
from tophit.pairing import Inputs, inputs_from
from tophit.relations import Lazy, Run
from tophit.retrieval.doors.table import is_retriever
from tophit.retrieval.held import run_held
from tophit.settings import Options, Settings

DEFAULT_MEASURES = "Hit Partial MRR"


def evaluate(
    questions: Any,
    run: Any = None,
    *,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    chunks: Any = None,
    name: str | None = None,
    by: str | Iterable[str] | None = None,
    settings: Settings | None = None,
    **options: Unpack[Options],
) -> Result:
    """Score what a retriever returned against what it should have returned.

    questions     a path (any format), a list of records (`{"question": ..., "expected": [...]}`),
                  a frame of Polars, pandas, PyArrow, DuckDB or Spark with the relation's columns,
                  or a dict `{query: {id: grade}}` or `{question: [texts]}`
    run           a path, a list of records (`{"question": ..., "retrieved": [...]}`), a frame, or
                  a dict `{query: {id: score}}` or `{query: [ids, texts or documents]}`; nothing
                  where `questions` are a list of `Retrieval`; or a retriever, which is asked
                  every question (`tophit.retrieval.retrieve` says what may be one)
    measures      names, such as "Hit@4 MRR", or a list of them
    chunks        all chunks of the index, for Ceiling, and for the texts of a run that has ids
    name          what the run is called
    by            tags of the questions to slice by, or document, language, elements, overlap: the
                  result's `slices` have the means over the questions of each label (None)
    settings      a `Settings`; the options below go before it

    The options, all that decides a score:

    k             the cutoff of measures written without one (4)
    depth         every ranking is cut to so many places first (None: it is not)
    match         how relevance is decided: auto, text, spans or ids ("auto")
    match_exact   texts are compared as they are but for white space (False)
    match_letters letters and digits alone are compared; numbers stay whole (False)
    strip_markup  marks of Markdown and HTML are dropped before texts are compared (False)
    min_grade     the lowest grade that counts as relevant (1)
    population    which questions a mean is over: answerable (those without a relevant item stay
                  out), or trec_eval, trec_eval-c for parity ("answerable")
    tokenizer     what counts the tokens of a budget (`Hit@3200tok`) where the run has none
                  ("cl100k_base")
    level         of the intervals (0.95)
    cluster       a tag of the questions (a column of their frame), or `doc` for the document
                  expected: questions that share it depend on each other, and the intervals come
                  from the clusters (None)

    Questions without results count as 0. The result holds for each measure the mean in [0, 1], its
    interval at `level` and n, and the scores a question. No question that counts: value 0.0, n 0,
    no interval, and a warning.

    Errors: `UsageError` for unknown names and bad cutoffs, `InputError` for faults of the data.

    >>> judgments = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}}
    >>> run = {"q1": ["a"], "q2": ["x", "y", "b"], "q3": ["x", "y", "z"]}
    >>> result = evaluate(judgments, run, measures="Hit@4 MRR")
    >>> round(result["Hit@4"].value, 4), round(result["MRR"].value, 4)
    (0.6667, 0.4444)
    """
    chosen = Settings.of(settings, options)
    fields = fields_of(by)
    parsed = with_all_beside(parse_measures(measures, k=chosen.k), fields, k=chosen.k)
    if run is None:
        questions, run = retrievals_as_dicts(questions)
    questions, chunks = read_once(questions, "questions"), read_once(chunks, "chunks")
    run = run_held(questions, run, depth=chosen.depth, measures=parsed, chunks=chunks)
    inputs = inputs_from(questions, run, match=chosen.match, chunks=chunks)
    found = relate(inputs, measures=parsed, settings=chosen, chunks=chunks)
    scored = _scored(inputs, found, parsed, chosen)
    clusters = _clusters(questions, scored, chosen)
    averages = average(
        scored, parsed, population=chosen.population, level=chosen.level, clusters=clusters
    )
    check_grades(inputs, averages)
    told = replace(chosen, match=found.match)
    scores = scores_of(scored, parsed, population=chosen.population)
    return Result(
        name=name or name_of(run),
        settings=told,
        questions=averages.questions,
        measures=averages.measures,
        scores=inputs.to_caller(scores),
        n_clusters=averages.n_clusters,
        slices=tuple(
            Slice(field=field, label=label, measures=means)
            for field in fields
            for label, means in slice_means(
                scored,
                parsed,
                labels=labels_of(questions, field, leader=scored),
                population=chosen.population,
                level=chosen.level,
                clusters=clusters,
            ).items()
        ),
        fingerprints={**_fingerprints(inputs, chunks), "settings": told.fingerprint},
        warnings=(
            *inputs.warnings,
            *data_warnings(inputs, found, scored, averages),
            *level_warnings(found, settings=told, answerable=averages.questions.answerable),
        ),
    )


def _scored(
    inputs: Inputs, found: Related, measures: Sequence[Measure], settings: Settings
) -> Lazy:
    totals = query_totals(
        inputs.queries, found.judgments, found.of_run, measures=measures,
        min_grade=settings.min_grade, places=found.places,
    )  # fmt: skip
    return materialised(
        score_queries(
            found.hits, totals, measures=measures, min_grade=settings.min_grade,
            pieces=found.pieces, index=found.index,
        )
    )  # fmt: skip


def _clusters(questions: Any, scored: Lazy, settings: Settings) -> Clusters | None:
    if settings.cluster is None:
        return None
    return clusters_of(questions, settings.cluster, leader=scored)


def _fingerprints(inputs: Inputs, chunks: Any) -> dict[str, str]:
    """Those of what is in process: nothing is collected from an engine for them."""
    found: dict[str, str] = {}
    if inputs.asked is not None:
        found["questions"] = questions_fingerprint(inputs.asked)
    if chunks is not None:
        index = chunks_from(chunks)
        if index.implementation.is_polars():
            found["corpus"] = corpus_fingerprint(index.collect().to_polars())
    return found


def name_of(run: Any) -> str:
    """What a run is called that was given no name: its own name, that of its file, or `run`.

    >>> name_of("out/v1.2.jsonl"), name_of({"q": ["a"]})
    ('v1.2', 'run')
    """
    if isinstance(run, Run):
        return run.name
    if isinstance(run, str | os.PathLike):
        from tophit.formats import run_name

        return run_name(run)
    return "run"


def name_given(run: Any) -> str | None:
    """As `name_of`, before a retriever is asked: None for one, whose run has a name of its own.

    >>> name_given("bm25.run"), name_given("https://localhost/search")
    ('bm25', None)
    """
    return None if is_retriever(run) else name_of(run)
