"""Runs compared, by hand: from scores, from frames of every engine, refused where they differ."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from tophit import InputError, Questions, UsageError, diagnose, evaluate
from tophit.comparison import (
    compare,
    compare_results,
    compare_scores,
    outcome_changes,
    questions_difference,
)
from tophit.statistics import difference_of_proportions, mcnemar, mean_difference

IDS = ["q1", "q2", "q3", "q4"]
SCORES = {
    "old": {"Hit@4": np.array([1.0, 0, 0, 1]), "MRR": np.array([1.0, 0, 0.2, 0.5])},
    "new": {"Hit@4": np.array([1.0, 1, 1, 0]), "MRR": np.array([1.0, 1, 0.5, 0])},
    "far": {"Hit@4": np.array([1.0, 1, 1, 1]), "MRR": np.array([1.0, 1, 1, 1])},
}
JUDGED = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}, "q4": {}}
OLD = {"q1": ["a"], "q2": ["x", "b"], "q3": ["x"], "q4": ["z"]}
NEW = {"q1": ["x", "a"], "q2": ["b"], "q3": ["c"], "q4": ["z"]}


def two() -> dict[str, dict[str, Any]]:
    return {name: SCORES[name] for name in ("old", "new")}


def test_a_difference_by_hand() -> None:
    hit, mrr = compare_scores(IDS, two(), binary={"Hit@4"}).differences
    assert (hit.a, hit.b, hit.measure, hit.n) == ("old", "new", "Hit@4", 4)
    assert (hit.value_a, hit.value_b, hit.difference) == (0.5, 0.75, 0.25)
    assert (hit.wins, hit.losses, hit.ties) == (["q2", "q3"], ["q4"], ["q1"])
    assert (hit.n_wins, hit.n_losses, hit.n_ties) == (2, 1, 1)
    assert (hit.p, hit.test) == (mcnemar(2, 1), "mcnemar")
    assert (hit.low, hit.high) == difference_of_proportions(2, 1, 4)
    # |1 + .3 - .5| = .8 is reached by 6 of 8 sign patterns
    assert (mrr.p, mrr.test) == (pytest.approx(6 / 8), "sign-flip exact")
    assert mrr.difference == pytest.approx(0.2)
    assert hit.p_holm == mrr.p_holm == 1.0
    assert not hit.significant


def test_the_baseline_is_the_first_or_the_named_or_none() -> None:
    def pairs(**options: Any) -> list[tuple[str, str]]:
        found = compare_scores(IDS, SCORES, **options).differences
        return [(one.a, one.b) for one in found if one.measure == "MRR"]

    assert pairs() == [("old", "new"), ("old", "far")]
    assert pairs(baseline="far") == [("far", "old"), ("far", "new")]
    assert pairs(baseline="*") == [("old", "new"), ("old", "far"), ("new", "far")]
    with pytest.raises(UsageError, match="unknown baseline 'fat'; did you mean far"):
        pairs(baseline="fat")


def test_a_comparison_finds_its_differences() -> None:
    comparison = compare_scores(IDS, SCORES)
    assert comparison.between("old", "far", "MRR").difference == pytest.approx(0.575)
    with pytest.raises(UsageError, match="new and far were not compared on MRR"):
        comparison.between("new", "far", "MRR")


def test_the_order_of_the_questions_is_nothing() -> None:
    order = [2, 0, 3, 1]
    shuffled = {
        run: {name: values[order] for name, values in columns.items()}
        for run, columns in SCORES.items()
    }
    first = compare_scores(IDS, SCORES, binary={"Hit@4"}).to_dict()
    assert compare_scores([IDS[i] for i in order], shuffled, binary={"Hit@4"}).to_dict() == first


def test_rounding_is_a_tie() -> None:
    found = compare_scores(["q"], {"a": {"MRR": [0.1 + 0.2]}, "b": {"MRR": [0.3]}}).differences[0]
    assert (found.n_wins, found.n_losses, found.difference, found.p) == (0, 0, 0.0, 1.0)


def test_no_question_and_one_question_and_equal_runs_give_no_nan() -> None:
    none = compare_scores([], {"a": {"H": []}, "b": {"H": []}}, binary={"H"}).differences[0]
    assert (none.n, none.low, none.high, none.p, none.smallest_detectable) == (
        0,
        None,
        None,
        1,
        None,
    )
    one = compare_scores(["q"], {"a": {"M": [0.2]}, "b": {"M": [0.4]}}).differences[0]
    assert (one.low, one.high, one.p) == (-1.0, 1.0, 1.0)
    equal = compare_scores(IDS, {"a": SCORES["old"], "b": SCORES["old"]}, binary={"Hit@4"})
    for found in equal.differences:
        assert (found.difference, found.p, found.questions_needed) == (0.0, 1.0, None)
        assert found.low is not None
        assert found.high is not None
        assert found.low < 0 < found.high
        assert found.smallest_detectable == 1.0


def test_clusters_are_the_units() -> None:
    ids = [f"q{n}" for n in range(40)]
    wins = np.repeat([1.0, 1, 1, 0], 10)
    runs = {"a": {"Hit@4": np.zeros(40)}, "b": {"Hit@4": wins}}
    apart = compare_scores(ids, runs, binary={"Hit@4"}).differences[0]
    clusters = np.repeat(["d1", "d2", "d3", "d4"], 10)
    together = compare_scores(ids, runs, binary={"Hit@4"}, clusters=clusters).differences[0]
    assert apart.p < 1e-6
    assert (together.p, together.test) == (0.25, "sign-flip exact")
    assert together.difference == apart.difference == 0.75
    assert together.low is not None
    assert apart.low is not None
    assert together.low < 0 < apart.low
    assert together.n_wins == 30
    # as four questions of which three are won
    assert (together.low, together.high) == pytest.approx(mean_difference(3.0, 3.0, 3, 4))
    assert together.smallest_detectable == 1.0


def test_a_large_cluster_counts_by_its_questions() -> None:
    sizes = [2, 4, 6, 8, 20]
    won = np.concatenate([np.repeat([1.0, 0.0], [size // 2, size // 2]) for size in sizes])
    runs = {"a": {"Hit@4": np.zeros(40)}, "b": {"Hit@4": won}}
    ids = [f"q{n}" for n in range(40)]
    found = compare_scores(ids, runs, clusters=np.repeat(range(5), sizes)).differences[0]
    # every cluster gains one half: nothing but the added pair of differences is uncertain
    assert (found.low, found.high) == pytest.approx(mean_difference(2.5, 1.25, 5, 5))


@pytest.mark.parametrize(
    ("ids", "runs", "says"),
    [
        (IDS, {"old": SCORES["old"]}, "at least two runs, found 1"),
        (["q1", "q1", "q3", "q4"], SCORES, "1 questions appear twice, such as 'q1'"),
        (IDS[:3], SCORES, "run old: 4 values of Hit@4 for 3 questions"),
        (["q"], {"a": {"H": [1]}, "b": {}}, "run b has no H"),
        (["q"], {"a": {"H": [float("nan")]}, "b": {"H": [1]}}, "H is not a number"),
    ],
)
def test_what_does_not_fit_is_refused(ids: list[str], runs: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        compare_scores(ids, runs)


def test_runs_are_evaluated_and_compared() -> None:
    comparison = compare(JUDGED, {"old": OLD, "new": NEW}, measures="Hit@1 MRR")
    hit, mrr = comparison.differences
    assert comparison.n == 3  # the unanswerable question stays out
    assert (hit.difference, hit.wins, hit.losses) == (pytest.approx(1 / 3), ["q2", "q3"], ["q1"])
    assert mrr.difference == pytest.approx((0.5 + 1 + 1) / 3 - (1 + 0.5 + 0) / 3)


def test_runs_of_one_name_are_told_apart() -> None:
    assert compare(JUDGED, [OLD, NEW, OLD]).runs == ("run", "run (2)", "run (3)")


def with_scores(name: str, scores: Any) -> Any:
    result = evaluate(JUDGED, OLD, measures="MRR Hit@1", name=name)
    return replace(result, scores=scores)


def test_every_engine_adds_up_what_polars_compares(engine: Any) -> None:
    frames = {
        "old": pl.DataFrame({"query_id": IDS, "MRR": [1.0, 0.2, 0, 0.5], "Hit@1": [1.0, 0, 0, 0]}),
        "new": pl.DataFrame({"query_id": IDS, "MRR": [0.3, 1, 0, 1], "Hit@1": [0.0, 1, 0, 1]}),
    }
    here = compare_results([with_scores(name, frame) for name, frame in frames.items()])
    there = compare_results(
        [with_scores(name, engine.frame(frame)) for name, frame in frames.items()]
    )
    for found, expected in zip(there.differences, here.differences, strict=True):
        assert (found.n, found.n_wins, found.n_losses) == (4, 2, 1)
        assert found.difference == pytest.approx(expected.difference, abs=1e-12)
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)
        assert found.smallest_detectable == pytest.approx(expected.smallest_detectable, abs=1e-9)
    assert there.differences[1].p == here.differences[1].p == 1.0


def test_an_engine_refuses_different_questions() -> None:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    results = []
    for name, ids in (("old", IDS), ("new", [*IDS[:3], "q9"])):
        frame = pl.DataFrame({"query_id": ids, "MRR": [1.0] * 4, "Hit@1": [1.0] * 4})
        connection.register(name, frame.to_arrow())
        results.append(with_scores(name, connection.table(name)))
    with pytest.raises(UsageError, match="old has 4, 3 of them are common to old and new"):
        compare_results(results)
    with pytest.raises(UsageError, match="clusters need the scores in process"):
        compare_results(results, cluster="topic", questions=tagged())


def test_frames_of_pandas_and_arrow_are_compared_in_process() -> None:
    judged = pl.DataFrame({"query_id": ["q1", "q2"], "item_id": ["a", "b"], "grade": [1.0, 1.0]})
    run = pl.DataFrame({"query_id": ["q1", "q2"], "chunk_id": ["a", "x"], "rank": [1, 1]})
    better = run.with_columns(chunk_id=pl.Series(["a", "b"]))
    for as_ in ("to_pandas", "to_arrow"):
        runs = {"old": getattr(run, as_)(), "new": getattr(better, as_)()}
        found = compare(judged, runs, measures="Hit@1").differences[0]
        assert (found.difference, found.wins) == (0.5, ["q2"])


def test_a_million_questions_on_an_engine_agree_with_those_in_process() -> None:
    duckdb = pytest.importorskip("duckdb")
    rng = np.random.default_rng(0)
    n = 1_000_000
    old = rng.choice([0, 0.25, 1 / 3, 0.5, 1], n)
    new = np.where(rng.random(n) < 0.2, rng.choice([0, 0.25, 1 / 3, 0.5, 1], n), old)
    here, there = [], []
    connection = duckdb.connect()
    for name, values in (("old", old), ("new", new)):
        hits = (values == 1).astype(float)
        frame = pl.DataFrame({"query_id": range(n), "MRR": values, "Hit@1": hits})
        connection.register(name, frame.to_arrow())
        here.append(with_scores(name, frame))
        there.append(with_scores(name, connection.table(name)))
    inside, sums = compare_results(here), compare_results(there)
    for found, expected in zip(sums.differences, inside.differences, strict=True):
        assert (found.n_wins, found.n_losses) == (expected.n_wins, expected.n_losses)
        assert found.p == pytest.approx(expected.p, rel=1e-6)
        assert found.test == expected.test
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)
        assert (found.wins, len(expected.wins)) == ([], expected.n_wins)


def test_different_questions_are_refused_unless_allowed() -> None:
    first = evaluate(JUDGED, OLD, measures="MRR", name="first")
    other = {"q1": {"a": 1}, "q5": {"b": 1}}
    second = evaluate(other, NEW, measures="MRR", name="second")
    with pytest.raises(UsageError) as refused:
        compare_results([first, second])
    assert str(refused.value) == (
        "the runs were scored on different questions: first has 2 questions that second lacks "
        "(q2, q3), and second has 1 that first lacks (q5)"
    )
    allowed = compare_results([first, second], allow_different=True)
    assert allowed.n == 1
    assert [warning.code for warning in allowed.warnings] == [
        "different_questions",
        "without_results",
        "not_asked",
    ]


def test_different_settings_are_refused_unless_allowed() -> None:
    first = evaluate(JUDGED, OLD, measures="MRR", name="first")
    second = evaluate(JUDGED, NEW, measures="MRR", name="second", depth=1)
    with pytest.raises(UsageError, match="first was scored with depth None, second with 1"):
        compare_results([first, second])
    assert compare_results([first, second], allow_different=True).warnings[0].code == (
        "different_settings"
    )


def test_other_corpora_and_expectations_are_refused_unless_allowed() -> None:
    chunks = [{"id": "a", "text": "x"}]
    first = evaluate(JUDGED, OLD, measures="MRR", name="first", chunks=chunks)
    second = evaluate(JUDGED, NEW, measures="MRR", name="second", chunks=[*chunks, *chunks])
    with pytest.raises(UsageError, match="first and second were scored with different corpora"):
        compare_results([first, second])
    allowed = compare_results([first, second], allow_different=True)
    assert [warning.code for warning in allowed.warnings] == ["different_corpus"]
    unknown = evaluate(JUDGED, NEW, measures="MRR", name="second")
    assert compare_results([first, unknown]).warnings == ()
    regraded = {query: dict.fromkeys(items, 2) for query, items in JUDGED.items()}
    third = evaluate(regraded, NEW, measures="MRR", name="third")
    with pytest.raises(UsageError, match="the same questions, but these expect something else"):
        compare_results([first, third])


def test_other_measures_are_refused() -> None:
    first = evaluate(JUDGED, OLD, measures="MRR Hit@1", name="first")
    second = evaluate(JUDGED, NEW, measures="MRR", name="second")
    with pytest.raises(UsageError, match="run second was not evaluated on Hit@1"):
        compare_results([first, second])


def tagged() -> Questions:
    return Questions(
        queries=pl.DataFrame(
            {"query_id": ["q1", "q2", "q3"], "tag.topic": ["x", "x", None], "tag.lang": ["e"] * 3}
        ),
        judgments=pl.DataFrame(
            {
                "query_id": ["q1", "q2", "q3"],
                "item_id": ["a", "b", "c"],
                "grade": [1.0, 1.0, 1.0],
                "doc_id": ["d1", "d1", "d2"],
            }
        ),
    )


def test_clusters_come_from_a_tag_or_from_the_document() -> None:
    runs = {"old": OLD, "new": NEW}
    by_document = compare(tagged(), runs, measures="MRR", match="ids", cluster="doc")
    assert by_document.differences[0].test == "sign-flip exact"
    assert by_document.differences[0].p == 1.0
    with pytest.raises(InputError, match=r"topic: .*none on 1 of 3 \(q3\)"):
        compare(tagged(), runs, measures="MRR", match="ids", cluster="topic")
    with pytest.raises(UsageError, match="unknown cluster field 'topik'; did you mean topic"):
        compare(tagged(), runs, measures="MRR", match="ids", cluster="topik")
    with pytest.raises(UsageError, match="cluster 'topic' needs questions with tags"):
        compare(JUDGED, runs, measures="MRR", cluster="topic")


def test_how_questions_differ_is_said_shortly() -> None:
    assert questions_difference("a", "xy", "b", "yx") is None
    assert questions_difference("a", [], "b", [f"q{n}" for n in range(9)]) == (
        "b has 9 questions that a lacks (q0, q1, q2, q3, q4, ...)"
    )
    assert questions_difference("a", ["q"], "b", []) == "a has 1 question that b lacks (q)"


def test_outcomes_that_changed_are_listed_by_from_and_to() -> None:
    before = {"q1": "found", "q2": "cut", "q3": "found", "q4": "late"}
    after = {"q1": "cut", "q2": "cut", "q3": "cut", "q5": "late"}
    assert outcome_changes(before, after) == {("found", "cut"): ["q1", "q3"]}


RED_CAT = {"q1": "the red cat", "q2": "a blue dog", "q3": "one green bird"}
PASSAGES = {
    "whole": [("1", "See the red cat."), ("2", "It is a blue dog."), ("3", "one green bird")],
    "halves": [("1", "See the red"), ("1b", "cat."), ("2", "It is a blue dog."), ("4", "nothing")],
}


def of_texts() -> tuple[Questions, dict[str, Any]]:
    judgments = {"query_id": list(RED_CAT), "item_id": ["e"] * 3, "text": list(RED_CAT.values())}
    asked = Questions(
        queries=pl.DataFrame({"query_id": list(RED_CAT)}),
        judgments=pl.DataFrame(judgments).with_columns(grade=1.0),
    )
    runs = {
        name: {
            query: [{"id": chunk, "text": text} for chunk, text in passages] for query in RED_CAT
        }
        for name, passages in PASSAGES.items()
    }
    return asked, runs


def test_outcomes_are_those_of_a_diagnosis_of_each_run() -> None:
    asked, runs = of_texts()
    chunks = [{"id": f"h{name}", "text": text} for name, text in PASSAGES["halves"]]
    chunks.append({"id": "3", "text": "one green bird"})
    found = compare(asked, runs, chunks=chunks, k=2)
    assert found.k == 2
    for name, run in runs.items():
        assert found.outcomes[name] == diagnose(asked, run, chunks=chunks, k=2).outcomes
    assert found.changes == {
        ("whole", "halves"): {
            ("found", "cut"): ["q1"],
            ("found", "late"): ["q2"],
            ("late", "unretrieved"): ["q3"],
        }
    }


def test_documents_tell_absent_from_missed() -> None:
    asked, runs = of_texts()
    assert compare(asked, runs).outcomes["halves"]["q3"] == "missed"
    without = compare(asked, runs, documents={"d": "the red cat, a blue dog"})
    assert without.outcomes["halves"] == {"q1": "missed", "q2": "found", "q3": "absent"}


def test_runs_of_one_name_and_runs_that_can_be_read_once_have_outcomes() -> None:
    found = compare(JUDGED, [OLD, NEW])
    assert list(found.outcomes) == ["run", "run (2)"]
    rows = [{"query_id": "q1", "chunk_id": "a", "rank": 1}]
    once = compare(JUDGED, {"old": iter(rows), "new": NEW})
    assert once.outcomes["old"]["q1"] == "found"


def test_a_run_in_a_file_has_the_name_that_an_evaluation_gives_it(tmp_path: Any) -> None:
    for name in ("old", "new"):
        (tmp_path / f"{name}.run").write_text("q1 Q0 a 1 0.5 tag\n")
    found = compare(JUDGED, [tmp_path / "old.run", str(tmp_path / "new.run")])
    assert found.runs == tuple(found.outcomes) == ("old", "new")
    assert found.changes == {("old", "new"): {}}


def test_frames_out_of_process_have_no_outcomes() -> None:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    run = pl.DataFrame({"query_id": ["q1"], "chunk_id": ["a"], "rank": [1]})
    connection.register("run", run.to_arrow())
    runs = {"old": connection.table("run"), "new": connection.table("run")}
    found = compare(JUDGED, runs, measures="Hit@1")
    assert (found.outcomes, found.changes, found.k) == ({}, {}, None)
    with pytest.raises(UsageError, match="documents need the runs in process"):
        compare(JUDGED, runs, documents={"d": "text"})


def test_a_run_over_another_index_is_said_to_be_reindexed_not_worse():
    judged = {f"q{n}": {f"old-{n}": 1} for n in range(6)}
    old = {f"q{n}": [f"old-{n}"] for n in range(6)}
    new = {f"q{n}": [f"new-{n}"] for n in range(6)}
    found = compare(judged, {"old": old, "new": new}, measures="Hit@4")
    told = [warning for warning in found.warnings if warning.code == "reindexed"]
    assert len(told) == 1
    assert told[0].message.startswith("new: none of the 6 ids")
