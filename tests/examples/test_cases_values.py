"""Values of single questions that others got wrong, all of them in one frame, on every engine."""

from __future__ import annotations

import math
from dataclasses import dataclass

import polars as pl
import pytest

import tophit


@dataclass(frozen=True)
class Case:
    """A question: `relevant` with grades, `retrieved` with scores or in order, `right` values."""

    name: str
    relevant: dict[str, float]
    retrieved: dict[str, float] | list[str | None]
    right: dict[str, float]
    level: float = 1


NDCG_10 = (1 + 3 / math.log2(3) + 2 / math.log2(5)) / (3 + 2 / math.log2(3) + 1 / 2)
NDCG_2 = (1 + 3 / math.log2(3)) / (3 + 2 / math.log2(3))
CASES = [
    # equal scores go by id, descending, whatever the cutoff
    Case("tie, last id", {"d3": 1}, {"d1": 1.0, "d2": 1.0, "d3": 1.0}, {"MRR": 1, "MRR@10": 1}),
    Case("tie, first id", {"d1": 1}, {"d1": 1.0, "d2": 1.0, "d3": 1.0}, {"MRR": 1 / 3, "Hit@2": 0}),
    Case("ties as text", {"9": 1}, {"10": 1.0, "9": 1.0}, {"MRR": 1}),
    Case("ties by code point", {"ä": 1}, {"z": 1.0, "Z": 1.0, "ä": 1.0}, {"MRR": 1}),
    Case("ties of zeros", {"b": 1}, {"a": 0.0, "b": -0.0}, {"MRR": 1}),
    Case("given order", {"x1": 1}, ["x1", "x2", "x3"], {"MRR": 1}),
    Case("given order, last", {"x3": 1}, ["x1", "x2", "x3"], {"MRR": 1 / 3}),
    Case(
        "scores in doubles",
        {"d0": 1},
        {"d9": 0.9222621453752586, "d0": 0.9222621463752586},
        {"MRR": 1},
    ),
    Case(
        "rank 12",
        {"d12": 1},
        {f"d{n}": -n for n in range(1, 15)},
        {"MRR@10": 0, "MRR": 1 / 12, "Hit@12": 1, "Hit@11": 0},
    ),
    Case("negative scores", {"a": 1}, {"a": -1.0, "b": -2.0, "c": -3.0}, {"MRR": 1, "Recall@1": 1}),
    Case("infinite scores", {"a": 1}, {"a": float("inf"), "b": float("-inf")}, {"MRR": 1}),
    # duplicates
    Case(
        "returned twice",
        {"A": 1},
        ["A", "A", "X"],
        {"Recall@3": 1, "nDCG@3": 1, "MAP": 1, "Hit@3": 1, "Precision@3": 1 / 3, "Judged@3": 2 / 3},
    ),
    Case("one of two, twice", {"A": 1, "B": 1}, ["A", "A"], {"Recall@2": 0.5, "All@2": 0}),
    Case("second place is taken", {"B": 1}, ["A", "A", "B"], {"MRR": 1 / 3, "Hit@2": 0}),
    # bounds
    Case(
        "fewer than k", {"a": 1, "b": 1}, ["a"], {"Precision@4": 0.25, "nDCG@4": 0.6131471927654584}
    ),
    Case(
        "graded",
        {"a": 3, "b": 2, "c": 1},
        ["c", "a", "x", "b"],
        {"MAP": 0.9166666666666666, "nDCG@10": NDCG_10, "nDCG@2": NDCG_2, "MRR": 1},
    ),
    Case(
        "graded, level 2",
        {"a": 3, "b": 2, "c": 1},
        ["c", "a", "x", "b"],
        {"MAP": 0.5, "MRR": 0.5, "nDCG@10": NDCG_10, "nDCG@2": NDCG_2},
        level=2,
    ),
    Case("fractional grades", {"a": 1.7, "b": 0.2}, ["b", "a"], {"MRR": 0.5, "nDCG@1": 0.2 / 1.7}),
    Case(
        "fractional level", {"a": 1.7, "b": 0.2}, ["b", "a"], {"MRR": 1, "Recall@1": 0.5}, level=0.2
    ),
    Case(
        "nothing relevant",
        {"a": 1},
        ["x", "y"],
        dict.fromkeys(["Hit@4", "MRR", "MAP", "nDCG", "F1@4", "Bpref", "Rprec", "ERR", "RBP"], 0),
    ),
    Case(
        "recall",
        {str(n): 1 for n in range(5)},
        ["1", "0", "20", "30", "40"],
        {"Recall@1": 0.2, "Recall@2": 0.4, "Recall@3": 0.4, "Recall@4": 0.4, "Recall@5": 0.4},
    ),
    Case(
        "negative grades", {"a": 1, "b": -1}, ["b", "a"], {"MRR": 0.5, "nDCG": 0.6309297535714575}
    ),
    Case("a place without an id", {"a": 1}, [None, "a"], {"MRR": 0.5}),
]
MEASURES = sorted({name for case in CASES for name in case.right})


def frames(cases: list[Case]) -> tuple[pl.DataFrame, pl.DataFrame]:
    judgments = [(c.name, item, float(grade)) for c in cases for item, grade in c.relevant.items()]
    places = []
    for case in cases:
        listed = case.retrieved.items() if isinstance(case.retrieved, dict) else [
            (chunk, float(rank)) for rank, chunk in enumerate(case.retrieved, start=1)
        ]  # fmt: skip
        places += [(case.name, chunk, float(value)) for chunk, value in listed]
    key = "score" if isinstance(cases[0].retrieved, dict) else "rank"
    types = {"query_id": pl.String, "chunk_id": pl.String, key: pl.Float64}
    return (
        pl.DataFrame(judgments, schema=["query_id", "item_id", "grade"], orient="row"),
        pl.DataFrame(places, schema=types, orient="row"),
    )


@pytest.mark.parametrize("kind", [dict, list])
def test_every_case_on_every_engine(engine, kind):
    # a plan of this many measures takes seconds on Spark, so the usual level alone
    for level in (1,) if engine.name == "spark" else (1, 0.2, 2):
        cases = [c for c in CASES if isinstance(c.retrieved, kind) and c.level == level]
        if not cases:
            continue
        judgments, run = frames(cases)
        result = tophit.evaluate(
            engine.frame(judgments), engine.frame(run), measures=MEASURES, min_grade=level
        )
        scores = {row["query_id"]: row for row in engine.collect(result.scores).to_dicts()}
        for case in cases:
            found = {name: scores[case.name][name] for name in case.right}
            assert found == pytest.approx(case.right, abs=1e-9), case.name


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_case_from_dicts(case):
    result = tophit.evaluate(
        {"q": case.relevant}, {"q": case.retrieved}, measures=list(case.right), min_grade=case.level
    )
    assert {name: score.value for name, score in result.items()} == pytest.approx(
        case.right, abs=1e-9
    )
