"""The one pass: rank, match, score, and average, the same on every engine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals as nw

from tophit.budgets import budgets, with_tokens, with_tokens_through
from tophit.errors import UsageError
from tophit.findings import data_warnings
from tophit.frames import Inputs, chunks_from, inputs_from, retrievals_as_dicts
from tophit.matching import Matching, match_hits
from tophit.measures import Measure, parse_measures
from tophit.measures.credit import N_RELEVANT, N_RETRIEVED, flag, within
from tophit.ranking import ranked
from tophit.relations import QUERY, Lazy, Run
from tophit.result import QuestionCounts, Result, Score
from tophit.scoring import counted, query_totals, score_queries
from tophit.statistics import interval, interval_from_sums
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
) -> Result:
    """Score what a retriever returned against what it should have returned.

    `questions` and `run` are paths (any format), frames of Polars, pandas, PyArrow, DuckDB or Spark
    with the relations' columns, dicts (`{query: {id: grade}}` and `{query: {id: score}}` or
    `{query: [ids]}`), or `questions` alone is a list of `Retrieval`. `k` is the cutoff of measures
    written without one; `depth` cuts every ranking first. `match`: auto, text, spans or ids.
    `population`: answerable (questions without a relevant item stay out), or trec_eval,
    trec_eval-c for parity. Questions without results count as 0. `chunks` are all chunks of the
    index, for Ceiling. A token budget (`Hit@3200tok`) takes the run's tokens, else it counts those
    of its texts by `tokenizer`.

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
    if depth is not None and depth < 1:
        raise UsageError(f"depth must be a whole number of at least 1, not {depth}")
    if run is None:
        questions, run = retrievals_as_dicts(questions)
    inputs = inputs_from(questions, run)
    places = ranked(inputs.retrieved, depth=depth)
    if budgets(parsed):
        places = with_tokens_through(with_tokens(places, tokenizer=tokenizer))
    folding = {"exact": match_exact, "strip_markup": strip_markup}
    matching = match_hits(inputs.judgments, places, match=match, **folding)
    found = _further_relations(inputs, places, matching, parsed, chunks=chunks, **folding)
    asked = query_totals(
        inputs.queries, found.judgments, found.places, measures=parsed, min_grade=min_grade
    )
    scores = score_queries(
        matching.hits,
        counted(asked, population=population),
        measures=parsed,
        min_grade=min_grade,
        pieces=found.pieces,
        index=found.index,
    )
    counts = _count(asked, places)
    return Result(
        name=name or _name(run),
        k=k,
        match=matching.match,
        population=population,
        min_grade=min_grade,
        depth=depth,
        questions=counts,
        measures=_means(scores, parsed, level=level),
        scores=inputs.to_caller(scores),
        warnings=(
            *inputs.warnings,
            *data_warnings(
                inputs, places, asked, matching, counts=counts, measures=parsed, min_grade=min_grade
            ),
        ),
    )


@dataclass(frozen=True, kw_only=True)
class _Relations:
    """What some measures read besides the hits."""

    judgments: Lazy
    places: Lazy
    pieces: Lazy | None = None
    index: Lazy | None = None


def _further_relations(
    inputs: Inputs,
    places: Lazy,
    matching: Matching,
    measures: Sequence[Measure],
    *,
    chunks: Any,
    exact: bool,
    strip_markup: bool,
) -> _Relations:
    """Make the relations that these measures read, and no other.

    Errors: `UsageError` when one cannot be had: Ceiling without chunks, Covered by ids.
    """
    judgments = inputs.judgments
    folding = {"exact": exact, "strip_markup": strip_markup}
    index = pieces = None
    of_index = [m.name for m in measures if m.definition.reads == "index"]
    if of_index:
        from tophit.matching.index import index_hits

        if chunks is None:
            raise UsageError(
                f"{of_index[0]} is about the whole index: pass all of its chunks "
                "(chunks=, or --chunks FILE)"
            )
        whole = chunks_from(chunks, leader=places)
        index = index_hits(judgments, whole, match=matching.match, **folding)
    of_pieces = [m for m in measures if m.definition.reads == "pieces"]
    if of_pieces:
        from tophit.matching.pieces import pieces_of

        if matching.match == "ids":
            raise UsageError(
                f"{of_pieces[0].name} needs to know which part of an item a chunk holds, and ids "
                "do not say: questions and run need texts, or documents with start and end"
            )
        reached = nw.any_horizontal(*[within(m) for m in of_pieces], ignore_nulls=True)
        found = pieces_of(
            matching.hits, judgments, places, reached=reached, match=matching.match, **folding
        )
        judgments, places, pieces = found.judgments, found.places, found.pieces
    return _Relations(judgments=judgments, places=places, pieces=pieces, index=index)


def _name(run: Any) -> str:
    if isinstance(run, Run):
        return run.name
    return Path(run).name.split(".")[0] if isinstance(run, str | Path) else "run"


def _count(asked: Lazy, places: Lazy) -> QuestionCounts:
    relevant, returned = nw.col(N_RELEVANT) > 0, nw.col(N_RETRIEVED) > 0
    row = (
        asked.select(
            flag(relevant | ~relevant).sum().alias("total"),
            flag(relevant).sum().alias("answerable"),
            flag(relevant & ~returned).sum().alias("without_results"),
            flag(returned).sum().alias("with_results"),
        )
        .collect()
        .row(0)
    )
    total, answerable, without_results, with_results = (int(value or 0) for value in row)
    in_run = int(places.select(nw.col(QUERY).n_unique()).collect().item() or 0)
    return QuestionCounts(
        total=total,
        answerable=answerable,
        unanswerable=total - answerable,
        without_results=without_results,
        not_asked=in_run - with_results,
    )


def _means(scores: Lazy, measures: Sequence[Measure], *, level: float) -> dict[str, Score]:
    if not scores.implementation.is_polars():
        return _means_from_sums(scores, measures, level=level)
    frame = scores.collect()
    means: dict[str, Score] = {}
    for measure in measures:
        values = frame[measure.name].to_numpy()
        bounds = interval(values, binary=measure.definition.binary, level=level)
        means[measure.name] = Score(
            value=float(values.mean()) if len(values) else 0.0,
            low=bounds.low,
            high=bounds.high,
            n=len(values),
            method=bounds.method,
        )
    return means


def _means_from_sums(
    scores: Lazy, measures: Sequence[Measure], *, level: float
) -> dict[str, Score]:
    plain = {measure.name: f"m{n}" for n, measure in enumerate(measures)}
    renamed = scores.rename(plain)
    sums = [
        expression
        for name in plain.values()
        for expression in (
            nw.col(name).sum().alias(f"{name}_sum"),
            (nw.col(name) * nw.col(name)).sum().alias(f"{name}_squares"),
        )
    ]
    row = renamed.select(nw.len().alias("n"), *sums).collect().rows(named=True)[0]
    n = int(row["n"])
    means: dict[str, Score] = {}
    for measure in measures:
        name = plain[measure.name]
        total, squares = float(row[f"{name}_sum"] or 0.0), float(row[f"{name}_squares"] or 0.0)
        bounds = interval_from_sums(
            total, squares, n, binary=measure.definition.binary, level=level
        )
        means[measure.name] = Score(
            value=total / n if n else 0.0,
            low=bounds.low,
            high=bounds.high,
            n=n,
            method=bounds.method,
        )
    return means
