"""The benchmark itself: chunks once for each way to split, then every retriever on them."""

from __future__ import annotations

import itertools
import json
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import polars as pl

import tophit
from tophit.benching.budget import budget_measures, depth_for_budget
from tophit.benching.grid import Configuration, grid_of
from tophit.benching.outcome import BenchResult, BenchRow, best_first, with_differences
from tophit.benching.searches import Searches
from tophit.benching.specs import Retrieving, Splitting, retrievings_of, splittings_of
from tophit.benching.store import Made, Store, made_of
from tophit.benching.tuning import candidates_of, cross_fitted
from tophit.documents import Documents, as_documents, with_known_documents
from tophit.errors import DataWarning, Fault, InputError, UsageError
from tophit.evaluation.clusters import cluster_labels
from tophit.evaluation.curve import context
from tophit.evaluation.evaluate import DEFAULT_MEASURES, evaluate
from tophit.evaluation.fingerprint import corpus_fingerprint, questions_fingerprint
from tophit.evaluation.result import Result
from tophit.formats import read_questions
from tophit.measures import Measure, parse_measures
from tophit.measures.definition import Cutoff
from tophit.relations import DOC, QUERY, TEXT, TOKENS, Questions, Run
from tophit.retrieval.asking import Patience
from tophit.retrieval.journal import Journal
from tophit.retrieval.protocol import Live, Request
from tophit.retrieval.requests import requests_of
from tophit.retrieval.rerank import RERANK_DEPTH
from tophit.retrieval.results import run_of
from tophit.retrieval.runs import answers_of, identity_of
from tophit.settings import Settings
from tophit.splitting import chunk_warnings, split
from tophit.tokens import count_tokens

Progress = Callable[[str, int, int], None]
SWEEP = "configurations"  # what `progress` is called with when one of them is done
_CEILING = "Ceiling"
_TUNED = "tuned"


@dataclass(frozen=True, kw_only=True)
class _Plan:
    documents: Documents
    questions: Questions
    splittings: Mapping[str, Splitting]
    retrievings: Mapping[str, Retrieving]
    store: Store
    depth: int
    budget: int | None
    measures: Sequence[Measure]
    deciding: str
    settings: Settings
    patience: Patience
    cache: Path | None
    progress: Progress

    @cached_property
    def corpus(self) -> str:
        """The fingerprint of the documents, which all configurations share, unlike their chunks."""
        return corpus_fingerprint(self.documents.frame)

    def requests(self, depth: int) -> list[Request]:
        """Every question, asked so deep."""
        return requests_of(self.questions, depth=depth)

    def identity(self, configuration: Configuration) -> str:
        """What a configuration is made of, beside what all share."""
        splitting = self.splittings.get(configuration.splitter or "")
        said = [splitting.identity if splitting else None, configuration.to_dict()]
        return json.dumps([*said, self.retrievings[configuration.retriever].identity])


