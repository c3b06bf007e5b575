"""The 2 x 2 table of abstention, and its rates."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from tophit.abstaining.answers import EMPTY, FLAG, REASON, TEXT_SAYS, abstentions
from tophit.abstaining.phrases import Phrases
from tophit.errors import DataWarning
from tophit.frames import questions_in_memory, run_in_memory
from tophit.pairing import paired
from tophit.relations import ABSTAINED, ANSWER, GRADE, QUERY, Questions, Run
from tophit.statistics import wilson

ANSWERABLE, OUTCOME = "answerable", "outcome"
RIGHT_ABSTENTION = "right abstention"
UNSUPPORTED = "unsupported answer"
OVER_REFUSAL = "over-refusal"
ANSWERED = "answered"


@dataclass(frozen=True, kw_only=True)
class Rate:
    """A rate with its interval, the number of questions it is over, and its base.

    `base` is what a system would get that abstains equally often, but at random: a rate says
    something only where it differs from it. No question: value 0.0, n 0, no interval, no base.

    >>> Rate(value=0.5, low=0.2, high=0.8, n=8, base=0.25).base
    0.25
    """

    value: float
    low: float | None
    high: float | None
    n: int
    base: float | None

    def to_dict(self) -> dict[str, Any]:
        """The numbers as in the JSON output."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, kw_only=True)
