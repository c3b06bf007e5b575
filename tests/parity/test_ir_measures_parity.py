"""Judged, ERR and nDCG with exponential gain, against ir_measures (its own code and gdeval)."""

from __future__ import annotations

import random
import shutil

import ir_measures
import pytest

import tophit

# Made as objects: ir_measures reads names with what Python 3.14 no longer has.
OURS = {
    ir_measures.Judged @ 5: "Judged@5",
    ir_measures.Judged @ 20: "Judged@20",
    ir_measures.ERR @ 5: "ERR@5",
    ir_measures.ERR @ 20: "ERR@20",
    ir_measures.nDCG(dcg="exp-log2") @ 5: "nDCG(gain=exp)@5",
    ir_measures.nDCG(dcg="exp-log2") @ 20: "nDCG(gain=exp)@20",
}


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a Perl script")
@pytest.mark.parametrize("seed", range(3))
def test_agrees_with_ir_measures(seed):
    """gdeval prints five places; the named tuples of ir_measures are the input."""
    rng = random.Random(seed)
    documents = [f"d{n}" for n in range(50)]
    qrels, run = [], []
    for query in map(str, range(1, 25)):
        for doc in rng.sample(documents, 12):
            qrels.append(ir_measures.Qrel(query, doc, rng.choice([0, 0, 1, 2, 4])))
        qrels[-1] = qrels[-1]._replace(relevance=3)
        retrieved = rng.sample(documents, rng.randint(21, 40))
        # no ties: ir_measures settles them in one way for Judged and in another for the rest
        scores = rng.sample(range(100), len(retrieved))
        run += map(ir_measures.ScoredDoc, [query] * len(scores), retrieved, scores)
    theirs = {
        (metric.query_id, str(metric.measure)): metric.value
        for metric in ir_measures.iter_calc(list(OURS), qrels, run)
    }
    result = tophit.evaluate(qrels, run, measures=list(OURS.values()))
    names = {str(measure): ours for measure, ours in OURS.items()}
    values = {
        (row["query_id"], name): row[ours]
        for row in result.scores.to_dicts()
        for name, ours in names.items()
    }
    assert values.keys() == theirs.keys()
    for key, value in theirs.items():
        assert values[key] == pytest.approx(value, abs=6e-6), key
