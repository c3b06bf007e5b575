"""Intervals of a mean of values in [0, 1], from the values or from their sums alone.

0/1 values: Wilson's score interval. Other values: the same formula on the effective number of
questions (below). BCa, the usual choice for these, covers 85 to 90 % instead of 95 % where 30
questions have a mean near 0 or 1 (benchmarks/interval_coverage.py); it is there with method="bca".

The effective number of questions. A mean m of n values in [0, 1] varies less than a mean of 0/1
values: its variance is s² / n instead of m (1 - m) / n. So n values are worth n / d questions of
the 0/1 kind, d = s² / (m (1 - m)), and Wilson's formula on n / d with Student's t instead of z
gives an interval that stays in [0, 1], is skewed as it should be, and needs two sums. Surveys
treat proportions so: E. L. Korn and B. I. Graubard, "Confidence intervals for proportions with
small expected number of positive counts estimated from survey data", Survey Methodology 24 (1998).
Where few values lie off 0 and 1 the sample understates s², so d is drawn towards 1 by the weight
of one question (`_moderated`). Where all values are equal d is 1: nothing is known of the spread.

Clusters (questions from one document) are the units then: s² comes from the clusters' residuals,
n is their number, and t has one degree of freedom less than there are clusters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tophit.errors import UsageError
from tophit.statistics.bootstrap import bca
from tophit.statistics.distributions import check_level, normal_quantile, t_quantile

RESAMPLE_UP_TO = 20_000
"""With method="bca", more values than this get the normal interval: resampling them is slow, and
the two agree to less than a thousandth there."""

# Smaller variances, relative to the mean's square, are what rounding leaves of a constant.
_ROUNDING = 1e-12
METHODS = ("auto", "bca", "normal")


@dataclass(frozen=True, kw_only=True)
class Interval:
    """A confidence interval within [0, 1], and how it was made.

    `low` and `high` are None where there is no question at all; they are never NaN. `method` is
    `wilson`, `wilson-effective`, `wilson-cluster`, `bca`, `bca-cluster`, `normal` or `none`.

    >>> Interval(low=0.5, high=0.7, method="wilson").high
    0.7
    """

    low: float | None
    high: float | None
    method: str


UNDEFINED = Interval(low=None, high=None, method="none")


def wilson(successes: float, n: float, *, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a proportion, within [0, 1].

    Centre (p + z²/2n) / (1 + z²/n), half width z sqrt(p (1 - p)/n + z²/4n²) / (1 + z²/n).
    Source: E. B. Wilson, Journal of the American Statistical Association 22 (1927). `n` may be
    fractional (an effective number). For 0 successes low is 0, for n of n high is 1.

    Errors: `UsageError` unless n > 0 and 0 <= successes <= n.

    >>> low, high = wilson(8, 10)
    >>> round(low, 4), round(high, 4)
    (0.4902, 0.9433)
    """
    if not (n > 0 and 0 <= successes <= n):
        raise UsageError(f"needs 0 <= successes <= n and n > 0, not {successes!r} of {n!r}")
    return _score(successes / n, n, normal_quantile(level))


def normal(mean: float, variance: float, n: int, *, level: float = 0.95) -> tuple[float, float]:
    """mean ± z sqrt(variance / n), cut to [0, 1]; for many values only (n in the thousands).

    `variance` is the sample variance (divisor n - 1).

    >>> low, high = normal(0.5, 0.25, 10_000)
    >>> round(low, 4), round(high, 4)
    (0.4902, 0.5098)
    """
    half = normal_quantile(level) * math.sqrt(variance / n)
    return max(0.0, mean - half), min(1.0, mean + half)


