"""The BCa bootstrap interval of a mean, for whoever asks for it.

Source: B. Efron, "Better bootstrap confidence intervals", Journal of the American Statistical
Association 82 (1987); B. Efron and R. J. Tibshirani, An Introduction to the Bootstrap (1993),
section 14.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import numpy as np

from tophit.errors import UsageError
from tophit.statistics.distributions import check_level

_STANDARD = NormalDist()
# Indices drawn at once: 2 million are 16 MB.
_BLOCK = 2_000_000


def bca(
    values: Any,
    *,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
    clusters: Sequence[Any] | np.ndarray | None = None,
) -> tuple[float, float]:
    """The BCa interval of the mean.

    The same seed and values give the same bytes, in whatever order the values come. `clusters`:
    whole clusters are resampled, the mean is the ratio of their totals. All values equal, one
    value or one cluster: both ends are the mean, since a bootstrap sees no spread then.

    Errors: `UsageError` without values or with fewer than 100 resamples.

    >>> low, high = bca([0.0, 0.25, 0.5, 0.5, 1.0, 1.0, 0.33, 0.2])
    >>> round(low, 3), round(high, 3)
    (0.26, 0.733)
    """
    check_level(level)
    array = np.asarray(values, dtype=np.float64)
    if array.size == 0 or resamples < 100:
        raise UsageError("the bootstrap needs at least one value and 100 resamples")
    totals, counts = _units(array, clusters)
    observed = float(totals.sum() / counts.sum())
    if len(totals) == 1 or np.ptp(totals / counts) == 0:
        return observed, observed
    jackknife = (totals.sum() - totals) / (counts.sum() - counts)
    drawn = _resampled(totals, counts, resamples, seed)
    return bca_from_resamples(observed, drawn, jackknife, level=level)


def bca_from_resamples(
    observed: float, resampled: np.ndarray, jackknife: np.ndarray, *, level: float = 0.95
) -> tuple[float, float]:
    """The BCa interval from the resampled statistics and the leave-one-out statistics.

    z0 is the normal quantile of the share of resampled statistics below the observed one (ties
    count half), a = Σ(mean - x)³ / 6 (Σ(mean - x)²)^1.5 over the jackknife; the ends are the
    resampled quantiles at Φ(z0 + (z0 ± z) / (1 - a (z0 ± z))), interpolated linearly.

    >>> bca_from_resamples(0.5, np.linspace(0, 1, 101), np.array([0.4, 0.5, 0.6]), level=0.9)
    (0.05, 0.95)
    """
    count = len(resampled)
    below = np.sum(resampled < observed) + np.sum(resampled <= observed)
    share = min(max(float(below) / (2 * count), 0.5 / count), 1 - 0.5 / count)
    bias = _STANDARD.inv_cdf(share)
    away = jackknife.mean() - jackknife
    curve = float(np.sum(away**3) / (6 * np.sum(away**2) ** 1.5))
    ends = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        reach = bias + _STANDARD.inv_cdf(tail)
        ends.append(_STANDARD.cdf(bias + reach / (1 - curve * reach)))
    low, high = np.quantile(resampled, ends)
    return float(round(low, 15)), float(round(high, 15))


def _units(
    array: np.ndarray, clusters: Sequence[Any] | np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Totals and counts of what is resampled, sorted so that the order of the input is nothing."""
    if clusters is None:
        return np.sort(array), np.ones(len(array))
    _, codes = np.unique([str(label) for label in clusters], return_inverse=True)
    order = np.lexsort((array, codes))
    counts = np.bincount(codes)
    totals = np.add.reduceat(array[order], np.concatenate([[0], np.cumsum(counts)[:-1]]))
    sorting = np.lexsort((counts, totals))
    return totals[sorting], counts[sorting].astype(np.float64)


def _resampled(totals: np.ndarray, counts: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    size = len(totals)
    block = max(1, _BLOCK // size)
    parts = []
    for start in range(0, resamples, block):
        drawn = rng.integers(0, size, (min(block, resamples - start), size))
        parts.append(totals[drawn].sum(axis=1) / counts[drawn].sum(axis=1))
    return np.concatenate(parts)
