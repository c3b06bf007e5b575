"""The curve of Hit@k against Hit at every k, and its tokens against plain sums."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tophit
from tophit.errors import UsageError
from tophit.evaluation.curve import context, curve

CHUNKS = st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 50)), max_size=6)
QUESTIONS = st.lists(st.tuples(st.sets(st.sampled_from("abcxy"), max_size=3), CHUNKS), min_size=1,
                     max_size=5)  # fmt: skip


def frames(questions):
    judged = {f"q{n}": dict.fromkeys(items, 1) for n, (items, _) in enumerate(questions)}
    rows = [
        (f"q{n}", chunk, rank, tokens)
        for n, (_, chunks) in enumerate(questions)
        for rank, (chunk, tokens) in enumerate(chunks, 1)
    ]
    columns = {"query_id": pl.String, "chunk_id": pl.String, "rank": pl.Int64, "tokens": pl.Int64}
    return judged, pl.DataFrame(rows, schema=columns, orient="row")


@given(questions=QUESTIONS, depth=st.integers(1, 8))
def test_every_point_is_hit_at_k(questions, depth):
    judged, run = frames(questions)
    found = curve(judged, run, depth=depth)
    points = found.points
    expected = tophit.evaluate(judged, run, measures=[f"Hit@{k}" for k in range(1, depth + 1)])
    assert points["k"].to_list() == list(range(1, depth + 1))
    assert points["value"].to_list() == [score.value for score in expected.values()]
    assert points["low"].to_list() == pytest.approx([s.low for s in expected.values()])
    assert points["gain"].sum() == pytest.approx(points["value"][-1])
    assert points["gain"].min() >= 0

    answerable = [chunks for items, chunks in questions if items]
    for k, mean, most in points.select("k", "tokens_mean", "tokens_max").iter_rows():
        sums = [sum(tokens for _, tokens in chunks[:k]) for chunks in answerable]
        if sums:
            assert (mean, most) == (pytest.approx(sum(sums) / len(sums)), max(sums))
        else:
            assert mean is None


def test_the_longest_list_is_the_depth():
    run = {"q": ["x", "y", "a"], "p": ["b"]}
    assert curve({"q": ["a"], "p": ["z"]}, run).points["value"].to_list() == [0, 0, 0.5]


def test_without_tokens_or_texts_there_is_no_cost():
    found = curve({"q": ["a"]}, {"q": ["a"]})
    assert found.points.select("tokens_mean", "tokens_max").row(0) == (None, None)


def test_texts_are_counted():
    run = tophit.Run(
        retrieved=pl.DataFrame(
            {"query_id": ["q", "q"], "chunk_id": ["a", "b"], "rank": [1, 2],
             "text": ["hello world", "<|endoftext|>"]}
        )
    )  # fmt: skip
    cost = context(run, pl.Series(["q", "without results"]), k=2)
    assert (cost.mean, cost.most) == (4.5, 9)
    assert cost.said(window=100) == (
        "the first 2 chunks take 4 tokens on average, 9 at most: 4.5 % and 9.0 % of 100"
    )


def test_a_point_beyond_the_depth():
    found = curve({"q": ["a"]}, {"q": ["a"]})
    assert found.at(1)["value"] == 1
    with pytest.raises(UsageError, match="from k = 1 to 1, not to 2"):
        found.at(2)
