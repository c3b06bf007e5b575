"""Intervals by hand: edges, sums, clusters."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tophit import UsageError
from tophit.statistics import (
    Interval,
    bca,
    interval,
    interval_from_cluster_totals,
    interval_from_sums,
    wilson,
)
from tophit.statistics.bootstrap import bca_from_resamples
from tophit.statistics.intervals import RESAMPLE_UP_TO


def test_no_question_has_no_interval() -> None:
    none = Interval(low=None, high=None, method="none")
    assert interval([], binary=True) == interval([], binary=False) == none
    assert interval_from_sums(0.0, 0.0, 0, binary=False) == none
    assert interval([], binary=False, clusters=[]) == none
    assert interval([], binary=False, method="bca") == none


def test_one_question() -> None:
    assert interval([1], binary=True).low == pytest.approx(0.2065, abs=1e-4)
    assert interval([1], binary=True).high == 1.0
    found = interval([0.5], binary=False)
    assert (found.low, found.high) == (0.0, 1.0)


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
def test_equal_values_leave_the_spread_unknown(value: float) -> None:
    found = interval([value] * 30, binary=False)
    assert found.low is not None
    assert found.high is not None
    assert found.low <= value <= found.high
    assert found.high - found.low > 0.1
    assert (found.low == 0.0) == (value == 0.0)
    assert (found.high == 1.0) == (value == 1.0)


def test_wilson_ends_at_the_ends() -> None:
    assert wilson(0, 20)[0] == 0.0
    assert wilson(20, 20)[1] == 1.0
    assert wilson(20, 20)[0] == pytest.approx(20 / (20 + 1.959963984540054**2), abs=1e-12)


@pytest.mark.parametrize("n", [30, RESAMPLE_UP_TO + 10])
@pytest.mark.parametrize("method", ["auto", "bca", "normal"])
def test_the_order_of_the_values_is_nothing(n: int, method: str) -> None:
    values = np.random.default_rng(1).beta(0.3, 0.9, n)
    shuffled = np.random.default_rng(2).permutation(values)
    assert interval(values, binary=False, method=method) == interval(
        shuffled, binary=False, method=method
    )


def test_bca_of_many_values_is_normal() -> None:
    values = np.random.default_rng(1).random(RESAMPLE_UP_TO + 1)
    assert interval(values, binary=False, method="bca").method == "normal"
    assert interval(values[1:], binary=False, method="bca").method == "bca"


def test_a_seed_gives_the_same_bytes_and_another_seed_others() -> None:
    values = np.random.default_rng(1).random(50)
    assert bca(values, seed=3) == bca(values, seed=3)
    assert bca(values, seed=3) != bca(values, seed=4)


def test_bca_resamples_whole_clusters() -> None:
    values = np.repeat([0.0, 0.2, 0.9, 1.0, 0.4, 0.6], 20)
    clusters = np.repeat(list("abcdef"), 20)
    low, high = bca(values, clusters=clusters)
    apart_low, apart_high = bca(values)
    assert high - low > 3 * (apart_high - apart_low)
    assert bca(np.repeat(0.3, 10), clusters=["a"] * 10) == pytest.approx((0.3, 0.3))


def test_clusters_of_one_question_change_nothing() -> None:
    hits = [1, 0, 1, 1, 0, 1]
    assert interval(hits, binary=True, clusters=range(6)) == interval(hits, binary=True)
    ranks = [1, 0.5, 0.2, 1, 0, 0.25]
    alone = interval(ranks, binary=False)
    assert interval(ranks, binary=False, clusters=range(6)) == alone
    totals = interval_from_cluster_totals(np.array(ranks), np.ones(6))
    assert (totals.low, totals.high) == pytest.approx((alone.low, alone.high), abs=1e-12)


def test_questions_that_repeat_their_cluster_count_once_a_cluster() -> None:
    means = [1.0, 0.0, 1.0, 1.0, 0.0, 1.0]
    once = interval_from_cluster_totals(np.array(means), np.ones(6))
    tenfold = interval(np.repeat(means, 10), binary=True, clusters=np.repeat(range(6), 10))
    assert tenfold.method == "wilson-cluster"
    assert (tenfold.low, tenfold.high) == pytest.approx((once.low, once.high), abs=1e-12)


def test_one_cluster_says_nothing_of_the_spread() -> None:
    found = interval([1, 0, 1], binary=True, clusters=["a"] * 3)
    assert (found.low, found.high) == (0.0, 1.0)


def test_numbers_and_text_label_clusters_alike() -> None:
    values = [1, 0, 1, 1]
    assert interval(values, binary=True, clusters=[1, 1, 2, 2]) == interval(
        values, binary=True, clusters=["1", "1", "2", "2"]
    )


def test_sums_and_values_agree_on_a_million_questions() -> None:
    values = np.random.default_rng(0).choice([0, 0.2, 0.25, 1 / 3, 0.5, 1], 1_000_000)
    hits = (values >= 0.25).astype(float)
    for given, binary in ((values, False), (hits, True)):
        inside = interval(given, binary=binary)
        sums = interval_from_sums(
            float(given.sum()), float((given**2).sum()), len(given), binary=binary
        )
        assert (sums.low, sums.high) == pytest.approx((inside.low, inside.high), abs=1e-12)
        assert sums.method == inside.method


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ([0.5, 1.2], "1 of 2 are not, the first is 1.2"),
        ([math.nan, 0.5], "1 of 2 are not, the first is nan"),
        ([-0.1], "the first is -0.1"),
    ],
)
def test_values_outside_0_to_1_are_refused(values: list[float], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        interval(values, binary=False)


@pytest.mark.parametrize("level", [0, 1, 95, -0.5, math.nan])
def test_a_level_outside_0_to_1_is_refused(level: float) -> None:
    with pytest.raises(UsageError, match="level must lie between 0 and 1"):
        interval([1], binary=True, level=level)


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("method", ["auto", "bca", "normal"])
def test_the_highest_level_has_an_interval_and_one_above_is_refused(binary, method) -> None:
    values = [0.0, 1.0, 1.0, 1.0] if binary else [0.1, 0.5, 0.9, 0.9]
    found = interval(values, binary=binary, method=method, level=1 - 1e-9)
    assert found.low is not None
    assert found.low < 0.4
    with pytest.raises(UsageError, match=r"level must be at most 0\.999999999"):
        interval(values, binary=binary, method=method, level=0.9999999999999999)


@pytest.mark.parametrize(("observed", "ends"), [(2.0, (0.75, 1.0)), (-1.0, (0.0, 0.25))])
def test_bca_where_all_resamples_lie_on_one_side_of_what_was_observed(observed, ends) -> None:
    """A share of 1 or 0 has no normal quantile: it counts as half a resample away from the end."""
    drawn, jackknife = np.linspace(0, 1, 101), np.array([0.4, 0.5, 0.6])
    found = bca_from_resamples(observed, drawn, jackknife)
    assert ends[0] <= found[0] < found[1] <= ends[1]


def test_clusters_that_do_not_fit_are_refused() -> None:
    with pytest.raises(UsageError, match="2 values but 3 cluster labels"):
        interval([1, 0], binary=True, clusters=["a", "b", "c"])
    with pytest.raises(UsageError, match="2 of 4 questions have no cluster label"):
        interval([1, 0, 1, 0], binary=True, clusters=["a", None, "b", ""])
    with pytest.raises(UsageError, match="unknown interval method 'bootstrap'"):
        interval([1, 0], binary=True, method="bootstrap")


@pytest.mark.parametrize(("successes", "n"), [(1, 0), (3, 2), (-1, 2)])
def test_counts_that_do_not_fit_are_refused(successes: int, n: int) -> None:
    with pytest.raises(UsageError, match="needs 0 <= successes <= n"):
        wilson(successes, n)


def test_rounding_beyond_the_ends_is_cut() -> None:
    assert interval([1 + 1e-12, 1.0], binary=False).high == 1.0
