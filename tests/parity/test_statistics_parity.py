"""Intervals and tests beside SciPy and statsmodels: equal to 1e-9 where nothing is drawn."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from scipy.optimize import brentq
from statsmodels.stats import contingency_tables, multitest, proportion

from tophit.abstaining import separation
from tophit.statistics import (
    bca,
    difference_of_proportions,
    holm,
    interval,
    mcnemar,
    mean_difference,
    normal,
    sign_flip,
    wilson,
)
from tophit.statistics.bootstrap import bca_from_resamples
from tophit.statistics.distributions import fair_binomial, t_cdf, t_quantile

LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99, 0.999)


@pytest.mark.parametrize("level", LEVELS)
def test_wilson_is_statsmodels(level: float) -> None:
    for n in (1, 2, 7, 30, 100, 12_345):
        for successes in {0, 1, n // 3, n - 1, n}:
            expected = proportion.proportion_confint(successes, n, alpha=1 - level, method="wilson")
            assert wilson(successes, n, level=level) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("level", LEVELS)
def test_student_t_is_scipy(level: float) -> None:
    for df in (1, 2, 3, 4, 5, 10, 29, 99, 299, 300, 301, 1_000, 10**6):
        expected = scipy.stats.t.ppf(0.5 + level / 2, df)
        assert t_quantile(level, df) == pytest.approx(expected, rel=1e-9)
    for df in (1, 2, 3, 10, 33):
        for value in (-30.0, -1.3, 0.0, 0.2, 4.0):
            assert t_cdf(value, df) == pytest.approx(scipy.stats.t.cdf(value, df), abs=1e-13)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 10, 501, 5_000])
def test_fair_binomial_is_scipy(n: int) -> None:
    first, mass = fair_binomial(n)
    expected = scipy.stats.binom.pmf(np.arange(first, first + len(mass)), n, 0.5)
    np.testing.assert_allclose(mass, expected, rtol=1e-9, atol=1e-300)
    assert mass.sum() == pytest.approx(1.0, abs=1e-12)


def test_normal_is_scipy() -> None:
    values = np.random.default_rng(3).random(4_000)
    expected = scipy.stats.norm.interval(0.9, values.mean(), scipy.stats.sem(values))
    found = normal(values.mean(), values.var(ddof=1), len(values), level=0.9)
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("n", [8, 40, 300])
def test_bca_is_scipy_given_the_same_resamples(n: int, level: float) -> None:
    values = np.random.default_rng(n).beta(0.4, 1.2, n)
    found = scipy.stats.bootstrap(
        (values,), np.mean, confidence_level=level, n_resamples=2_000, method="BCa",
        rng=np.random.default_rng(1), vectorized=True,
    )  # fmt: skip
    jackknife = (values.sum() - values) / (n - 1)
    ours = bca_from_resamples(values.mean(), found.bootstrap_distribution, jackknife, level=level)
    assert ours == pytest.approx(tuple(found.confidence_interval), abs=1e-9)


def test_bca_is_scipy_within_monte_carlo_error() -> None:
    values = np.random.default_rng(5).choice([0, 0.2, 0.25, 1 / 3, 0.5, 1], 120)
    expected = scipy.stats.bootstrap(
        (values,), np.mean, n_resamples=10_000, method="BCa", rng=np.random.default_rng(2)
    ).confidence_interval
    assert bca(values) == pytest.approx(tuple(expected), abs=0.004)


def test_mcnemar_is_statsmodels_and_scipy() -> None:
    for wins, losses in ((1, 0), (0, 6), (9, 1), (12, 8), (5, 5), (200, 260), (100, 900)):
        table = [[3, wins], [losses, 4]]
        expected = contingency_tables.mcnemar(table, exact=True).pvalue
        assert mcnemar(wins, losses) == pytest.approx(expected, rel=1e-9)
        by_sign = scipy.stats.binomtest(wins, wins + losses).pvalue
        assert mcnemar(wins, losses) == pytest.approx(by_sign, rel=1e-9)


def test_mcnemar_of_a_million_discordant_questions_is_scipy() -> None:
    expected = scipy.stats.binomtest(498_700, 1_000_000).pvalue
    assert mcnemar(498_700, 501_300) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_an_exact_sign_flip_is_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pools = (
        rng.normal(size=12),
        rng.choice([0, 1 / 3, -2 / 3, 1], 12),
        rng.integers(-3, 4, 12) / 7,
    )
    for differences in pools:
        expected = scipy.stats.permutation_test(
            (differences,), np.sum, permutation_type="samples", n_resamples=np.inf
        ).pvalue
        found = sign_flip(differences)
        assert found.method == "exact"
        assert found.p == pytest.approx(expected, abs=1e-9)


def test_a_random_sign_flip_is_scipy_within_monte_carlo_error() -> None:
    differences = np.random.default_rng(8).normal(0.12, 1, 200)
    expected = scipy.stats.permutation_test(
        (differences,), np.sum, permutation_type="samples", n_resamples=10_000,
        rng=np.random.default_rng(1), vectorized=True,
    ).pvalue  # fmt: skip
    found = sign_flip(differences)
    assert found.method == "random"
    assert found.p == pytest.approx(expected, abs=5 * (expected / 10_000) ** 0.5)


def test_the_normal_limit_of_the_sign_flip_agrees_with_the_random_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    differences = np.random.default_rng(4).normal(0.05, 1, 1_000)
    drawn = sign_flip(differences)
    monkeypatch.setattr("tophit.statistics.paired.NORMAL_ABOVE", 999)
    limit = sign_flip(differences)
    assert (limit.method, drawn.method) == ("normal", "random")
    assert limit.p == pytest.approx(drawn.p, abs=0.015)


def test_holm_is_statsmodels() -> None:
    rng = np.random.default_rng(0)
    for p in ([0.01], [0.04, 0.04, 0.001], [0.0, 1.0, 0.5], rng.random(200) ** 3):
        expected = multitest.multipletests(p, method="holm")[1]
        np.testing.assert_allclose(holm(p), expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("wins", "losses", "n"), [(9, 2, 60), (1, 9, 100), (0, 4, 44), (53, 47, 400)]
)
def test_tango_is_the_score_test_inverted_by_scipy(wins: int, losses: int, n: int) -> None:
    low, high = difference_of_proportions(wins, losses, n)
    z = scipy.stats.norm.ppf(0.975)

    def statistic(delta: float) -> float:
        # the likelihood of the losses' share under delta, maximised numerically
        shares = np.linspace(max(0, -delta), (1 - abs(delta)) / 2 + max(0, -delta), 400_001)[1:-1]
        likelihood = (
            wins * np.log(np.maximum(shares + delta, 1e-300))
            + losses * np.log(shares)
            + (n - wins - losses) * np.log(np.maximum(1 - 2 * shares - delta, 1e-300))
        )
        q = shares[np.argmax(likelihood)]
        return (wins - losses - n * delta) / np.sqrt(n * (2 * q + delta - delta**2))

    observed = (wins - losses) / n
    assert low == pytest.approx(brentq(lambda d: statistic(d) - z, -0.9, observed), abs=2e-4)
    assert high == pytest.approx(brentq(lambda d: statistic(d) + z, observed, 0.9), abs=2e-4)


def test_wilson_on_the_effective_number_is_the_t_interval_for_many_values() -> None:
    values = np.random.default_rng(6).beta(2, 3, 20_000)
    expected = scipy.stats.t.interval(0.95, len(values) - 1, values.mean(), scipy.stats.sem(values))
    found = interval(values, binary=False)
    assert (found.low, found.high) == pytest.approx(expected, abs=2e-5)


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize(("n", "seed"), [(5, 1), (30, 2), (30, 3), (500, 4)])
def test_the_effective_number_step_by_step(n: int, seed: int, level: float) -> None:
    values = np.random.default_rng(seed).choice([0, 0, 0, 0.1, 0.2, 0.5, 1], n)
    mean, variance = values.mean(), values.var(ddof=1)
    sample_ratio = variance / (mean * (1 - mean))
    worth = 4 * (n - 1) * mean * (1 - mean)
    ratio = (worth * sample_ratio + 1 * sample_ratio**0.5) / (worth + 1)
    t = scipy.stats.t.ppf(0.5 + level / 2, n - 1)
    # the score interval is where (mean - p)^2 = t^2 p (1 - p) / (n / ratio)
    share = t * t * ratio / n
    low, high = sorted(np.roots([1 + share, -2 * mean - share, mean * mean]))
    found = interval(values, binary=False, level=level)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)


def test_convolution_on_a_grid_is_exact_arithmetic() -> None:
    rng = np.random.default_rng(2)
    thirds = rng.integers(-3, 4, 300)
    ways = {0: 1}
    for step in map(abs, thirds.tolist()):
        moved: dict[int, int] = {}
        for total, count in ways.items():
            for new in (total + step, total - step):
                moved[new] = moved.get(new, 0) + count
        ways = moved
    observed = abs(int(thirds.sum()))
    reached = sum(count for total, count in ways.items() if abs(total) >= observed)
    found = sign_flip(thirds / 3)
    assert found.method == "exact"
    assert found.p == pytest.approx(reached / 2 ** len(thirds), rel=1e-9)
    # eleven kinds of step in hundreds of questions are too many to list, and are convolved
    tenths = rng.integers(-10, 11, 300)
    drawn = sign_flip(tenths / 10 + rng.normal(0, 1e-6, 300))
    convolved = sign_flip(tenths / 10)
    assert (convolved.method, drawn.method) == ("exact", "random")
    assert convolved.p == pytest.approx(drawn.p, abs=0.02)


def test_convolution_and_lists_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    differences = np.random.default_rng(7).integers(-6, 7, 24) / 6
    listed = sign_flip(differences)
    monkeypatch.setattr("tophit.statistics.paired._HALVES_BITS", 0)
    convolved = sign_flip(differences)
    assert listed.method == convolved.method == "exact"
    assert listed.p == pytest.approx(convolved.p, rel=1e-9)


def test_a_mean_difference_step_by_step() -> None:
    differences = np.random.default_rng(1).choice([0, 0, 0, 0.3, -0.2, 1], 50)
    size = np.sqrt(np.mean(differences[differences != 0] ** 2))
    padded = np.append(differences, [size, -size])
    half = scipy.stats.t.ppf(0.975, 49) * padded.std() / np.sqrt(52)
    found = mean_difference(
        differences.sum(), np.sum(differences**2), np.count_nonzero(differences), 50
    )
    assert found == pytest.approx((padded.mean() - half, padded.mean() + half), abs=1e-9)


def test_the_area_under_the_curve_is_mann_whitney() -> None:
    rng = np.random.default_rng(3)
    yes, no = rng.integers(3, 12, 40) / 10, rng.integers(0, 9, 25) / 10
    expected = scipy.stats.mannwhitneyu(yes, no).statistic / (40 * 25)
    assert separation(yes, no).area == pytest.approx(expected, abs=1e-12)
