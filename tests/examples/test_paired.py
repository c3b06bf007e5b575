"""Paired tests and power by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tophit import UsageError
from tophit.statistics import (
    difference_of_proportions,
    holm,
    mcnemar,
    mean_difference,
    questions_needed,
    sign_flip,
    smallest_detectable,
)
from tophit.statistics.paired import sign_flips


def test_mcnemar_by_hand() -> None:
    assert mcnemar(9, 1) == pytest.approx(2 * 11 / 1024, rel=1e-12)
    assert mcnemar(1, 9) == mcnemar(9, 1)
    assert mcnemar(5, 0) == pytest.approx(2 / 32, rel=1e-12)
    assert mcnemar(0, 0) == mcnemar(1, 1) == mcnemar(3, 3) == 1.0
    assert mcnemar(0, 100_000) == 0.0
    with pytest.raises(UsageError, match="cannot be negative"):
        mcnemar(-1, 3)


def test_a_sign_flip_counts_every_pattern() -> None:
    assert sign_flip([1.0, 2.0, 3.0]).p == 2 / 8
    assert sign_flip([1.0, -2.0, 3.0]).p == 6 / 8
    assert sign_flip([1.0, 2.0, -3.0]).p == 1.0
    assert sign_flip([]).p == sign_flip([0.0, 0.0]).p == sign_flip([0.7]).p == 1.0


def test_a_sign_flip_of_0_and_1_is_mcnemar_however_many() -> None:
    differences = [1.0] * 900 + [-1.0] * 800 + [0.0] * 300
    found = sign_flip(differences)
    assert found.method == "exact"
    assert found.p == pytest.approx(mcnemar(900, 800), rel=1e-9)


def test_thirds_are_exact_for_hundreds_of_questions() -> None:
    rng = np.random.default_rng(1)
    thirds = rng.choice([1 / 3, -1 / 3, 2 / 3, -2 / 3, 1, -1, 1 / 6, 5 / 6], 600)
    found = sign_flip(thirds)
    drawn = sign_flip(thirds + rng.normal(0, 1e-7, 600))
    assert (found.method, drawn.method) == ("exact", "random")
    assert found.p == pytest.approx(drawn.p, abs=0.03)


def test_rounding_does_not_split_a_tie() -> None:
    differences = [0.1, 0.2, 0.3]  # 0.1 + 0.2 is not 0.3 in binary
    assert sign_flip([0.1, 0.2, -0.3]).p == 1.0
    assert sign_flip(differences).p == 0.25


def test_the_order_of_the_questions_is_nothing() -> None:
    rng = np.random.default_rng(0)
    differences = rng.normal(0.1, 1, 500)
    assert sign_flip(differences) == sign_flip(rng.permutation(differences))
    assert sign_flip(differences) == sign_flip(-differences)
    assert sign_flip(differences, seed=1) != sign_flip(differences, seed=2)


def test_a_column_has_the_same_result_alone() -> None:
    rng = np.random.default_rng(0)
    table = rng.normal(0.05, 1, (700, 3)) * (rng.random((700, 3)) < [0.1, 0.9, 0.5])
    together = sign_flips(table, resamples=999)
    assert together == [sign_flip(column, resamples=999) for column in table.T]
    assert {found.method for found in together} == {"random"}


def test_a_random_p_is_never_0() -> None:
    found = sign_flip(np.linspace(0.5, 1, 200), resamples=999)
    assert found.p == 1 / 1000


def test_not_a_number_is_refused() -> None:
    with pytest.raises(UsageError, match="not a number"):
        sign_flip([0.1, float("nan")])


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.02, 0.03]).tolist() == pytest.approx([0.03, 0.04, 0.04])
    assert holm([0.5, 0.9]).tolist() == [1.0, 1.0]
    assert holm([]).tolist() == []


def test_the_difference_of_two_proportions_has_an_answer_at_the_edges() -> None:
    low, high = difference_of_proportions(0, 0, 30)
    assert low == pytest.approx(-high)
    assert high == pytest.approx(3.8415 / (30 + 3.8415), abs=1e-4)
    assert difference_of_proportions(30, 0, 30)[1] == pytest.approx(1.0)
    assert difference_of_proportions(1, 0, 1)[0] < 0 < difference_of_proportions(1, 0, 1)[1]
    with pytest.raises(UsageError, match="do not fit"):
        difference_of_proportions(3, 3, 5)


def test_a_mean_difference_has_an_answer_at_the_edges() -> None:
    assert mean_difference(0.3, 0.09, 1, 1) == (-1.0, 1.0)
    low, high = mean_difference(0.0, 0.0, 0, 30)
    assert -0.2 < low < 0 < high < 0.2
    assert mean_difference(30.0, 30.0, 30, 30)[1] == 1.0


def test_power_by_hand() -> None:
    # n = (1.96 sqrt(.2) + 0.84 sqrt(.2 - .05^2))^2 / .05^2
    assert questions_needed(0.05, 0.2) == 626
    assert questions_needed(-0.05, 0.2) == 626
    assert questions_needed(0.0, 0.2) is None
    assert questions_needed(1.0, 1.0) == 6  # 2 / 2^6 is the first below 5 %
    assert smallest_detectable(0, 0.2) is None
    assert smallest_detectable(5, 0.0) == smallest_detectable(5, 0.1, binary=False) == 1.0
    assert smallest_detectable(626, 0.2) == pytest.approx(0.05, abs=1e-4)
    with pytest.raises(UsageError, match="alpha and power"):
        smallest_detectable(10, 0.2, power=80)


def test_no_discordant_question_still_needs_eight_wins() -> None:
    found = smallest_detectable(1_000, 0.0)
    assert found is not None
    assert 7.5 < found * 1_000 < 8.5
    assert mcnemar(8, 0) < 0.05