def interval(
    values: Any,
    *,
    binary: bool,
    level: float = 0.95,
    clusters: Sequence[Any] | np.ndarray | None = None,
    seed: int = 0,
    method: str = "auto",
) -> Interval:
    """The interval of the mean of `values`, one per question, each in [0, 1].

    `binary`: all values are 0 or 1. `clusters`: one label per value; labelled alike are dependent.
    `method`: `auto` (module docstring), `bca` (10,000 resamples from `seed`; above 20,000 values
    `normal`) or `normal`. The order of the values does not matter, to the last bit. No values:
    low and high are None. One value that is not 0/1, or one cluster: 0 to 1, nothing is known of
    the spread.

    Errors: `UsageError` for values outside [0, 1] or NaN, for clusters of another length or
    without a label, for a level outside (0, 1).

    >>> found = interval([1, 0, 1, 1], binary=True)
    >>> round(found.low, 4), round(found.high, 4), found.method
    (0.3006, 0.9544, 'wilson')
    >>> interval([], binary=True)
    Interval(low=None, high=None, method='none')
    """
    check_level(level)
    if method not in METHODS:
        raise UsageError(f"unknown interval method {method!r} (known: {', '.join(METHODS)})")
    array = np.sort(checked(values)) if clusters is None else checked(values)
    if array.size == 0:
        return UNDEFINED
    if clusters is not None:
        totals, counts = cluster_totals(array, clusters)
        if counts.max() > 1:
            if method == "bca":
                low, high = bca(array, level=level, seed=seed, clusters=clusters)
                return Interval(low=low, high=high, method="bca-cluster")
            return interval_from_cluster_totals(totals, counts, level=level)
    if method == "bca" and array.size <= RESAMPLE_UP_TO:
        low, high = bca(array, level=level, seed=seed)
        return Interval(low=low, high=high, method="bca")
    total, squares = math.fsum(array), math.fsum(array * array)
    if method != "auto" and array.size > 1:
        low, high = normal(
            total / array.size, _variance(total, squares, array.size), array.size, level=level
        )
        return Interval(low=low, high=high, method="normal")
    return interval_from_sums(total, squares, array.size, binary=binary, level=level)


def interval_from_sums(
    total: float, total_of_squares: float, n: int, *, binary: bool, level: float = 0.95
) -> Interval:
    """The interval of a mean from its sums, as an engine gives them: the same as from the values.

    `binary`: Wilson (the squares are not looked at), else Wilson on the effective number.

    >>> interval_from_sums(3.0, 3.0, 4, binary=True) == interval([1, 0, 1, 1], binary=True)
    True
    >>> found = interval_from_sums(15.0, 10.0, 30, binary=False)
    >>> round(found.low, 4), round(found.high, 4)
    (0.3917, 0.6083)
    """
    check_level(level)
    if n == 0:
        return UNDEFINED
    if binary:
        low, high = wilson(min(total, float(n)), n, level=level)
        return Interval(low=low, high=high, method="wilson")
    mean = min(1.0, max(0.0, total / n))
    spread = 0.0 if n == 1 else _variance(total, total_of_squares, n)
    low, high = _effective(mean, spread, n, level)
    return Interval(low=low, high=high, method="wilson-effective")


def interval_from_cluster_totals(
    totals: np.ndarray, counts: np.ndarray, *, level: float = 0.95
) -> Interval:
    """The interval of the mean over questions from each cluster's total and number of questions.

    The variance is that of a ratio of cluster totals, Σ (t - m c)² / (1 - c / n) / n²: with
    clusters of one size it is the sample variance of their means, and the divisor keeps it
    unbiased where one cluster is large (R. M. Bell and D. F. McCaffrey, "Bias reduction in
    standard errors for linear regression with multi-stage samples", Survey Methodology 28, 2002).

    >>> found = interval_from_cluster_totals(np.array([3.0, 1.0, 2.0]), np.array([4, 3, 5]))
    >>> found.method, round(found.low, 4), round(found.high, 4)
    ('wilson-cluster', 0.1046, 0.8954)
    """
    check_level(level)
    n = float(np.sum(counts))
    groups = len(counts)
    if n == 0:
        return UNDEFINED
    mean = min(1.0, max(0.0, math.fsum(totals) / n))
    spread = cluster_variance(totals, counts, mean) * groups
    low, high = _effective(mean, spread, groups, level)
    return Interval(low=low, high=high, method="wilson-cluster")


