"""Questions that depend on each other: where their clusters come from, and what these change."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

from tophit import InputError, Questions, Retrieval, Run, UsageError, evaluate
from tophit.cli.commands import tophit as cli
from tophit.formats import write_run
from tophit.statistics import interval

N = 12
IDS = [f"q{number:02}" for number in range(N)]
PLACES = [1, 1, 1, 2, 0, 0, 0, 3, 1, 2, 1, 1]  # of the relevant chunk; 0: not retrieved
TOPICS = [*"aaaa", *"bbbb", *"ccc", "d"]
HITS = [float(0 < place <= 2) for place in PLACES]
RANKS = [1 / place if place else 0.0 for place in PLACES]

JUDGMENTS = pl.DataFrame(
    {"query_id": IDS, "item_id": ["x"] * N, "grade": [1.0] * N, "doc_id": TOPICS}
)
RUN = pl.DataFrame(
    [
        {"query_id": name, "chunk_id": "x" if rank == place else f"y{rank}", "rank": rank}
        for name, place in zip(IDS, PLACES, strict=True)
        for rank in (1, 2, 3)
    ]
)


def questions(topics: list[str | None]) -> Questions:
    return Questions(
        queries=pl.DataFrame({"query_id": IDS, "tag.topic": topics}),
        judgments=JUDGMENTS,
        source="asked.jsonl",
    )


def scored(asked: Any, run: Any = RUN, **options: Any) -> Any:
    return evaluate(asked, run, measures="Hit@2 MRR", match="ids", **options)


@pytest.mark.parametrize("field", ["topic", "tag.topic", "doc"])
def test_tags_and_documents_of_questions_are_clusters(field: str) -> None:
    alone, found = scored(questions(TOPICS)), scored(questions(TOPICS), cluster=field)
    assert (found.cluster, found.n_clusters) == (field, 4)
    assert (alone.cluster, alone.n_clusters) == (None, None)
    for name, values in (("Hit@2", HITS), ("MRR", RANKS)):
        expected = interval(values, binary=name == "Hit@2", clusters=TOPICS)
        assert (found[name].low, found[name].high) == (expected.low, expected.high)
        assert found[name].method == expected.method == "wilson-cluster"
        assert found[name].value == alone[name].value
        assert found[name].high - found[name].low > alone[name].high - alone[name].low


@pytest.mark.parametrize("field", ["topic", "doc"])
def test_every_engine_takes_clusters_from_a_column_of_the_questions(
    engine: Any, field: str
) -> None:
    asked = engine.frame(JUDGMENTS.with_columns(topic=pl.Series(TOPICS)))
    found = scored(asked, engine.frame(RUN), cluster=field)
    expected = scored(questions(TOPICS), cluster="topic")
    assert found.n_clusters == 4
    for name in expected:
        assert (found[name].value, found[name].low, found[name].high) == pytest.approx(
            (expected[name].value, expected[name].low, expected[name].high), abs=1e-12
        )
        assert found[name].method == "wilson-cluster"


def test_tags_in_process_group_a_run_on_an_engine(engine: Any) -> None:
    found = scored(questions(TOPICS), engine.frame(RUN), cluster="topic")
    expected = scored(questions(TOPICS), cluster="topic")
    assert found["MRR"].low == pytest.approx(expected["MRR"].low, abs=1e-12)


def test_questions_without_a_label_are_named(engine: Any) -> None:
    half: list[str | None] = [None, ""] * (N // 2)
    asked = engine.frame(JUDGMENTS.with_columns(topic=pl.Series(half[:6] + TOPICS[6:])))
    with pytest.raises(InputError) as refused:
        scored(asked, engine.frame(RUN), cluster="topic")
    assert str(refused.value) == (
        "questions, topic: expected a cluster label on every question that counts, "
        "found none on 6 of 12 (q00, q01, q02, q03, q04, ...)"
    )
    with pytest.raises(InputError, match=r"asked.jsonl, topic: .* none on 1 of 12 \(q11\)"):
        scored(questions([*TOPICS[:-1], None]), cluster="topic")


def test_a_question_that_does_not_count_needs_no_label() -> None:
    asked = questions([*TOPICS[:-1], None])
    kept = Questions(queries=asked.queries, judgments=JUDGMENTS.head(N - 1))
    assert scored(kept, cluster="topic").n_clusters == 3


def test_fields_that_are_not_there_are_refused(engine: Any) -> None:
    with pytest.raises(UsageError, match="unknown cluster field 'topik'; did you mean topic"):
        scored(questions(TOPICS), cluster="topik")
    with pytest.raises(UsageError, match=r"needs a column 'topik' in the frame of questions \(has"):
        scored(engine.frame(JUDGMENTS), engine.frame(RUN), cluster="topik")
    for simple in ({"q": ["x"]}, {"q": {"x": 1}}):
        with pytest.raises(UsageError, match="cluster 'topic' needs questions with tags"):
            evaluate(simple, {"q": ["x"]}, cluster="topic")
    with pytest.raises(UsageError, match="cluster 'doc' needs questions with tags"):
        evaluate([Retrieval(["a"], ["a"])], cluster="doc")


def test_one_cluster_says_nothing_of_the_spread(engine: Any) -> None:
    asked = engine.frame(JUDGMENTS.with_columns(topic=pl.lit("all")))
    found = scored(asked, engine.frame(RUN), cluster="topic")
    assert found.n_clusters == 1
    assert [(score.low, score.high) for score in found.values()] == [(0.0, 1.0)] * 2


def test_clusters_of_one_question_change_nothing(engine: Any) -> None:
    asked, run = engine.frame(JUDGMENTS.with_columns(topic="query_id")), engine.frame(RUN)
    alone, found = scored(asked, run), scored(asked, run, cluster="topic")
    assert found.n_clusters == N
    for name in alone:
        assert (found[name].low, found[name].high) == pytest.approx(
            (alone[name].low, alone[name].high), abs=1e-12
        )
        assert found[name].method == alone[name].method


def test_no_question_that_counts_has_no_interval(engine: Any) -> None:
    nothing = engine.frame(JUDGMENTS.with_columns(grade=pl.lit(0.0)))
    found = scored(nothing, engine.frame(RUN), cluster="doc")
    assert [(score.value, score.low, score.n) for score in found.values()] == [(0.0, None, 0)] * 2
    assert found.n_clusters == 0


def test_the_order_of_the_questions_does_not_show_in_the_last_digit() -> None:
    asked = JUDGMENTS.with_columns(topic=pl.Series(TOPICS))
    there = [scored(asked.sample(fraction=1, shuffle=True, seed=s), RUN, cluster="topic")["MRR"]
             for s in range(5)]  # fmt: skip
    assert len({(score.value, score.low, score.high) for score in there}) == 1


def test_the_command_line_says_how_many_clusters_there_are(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Path("q.jsonl").open("w", encoding="utf-8") as file:
        for name, topic in zip(IDS, TOPICS, strict=True):
            file.write(
                json.dumps({"id": name, "expected": [{"id": "x"}], "tags": {"topic": topic}}) + "\n"
            )
    write_run(Run(retrieved=RUN), "run.jsonl")
    asked = ["eval", "q.jsonl", "run.jsonl", "--match", "ids", "-m", "MRR", "--cluster"]
    found = CliRunner().invoke(cli, [*asked, "topic"])
    assert found.exit_code == 0
    assert "k = 4, intervals from 4 clusters by topic" in " ".join(found.stdout.split())
    record = json.loads(CliRunner().invoke(cli, [*asked, "topic", "--json", "-"]).stdout)
    assert record["cluster"] == {"field": "topic", "n": 4}
    low = interval(RANKS, binary=False, clusters=TOPICS).low
    assert record["runs"][0]["measures"]["MRR"]["low"] == low
    refused = CliRunner().invoke(cli, [*asked, "topik"])
    assert refused.exit_code == 2
    assert "unknown cluster field 'topik'; did you mean topic" in refused.stderr
