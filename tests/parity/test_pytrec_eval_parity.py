"""Random runs with heavy ties, negative grades and missing queries, against pytrec_eval."""

from __future__ import annotations

import random

import numpy as np
import polars as pl
import pytest
import pytrec_eval

import tophit

OURS = {
    "map": "MAP",
    "ndcg": "nDCG",
    "recip_rank": "MRR",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    **{f"P_{k}": f"Precision@{k}" for k in (1, 5, 20)},
    **{f"recall_{k}": f"Recall@{k}" for k in (1, 5, 20)},
    **{f"success_{k}": f"Hit@{k}" for k in (1, 5, 20)},
    **{f"ndcg_cut_{k}": f"nDCG@{k}" for k in (1, 5, 20)},
    **{f"map_cut_{k}": f"MAP@{k}" for k in (1, 5, 20)},
}
THEIRS = {
    "map", "ndcg", "recip_rank", "Rprec", "bpref",
    "P.1,5,20", "recall.1,5,20", "success.1,5,20", "ndcg_cut.1,5,20", "map_cut.1,5,20",
}  # fmt: skip


def random_data(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Scores are exact in 32 bits, in which pytrec_eval ranks; every query has a relevant item."""
    rng = random.Random(seed)
    documents = [f"d{n}" for n in range(60)]
    scores = [np.float32(n / 8).item() for n in range(-6, rng.choice([0, 20, 4000]))]
    qrels, run = {}, {}
    for number in range(40):
        query = str(number)
        if rng.random() < 0.9:
            judged = rng.sample(documents, rng.randint(1, 25))
            qrels[query] = {doc: rng.choice([-2, -1, 0, 0, 1, 1, 2, 5]) for doc in judged}
            qrels[query][judged[0]] = rng.choice([1, 3])
        if rng.random() < 0.9:
            retrieved = rng.sample(documents, rng.randint(1, 50))
            run[query] = {doc: rng.choice(scores) for doc in retrieved}
    return qrels, run


def assert_equal_to_pytrec_eval(result, scores, qrels, run, *, level=1):
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, THEIRS, relevance_level=level)
    theirs = evaluator.evaluate(run)
    assert {row["query_id"] for row in scores} == set(theirs)
    for row in scores:
        for name, ours in OURS.items():
            value = theirs[row["query_id"]][name]
            assert row[ours] == pytest.approx(value, abs=1e-12), (row["query_id"], name)
    for name, ours in OURS.items():
        mean = np.mean([values[name] for values in theirs.values()])
        assert result[ours].value == pytest.approx(mean, abs=1e-12), name


@pytest.mark.parametrize("seed", range(12))
def test_agrees_from_dicts(seed):
    qrels, run = random_data(seed)
    level = 1 + seed % 2
    for judged in qrels.values():
        first = next(iter(judged))
        judged[first] = max(judged[first], level)
    result = tophit.evaluate(
        qrels, run, measures=list(OURS.values()), population="trec_eval", min_grade=level
    )
    assert_equal_to_pytrec_eval(result, result.scores.to_dicts(), qrels, run, level=level)


def test_agrees_on_every_engine(engine):
    qrels, run = random_data(99)
    judgments = [(q, doc, grade) for q, judged in qrels.items() for doc, grade in judged.items()]
    places = [(q, doc, score) for q, scored in run.items() for doc, score in scored.items()]
    result = tophit.evaluate(
        engine.frame(
            pl.DataFrame(judgments, schema=["query_id", "item_id", "grade"], orient="row")
        ),
        engine.frame(pl.DataFrame(places, schema=["query_id", "chunk_id", "score"], orient="row")),
        measures=list(OURS.values()),
        population="trec_eval",
    )
    scores = engine.collect(result.scores).to_dicts()
    assert_equal_to_pytrec_eval(result, scores, qrels, run)


def test_queries_without_a_relevant_document_count_as_0_not_as_what_memory_held():
    qrels = {"1": {"a": 0, "b": 0}, "2": {"a": 1}}
    run = {"1": {"a": 2.0, "c": 1.0}, "2": {"b": 2.0, "a": 1.0}}
    result = tophit.evaluate(qrels, run, measures=list(OURS.values()), population="trec_eval")
    assert all(result.scores.row(0)[column] == 0 for column in range(1, len(OURS) + 1))
    assert result["MRR"].value == 0.25