def bench(
    documents: Any,
    questions: Questions | str | os.PathLike[str],
    *,
    output: str | os.PathLike[str],
    splitters: Any = ("spring-ai",),
    sizes: Sequence[int] = (800,),
    overlaps: Sequence[int] = (0,),
    retrievers: Any = ("bm25",),
    depth: int = 20,
    budget: int | None = None,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    splitter_options: Mapping[str, Any] | None = None,
    retriever_options: Mapping[str, Any] | None = None,
    reranker: Any = None,
    rerank_depth: int = RERANK_DEPTH,
    tune: Mapping[str, Sequence[Any]] | None = None,
    cache: str | os.PathLike[str] | None = None,
    concurrency: int | None = None,
    time_limit: float | None = None,
    retries: int = 3,
    progress: Progress | None = None,
    **scoring: Any,
) -> BenchResult:
    """Split, retrieve and evaluate every combination of the grid.

    `documents`: a path, `Documents`, id to text, or a frame of `doc_id, text`. `questions`: a path
    or `Questions` with their texts. `splitters` and `retrievers` are lists of names or of what
    `split` and `retrieve` take, or dicts from names of your own to these, or to dicts with options
    (`{"both": {"retriever": "hybrid", "weights": "1,2"}}`). A retriever that has an index of its
    own is one configuration. `depth` chunks are retrieved, the first `k` are what the model gets.
    Each further option goes to the splitters or retrievers of the grid that have it; `reranker` and
    `rerank_depth` to all. `tune` has values for options of retrievers, of which the questions
    choose, one half for the other (`tuning`). `cache` is a file of embeddings, by default in
    `output`. `concurrency`, `time_limit`, `retries` are those of `retrieve`, and `scoring` goes to
    `tophit.evaluate` (k, match, min_grade, population, level, cluster, tokenizer, ...). `progress`
    is called with (what, done, in all).

    Measures without a cutoff are cut at `depth`, since runs differ in how deep they go. With a
    `budget` in tokens, `Hit@{budget}tok` stands beside them, and ranks where sizes differ.

    `output` gets a folder for each configuration with chunks.jsonl, run.jsonl and result.json, and
    table.json, results.csv and costs.csv over all. A sweep that was broken off goes on where it
    was; until it is complete, what `output` held stays as it was (`store`).

    Errors: `UsageError` for a grid that cannot be, k above the depth, or a folder in the way;
    `InputError` for documents or questions at fault, or documents that give no chunk; `OutputError`
    where nothing can be written; those of `retrieve`.

    >>> import tempfile
    >>> judged = pl.DataFrame({"query_id": ["q"], "item_id": ["e"], "text": ["eight dollars"]})
    >>> asked = pl.DataFrame({"query_id": ["q"], "question": ["What is the fee?"]})
    >>> questions = Questions(queries=asked, judgments=judged.with_columns(grade=1.0))
    >>> found = bench({"a.md": "The fee is eight dollars."}, questions,
    ...               output=tempfile.mkdtemp(), sizes=[200, 800])
    >>> found.table.select("configuration", "chunks", "Hit@4").rows()
    [('spring-ai-200-bm25', 1, 1.0), ('spring-ai-800-bm25', 1, 1.0)]
    """
    settings = Settings.of(None, scoring)
    if depth < settings.k:
        raise UsageError(f"the depth must be at least k = {settings.k}, not {depth}")
    patience = Patience(concurrency=concurrency, time_limit=time_limit, retries=retries)
    patience.check()
    splittings = splittings_of(splitters, splitter_options or {})
    retrievings = retrievings_of(
        retrievers, retriever_options or {}, reranker=reranker, rerank_depth=rerank_depth, tune=tune
    )
    configurations = grid_of(splittings, retrievings, sizes=sizes, overlaps=overlaps)
    parsed = parse_measures(measures, k=settings.k)
    depth = max(
        [depth, *(m.cutoff.value for m in parsed if m.cutoff and m.cutoff.unit == "places")]
    )
    parsed = cut_at(parsed, depth)
    read = as_documents(documents)
    asked = questions if isinstance(questions, Questions) else read_questions(questions)
    asked = with_known_documents(asked, read.frame[DOC])
    shared = _shared(read, asked, [depth, budget, list(map(str, parsed)), asdict(settings)])
    store = Store(Path(output), [each.name for each in configurations], shared)
    plan = _Plan(
        documents=read,
        questions=asked,
        splittings={each.name: each for each in splittings},
        retrievings={each.name: each for each in retrievings},
        store=store,
        depth=depth,
        budget=budget,
        measures=parsed,
        deciding=deciding_of(parsed, budget, configurations),
        settings=settings,
        patience=patience,
        cache=store.cache if cache is None else Path(cache),
        progress=progress or _silent,
    )
    result = _run(configurations, plan)
    store.publish({row.name: row.result_dict() for row in result.rows})
    result.write()
    return result


def cut_at(measures: Sequence[Measure], depth: int) -> tuple[Measure, ...]:
    """The measures, those without a cutoff that may have one cut at `depth`.

    >>> [str(each) for each in cut_at(parse_measures("Hit MRR Rprec"), 20)]
    ['Hit@4', 'MRR@20', 'Rprec']
    """
    return tuple(
        replace(each, cutoff=Cutoff(value=depth))
        if each.cutoff is None and each.definition.cutoff == "optional"
        else each
        for each in measures
    )


