"""How small a difference n questions can show, and how many questions a difference needs.

For two-sided tests at 5 % with 80 % power unless said otherwise. z_a and z_b are the normal
quantiles of these two: 1.96 and 0.84.
"""

from __future__ import annotations

import math
from statistics import NormalDist

from tophit.errors import UsageError
from tophit.statistics.distributions import normal_quantile

_BISECTIONS = 60


def smallest_detectable(
    n: int, second_moment: float, *, binary: bool = True, alpha: float = 0.05, power: float = 0.8
) -> float | None:
    """The smallest mean difference that a paired test on n questions finds with this power.

    `second_moment` is ψ = Σ d² / n; for 0/1 values that is the discordant share (b + c) / n. The
    answer δ solves n δ² = (z_a sqrt(ψ) + z_b sqrt(ψ - δ²))². For 0/1 values (`binary`) d² = |d|,
    so ψ is at least δ there: with no discordant question seen, δ is about 8 / n. Source: R. J.
    Connor, Biometrics 43 (1987). It is 1.0 where not even a difference of 1 is found so, None for
    n = 0. No exact test can reject with fewer than log2(2 / alpha) differing questions (6 at 5 %).

    >>> round(smallest_detectable(400, 0.2), 3)
    0.062
    >>> round(smallest_detectable(400, 0.0), 4)
    0.0195
    """
    if n < 1:
        return None
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        delta = (low + high) / 2
        moment = max(second_moment, delta if binary else delta * delta)
        enough = n * delta * delta >= _needed(delta, moment, alpha, power)
        low, high = (low, delta) if enough else (delta, high)
    fewest = _fewest(alpha)
    return 1.0 if n < fewest else max(high, fewest / n) if binary else high


def questions_needed(
    difference: float, second_moment: float, *, alpha: float = 0.05, power: float = 0.8
) -> int | None:
    """How many questions a paired test needs to find this difference with this power.

    n = (z_a sqrt(ψ) + z_b sqrt(ψ - δ²))² / δ², rounded up; ψ = `second_moment`, Σ d² / n. It takes
    the observed difference as the true one, which it is not: read it as an order of magnitude.
    None for a difference of 0.

    >>> questions_needed(0.05, 0.2)
    626
    >>> questions_needed(0.0, 0.2) is None
    True
    """
    size = abs(difference)
    if size == 0:
        return None
    needed = _needed(size, max(second_moment, size * size), alpha, power)
    return max(_fewest(alpha), math.ceil(needed / (size * size)))


def _fewest(alpha: float) -> int:
    """How many questions, all won, an exact test needs: 2 / 2^n <= alpha."""
    return math.ceil(math.log2(2 / alpha) - 1e-12)


def _needed(delta: float, moment: float, alpha: float, power: float) -> float:
    if not (0 < alpha < 1 and 0 < power < 1):
        raise UsageError(f"alpha and power must lie between 0 and 1, not {alpha} and {power}")
    z_a, z_b = normal_quantile(1 - alpha), NormalDist().inv_cdf(power)
    root = z_a * math.sqrt(moment) + z_b * math.sqrt(max(0.0, moment - delta * delta))
    return root * root
