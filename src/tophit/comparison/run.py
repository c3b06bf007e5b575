"""Runs compared: evaluate each on the same questions, make sure they belong together, compare."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import narwhals as nw
import polars as pl

from tophit.comparison.engine import compare_on_engine
from tophit.comparison.scores import ALL_PAIRS, Comparison, compare_scores
from tophit.diagnosis import outcomes_of_runs
from tophit.errors import DataWarning, UsageError, counted
from tophit.evaluation.clusters import cluster_labels
from tophit.evaluation.evaluate import DEFAULT_MEASURES, evaluate, name_given
from tophit.evaluation.result import Result
from tophit.evaluation.results import distinct_names, remarks
from tophit.frames import collected, read_once
from tophit.measures import parse_measures
from tophit.relations import QUERY, Questions
from tophit.retrieval.held import run_held
from tophit.settings import Options, Settings

_SHOWN = 5
_ADVICE = "score both alike, or allow differences (allow_different=True, --allow-different)"
_CHANGED = {
    "questions": "were scored on the same questions, but these expect something else",
    "corpus": "were scored with different corpora: their chunks differ",
}


def compare(
    questions: Any,
    runs: Mapping[str, Any] | Sequence[Any],
    *,
    measures: Any = DEFAULT_MEASURES,
    baseline: str | None = None,
    seed: int = 0,
    allow_different: bool = False,
    chunks: Any = None,
    documents: Any = None,
    settings: Settings | None = None,
    **options: Unpack[Options],
) -> Comparison:
    """Compare several runs on the same questions: which is better, and is it more than noise?

    `questions` and each run are whatever `evaluate` takes, retrievers too; `runs` is a dict by
    name, or a list (named as `evaluate` names them, the same name told apart by a number).
    `baseline`: the run to compare the others with, the first if None, every pair if "*".
    `settings` and `options` as in `evaluate`; questions that share a `cluster` are dependent.

    `outcomes` and `changes` of the result say what became of each question at `k`: found, late,
    missed or empty; with `chunks` (all of the index) and `documents` also cut, unretrieved and
    absent, as in `tophit.diagnose`. On DuckDB and Spark they are not computed.

    Errors: those of `evaluate`; `UsageError` for fewer than two runs, an unknown baseline, runs
    whose scores are over different questions or settings (unless `allow_different`), `documents`
    with runs on DuckDB or Spark.

    >>> judged = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}}
    >>> old = {"q1": ["a"], "q2": ["x", "b"], "q3": ["x"]}
    >>> new = {"q1": ["a"], "q2": ["b"], "q3": ["c"]}
    >>> found = compare(judged, {"old": old, "new": new}, measures="MRR")
    >>> mrr = found.between("old", "new", "MRR")
    >>> mrr.difference, mrr.p, mrr.wins
    (0.5, 0.5, ['q2', 'q3'])
    >>> found.changes["old", "new"]
    {('missed', 'found'): ['q3']}
    """
    questions, chunks = read_once(questions, "questions"), read_once(chunks, "chunks")
    named = runs.items() if isinstance(runs, Mapping) else ((None, run) for run in runs)
    chosen = Settings.of(settings, options)
    parsed = parse_measures(measures, k=chosen.k)
    asking = {"depth": chosen.depth, "measures": parsed, "chunks": chunks}
    held = [
        (name or name_given(run), read_once(run_held(questions, run, **asking), "run"))
        for name, run in named
    ]
    # the differences have intervals of their own, from the clusters
    scoring = replace(chosen, cluster=None)
    results = [
        evaluate(questions, run, measures=measures, name=name, chunks=chunks, settings=scoring)
        for name, run in held
    ]
    found = compare_results(
        results, baseline=baseline, cluster=chosen.cluster, questions=questions,
        level=chosen.level, seed=seed, allow_different=allow_different,
    )  # fmt: skip
    if not any(_out_of_process(result) for result in results):
        by_name = dict(zip(found.runs, (run for _, run in held), strict=True))
        sources = {"chunks": chunks, "documents": documents}
        return _with_outcomes(found, questions, by_name, settings=scoring, **sources)
    if documents is not None:
        raise UsageError("documents need the runs in process: compare files or Polars frames")
    return found


def _with_outcomes(
    found: Comparison,
    questions: Any,
    runs: Mapping[str, Any],
    *,
    chunks: Any,
    documents: Any,
    settings: Settings,
) -> Comparison:
    outcomes, warnings = outcomes_of_runs(
        questions, runs, chunks=chunks, documents=documents, settings=settings
    )
    unsaid = [warning for warning in warnings if warning not in found.warnings]
    return replace(found, k=settings.k, outcomes=outcomes, warnings=(*found.warnings, *unsaid))


def compare_results(
    results: Iterable[Result],
    *,
    baseline: str | None = None,
    cluster: str | None = None,
    questions: Any = None,
    level: float = 0.95,
    seed: int = 0,
    allow_different: bool = False,
) -> Comparison:
    """Compare results of `evaluate`. Scores on DuckDB and Spark are added up there, not collected.

    `cluster` needs `questions` (a `Questions`), whose tags hold the labels. With `allow_different`
    the questions that all results have are compared, and a warning counts the others.

    The warnings of the evaluations are among those of the comparison, after the name of their run.

    Errors: as `compare`; `UsageError` for results whose fingerprints of questions or corpus differ
    (unless `allow_different`).

    >>> from tophit import evaluate
    >>> judged = {"q1": {"a": 1}, "q2": {"b": 1}}
    >>> both = [evaluate(judged, {"q1": ["a"], "q2": [place]}, measures="Hit@4") for place in "xb"]
    >>> found = compare_results(both).differences[0]
    >>> found.a, found.b, found.wins
    ('run', 'run (2)', ['q2'])
    """
    told_apart = _told_apart(list(results))
    made_by = replace(told_apart[0].settings, level=level, cluster=cluster)
    warnings = _same_settings(told_apart, allow_different=allow_different)
    measures = list(dict.fromkeys(name for result in told_apart for name in result))
    for result in told_apart:
        if lacking := [name for name in measures if name not in result.measures]:
            raise UsageError(f"run {result.name} was not evaluated on {', '.join(lacking)}")
    binary = {name for name in measures if parse_measures(name)[0].definition.binary}
    frames = {result.name: nw.from_native(result.scores).lazy() for result in told_apart}
    if any(not frame.implementation.is_polars() for frame in _unpandas(frames).values()):
        if cluster is not None:
            raise UsageError("clusters need the scores in process: evaluate Polars frames")
        found = compare_on_engine(frames, measures, binary, baseline=baseline, level=level)
        warnings += _same_data(told_apart, same_ids=True, allow_different=allow_different)
        return replace(found, settings=made_by, warnings=(*warnings, *_of_runs(told_apart)))
    tables, dropped = _aligned(_unpandas(frames), allow_different=allow_different)
    warnings += _same_data(told_apart, same_ids=not dropped, allow_different=allow_different)
    ids = next(iter(tables.values()))[QUERY].to_list()
    labels = None if cluster is None else cluster_labels(_with_tags(questions), cluster, ids)
    scores = {
        run: {name: table[name].to_numpy() for name in measures} for run, table in tables.items()
    }
    found = compare_scores(
        ids, scores, binary=binary, baseline=baseline, level=level, clusters=labels, seed=seed
    )
    return replace(found, settings=made_by, warnings=(*warnings, *dropped, *_of_runs(told_apart)))


def _of_runs(results: Sequence[Result]) -> Iterator[DataWarning]:
    """What the evaluations warned of, after the name of the run where it is not true of all."""
    for remark in remarks(results):
        yield replace(remark.warning, message=remark.text)


def questions_difference(a: str, ids_a: Iterable[str], b: str, ids_b: Iterable[str]) -> str | None:
    """A sentence that says how two sets of questions differ, None where they are the same.

    >>> questions_difference("old", ["q1", "q2"], "new", ["q2", "q3", "q4"])
    'old has 1 question that new lacks (q1), and new has 2 that old lacks (q3, q4)'
    """
    first, second = set(ids_a), set(ids_b)
    only_a, only_b = sorted(first - second), sorted(second - first)
    if only_a and only_b:
        return (
            f"{a} has {_counted(only_a)} that {b} lacks ({_listed(only_a)}), "
            f"and {b} has {len(only_b):,} that {a} lacks ({_listed(only_b)})"
        )
    if only_a:
        return f"{a} has {_counted(only_a)} that {b} lacks ({_listed(only_a)})"
    if only_b:
        return f"{b} has {_counted(only_b)} that {a} lacks ({_listed(only_b)})"
    return None


def _out_of_process(result: Result) -> bool:
    """Whether the scores are on DuckDB or Spark."""
    made_by = nw.from_native(result.scores).implementation
    return not (made_by.is_polars() or made_by.is_pandas() or made_by.is_pyarrow())


def _counted(ids: Sequence[str]) -> str:
    return counted(len(ids), "question")


def _listed(ids: Sequence[str]) -> str:
    return ", ".join(ids[:_SHOWN]) + (", ..." if len(ids) > _SHOWN else "")


def _told_apart(results: Sequence[Result]) -> list[Result]:
    names = distinct_names([result.name for result in results], taken=[ALL_PAIRS])
    return [replace(result, name=name) for result, name in zip(results, names, strict=True)]


def _same_settings(results: Sequence[Result], *, allow_different: bool) -> list[DataWarning]:
    warnings = []
    for result in results[1:]:
        first = results[0]
        changes = result.settings.differences_to(first.settings)
        if not changes:
            continue
        says = "; ".join(
            f"{first.name} was scored with {each.name} {each.expected}, "
            f"{result.name} with {each.found}"
            for each in changes
        )
        if not allow_different:
            raise UsageError(f"{says}; {_ADVICE}")
        warnings.append(DataWarning(code="different_settings", count=len(changes), message=says))
    return warnings


def _same_data(
    results: Sequence[Result], *, same_ids: bool, allow_different: bool
) -> list[DataWarning]:
    """Look at the fingerprints that both results have: ids alone do not show every change."""
    warnings = []
    first, *others = results
    for result in others:
        for of, says in _CHANGED.items():
            here, there = first.fingerprints.get(of), result.fingerprints.get(of)
            if None in (here, there) or here == there or (of == "questions" and not same_ids):
                continue
            told = f"{first.name} and {result.name} {says} (fingerprints {here} and {there})"
            if not allow_different:
                raise UsageError(f"{told}; {_ADVICE}")
            warnings.append(DataWarning(code=f"different_{of}", count=1, message=told))
    return warnings


def _unpandas(frames: Mapping[str, Any]) -> dict[str, Any]:
    """Frames of pandas and PyArrow as Polars; those of an engine as they are."""
    return {
        run: nw.from_native(collected(frame)).lazy()
        if frame.implementation.is_pandas() or frame.implementation.is_pyarrow()
        else frame
        for run, frame in frames.items()
    }


def _aligned(
    frames: Mapping[str, Any], *, allow_different: bool
) -> tuple[dict[str, pl.DataFrame], list[DataWarning]]:
    tables = {run: collected(frame).sort(QUERY) for run, frame in frames.items()}
    first, *others = tables
    ids = set(tables[first][QUERY])
    differences = []
    for run in others:
        says = questions_difference(first, tables[first][QUERY], run, tables[run][QUERY])
        if says is None:
            continue
        if not allow_different:
            raise UsageError(f"the runs were scored on different questions: {says}")
        ids &= set(tables[run][QUERY])
        differences.append(DataWarning(code="different_questions", count=1, message=says))
    if differences:
        kept = pl.col(QUERY).is_in(list(ids))
        tables = {run: table.filter(kept) for run, table in tables.items()}
    return tables, differences


def _with_tags(questions: Any) -> Questions:
    if not isinstance(questions, Questions):
        raise UsageError("clusters need questions with tags: a file, or tophit.Questions")
    return questions
