"""One list of cases through every door: the same scores, to the last digit."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import pytest

import tophit

Records = list[dict[str, Any]]
MEASURES = "Hit@2 MRR Recall@2 MAP nDCG@4"
ASKED = ["Which fees are due?", "Who may borrow?", "Gibt es Gebühren?", "Free?"]
TEXTS = ["late fees are due", "every resident may", "zwei Euro im Jahr", "it is free"]
NOISE = "Nothing of use stands here"


@dataclass(frozen=True)
class Case:
    """Questions and lists as records of own files, and what comes out of them."""

    questions: Records
    run: Records
    mrr: float
    match: str
    not_doors: tuple[str, ...] = ()


def _texts(*, ids: tuple[str | None, str | None], spelt: Any = str) -> Case:
    questions, run = [], []
    for n, (asked, text) in enumerate(zip(ASKED, TEXTS, strict=True)):
        places = [{"text": f"{NOISE}, {n}."}] * n + [{"text": f"We say: {text}."}]
        questions.append({"question": asked, "expected": [text]})
        run.append({"question": spelt(asked), "retrieved": places})
        for record, form in ((questions[-1], ids[0]), (run[-1], ids[1])):
            if form:
                record["id"] = form.format(n)
    return Case(questions, run, mrr=(1 + 1 / 2 + 1 / 3 + 1 / 4) / 4, match="text")


JUDGED = [
    {"id": "1", "expected": [{"id": "a", "grade": 2}, {"id": "b"}]},
    {"id": "2", "expected": [{"id": 7}, {"id": "d", "grade": 0}]},
    {"id": "3", "expected": []},
    {"id": "4", "expected": [{"id": "é#1"}]},
]
RANKED = [
    {"id": 2, "retrieved": [{"id": "d"}, {"id": "7"}, {"id": "x"}]},
    {"id": "1", "retrieved": [{"id": "b"}, {"id": "x"}, {"id": "b"}, {"id": "a"}]},
    {"id": "9", "retrieved": [{"id": "a"}]},
]
SPANS = [{"id": "s", "question": "Where?", "expected": [{"doc": "a.md", "start": 5, "end": 14}]}]
PLACED = [
    {
        "question": "where?",
        "retrieved": [
            {"id": "c1", "doc": "b.md", "start": 0, "end": 50},
            {"id": "c2", "doc": "a.md", "start": 0, "end": 50},
        ],
    }
]
CASES = {
    "ids": Case(JUDGED, RANKED, mrr=(1 + 1 / 2 + 0) / 3, match="ids"),
    "texts with ids": _texts(ids=("q{}", "q{}")),
    "texts without ids": _texts(ids=(None, None)),
    "ids of the questions alone": _texts(ids=("q{}", None)),
    "ids of the run alone": _texts(ids=(None, "run-{}")),
    "other ids": _texts(ids=("q{}", "{}")),
    "questions spelt otherwise": _texts(ids=(None, None), spelt=lambda text: f" {text.upper()}  "),
    # a dict by query has no place for both the id and the question
    "spans": Case(SPANS, PLACED, mrr=0.5, match="spans", not_doors=("dict",)),
}
BY_TEXT = ("ids of the questions alone", "ids of the run alone", "other ids")


def scores(door: Any, case: Case) -> tuple[dict[str, float], list[Any], Any]:
    result = tophit.evaluate(*door(case.questions, case.run), measures=MEASURES)
    values = {name: score.value for name, score in result.measures.items()}
    rows = nw.from_native(result.scores).lazy().collect().to_polars()
    return values, sorted(rows.drop("query_id").rows()), result


def open_to(door: Any, name: str, case: Case) -> bool:
    if door.__name__ == "dict":
        return name not in (*BY_TEXT, *(name for name in CASES if case.not_doors))
    return True


@pytest.mark.parametrize("name", CASES)
def test_every_door_gives_the_same(door, name):
    case = CASES[name]
    if not open_to(door, name, case):
        return
    values, rows, result = scores(door, case)
    assert values["MRR"] == pytest.approx(case.mrr, abs=1e-15)
    assert result.match == case.match
    expected, expected_rows, other = scores(_as_lists, case)
    same(door, values, expected)
    same(door, rows, expected_rows)
    assert result.questions == other.questions


def same(door: Any, one: Any, other: Any) -> None:
    """Equal in process, to the last digit; an engine adds up in its own order."""
    if door.__name__ not in ("duckdb", "spark"):
        assert one == other
    elif isinstance(one, dict):
        assert one == pytest.approx(other, abs=1e-14)
    else:
        assert one == [pytest.approx(row, abs=1e-14) for row in other]


def _as_lists(questions: Records, run: Records) -> tuple[Any, Any]:
    return questions, run


def _shuffled(case: Case, seed: int) -> Case:
    return replace(
        case,
        questions=random.Random(seed).sample(case.questions, len(case.questions)),
        run=random.Random(seed + 1).sample(case.run, len(case.run)),
    )


def _renamed(case: Case, seed: int) -> Case:
    """Other ids of the queries, the same on both sides."""
    new = {str(n): f"new {seed}-{n}" for n in range(20)} | {
        f"q{n}": f"{seed}/{n}" for n in range(9)
    }

    def rename(records: Records) -> Records:
        return [
            {**record, "id": new[str(record["id"])]} if str(record.get("id")) in new else record
            for record in records
        ]

    return replace(case, questions=rename(case.questions), run=rename(case.run))


def _without_ids(case: Case, side: int) -> Case:
    """No ids on one side: then the texts pair."""
    kept = [[{k: v for k, v in r.items() if k != "id"} for r in case.questions], case.questions]
    if side == 0:
        return replace(case, questions=kept[0])
    return replace(case, run=[{k: v for k, v in r.items() if k != "id"} for r in case.run])


CHANGES = {
    "shuffled": _shuffled,
    "renamed": _renamed,
    "ids dropped": lambda case, seed: _without_ids(case, seed % 2),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", ["ids", "texts with ids"])
@pytest.mark.parametrize("seed", [0, 1])
def test_changes_that_change_nothing(door, name, change, seed):
    case = CASES[name]
    if change == "ids dropped" and (name == "ids" or door.__name__ == "dict"):
        return
    if not open_to(door, name, case):
        return
    before, after = scores(door, case), scores(door, CHANGES[change](case, seed))
    same(door, before[0], after[0])
    same(door, before[1], after[1])
