"""trec_eval's own test outputs, to their four places, for every measure that tophit has."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

import tophit
from tophit.errors import UsageError
from tophit.formats import read_questions, read_run
from tophit.measures import parse_measures

# trec_eval's nDCG with gains of its own for each grade: its name would read as several measures.
_OTHER_GAINS = "ndcg_1=3"
# Its RBP has another persistence; for grades other than 0 and 1 it is a graded measure.
_SAME = {"rbp": "RBP(p=0.9)"}

CASES = {
    "out.test": ("qrels.test", "results.test", {}),
    "out.test.a": ("qrels.test", "results.test", {}),
    "out.test.aq": ("qrels.test", "results.test", {}),
    "out.test.aqc": ("qrels.test", "results.trunc", {"population": "trec_eval-c"}),
    "out.test.aqcM": ("qrels.test", "results.trunc", {"population": "trec_eval-c", "depth": 100}),
    "out.test.aql": ("qrels.rel_level", "results.test", {"min_grade": 2}),
    "out.test.meas_params": ("qrels.test", "results.test", {}),
    "out.comment.test": ("qrels.comment.test", "results.comment.test", {}),
    "with comments": ("qrels.test.with-comments", "results.test", {}),
}
# How many of the lines are measures that tophit has: a name that is no longer read shows here.
COMPARED = {
    "out.test": 13,
    "out.comment.test": 13,
    "with comments": 13,
    "out.test.a": 45,
    "out.test.aq": 4 * 45,
    "out.test.aqc": 4 * 45,
    "out.test.aqcM": 4 * 45,
    "out.test.aql": 4 * 44,
    "out.test.meas_params": 4 * 11,
}


def expected_values(path: Path, *, qrels: str) -> dict[str, dict[str, float]]:
    """`{canonical measure: {query or "all": value}}` of the measures that tophit has."""
    values: dict[str, dict[str, float]] = defaultdict(dict)
    for line in path.read_text().splitlines():
        name, query, value = line.split()
        if name.startswith(_OTHER_GAINS) or (name == "rbp" and "rel_level" in qrels):
            continue
        try:
            measure = parse_measures(_SAME.get(name, name))[0]
        except UsageError:
            continue
        values[measure.name][query] = float(value)
    return values


@pytest.mark.parametrize("case", CASES)
def test_gives_trec_evals_values(case, shared_data):
    folder = shared_data / "trec_eval"
    qrels, run, options = CASES[case]
    expected = expected_values(
        folder / (case if case.startswith("out") else "out.test"), qrels=qrels
    )
    options = {"population": "trec_eval", **options}
    result = tophit.evaluate(folder / qrels, folder / run, measures=list(expected), **options)
    scores = {row["query_id"]: row for row in result.scores.to_dicts()}
    wrong = []
    for name, values in expected.items():
        for query, value in values.items():
            ours = result[name].value if query == "all" else scores[query][name]
            if f"{ours:.4f}" != f"{value:.4f}":
                wrong.append((name, query, ours, value))
    assert wrong == []
    assert sum(map(len, expected.values())) == COMPARED[case]


def test_the_engines_give_trec_evals_values(engine, shared_data):
    folder = shared_data / "trec_eval"
    expected = expected_values(folder / "out.test.aql", qrels="qrels.rel_level")
    questions = read_questions(folder / "qrels.rel_level")
    run = read_run(folder / "results.test")
    result = tophit.evaluate(
        engine.frame(questions.judgments),
        engine.frame(run.retrieved),
        measures=list(expected),
        population="trec_eval",
        min_grade=2,
    )
    assert {name: f"{result[name].value:.4f}" for name in expected} == {
        name: f"{values['all']:.4f}" for name, values in expected.items()
    }
