"""What an evaluation gives: every measure with its interval, and the scores behind it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from tophit.errors import DataWarning, UsageError, unknown
from tophit.frames import collected
from tophit.measures import parse_measures
from tophit.relations import QUERY
from tophit.settings import Settings
from tophit.showing import Shown


@dataclass(frozen=True, kw_only=True)
class Score:
    """The mean of a measure over `n` questions, with the interval `low` to `high`.

    With no question at all the value is 0.0, n is 0 and there is no interval (None). `method` names
    how the interval was made.

    >>> Score(value=0.0, low=None, high=None, n=0, method="none").n
    0
    """

    value: float
    low: float | None
    high: float | None
    n: int
    method: str

    def to_dict(self) -> dict[str, Any]:
        """The four numbers as in the JSON output."""
        return {"value": self.value, "low": self.low, "high": self.high, "n": self.n}


@dataclass(frozen=True, kw_only=True)
class QuestionCounts:
    """How many questions there were, and what became of them."""

    total: int
    answerable: int
    unanswerable: int
    without_results: int
    not_asked: int

    def to_dict(self) -> dict[str, int]:
        """The counts as in the JSON output."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, kw_only=True)
class Slice:
    """The means over the questions whose `field` is `label`.

    >>> Slice(field="topic", label="billing", measures={}).name
    'topic=billing'
    """

    field: str
    label: str
    measures: Mapping[str, Score]

    @property
    def name(self) -> str:
        """How a gate names it: `topic=billing`."""
        return f"{self.field}={self.label}"

    @property
    def n(self) -> int:
        """How many questions its means are over."""
        return max((score.n for score in self.measures.values()), default=0)


class _NotEvaluatedError(UsageError, KeyError):
    """A KeyError too, so that `Result.get` gives its default; with the text of a usage error."""

    __str__ = Exception.__str__


@dataclass(frozen=True, kw_only=True)
class Result(Shown, Mapping[str, Score]):
    """The scores of one run: `result["Hit@4"].value`, under any of a measure's names.

    `scores` has a row a question that counts and a column a measure, in the caller's own kind of
    frame. `settings` say how they were made (`match`: what was chosen), `questions` who was
    counted, `warnings` what a reader should know. `fingerprints` has those of the `questions`, of
    the `corpus` (where the chunks were given) and of the `settings`; questions and chunks on DuckDB
    or Spark have none.
    `n_clusters` is how many clusters `settings.cluster` made of the questions, else None. `slices`
    has the means over the questions of each label that was asked for with `by`.

    >>> import tophit
    >>> result = tophit.evaluate({"q1": {"d1": 1}}, {"q1": ["d2", "d1"]}, measures="Hit@4 MRR")
    >>> result["hit_rate@4"].value, result["recip_rank"].value, result.match
    (1.0, 0.5, 'ids')
    >>> "recip_rank" in result, "MAP" in result, result.get("MAP")
    (True, False, None)
    """

    name: str
    settings: Settings
    questions: QuestionCounts
    measures: Mapping[str, Score]
    scores: Any = field(repr=False)
    fingerprints: Mapping[str, str] = field(default_factory=dict, repr=False)
    warnings: tuple[DataWarning, ...] = ()
    n_clusters: int | None = None
    slices: tuple[Slice, ...] = ()

    @property
    def by_question(self) -> pl.DataFrame:
        """The scores in memory, sorted by question; they are collected from an engine."""
        return collected(self.scores).sort(QUERY)

    @property
    def k(self) -> int:
        """The cutoff of measures written without one."""
        return self.settings.k

    @property
    def match(self) -> str:
        """How relevance was decided: text, spans or ids."""
        return self.settings.match

    @property
    def population(self) -> str:
        """Which questions the means are over."""
        return self.settings.population

    @property
    def min_grade(self) -> float:
        """The lowest grade that counts as relevant."""
        return self.settings.min_grade

    @property
    def depth(self) -> int | None:
        """How many places of each ranking were looked at; None: all."""
        return self.settings.depth

    @property
    def cluster(self) -> str | None:
        """What made questions depend on each other; None where each stands alone."""
        return self.settings.cluster

    def __getitem__(self, name: str) -> Score:
        if name in self.measures:
            return self.measures[name]
        canonical = parse_measures(name, k=self.k)[0].name
        if canonical not in self.measures:
            raise _NotEvaluatedError(
                f"{canonical} was not evaluated (has: {', '.join(self.measures)})"
            )
        return self.measures[canonical]

    def __contains__(self, name: object) -> bool:
        """Whether a measure was evaluated, under any of its names."""
        if name in self.measures:
            return True
        try:
            return parse_measures(str(name), k=self.k)[0].name in self.measures
        except UsageError:
            return False

    def __iter__(self) -> Iterator[str]:
        return iter(self.measures)

    def __len__(self) -> int:
        return len(self.measures)

    def to_dict(self) -> dict[str, Any]:
        """The run as in the JSON output: its name and its measures."""
        sliced: dict[str, dict[str, Any]] = {}
        for each in self.slices:
            sliced.setdefault(each.field, {})[each.label] = _records(each.measures)
        record = {"name": self.name, "measures": _records(self.measures)}
        return {**record, "slices": sliced} if sliced else record

    def slice(self, field: str, label: str) -> Slice:
        """The slice of that label. Errors: `UsageError` where the result has none.

        >>> import tophit
        >>> asked = [{"id": "q", "expected": ["a b"], "tags": {"topic": "x"}}]
        >>> run = [{"id": "q", "retrieved": [{"text": "a b"}]}]
        >>> tophit.evaluate(asked, run, by="topic").slice("topic", "x").measures["Hit@4"].value
        1.0
        """
        for each in self.slices:
            if (each.field, each.label) == (field, label):
                return each
        raise unknown("slice", f"{field}={label}", [each.name for each in self.slices])


def _records(measures: Mapping[str, Score]) -> dict[str, dict[str, Any]]:
    return {name: score.to_dict() for name, score in measures.items()}
