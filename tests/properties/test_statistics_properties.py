"""Properties of intervals and tests, for any values."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tophit.statistics import (
    difference_of_proportions,
    holm,
    interval,
    interval_from_sums,
    mcnemar,
    mean_difference,
    sign_flip,
    smallest_detectable,
    wilson,
)

FRACTIONS = st.sampled_from([0.0, 0.1, 0.2, 0.25, 1 / 3, 0.5, 2 / 3, 1.0])
UNIT = st.floats(0, 1)
COUNTS = st.integers(0, 300)


@given(st.lists(UNIT | FRACTIONS, max_size=60), st.sampled_from([0.8, 0.95, 0.99]))
def test_an_interval_holds_the_mean_and_stays_within_0_and_1(
    values: list[float], level: float
) -> None:
    found = interval(values, binary=False, level=level)
    if not values:
        assert found.low is None
        assert found.high is None
        return
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low <= found.high <= 1
    assert found.low - 1e-9 <= sum(values) / len(values) <= found.high + 1e-9


@given(st.lists(UNIT | FRACTIONS, min_size=1, max_size=60))
def test_sums_give_what_the_values_give(values: list[float]) -> None:
    total, squares = math.fsum(values), math.fsum(value * value for value in values)
    found = interval(values, binary=False)
    assert interval_from_sums(total, squares, len(values), binary=False) == found


@given(st.lists(UNIT | FRACTIONS, min_size=2, max_size=40), st.randoms(use_true_random=False))
def test_the_order_is_nothing(values: list[float], random: object) -> None:
    shuffled = list(values)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert interval(values, binary=False) == interval(shuffled, binary=False)
    differences = [value - 0.4 for value in values]
    assert sign_flip(differences, resamples=200) == sign_flip(
        [value - 0.4 for value in shuffled], resamples=200
    )


@given(COUNTS, st.integers(1, 300))
def test_more_confidence_is_wider_and_a_mirror_is_a_mirror(successes: int, more: int) -> None:
    n = successes + more
    low, high = wilson(successes, n)
    wide_low, wide_high = wilson(successes, n, level=0.99)
    assert wide_low <= low <= high <= wide_high
    mirrored = wilson(n - successes, n)
    assert (1 - high, 1 - low) == pytest.approx(mirrored, abs=1e-12)


@given(
    st.lists(st.tuples(st.sampled_from("abcdefgh"), UNIT | FRACTIONS), min_size=1, max_size=60),
    st.booleans(),
)
def test_clusters_give_an_interval_too(rows: list[tuple[str, float]], binary: bool) -> None:
    values = [round(value) if binary else value for _, value in rows]
    found = interval(values, binary=binary, clusters=[label for label, _ in rows])
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low <= found.high <= 1
    assert found.low - 1e-9 <= sum(values) / len(values) <= found.high + 1e-9


@given(COUNTS, COUNTS)
def test_mcnemar_is_a_fair_symmetric_p(wins: int, losses: int) -> None:
    p = mcnemar(wins, losses)
    assert 0 < p <= 1
    assert p == mcnemar(losses, wins)
    assert p >= mcnemar(max(wins, losses) + 1, min(wins, losses)) - 1e-12


@settings(max_examples=40)
@given(st.lists(st.floats(-1, 1) | FRACTIONS | FRACTIONS.map(lambda x: -x), max_size=10))
def test_a_sign_flip_is_the_brute_force(differences: list[float]) -> None:
    total = abs(math.fsum(differences))
    tie = 1e-9 * math.fsum(map(abs, differences))
    reached = [
        abs(math.fsum(s * d for s, d in zip(signs, differences, strict=True))) >= total - tie
        for signs in itertools.product((-1, 1), repeat=len(differences))
    ]
    assert sign_flip(differences).p == pytest.approx(sum(reached) / len(reached), abs=1e-9)


@given(COUNTS, COUNTS, st.integers(0, 300))
def test_the_interval_of_two_proportions_holds_the_difference(
    wins: int, losses: int, ties: int
) -> None:
    n = wins + losses + ties
    if n == 0:
        return
    low, high = difference_of_proportions(wins, losses, n)
    assert -1 <= low <= (wins - losses) / n + 1e-9
    assert (wins - losses) / n - 1e-9 <= high <= 1
    mirrored = difference_of_proportions(losses, wins, n)
    assert mirrored == pytest.approx((-high, -low), abs=1e-9)


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=50))
def test_the_interval_of_a_mean_difference_is_an_interval(differences: list[float]) -> None:
    values = np.array(differences)
    low, high = mean_difference(
        float(values.sum()), float((values**2).sum()), int(np.count_nonzero(values)), len(values)
    )
    assert -1 <= low <= high <= 1


@given(st.lists(UNIT, max_size=30))
def test_holm_never_lowers_a_p_nor_changes_the_order(p: list[float]) -> None:
    adjusted = holm(p)
    assert np.all(adjusted >= np.array(p) - 1e-15)
    assert np.all(adjusted <= 1)
    order = np.argsort(p, kind="stable")
    assert np.all(np.diff(adjusted[order]) >= -1e-15)


@given(st.integers(1, 100_000), UNIT, st.booleans())
def test_more_questions_show_smaller_differences(n: int, moment: float, binary: bool) -> None:
    here = smallest_detectable(n, moment, binary=binary)
    more = smallest_detectable(4 * n, moment, binary=binary)
    assert here is not None
    assert more is not None
    assert 0 <= more <= here <= 1
