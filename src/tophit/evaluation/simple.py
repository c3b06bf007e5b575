"""The simplest case: a list of `Retrieval`, and one number.

Each function is one measure of the table, averaged over the answerable questions; with none, it is
0.0. `evaluate` gives the same with intervals, counts and warnings.
"""

from __future__ import annotations

from collections.abc import Iterable

from tophit.evaluation.evaluate import evaluate
from tophit.frames import Retrieval


def hit_at_k(retrievals: Iterable[Retrieval], k: int = 4) -> float:
    """The fraction of the questions with a relevant id among the first k (Hit@k).

    Errors: `UsageError` for a k that is no whole number of at least 1, and for anything but
    `Retrieval`; so for each function here.

    >>> found = Retrieval(["a", "x"], ["a"])
    >>> late = Retrieval(["x", "y", "b"], ["b"])
    >>> missed = Retrieval(["x", "y", "z", "w"], ["c"])
    >>> round(hit_at_k([found, late, missed], k=4), 4), hit_at_k([found, late], k=2)
    (0.6667, 0.5)
    """
    return _mean(retrievals, "Hit", k)


def recall_at_k(retrievals: Iterable[Retrieval], k: int = 4) -> float:
    """The fraction of the relevant ids among the first k, averaged (Recall@k).

    >>> recall_at_k([Retrieval(["a", "x"], ["a", "b"])])
    0.5
    """
    return _mean(retrievals, "Recall", k)


def precision_at_k(retrievals: Iterable[Retrieval], k: int = 4) -> float:
    """The fraction of the k places with a relevant id, averaged (Precision@k).

    k divides even where fewer came back.

    >>> precision_at_k([Retrieval(["a", "x"], ["a"])])
    0.25
    """
    return _mean(retrievals, "Precision", k)


def ndcg_at_k(retrievals: Iterable[Retrieval], k: int = 4) -> float:
    """The discounted gain of the first k over that of the best ranking, averaged (nDCG@k).

    Grades: `relevant_ids` as a dict `{id: grade}`.

    >>> round(ndcg_at_k([Retrieval(["x", "a"], ["a"])]), 4)
    0.6309
    """
    return _mean(retrievals, "nDCG", k)


def mean_reciprocal_rank(retrievals: Iterable[Retrieval], k: int | None = None) -> float:
    """1 / rank of the first relevant id, 0 without one, averaged (MRR, with k MRR@k).

    >>> mean_reciprocal_rank([Retrieval(["a"], ["a"]), Retrieval(["x", "b"], ["b"])])
    0.75
    """
    return _mean(retrievals, "MRR", k)


def _mean(retrievals: Iterable[Retrieval], name: str, k: int | None) -> float:
    measure = name if k is None else f"{name}@{k}"
    return evaluate(list(retrievals), measures=measure)[measure].value
