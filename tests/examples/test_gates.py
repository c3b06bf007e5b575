"""Gates by hand: limits, baselines, what is refused, and how often noise fails one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tophit import InputError, Result, Settings, UsageError, evaluate
from tophit.gates import (
    Baseline,
    Check,
    check_against,
    check_limits,
    freeze,
    parse_limit,
    parse_limits,
    read_baseline,
    write_baseline,
)
from tophit.gates.baseline import baseline_from

JUDGED = {f"q{n}": {"a": 1} for n in range(10)}


def run(hits: int, n: int = 10) -> Result:
    answers = {f"q{i}": ["a"] if i < hits else ["x", "y", "z", "u", "a"] for i in range(n)}
    judged = {f"q{i}": {"a": 1} for i in range(n)}
    return evaluate(judged, answers, measures="Hit@4 MRR", name="main")


def frozen(result: Result, **options: Any) -> Baseline:
    return baseline_from(json.loads(freeze(result, version="0", **options)))


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("Hit@4=0.8", "Hit@4 >= 0.8"),
        ("Hit@4>=0.8", "Hit@4 >= 0.8"),
        (" hit_rate@4 >= 80% ", "Hit@4 >= 0.8"),
        ("value:Hit@4=0.8", "Hit@4 >= 0.8"),
        ("lower:success_4=.5", "lower end of Hit@4 >= 0.5"),
        ("Partial(share=0.3)@4=0.9", "Partial(share=0.3)@4 >= 0.9"),
        ("hit=1", "Hit@4 >= 1"),
        ("MRR=0", "MRR >= 0"),
    ],
)
def test_limits_are_read_as_people_write_them(written: str, says: str) -> None:
    assert str(parse_limit(written)) == says


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("Hit@4", "expected MEASURE=LIMIT"),
        ("Hit@4=", "expected MEASURE=LIMIT"),
        ("=0.8", "expected MEASURE=LIMIT"),
        ("Hit@4<=0.8", "unknown measure|expected MEASURE=LIMIT"),
        ("Hit@4=high", "'high' is not a number"),
        ("Hit@4=nan", "between 0 and 1"),
        ("Hit@4=80", r"between 0 and 1 \(or be written as 80%\)"),
        ("Hit@4=-0.1", "between 0 and 1"),
        ("Hitt@4=0.8", "unknown measure 'Hitt'"),
        ("upper:Hit@4=0.8", "unknown measure"),
        ("Hit@4 MRR=0.8", "one measure a limit"),
        ("", "no limit was given"),
    ],
)
def test_what_is_no_limit_is_refused(written: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        parse_limits(written)


def test_several_limits_stand_in_one_text() -> None:
    found = parse_limits("Hit@4=0.8, RBP(p=0.8)=0.5; lower:MRR=0.1")
    assert [limit.measure for limit in found] == ["Hit@4", "RBP", "MRR"]


def test_a_limit_passes_at_the_value_and_fails_below() -> None:
    assert check_limits(run(8), "Hit@4=0.8").passed
    report = check_limits(run(7), ["Hit@4=0.8", "MRR=0.5"])
    assert not report.passed
    assert [check.case for check in report.failed] == ["Hit@4"]
    assert str(report) == (
        "FAILED Hit@4: expected at least 0.8000, found 0.7000 (-0.1000); 10 questions\n"
        "passed MRR: expected at least 0.5000, found 0.7600 (+0.2600); 10 questions"
    )


def test_the_lower_end_is_stricter() -> None:
    assert check_limits(run(9), "Hit@4=0.8").passed
    report = check_limits(run(9), "lower:Hit@4=0.8")
    assert not report.passed
    assert report.checks[0].actual == run(9)["Hit@4"].low


def test_no_question_fails_every_gate() -> None:
    empty = evaluate({"q": {}}, {"q": ["a"]}, measures="Hit@4")
    report = check_limits(empty, ["Hit@4=0.1", "Hit@4=0", "lower:Hit@4=0"])
    assert [str(check) for check in report.failed] == [
        "FAILED Hit@4: expected at least 0.1000, found 0.0000 (-0.1000); 0 questions",
        "FAILED Hit@4: expected at least 0.0000, found 0.0000 (+0.0000); 0 questions",
        "FAILED lower end of Hit@4: expected at least 0.0000, found no interval; 0 questions",
    ]


def test_a_limit_on_a_measure_that_was_not_evaluated_is_refused() -> None:
    with pytest.raises(UsageError, match="nDCG@4 was not evaluated"):
        check_limits(run(3), "nDCG@4=0.8")


def test_no_question_fails_against_a_baseline_too() -> None:
    empty = evaluate({"q": {}}, {"q": ["a"]}, measures="Hit@4")
    for options in ({}, {"max_drop": 1}, {"significant": True}):
        assert not check_against(empty, frozen(empty), **options).passed


def test_a_measure_that_the_baseline_lacks_is_named() -> None:
    old = replace(run(9), measures={"Hit@4": run(9)["Hit@4"]})
    report = check_against(run(9), frozen(old))
    assert report.passed
    assert [(warning.code, warning.count) for warning in report.warnings] == [
        ("not_in_baseline", 1)
    ]
    assert report.warnings[0].message == (
        "MRR is not in baseline and not checked: freeze it again with -m 'Hit@4 MRR'"
    )
    assert check_against(run(9), frozen(run(9))).warnings == ()


def test_a_drop_that_is_rounding_has_no_sign() -> None:
    check = Check(measure="Hit@4", expected=0.3, actual=0.3 - 1e-12, difference=-1e-12, passed=True)
    assert "(+0.0000)" in str(check)


def test_a_drop_fails_beyond_what_is_allowed() -> None:
    baseline = frozen(run(9))
    assert check_against(run(9), baseline).passed
    assert check_against(run(10), baseline).passed
    assert not check_against(run(8), baseline).passed
    assert check_against(run(8), baseline, max_drop=0.1).passed
    report = check_against(run(7), baseline, max_drop=0.1)
    assert str(report.failed[0]) == (
        "FAILED Hit@4: expected at least 0.8000, found 0.7000 (-0.1000); 0 won, 2 lost, p = 1"
    )
    assert report.failed[0].paired is not None
    assert report.failed[0].paired.losses == ["q7", "q8"]


def test_a_significant_gate_lets_noise_pass() -> None:
    baseline = frozen(run(100, n=100))
    assert check_against(run(96, n=100), baseline, significant=True).passed
    assert not check_against(run(90, n=100), baseline, significant=True).passed
    assert check_against(run(90, n=100), baseline, significant=True, max_drop=0.2).passed
    assert not check_against(run(96, n=100), baseline).passed


@pytest.mark.parametrize("drop", [-0.1, 2, float("nan")])
def test_a_drop_is_a_fraction(drop: float) -> None:
    with pytest.raises(UsageError, match="max-drop must lie between 0 and 1"):
        check_against(run(9), frozen(run(9)), max_drop=drop)


def test_a_baseline_goes_through_a_file(tmp_path: Path) -> None:
    for name in ("baseline.json", "baseline.json.gz"):
        path = tmp_path / name
        write_baseline(run(7), path)
        first = path.read_bytes()
        found = read_baseline(path)
        assert found.name == "main"
        assert found.measures == {"Hit@4": 0.7, "MRR": pytest.approx(0.76)}
        assert found.fingerprints == run(7).fingerprints
        assert found.settings["match"] == "ids"
        assert found.scores.columns == ["query_id", "Hit@4", "MRR"]
        write_baseline(run(7), path)
        assert path.read_bytes() == first


def record(**changes: Any) -> dict[str, Any]:
    return {**json.loads(freeze(run(7), version="0")), **changes}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "line 1: expected a baseline in JSON"),
        ("[]", "expected 'baseline', found a JSON list"),
        (json.dumps({"schema": 1, "runs": []}), "kind: expected 'baseline', found nothing"),
        (json.dumps(record(schema=2)), "schema: expected 1, which this version reads, found 2"),
        (json.dumps(record(scores=None)), "scores: expected an object, found None"),
        (json.dumps(record(measures={"Hitt@4": {"value": 1}})), "unknown measure 'Hitt'"),
        (
            json.dumps(record(measures={"hit_rate@4": {"value": 1}})),
            "expected canonical names, found 'hit_rate@4'",
        ),
        (
            json.dumps(record(scores={"query_id": ["q1", "q2"], "Hit@4": [1.0]})),
            "scores.Hit@4: expected a value of every question",
        ),
        (json.dumps(record(measures={"MRR": {}})), "expected numbers, found 'value'"),
    ],
)
def test_what_is_no_baseline_is_refused(tmp_path: Path, content: str, says: str) -> None:
    path = tmp_path / "b.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as refused:
        read_baseline(path)
    assert says in str(refused.value)
    assert "b.json" in str(refused.value)
    assert "hint: write one with: tophit baseline" in str(refused.value)


def marked(result: Result, **fingerprints: str) -> Result:
    return replace(result, fingerprints={**result.fingerprints, **fingerprints})


def test_other_questions_corpora_and_settings_are_refused_unless_allowed() -> None:
    baseline = frozen(marked(run(9), corpus="2"))
    assert check_against(run(9), baseline).passed
    assert check_against(marked(run(9), corpus="2"), baseline).passed
    with pytest.raises(UsageError, match="has 1 question that this run lacks"):
        check_against(run(8, n=9), baseline)
    with pytest.raises(UsageError, match=r"documents have changed \(fingerprint 2 before, 3 now\)"):
        check_against(marked(run(9), corpus="3"), baseline)
    with pytest.raises(UsageError, match="the same questions expect something else"):
        check_against(marked(run(9), questions="3"), baseline)
    deeper = replace(run(9), settings=Settings(match="ids", depth=4, min_grade=2))
    says = "min_grade was 1 and is 2; depth was None and is 4"
    with pytest.raises(UsageError, match=says):
        check_against(deeper, baseline)
    report = check_against(run(8, n=9), baseline, allow_different=True)
    assert [warning.code for warning in report.warnings] == ["different_questions"]
    assert report.checks[0].paired is not None
    assert report.checks[0].paired.n == 9


def test_another_k_does_not_keep_a_baseline_from_its_measures() -> None:
    judged = {"q": ["a"]}
    kept = frozen(evaluate(judged, judged, measures="Hit@4", k=4))
    assert check_against(evaluate(judged, judged, measures="Hit@4", k=5), kept).passed


def test_a_baseline_without_a_common_measure_is_refused() -> None:
    other = evaluate(JUDGED, {}, measures="nDCG@4")
    with pytest.raises(UsageError, match=r"has Hit@4, MRR, none of which was evaluated \(nDCG@4\)"):
        check_against(other, frozen(run(9)))


def simulated(rng: np.random.Generator, *, n: int, noise: float, drop: float) -> bool:
    """One build in CI: does a significant gate over Hit@4, MRR and Recall@4 fail?"""
    ids = [f"q{i}" for i in range(n)]
    rank = rng.geometric(0.4, n)

    def scores(ranks: np.ndarray) -> pl.DataFrame:
        found = ranks <= 4
        return pl.DataFrame(
            {"query_id": ids, "Hit@4": found.astype(float), "MRR": found / ranks,
             "Recall@4": found * np.minimum(1, 3 / (ranks + 1))}
        )  # fmt: skip

    moved = np.where(rng.random(n) < noise, rng.geometric(0.4, n), rank)
    moved = np.where((rng.random(n) < drop) & (moved <= 4), 99, moved)
    result = evaluate({"q": ["a"]}, {"q": ["a"]}, measures="Hit@4 MRR Recall@4")
    before, after = replace(result, scores=scores(rank)), replace(result, scores=scores(moved))
    return not check_against(after, frozen(before), significant=True).passed


def test_noise_seldom_fails_a_significant_gate_and_a_true_drop_nearly_always() -> None:
    rng = np.random.default_rng(0)
    noisy = [simulated(rng, n=100, noise=0.3, drop=0.0) for _ in range(100)]
    assert sum(noisy) <= 5
    dropped = [simulated(rng, n=400, noise=0.1, drop=0.12) for _ in range(20)]
    assert sum(dropped) >= 19