def deciding_of(
    measures: Sequence[Measure], budget: int | None, configurations: Sequence[Configuration]
) -> str:
    """The measure that ranks: at the equal budget where sizes differ, else the first one."""
    sizes = {each.size for each in configurations}
    if budget is None or len(sizes) < 2:
        return measures[0].name
    return budget_measures(budget)[0]


def _shared(documents: Documents, questions: Questions, settings: list[Any]) -> str:
    """What all configurations share: other questions, documents or settings are another sweep."""
    texts = questions.queries.select(sorted(questions.queries.columns)).write_json()
    prints = [corpus_fingerprint(documents.frame), questions_fingerprint(questions)]
    return json.dumps([tophit.__version__, *prints, texts, settings], default=str)


def _run(configurations: list[Configuration], plan: _Plan) -> BenchResult:
    made: list[BenchRow] = []
    for _, same in itertools.groupby(configurations, key=lambda each: each.chunking):
        for row in _run_chunking(list(same), plan):
            made.append(row)
            plan.progress(SWEEP, len(made), len(configurations))
    rows = best_first(made, plan.deciding)
    return BenchResult(
        rows=with_differences(rows, plan.deciding, plan.questions),
        deciding=plan.deciding,
        k=plan.settings.k,
        depth=plan.depth,
        documents=len(plan.documents),
        skipped=plan.documents.skipped,
        folder=plan.store.output,
        warnings=(*plan.documents.warnings, *plan.questions.warnings),
    )


def _run_chunking(same: list[Configuration], plan: _Plan) -> Iterable[BenchRow]:
    """All configurations that share their chunks: split once, then every retriever."""
    found = {each: plan.store.found(each.name, plan.identity(each)) for each in same}
    chunks = next((made.chunks for made in found.values() if made is not None), None)
    if chunks is None and None in found.values() and same[0].splitter is not None:
        chunks = _split(same[0], plan)
    with Searches(chunks, cache=plan.cache) as searches:
        for configuration, made in found.items():
            if made is None:
                made = _make(configuration, searches, plan)
                plan.store.keep(configuration.name, plan.identity(configuration), made)
            yield _row(configuration, made, plan)


def _split(configuration: Configuration, plan: _Plan) -> pl.DataFrame:
    splitting = plan.splittings[str(configuration.splitter)]
    chunks = split(
        plan.documents,
        splitter=splitting.splitter,
        size=configuration.size or 800,
        overlap=configuration.overlap,
        tokenizer=plan.settings.tokenizer,
        progress=partial(plan.progress, f"split {configuration.chunking_name}"),
        **splitting.options,
    )
    if not chunks.height:
        raise InputError(
            Fault(
                file=plan.documents.source,
                expected=f"text that {configuration.chunking_name} makes chunks of",
                found="none that is long enough",
            )
        )
    return chunks


def _make(configuration: Configuration, searches: Searches, plan: _Plan) -> Made:
    """Ask every question, once for each combination of what is tuned."""
    name, retrieving = configuration.name, plan.retrievings[configuration.retriever]
    requests = plan.requests(_depth(configuration, searches.chunks, plan))
    candidates = candidates_of(retrieving.tune)
    runs = []
    for chosen in candidates:
        live = searches.live(retrieving, chosen)
        runs.append(_asked(name, live, requests, searches, plan, journaled=len(candidates) == 1))
    size = None if live.index_bytes is None else live.index_bytes()
    if len(candidates) == 1:
        return made_of(searches.chunks, runs[0], index_bytes=size)
    scores = [_values(run, searches.chunks, plan) for run in runs]
    tuned = cross_fitted(
        runs, scores, candidates, [each.id for each in requests], labels=_labels(plan)
    )
    return made_of(searches.chunks, tuned.run, index_bytes=size, tuned=tuned.text)


