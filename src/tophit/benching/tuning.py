"""What the data choose: chosen on one half of the questions, reported on the other, both ways.

A value that is chosen and reported on the same questions looks better than it is. So the questions
are halved; what was best on the first half answers the second, and the other way round. The run
that comes out of it is scored as any other, and gains nothing where there is nothing to gain.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from tophit.relations import QUERY, Run


@dataclass(frozen=True, kw_only=True)
class Tuned:
    """The run put together from the two halves, and what was chosen for each of them."""

    run: Run
    chosen: tuple[Mapping[str, Any], Mapping[str, Any]]

    @property
    def text(self) -> str:
        """What was chosen, in words."""
        first, second = (_said(each) for each in self.chosen)
        both = (
            f"{first} on either half"
            if first == second
            else f"{first} on one half, {second} on the other"
        )
        return (
            f"chosen by the questions: {both}; each half is scored with what the other half chose"
        )


def _said(chosen: Mapping[str, Any]) -> str:
    return " ".join(f"{name}={value}" for name, value in chosen.items())


def candidates_of(tune: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Every combination of the values.

    >>> candidates_of({"rrf": [10, 60], "weights": ["1,1"]})
    [{'rrf': 10, 'weights': '1,1'}, {'rrf': 60, 'weights': '1,1'}]
    """
    return [dict(zip(tune, values, strict=True)) for values in itertools.product(*tune.values())]


def halves(queries: Sequence[str], labels: Mapping[str, str] | None = None) -> list[set[str]]:
    """Two halves of the questions, as equal as can be, the same every time.

    Questions with the same label stay together: they depend on each other.

    >>> [sorted(half) for half in halves(["q1", "q2", "q3", "q4"])]
    [['q2', 'q4'], ['q1', 'q3']]
    """
    groups: dict[str, list[str]] = {}
    for query in queries:
        groups.setdefault((labels or {}).get(query, query), []).append(query)
    made: list[set[str]] = [set(), set()]
    for _, members in sorted(groups.items(), key=lambda group: _shuffled(group[0])):
        min(made, key=len).update(members)
    return made


def _shuffled(name: str) -> bytes:
    return hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def cross_fitted(
    runs: Sequence[Run],
    scores: Sequence[Mapping[str, float]],
    candidates: Sequence[Mapping[str, Any]],
    queries: Sequence[str],
    *,
    labels: Mapping[str, str] | None = None,
) -> Tuned:
    """The run in which each half is answered by the candidate that was best on the other half.

    `scores` have, for each candidate, the value of each question that counts. Of equal candidates
    the first is taken, so what is asked for first is the default.
    """
    first, second = halves(queries, labels)
    best = [_best(scores, half) for half in (first, second)]
    of_second, of_first = best  # the first half chose for the second
    parts = [(runs[of_first], first), (runs[of_second], second)]
    name = runs[0].name

    def both(column: str) -> Any:
        frames = [(getattr(run, column), half) for run, half in parts]
        if any(frame is None for frame, _ in frames):
            return None
        kept = [frame.filter(pl.col(QUERY).is_in(list(half))) for frame, half in frames]
        order = pl.DataFrame({QUERY: list(queries)}).with_row_index(":at")
        joined = pl.concat(kept, how="diagonal").join(order, on=QUERY, maintain_order="left")
        return joined.sort(":at", maintain_order=True).drop(":at")

    run = replace(
        runs[0], name=name, retrieved=both("retrieved"), answers=both("answers"),
        queries=both("queries"), stages=both("stages"), latency=both("latency"),
        warnings=tuple(dict.fromkeys(w for each in best for w in runs[each].warnings)),
    )  # fmt: skip
    return Tuned(run=run, chosen=(candidates[best[0]], candidates[best[1]]))


def _best(scores: Sequence[Mapping[str, float]], half: set[str]) -> int:
    sums = [sum(value for query, value in each.items() if query in half) for each in scores]
    return max(range(len(sums)), key=lambda at: (round(sums[at], 9), -at))