class Abstention:
    """Right abstentions, unsupported answers, over-refusals and answers, and their rates.

    `rates` has, in this order: `abstention_rate` (unanswerable questions abstained on; it is the
    recall), `over_refusal_rate` (answerable ones abstained on), `precision` (abstentions that are
    right), `recall`, `f1` and `balanced_accuracy`. `base_rate` is the share of unanswerable
    questions. `table` has a row a question: query_id, answerable, abstained, reason, outcome.

    >>> found = rates(right=8, unsupported=2, over_refusals=1, answered=9)
    >>> found.rates["recall"].value, found.rates["precision"].n, found.base_rate
    (0.8, 9, 0.5)
    """

    right: int
    unsupported: int
    over_refusals: int
    answered: int
    base_rate: float
    rates: dict[str, Rate]
    level: float
    table: pl.DataFrame | None = field(default=None, repr=False)
    warnings: tuple[DataWarning, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The table and the rates as in the JSON output."""
        counts = {
            name: getattr(self, name)
            for name in ("level", "right", "unsupported", "over_refusals", "answered", "base_rate")
        }
        return {**counts, "rates": {name: rate.to_dict() for name, rate in self.rates.items()}}


def abstention(
    questions: Any,
    run: Any,
    *,
    phrases: Iterable[str] | Phrases | None = None,
    min_grade: float = 1,
    level: float = 0.95,
) -> Abstention:
    """How well a run abstains: on the unanswerable questions, and on no other.

    `questions` and `run` are what `evaluate` takes; frames are brought into memory. The answers are
    in a file, or in a `Run`. A question is answerable if an item has a grade of at least
    `min_grade`. How an abstention is known: `abstentions`. `phrases` replaces the default list.

    Errors: those of reading and of `questions_from` and `run_from`.

    >>> queries = pl.DataFrame({"query_id": ["q1", "q2"]})
    >>> judgments = pl.DataFrame({"query_id": ["q1"], "item_id": ["d"], "grade": [1.0]})
    >>> retrieved = pl.DataFrame({"query_id": ["q1", "q2"], "chunk_id": ["d", "d"], "rank": [1, 1]})
    >>> answers = pl.DataFrame({"query_id": ["q1", "q2"], "answer": ["Paris", "I don't know."]})
    >>> asked = Questions(queries=queries, judgments=judgments)
    >>> found = abstention(asked, Run(retrieved=retrieved, answers=answers))
    >>> found.right, found.unsupported, found.over_refusals, found.answered
    (1, 0, 0, 1)
    """
    questions, run = paired(questions_in_memory(questions), run_in_memory(run))
    listed = phrases if phrases is None or isinstance(phrases, Phrases) else Phrases(phrases)
    known = abstentions(run, questions.queries[QUERY].unique(), phrases=listed)
    table = known.with_columns(_answerable(questions, min_grade=min_grade)).select(
        QUERY, ANSWERABLE, ABSTAINED, REASON, _outcome()
    )
    counts = dict(table[OUTCOME].value_counts().iter_rows())
    found = rates(
        right=counts.get(RIGHT_ABSTENTION, 0),
        unsupported=counts.get(UNSUPPORTED, 0),
        over_refusals=counts.get(OVER_REFUSAL, 0),
        answered=counts.get(ANSWERED, 0),
        level=level,
    )
    return Abstention(**{**vars(found), "table": table, "warnings": _warnings(table, run)})


def rates(
    *, right: int, unsupported: int, over_refusals: int, answered: int, level: float = 0.95
) -> Abstention:
    """The rates of a 2 x 2 table. Abstaining on an unanswerable question is the positive case.

    Proportions have Wilson's interval. F1 is 2 J / (1 + J) with J = right / (right + unsupported +
    over-refusals), so its interval is Wilson's of J, transformed. Balanced accuracy is the mean of
    two independent proportions; its interval squares and adds the distances to theirs (R. G.
    Newcombe, Statistics in Medicine 17, 1998, method 10).

    >>> found = rates(right=8, unsupported=2, over_refusals=1, answered=9)
    >>> f1 = found.rates["f1"]
    >>> round(f1.value, 4), round(f1.low, 4), round(f1.high, 4), round(f1.base, 4)
    (0.8421, 0.6056, 0.9488, 0.4737)
    """
    unanswerable, answerable = right + unsupported, over_refusals + answered
    abstained, total = right + over_refusals, unanswerable + answerable
    base = unanswerable / total if total else 0.0
    often = abstained / total if total else 0.0
    recall = _proportion(right, unanswerable, often, level)
    refused = _proportion(over_refusals, answerable, often, level)
    found = {
        "abstention_rate": recall,
        "over_refusal_rate": refused,
        "precision": _proportion(right, abstained, base, level),
        "recall": recall,
        "f1": _f1(right, abstained + unsupported, base, often, level),
        "balanced_accuracy": _balanced(
            recall, _proportion(answered, answerable, 1 - often, level), total
        ),
    }
    return Abstention(
        right=right, unsupported=unsupported, over_refusals=over_refusals, answered=answered,
        base_rate=base, rates=found, level=level,
    )  # fmt: skip


def _proportion(count: int, n: int, base: float, level: float) -> Rate:
    if n == 0:
        return Rate(value=0.0, low=None, high=None, n=0, base=None)
    low, high = wilson(count, n, level=level)
    return Rate(value=count / n, low=low, high=high, n=n, base=base)


def _f1(right: int, n: int, base: float, often: float, level: float) -> Rate:
    jaccard = _proportion(right, n, 0.0, level)
    if jaccard.low is None or jaccard.high is None:
        return jaccard
    at_random = 2 * base * often / (base + often) if base + often else 0.0
    value, low, high = (2 * j / (1 + j) for j in (jaccard.value, jaccard.low, jaccard.high))
    return Rate(value=value, low=low, high=high, n=n, base=at_random)


def _balanced(recall: Rate, specificity: Rate, n: int) -> Rate:
    """Undefined (n = 0) where there is no unanswerable or no answerable question."""
    ends = (recall.low, recall.high, specificity.low, specificity.high)
    if None in ends:
        return Rate(value=0.0, low=None, high=None, n=0, base=None)
    low_a, high_a, low_b, high_b = (float(end or 0.0) for end in ends)
    value = (recall.value + specificity.value) / 2
    below = math.hypot(recall.value - low_a, specificity.value - low_b) / 2
    above = math.hypot(high_a - recall.value, high_b - specificity.value) / 2
    return Rate(
        value=value, low=max(0.0, value - below), high=min(1.0, value + above), n=n, base=0.5
    )


def _answerable(questions: Questions, *, min_grade: float) -> pl.Expr:
    judgments = questions.judgments
    if GRADE in judgments.columns:
        judgments = judgments.filter(pl.col(GRADE) >= min_grade)
    return (
        pl.col(QUERY).is_in(judgments[QUERY].cast(pl.String).unique().to_list()).alias(ANSWERABLE)
    )


def _outcome() -> pl.Expr:
    abstained = pl.col(ABSTAINED)
    return (
        pl.when(pl.col(ANSWERABLE))
        .then(pl.when(abstained).then(pl.lit(OVER_REFUSAL)).otherwise(pl.lit(ANSWERED)))
        .otherwise(pl.when(abstained).then(pl.lit(RIGHT_ABSTENTION)).otherwise(pl.lit(UNSUPPORTED)))
        .alias(OUTCOME)
    )


def _warnings(table: pl.DataFrame, run: Run) -> tuple[DataWarning, ...]:
    warnings = []
    answered = run.answers is not None and ANSWER in run.answers.columns
    shown = table.filter(pl.col(REASON).is_in([FLAG, EMPTY, TEXT_SAYS])).height
    if not shown and not answered:
        warnings.append(
            DataWarning(
                code="no_answers",
                count=table.height,
                message="the run has no answers, no abstained flags and no empty retrieval: "
                f"all {table.height:,} questions count as answered",
            )
        )
    if run.answers is not None and answered:
        texts = run.answers.filter(pl.col(ANSWER).str.strip_chars() != "")[QUERY]
        spoken = table.filter((pl.col(REASON) == EMPTY) & pl.col(QUERY).is_in(texts.to_list()))
        if spoken.height:
            warnings.append(
                DataWarning(
                    code="answered_on_nothing",
                    count=spoken.height,
                    message=f"{spoken.height:,} questions have an answer although nothing was "
                    "retrieved; they count as abstentions (set abstained to say otherwise)",
                )
            )
    return tuple(warnings)
