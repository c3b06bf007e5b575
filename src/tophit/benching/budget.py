"""An equal budget of tokens, so that small chunks and large ones are compared fairly."""

from __future__ import annotations

import math
from collections.abc import Sequence

# Splitters end chunks early, at sentences and headings: the mean chunk is shorter than its size.
_SHORTER = 2


def equal_budget(sizes: Sequence[int], *, k: int) -> int:
    """What the model reads at most with the largest chunks: k times their size, in tokens.

    >>> equal_budget([200, 800], k=4)
    3200
    """
    return k * max(sizes)


def depth_for_budget(budget: int, size: int) -> int:
    """How many chunks to retrieve so that chunks of this size, half full, use up the budget.

    >>> depth_for_budget(3200, 100)
    64
    """
    return math.ceil(_SHORTER * budget / size)


def budget_measures(budget: int) -> tuple[str, str]:
    """The measures that stand beside those at a fixed k: Hit at the budget, and the ceiling.

    >>> budget_measures(3200)
    ('Hit@3200tok', 'Ceiling')
    """
    return f"Hit@{budget}tok", "Ceiling"
