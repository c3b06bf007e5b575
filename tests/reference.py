"""Every measure once more, slow and obvious, in plain Python: one question at a time.

Nothing here is shared with the package. A question is a dict of the grades of its items and a list
of places; a place is the set of the items that its chunk holds whole.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Question:
    grades: dict[str, float]
    places: list[set[str]] = field(default_factory=list)
    level: float = 1

    @property
    def relevant(self) -> set[str]:
        return {item for item, grade in self.grades.items() if grade >= self.level}

    def first_rank(self, item: str) -> float:
        for rank, held in enumerate(self.places, start=1):
            if item in held:
                return rank
        return math.inf

    def found(self, items: set[str]) -> list[tuple[int, str]]:
        """The found ones of these items in order, the j-th at position max(its rank, j)."""
        found = sorted(
            (self.first_rank(item), -self.grades[item], item)
            for item in items
            if self.first_rank(item) < math.inf
        )
        return [(max(int(rank), j), item) for j, (rank, _, item) in enumerate(found, start=1)]


def ranks(question: Question, k: float) -> list[float]:
    return [r for r in map(question.first_rank, question.relevant) if r <= k]


def hit(question: Question, k: float) -> float:
    return 1.0 if ranks(question, k) else 0.0


def partial(question: Question, k: float, share: float) -> float:
    return hit(question, k)


def all_items(question: Question, k: float) -> float:
    relevant = question.relevant
    return 1.0 if relevant and len(ranks(question, k)) == len(relevant) else 0.0


def reciprocal_rank(question: Question, k: float) -> float:
    return 1 / min(ranks(question, k), default=math.inf)


def recall(question: Question, k: float) -> float:
    return len(ranks(question, k)) / len(question.relevant) if question.relevant else 0.0


def precision(question: Question, k: float) -> float:
    return len(set(ranks(question, k))) / k


def f1(question: Question, k: float) -> float:
    p, r = precision(question, k), recall(question, k)
    return 2 * p * r / (p + r) if p + r else 0.0


def average_precision(question: Question, k: float) -> float:
    found = question.found(question.relevant)
    total = sum(j / position for j, (position, _) in enumerate(found, start=1) if position <= k)
    return total / len(question.relevant) if question.relevant else 0.0


def ndcg(question: Question, k: float, gain: str) -> float:
    def value(grade: float) -> float:
        return 2**grade - 1 if gain == "exp" else grade

    positive = {item for item, grade in question.grades.items() if grade > 0}
    got = sum(
        value(question.grades[item]) / math.log2(position + 1)
        for position, item in question.found(positive)
        if position <= k
    )
    best = sorted((question.grades[item] for item in positive), reverse=True)
    ideal = sum(value(g) / math.log2(n + 1) for n, g in enumerate(best, start=1) if n <= k)
    return got / ideal if ideal else 0.0


def r_precision(question: Question, k: float) -> float:
    return recall(question, len(question.relevant))


def bpref(question: Question, k: float) -> float:
    count = len(question.relevant)
    bad = {item for item, grade in question.grades.items() if 0 <= grade < question.level}
    total = 0.0
    for item in question.relevant:
        rank = question.first_rank(item)
        if rank < math.inf:
            above = sum(question.first_rank(other) < rank for other in bad)
            total += 1 - min(above, count) / min(len(bad), count) if above else 1.0
    return total / count if count else 0.0


def rank_biased_precision(question: Question, k: float, p: float) -> float:
    return sum((1 - p) * p ** (rank - 1) for rank in set(ranks(question, k)))


def expected_reciprocal_rank(question: Question, k: float, **parameters: float) -> float:
    positive = {item for item, grade in question.grades.items() if grade > 0}
    highest, goes_on, total = parameters["max"], 1.0, 0.0
    for position, item in question.found(positive):
        stops = (2 ** min(question.grades[item], highest) - 1) / 2**highest
        if position <= k:
            total += goes_on * stops / position
        goes_on *= 1 - stops
    return total


def judged(question: Question, k: float) -> float:
    first = question.places[: int(k)]
    return sum(bool(held) for held in first) / len(first) if first else 0.0


REFERENCE: dict[str, Callable[..., float]] = {
    "Hit": hit,
    "Partial": partial,
    "All": all_items,
    "MRR": reciprocal_rank,
    "MAP": average_precision,
    "Bpref": bpref,
    "RBP": rank_biased_precision,
    "Recall": recall,
    "Precision": precision,
    "F1": f1,
    "Rprec": r_precision,
    "Judged": judged,
    "nDCG": ndcg,
    "ERR": expected_reciprocal_rank,
}
