"""Student's t and the fair binomial in plain NumPy: SciPy costs a second to import."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from tophit.errors import UsageError

_STANDARD = NormalDist()
_HIGHEST_LEVEL = 1 - 1e-9
# Above this many degrees of freedom the expansion is exact to 1e-10 (its error is O(df ** -5)).
_EXPAND_ABOVE = 300
# Terms further than this many sqrt(n) from the middle of Binomial(n, 1/2) underflow to 0.
_REACH = 40


def normal_quantile(level: float) -> float:
    """The z for a two-sided interval of this level.

    Errors: `UsageError` as `check_level`.

    >>> round(normal_quantile(0.95), 6)
    1.959964
    """
    check_level(level)
    return _STANDARD.inv_cdf(0.5 + level / 2)


def check_level(level: float) -> None:
    """Refuse a confidence level outside (0, 1); 95 instead of 0.95 is the usual slip.

    Beyond 1 - 1e-9 half of what is left rounds to nothing, and no quantile is known.

    >>> check_level(95)
    Traceback (most recent call last):
    tophit.errors.UsageError: level must lie between 0 and 1 (0.95 for 95 %), not 95
    """
    if not 0 < level < 1:
        raise UsageError(f"level must lie between 0 and 1 (0.95 for 95 %), not {level!r}")
    if level > _HIGHEST_LEVEL:
        raise UsageError(f"level must be at most {_HIGHEST_LEVEL}, not {level!r}")


def t_cdf(value: float, df: int) -> float:
    """Student's t distribution function for a whole number of degrees of freedom.

    Formula: Abramowitz and Stegun (1964), 26.7.3 and 26.7.4, a finite sum of df / 2 terms.

    >>> round(t_cdf(2.0, 10), 6)
    0.963306
    """
    theta = math.atan2(value, math.sqrt(df))
    sine, cosine = math.sin(theta), math.cos(theta)
    odd = df % 2
    term = cosine if odd else 1.0
    terms = [term] if df > 1 else []
    for step in range(2 + odd, df - 1, 2):
        term *= cosine * cosine * (step - 1) / step
        terms.append(term)
    inside = sine * math.fsum(terms)
    return 0.5 + ((theta + inside) / math.pi if odd else inside / 2)


@lru_cache(maxsize=1024)
def t_quantile(level: float, df: int) -> float:
    """The t for a two-sided interval of this level with `df` degrees of freedom; inf for df = 0.

    Up to 300 degrees of freedom `t_cdf` is inverted by bisection; above that the expansion in
    1 / df of Abramowitz and Stegun (1964), 26.7.5. Both agree with SciPy to 1e-9.

    >>> round(t_quantile(0.95, 29), 6), t_quantile(0.95, 0)
    (2.04523, inf)
    """
    z = normal_quantile(level)
    if df < 1:
        return math.inf
    if df > _EXPAND_ABOVE:
        return _expanded(z, df)
    low, high = z, 2 * z
    while t_cdf(high, df) < 0.5 + level / 2:
        low, high = high, 2 * high
    for _ in range(80):
        middle = (low + high) / 2
        below = t_cdf(middle, df) < 0.5 + level / 2
        low, high = (middle, high) if below else (low, middle)
    return (low + high) / 2


def _expanded(z: float, df: int) -> float:
    squared = z * z
    terms = (
        (squared + 1) / 4,
        ((5 * squared + 16) * squared + 3) / 96,
        (((3 * squared + 19) * squared + 17) * squared - 15) / 384,
        ((((79 * squared + 776) * squared + 1482) * squared - 1920) * squared - 945) / 92160,
    )
    return z + z * math.fsum(term / float(df) ** power for power, term in enumerate(terms, start=1))


def fair_binomial(n: int) -> tuple[int, np.ndarray]:
    """Probabilities of Binomial(n, 1/2): the first count that does not underflow, and the rest.

    Computed from the ratios of neighbours, outwards from the middle, and normalised by their sum:
    no factorial is formed, so the relative error stays near 1e-13 for millions of trials.

    >>> first, mass = fair_binomial(4)
    >>> first, (mass * 16).round(9).tolist()
    (0, [1.0, 4.0, 6.0, 4.0, 1.0])
    """
    middle = n // 2
    first = max(0, middle - int(_REACH * math.sqrt(n)) - 1)
    down = np.arange(middle, first, -1, dtype=np.float64)
    below = np.exp(np.cumsum(np.log(down / (n - down + 1))))[::-1]
    mass = np.concatenate([below, [1.0], below[::-1]])
    if n % 2:
        mass = np.concatenate([below, [1.0, 1.0], below[::-1]])
    return first, mass / mass.sum()
