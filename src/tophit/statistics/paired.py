"""Two runs on the same questions: tests of no difference, and the interval of the difference.

A difference is always second run minus first; a win is a question on which the second is better.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from tophit.errors import UsageError
from tophit.statistics.distributions import (
    check_level,
    fair_binomial,
    normal_quantile,
    t_quantile,
)

RESAMPLES = 10_000
"""Random sign patterns of a sign-flip test that cannot be exact."""

NORMAL_ABOVE = 50_000
"""Above this many non-zero differences the sign-flip test uses its normal limit."""

# 2 ** 32 sums in all are listed as two halves of 2 ** 16: 32 questions with unlike differences,
# more where differences repeat.
_HALVES_BITS = 32
# Differences that are all multiples of one unit (thirds, quarters) are convolved: the smallest one
# may hold so many units, and the work is bounded.
_GRID_PARTS = 12
_GRID_WORK = 2e7
# Sums closer than this, relative to the sum of all |d|, are one sum: rounding must not split ties.
_TIE = 1e-9
# Questions whose random signs are held at once; fixed, since it is part of what a seed means.
_ROWS = 256
_BISECTIONS = 60


@dataclass(frozen=True, kw_only=True)
class SignFlip:
    """The two-sided p of a sign-flip test, and how it was found.

    `method` is `exact` (all 2^n sign patterns), `random` (10,000 patterns) or `normal`.

    >>> SignFlip(p=1.0, method="exact").method
    'exact'
    """

    p: float
    method: str


def mcnemar(wins: int, losses: int) -> float:
    """Exact two-sided McNemar test: min(1, 2 P(X <= min(wins, losses))), X ~ Binomial(b + c, 1/2).

    Wins and losses are the questions that one run alone has right. Not the mid-p variant. No
    discordant question: 1.0. Source: Q. McNemar, Psychometrika 12 (1947); the exact form is the
    sign test.

    >>> mcnemar(1, 9)
    0.021484375
    >>> mcnemar(0, 0)
    1.0
    """
    if wins < 0 or losses < 0:
        raise UsageError(f"counts cannot be negative: {wins} and {losses}")
    first, mass = fair_binomial(wins + losses)
    fewer = min(wins, losses)
    if fewer < first:
        return 0.0
    return min(1.0, 2 * math.fsum(mass[: fewer - first + 1]))


def sign_flip(differences: Any, *, resamples: int = RESAMPLES, seed: int = 0) -> SignFlip:
    """Paired randomisation test: how often does a random sign of each difference reach |Σ d|?

    Exact up to 32 non-zero differences, and beyond where they repeat or are multiples of one unit
    (for 0/1 values it is McNemar's test). Else (b + 1) / (m + 1) over m
    random patterns, of which b reach |Σ d|; above 50,000 non-zero differences its normal limit.
    The same seed gives the same bytes in any order of the differences: only their sizes count.
    Sources: R. A. Fisher, The Design of Experiments (1935), section 21; B. Phipson and
    G. K. Smyth, Statistical Applications in Genetics and Molecular Biology 9 (2010).

    >>> sign_flip([0.5, 0.25, 1.0, 0.0, 0.5])
    SignFlip(p=0.125, method='exact')
    """
    column = np.asarray(differences, dtype=np.float64).reshape(-1, 1)
    return sign_flips(column, resamples=resamples, seed=seed)[0]


def sign_flips(
    differences: np.ndarray, *, resamples: int = RESAMPLES, seed: int = 0
) -> list[SignFlip]:
    """`sign_flip` of every column of a table of questions by comparisons, with one set of signs.

    A column's result is the same as on its own.

    >>> [test.p for test in sign_flips(np.array([[1.0, 0.0], [1.0, 0.0]]))]
    [0.5, 1.0]
    """
    table = np.asarray(differences, dtype=np.float64)
    if not np.isfinite(table).all():
        raise UsageError("a difference is not a number; leave out questions without a value")
    sizes = -np.sort(-np.abs(table), axis=0)
    observed = np.abs([math.fsum(column) for column in table.T])
    found: list[SignFlip | None] = [
        _without_signs(column, reached) for column, reached in zip(sizes.T, observed, strict=True)
    ]
    left = [index for index, test in enumerate(found) if test is None]
    shares = _random_signs(sizes[:, left], observed[left], resamples, seed)
    randomised = iter(SignFlip(p=float(p), method="random") for p in shares)
    return [test or next(randomised) for test in found]


def sign_flip_from_sums(total: float, total_of_squares: float) -> SignFlip:
    """The sign-flip test's normal limit from Σ d and Σ d²: z = Σ d / sqrt(Σ d²), two-sided.

    Under random signs Σ d has mean 0 and variance Σ d² exactly; only the shape is a limit.

    >>> round(sign_flip_from_sums(30.0, 100.0).p, 5)
    0.0027
    """
    if total_of_squares <= 0:
        return SignFlip(p=1.0, method="exact")
    z = abs(total) / math.sqrt(total_of_squares)
    return SignFlip(p=min(1.0, 2 * NormalDist().cdf(-z)), method="normal")


def holm(p_values: Any) -> np.ndarray:
    """Holm's step-down adjustment: the largest (m - i) p(i) so far, at most 1, in input order.

    Keeps the chance of any false finding among all m comparisons at the level of one.
    Source: S. Holm, Scandinavian Journal of Statistics 6 (1979).

    >>> holm([0.01, 0.04, 0.03]).round(9).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted


def difference_of_proportions(
    wins: int, losses: int, n: int, *, level: float = 0.95
) -> tuple[float, float]:
    """Tango's score interval of the difference of two paired proportions, within [-1, 1].

    All δ for which |b - c - n δ| <= z sqrt(n (2 q + δ (1 - δ))) (b wins, c losses), q being the
    most likely share of losses under δ. It has an answer where no question differs. Source:
    T. Tango, Statistics in Medicine 17 (1998).

    Errors: `UsageError` unless n > 0 and wins + losses <= n.

    >>> low, high = difference_of_proportions(1, 9, 100)
    >>> round(low, 4), round(high, 4)
    (-0.1541, -0.0226)
    """
    if n < 1 or wins < 0 or losses < 0 or wins + losses > n:
        raise UsageError(f"{wins} wins and {losses} losses do not fit {n} questions")
    z = normal_quantile(level)
    return _tango_low(wins, losses, n, z), -_tango_low(losses, wins, n, z)


def mean_difference(
    total: float, total_of_squares: float, nonzero: int, n: int, *, level: float = 0.95
) -> tuple[float, float]:
    """The interval of a mean paired difference from its sums, within [-1, 1].

    Student's interval after adding one pair of opposite differences, each the size of the root
    mean square of the non-zero ones (1 where there are none): with a few differing questions the
    plain t interval and BCa cover 40 to 90 % instead of 95 % (benchmarks/interval_coverage.py).
    For 0/1 values the added pair is the adjustment of D. G. Bonett and R. M. Price, Journal of
    Educational and Behavioral Statistics 37 (2012).

    `nonzero`: how many differences are not 0. n = 1: -1 to 1.

    >>> low, high = mean_difference(3.0, 2.5, 10, 100)
    >>> round(low, 4), round(high, 4)
    (-0.0038, 0.0626)
    """
    check_level(level)
    if n < 2:
        return -1.0, 1.0
    added = total_of_squares / nonzero if nonzero else 1.0
    mean = total / (n + 2)
    variance = max(0.0, (total_of_squares + 2 * added) / (n + 2) - mean * mean)
    half = t_quantile(level, n - 1) * math.sqrt(variance / (n + 2))
    return max(-1.0, mean - half), min(1.0, mean + half)


def _tango_low(wins: int, losses: int, n: int, z: float) -> float:
    """The δ where Tango's statistic is z; it falls as δ grows. The high end mirrors the low one."""
    low, high = -1.0, 1.0
    for _ in range(_BISECTIONS):
        delta = (low + high) / 2
        b = (2 * n - wins + losses) * delta - wins - losses
        c = -losses * delta * (1 - delta)
        q = (math.sqrt(max(0.0, b * b - 8 * n * c)) - b) / (4 * n)
        spread = math.sqrt(max(0.0, n * (2 * q + delta * (1 - delta))))
        above = wins - losses - n * delta > z * spread
        low, high = (delta, high) if above else (low, delta)
    return (low + high) / 2


def _without_signs(sizes: np.ndarray, observed: float) -> SignFlip | None:
    """The test of one column where no random signs are needed, else None."""
    nonzero = sizes[sizes > 0]
    whole = math.fsum(nonzero)
    if observed <= _TIE * whole:
        return SignFlip(p=1.0, method="exact")
    if len(nonzero) > NORMAL_ABOVE:
        return sign_flip_from_sums(observed, math.fsum(nonzero * nonzero))
    _, first, counts = np.unique(nonzero.round(12), return_index=True, return_counts=True)
    distinct = nonzero[first]
    if np.sum(np.log2(counts + 1)) <= _HALVES_BITS:
        tail = _tail_of_halves(distinct, counts, observed - _TIE * whole)
    elif (unit := _grid(distinct, counts)) is not None:
        tail = _tail_on_grid(np.rint(distinct / unit).astype(int), counts, round(observed / unit))
    else:
        return None
    return SignFlip(p=min(1.0, 2 * tail), method="exact")


def _tail_of_halves(distinct: np.ndarray, counts: np.ndarray, reach: float) -> float:
    """P(Σ ± sizes >= reach), met in the middle: half of the sizes listed, the others looked up."""
    halves = [(np.zeros(1), np.ones(1)), (np.zeros(1), np.ones(1))]
    for size, count in zip(distinct, counts, strict=True):
        smaller = int(len(halves[0][0]) > len(halves[1][0]))
        sums, weights = halves[smaller]
        ups, mass = fair_binomial(int(count))
        steps = size * (2 * (ups + np.arange(len(mass))) - int(count))
        halves[smaller] = (
            np.add.outer(sums, steps).ravel(),
            np.multiply.outer(weights, mass).ravel(),
        )
    (sums, weights), (others, other_weights) = halves
    order = np.argsort(others)
    tails = np.concatenate([np.cumsum(other_weights[order][::-1])[::-1], [0.0]])
    return math.fsum(weights * tails[np.searchsorted(others[order], reach - sums)])


def _grid(distinct: np.ndarray, counts: np.ndarray) -> float | None:
    """The unit of which all sizes are multiples, if there is one coarse enough to list all sums."""
    for parts in range(1, _GRID_PARTS + 1):
        unit = float(distinct.min()) / parts
        steps = distinct / unit
        if np.all(np.abs(steps - np.rint(steps)) < 1e-6):
            work = np.sum(steps * counts) ** 2 if len(distinct) > 1 else 0.0
            return unit if work <= _GRID_WORK else None
    return None


def _tail_on_grid(steps: np.ndarray, counts: np.ndarray, reach: int) -> float:
    """P(Σ ± steps >= reach) for whole steps, by convolution: exact however many questions."""
    mass = np.ones(1)
    for step, count in zip(steps, counts, strict=True):
        first, ups = fair_binomial(int(count))
        spread = np.zeros(int(count) * int(step) + 1)
        spread[first * step : (first + len(ups)) * step : step] = ups
        mass = np.convolve(mass, spread)
    whole = int(np.sum(steps * counts))
    return math.fsum(mass[(whole + reach + 1) // 2 :])


def _random_signs(sizes: np.ndarray, observed: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """(b + 1) / (m + 1) a column. Each question has its own run of signs, so that a column's
    result does not depend on which others are tested with it."""
    if sizes.shape[1] == 0:
        return np.empty(0)
    rows = int(np.max(np.count_nonzero(sizes, axis=0)))
    rng = np.random.default_rng(seed)
    words = -(-resamples // 64)
    kept = np.zeros((resamples, sizes.shape[1]))
    for start in range(0, rows, _ROWS):
        block = sizes[start : start + _ROWS]
        bits = rng.integers(0, 2**64, (len(block), words), dtype=np.uint64)
        signs = np.unpackbits(bits.view(np.uint8), axis=1)[:, :resamples]
        kept += signs.T.astype(np.float64) @ block
    whole = sizes.sum(axis=0)
    reached = np.abs(2 * kept - whole) >= observed - _TIE * whole
    shares: np.ndarray = (reached.sum(axis=0) + 1) / (resamples + 1)
    return shares