def cluster_variance(totals: np.ndarray, counts: np.ndarray, mean: float) -> float:
    """The variance of a mean over clustered questions; 0.0 where there is one cluster.

    >>> round(cluster_variance(np.array([1.0, 0.0]), np.array([1, 1]), 0.5), 9)
    0.25
    """
    n = float(np.sum(counts))
    if len(counts) < 2:
        return 0.0
    residuals = (totals - mean * counts) / n
    return math.fsum(residuals * residuals / (1 - counts / n))


def checked(values: Any) -> np.ndarray:
    """The values as float64, all within [0, 1] (rounding beyond the ends is cut).

    >>> checked([0, 1.0, 1.0000000001]).tolist()
    [0.0, 1.0, 1.0]
    """
    array = np.asarray(values, dtype=np.float64)
    wrong = ~((array >= -1e-9) & (array <= 1 + 1e-9))
    if wrong.any():
        raise UsageError(
            f"an interval needs values between 0 and 1; {int(wrong.sum()):,} of "
            f"{array.size:,} are not, the first is {array[wrong][0]}"
        )
    return np.clip(array, 0.0, 1.0)


def cluster_totals(
    values: np.ndarray, clusters: Sequence[Any] | np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Total and count of each cluster, in the order of the labels; the values' order is settled.

    >>> totals, counts = cluster_totals(np.array([1.0, 0.0, 0.5]), ["b", "a", "b"])
    >>> totals.tolist(), counts.tolist()
    ([0.0, 1.5], [1, 2])
    """
    if len(clusters) != len(values):
        raise UsageError(f"{len(values):,} values but {len(clusters):,} cluster labels")
    _, codes = np.unique(_named(clusters), return_inverse=True)
    order = np.lexsort((values, codes))
    counts = np.bincount(codes)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    return np.add.reduceat(values[order], starts) if len(values) else values, counts


def _named(clusters: Sequence[Any] | np.ndarray) -> Any:
    """The labels as text, numbers as they are where all are whole."""
    if isinstance(clusters, np.ndarray) and np.issubdtype(clusters.dtype, np.integer):
        return clusters
    labels = list(clusters)
    missing = sum(label is None or label == "" or label != label for label in labels)
    if missing:
        raise UsageError(f"{missing:,} of {len(labels):,} questions have no cluster label")
    return [str(label) for label in labels]


def _variance(total: float, squares: float, n: int) -> float:
    mean = total / n
    spread = (squares - total * mean) / (n - 1)
    return spread if spread > _ROUNDING * mean * mean else 0.0


def _effective(mean: float, spread: float, units: int, level: float) -> tuple[float, float]:
    """Wilson's interval on the effective number of units, with Student's t."""
    if units < 2:
        return 0.0, 1.0
    return _score(mean, units / _moderated(mean, spread, units), t_quantile(level, units - 1))


def _moderated(mean: float, spread: float, units: int) -> float:
    """d = spread / (m (1 - m)), drawn towards 1 by one more question with d' = sqrt(d).

    4 (units - 1) m (1 - m) is how many questions the sample is worth for d: few where the mean
    is close to 0 or 1, and it is there that s² is understated.
    """
    widest = mean * (1 - mean)
    if spread <= 0 or widest <= 0:
        return 1.0
    ratio = spread / widest
    worth = 4 * (units - 1) * widest
    return (worth * ratio + math.sqrt(ratio)) / (worth + 1)


def _score(p: float, n: float, quantile: float) -> tuple[float, float]:
    share = quantile * quantile / n
    centre = (p + share / 2) / (1 + share)
    half = math.sqrt(share * (p * (1 - p) + share / 4)) / (1 + share)
    # Rounding must not leave 1e-17 where the bound is 0.
    low = 0.0 if p <= 0 else max(0.0, centre - half)
    high = 1.0 if p >= 1 else min(1.0, centre + half)
    return low, high
