"""Made-up populations of questions for simulations: values per question with a known mean.

The first four are made from rankings: questions of unlike difficulty, with one to five relevant
chunks each, that land on geometric ranks. The last two have no exact 0 and 1, and hardly any.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

SIZE = 60_000
DEPTH = 10


@lru_cache(maxsize=256)
def population(measure: str, mean: float) -> np.ndarray:
    """60,000 values of a measure whose mean is as asked for, as near as it can be had."""
    if measure == "concentrated":
        return np.random.default_rng(1).beta(10 * mean, 10 * (1 - mean), SIZE)
    if measure == "rare and large":
        return _rare(mean)
    low, high = -12.0, 12.0
    for _ in range(40):
        ability = (low + high) / 2
        below = _ranked(measure, ability).mean() < mean
        low, high = (ability, high) if below else (low, ability)
    return _ranked(measure, low)


def _rare(mean: float) -> np.ndarray:
    """Mostly near the end that the mean is near to, and now and then the other end."""
    rng = np.random.default_rng(2)
    small = min(mean, 1 - mean)
    values = np.where(rng.random(SIZE) < small / 2, 1.0, rng.beta(0.3, 0.3 * (2 / small - 1), SIZE))
    return values if mean <= 0.5 else 1 - values


def _ranked(measure: str, ability: float) -> np.ndarray:
    rng = np.random.default_rng(5)
    relevant = rng.choice([1, 1, 1, 2, 3, 5], SIZE)
    skill = 1.5 * rng.normal(size=SIZE) + ability
    found = rng.random((SIZE, 5)) < _sigmoid(skill + 0.5)[:, None]
    speed = np.clip(_sigmoid(skill), 0.03, 0.97)[:, None]
    ranks = np.floor(np.log(rng.random((SIZE, 5))) / np.log(1 - speed)) + 1
    ranks = np.where(found & (np.arange(5) < relevant[:, None]), ranks, np.inf)
    ranks = np.sort(ranks, axis=1)
    for column in range(1, 5):
        ranks[:, column] = np.maximum(ranks[:, column], ranks[:, column - 1] + 1)
    ranks[ranks > DEPTH] = np.inf
    if measure == "MRR@10":
        return 1 / ranks[:, 0]
    if measure == "Recall@10":
        return np.isfinite(ranks).sum(axis=1) / relevant
    if measure == "Hit@10":
        return np.isfinite(ranks[:, 0]).astype(float)
    ideal = np.cumsum(1 / np.log2(np.arange(1, 6) + 1))[relevant - 1]
    return (1 / np.log2(ranks + 1)).sum(axis=1) / ideal


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))