def _asked(
    name: str, live: Live, requests: Sequence[Request], searches: Searches, plan: _Plan,
    *, journaled: bool,
) -> Run:  # fmt: skip
    kept = None
    if journaled and live.index_bytes is None:  # what has an index here is asked again quickly
        kept = Journal(plan.store.journal(name), identity_of(live, None))
    answers = answers_of(
        live, requests, patience=plan.patience, journal=kept,
        progress=partial(plan.progress, f"retrieve {name}"),
    )  # fmt: skip
    run = run_of(answers, name=name, chunks=searches.chunks)
    return replace(run, retrieved=_with_tokens(run.retrieved, plan.settings.tokenizer))


def _with_tokens(retrieved: pl.DataFrame, tokenizer: str) -> pl.DataFrame:
    """Places of a retriever that has its own index say no tokens; their texts have them."""
    missing = retrieved.filter(pl.col(TOKENS).is_null() & pl.col(TEXT).is_not_null())
    texts = missing[TEXT].unique(maintain_order=True).to_list()
    if not texts:
        return retrieved
    counts = pl.DataFrame(
        {TEXT: texts, ":counted": count_tokens(texts, tokenizer=tokenizer)},
        schema={TEXT: pl.String, ":counted": pl.Int64},
    )
    joined = retrieved.join(counts, on=TEXT, how="left", maintain_order="left")
    filled = pl.coalesce(TOKENS, ":counted").alias(TOKENS)
    return joined.with_columns(filled).drop(":counted")


def _depth(configuration: Configuration, chunks: pl.DataFrame | None, plan: _Plan) -> int:
    if plan.budget is None:
        return plan.depth
    size = configuration.size
    if size is None and chunks is not None:
        size = max(1, math.ceil(float(str(chunks[TOKENS].mean() or 1))))
    return max(plan.depth, 0 if size is None else depth_for_budget(plan.budget, size))


def _labels(plan: _Plan) -> dict[str, str] | None:
    """The cluster of each question, whose questions stay in one half."""
    field = plan.settings.cluster
    if field is None:
        return None
    ids = plan.questions.queries[QUERY].to_list()
    return dict(zip(ids, map(str, cluster_labels(plan.questions, field, ids)), strict=True))


def _values(run: Run, chunks: pl.DataFrame | None, plan: _Plan) -> dict[str, float]:
    result = evaluate(
        plan.questions, run, measures=plan.deciding, chunks=chunks, settings=plan.settings
    )
    return dict(result.scores.select(QUERY, plan.deciding).iter_rows())


def _row(configuration: Configuration, made: Made, plan: _Plan) -> BenchRow:
    name = configuration.name
    plan.progress(f"evaluate {name}", 0, 1)
    result = _scored(made.run, made.chunks, plan)
    settings = plan.settings
    cost = context(
        made.run, plan.questions.queries[QUERY], k=settings.k, tokenizer=settings.tokenizer
    )
    unplaced = () if made.chunks is None else chunk_warnings(made.chunks)
    tuned = (DataWarning(code=_TUNED, count=1, message=made.tuned),) if made.tuned else ()
    plan.progress(f"evaluate {name}", 1, 1)
    return BenchRow(
        configuration=configuration,
        chunks=None if made.chunks is None else made.chunks.height,
        context_tokens=cost.mean if cost else 0.0,
        max_context_tokens=cost.most if cost else 0,
        result=result,
        folder=plan.store.output / name,
        latency_ms=made.latency_ms,
        index_bytes=made.index_bytes,
        tuned=made.tuned,
        warnings=(*tuned, *unplaced, *result.warnings),
    )


def _scored(run: Run, chunks: pl.DataFrame | None, plan: _Plan) -> Result:
    """The measures, and beside them those at the budget; no ceiling where the index is unknown."""
    beside = () if plan.budget is None else budget_measures(plan.budget)
    wanted: list[str | Measure] = [*plan.measures]
    wanted += [each for each in beside if chunks is not None or each != _CEILING]
    result = evaluate(
        plan.questions, run, measures=wanted, chunks=chunks, settings=plan.settings, name=run.name
    )
    return replace(result, fingerprints={**result.fingerprints, "corpus": plan.corpus})


def _silent(what: str, done: int, total: int) -> None:
    """Progress that nobody looks at."""
