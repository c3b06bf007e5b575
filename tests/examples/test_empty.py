"""Nothing retrieved, or nothing to find: a number and a warning, however it is matched."""

from __future__ import annotations

import polars as pl
import pytest

import tophit
from tophit.relations import RETRIEVED, schema

TEXTS = pl.DataFrame({"query_id": ["q"], "item_id": ["e1"], "grade": [1.0], "text": ["some words"]})
EMPTY_RUNS = {
    "a frame": pl.DataFrame(schema=schema(RETRIEVED)),
    "a frame of ids and ranks": pl.DataFrame(
        schema=schema(RETRIEVED, only=["query_id", "chunk_id", "rank"])
    ),
    "a list": {"q": []},
    "a dict": {},
}
MEASURES = "Hit@4 Partial@4 MRR nDCG Covered@4 Coverage@4 Hit@100tok"


@pytest.mark.parametrize("match", ["auto", "text"])
@pytest.mark.parametrize("run", EMPTY_RUNS.values(), ids=EMPTY_RUNS)
def test_nothing_was_retrieved(run, match):
    result = tophit.evaluate(TEXTS, run, match=match, measures=MEASURES)
    assert result.match == "text"
    assert [(score.value, score.n) for score in result.values()] == [(0.0, 1)] * 7
    assert "without_results" in [warning.code for warning in result.warnings]


@pytest.mark.parametrize("match", ["auto", "text", "ids"])
def test_nothing_can_be_found(match):
    run = {"q": [{"id": "c", "text": "some words"}]}
    result = tophit.evaluate({"q": []}, run, match=match, measures="Hit@4 MRR")
    assert [(score.value, score.n) for score in result.values()] == [(0.0, 0)] * 2
    assert "no_answerable" in [warning.code for warning in result.warnings]
