"""The similarity threshold that separates answerable questions from unanswerable ones.

A system that answers only where its best score reaches a threshold abstains on the rest. The
threshold also drops every chunk below it, so it costs hits: both are shown at every threshold.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Unpack

import narwhals as nw
import numpy as np
import polars as pl

from tophit.errors import DataWarning, Fault, InputError, UsageError
from tophit.evaluation.ranking import ranked
from tophit.frames import questions_in_memory, run_in_memory
from tophit.matching import match_hits
from tophit.pairing import paired
from tophit.relations import GRADE, QUERY, RANK, SCORE, SHARE
from tophit.settings import Options, Settings
from tophit.statistics import wilson
from tophit.statistics.distributions import check_level

THRESHOLD = "threshold"
ANSWERED = "answered"
UNSUPPORTED = "unsupported"
HIT = "hit"


@dataclass(frozen=True, kw_only=True)
class ThresholdPoint:
    """What happens when questions with a best score of at least `threshold` are answered.

    `answered`: share of the answerable questions answered; `unsupported`: share of the unanswerable
    ones answered; `youden`: answered - unsupported; `hit`: Hit@k when chunks below the threshold
    are dropped; `cost`: what that takes from Hit@k.

    >>> ThresholdPoint(threshold=0.5, answered=0.9, unsupported=0.2, hit=0.6, cost=0.1).youden
    0.7
    """

    threshold: float
    answered: float
    unsupported: float
    hit: float
    cost: float

    @property
    def youden(self) -> float:
        """Youden's J: 1 is perfect separation, 0 none."""
        return round(self.answered - self.unsupported, 12)


@dataclass(frozen=True, kw_only=True)
class Separation:
    """How well the best score of each question tells answerable from unanswerable.

    `area` under the ROC curve is the chance that an answerable question scores higher than an
    unanswerable one, ties counting half (the Mann-Whitney statistic over n_answerable x
    n_unanswerable); `low` and `high` are its interval. `separates` is False where that includes
    0.5: then no threshold is worth its cost. `best` has the highest Youden's J. `points` has a row
    a distinct score, falling: threshold, answered, unsupported, hit.

    >>> found = separation([0.9, 0.8, 0.3], [0.4, 0.1])
    >>> round(found.area, 4), found.best.threshold, round(found.best.youden, 4), found.separates
    (0.8333, 0.8, 0.6667, False)
    """

    area: float
    low: float
    high: float
    n_answerable: int
    n_unanswerable: int
    best: ThresholdPoint
    hit: float
    k: int | None = None
    points: pl.DataFrame = field(repr=False)
    warnings: tuple[DataWarning, ...] = ()

    @property
    def separates(self) -> bool:
        """Whether the scores tell the two kinds apart at all: 0.5 lies outside the interval."""
        return not self.low <= 0.5 <= self.high

    def to_dict(self) -> dict[str, Any]:
        """The numbers as in the JSON output, without the points."""
        numbers = ("area", "low", "high", "separates", "n_answerable", "n_unanswerable", "k", "hit")
        best = {
            name: getattr(self.best, name)
            for name in ("threshold", "answered", "unsupported", "youden", "hit", "cost")
        }
        return {**{name: getattr(self, name) for name in numbers}, "best": best}


def threshold(
    questions: Any,
    run: Any,
    *,
    settings: Settings | None = None,
    **options: Unpack[Options],
) -> Separation:
    """Find the score that separates best, and what it costs in Hit@k. Higher scores are better.

    `questions` and `run` are what `evaluate` takes; frames are brought into memory. A question
    without results is never answered. Hits are decided as in `evaluate`, with the same `settings`
    and `options`; those of a mean (population, cluster) have no part in it.

    Errors: `InputError` for a run without scores; `UsageError` where all questions are answerable,
    or none is: there is nothing to separate then.

    >>> found = threshold({"q1": ["d"], "q2": []}, {"q1": {"d": 0.9}, "q2": {"e": 0.4}})
    >>> found.area, found.best.threshold, found.best.unsupported, found.best.cost
    (1.0, 0.9, 0.0, 0.0)
    """
    chosen = Settings.of(settings, options)
    questions, run = paired(questions_in_memory(questions), run_in_memory(run), match=chosen.match)
    k = chosen.k if chosen.depth is None else min(chosen.k, chosen.depth)
    if SCORE not in run.retrieved.columns or run.retrieved[SCORE].null_count():
        raise InputError(
            Fault(file=run.source, field=SCORE, expected="a score on every chunk", found="none")
        )
    relevant = questions.judgments.filter(pl.col(GRADE) >= chosen.min_grade)
    places = ranked(nw.from_native(run.retrieved.lazy()))
    matching = match_hits(
        nw.from_native(relevant.lazy()), places, match=chosen.match, folding=chosen.folding
    )
    hits = matching.hits.filter((nw.col(SHARE) >= 1) & (nw.col(RANK) <= k))
    held = hits.select(QUERY, RANK).unique().join(places, on=[QUERY, RANK], how="inner")
    best_hit = _best(held.collect().to_polars(), name=HIT)
    table = (
        questions.queries.select(QUERY)
        .unique()
        .join(_best(run.retrieved, name=SCORE), on=QUERY, how="left")
        .join(best_hit, on=QUERY, how="left")
        .with_columns(pl.col(SCORE, HIT).fill_null(-math.inf))
    )
    is_answerable = pl.col(QUERY).is_in(relevant[QUERY].unique().to_list())
    answerable, unanswerable = table.filter(is_answerable), table.filter(~is_answerable)
    found = separation(
        answerable[SCORE].to_list(),
        unanswerable[SCORE].to_list(),
        hit_scores=answerable[HIT].to_list(),
        k=chosen.k,
        level=chosen.level,
    )
    return replace(found, warnings=(*questions.warnings, *run.warnings))


def separation(
    answerable: Sequence[float],
    unanswerable: Sequence[float],
    *,
    hit_scores: Sequence[float] | None = None,
    k: int | None = None,
    level: float = 0.95,
) -> Separation:
    """Separate two lists of best scores; -inf is a question without results.

    `hit_scores`: for each answerable question the best score of a chunk that holds an item within
    the first k, -inf where none does (default: every answerable question is hit by its best chunk).
    The interval of the area is Wilson's on the effective number A (1 - A) / v, v being the variance
    of E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, Biometrics 44 (1988). Of several
    thresholds with the highest J the lowest is taken, which answers most.

    Errors: `UsageError` where a list is empty or holds NaN.
    """
    check_level(level)
    yes, no = np.sort(np.asarray(answerable, float)), np.sort(np.asarray(unanswerable, float))
    hits = yes if hit_scores is None else np.sort(np.asarray(hit_scores, float))
    if not len(yes) or not len(no):
        raise UsageError(
            f"a threshold needs both kinds of questions: {len(yes):,} answerable, "
            f"{len(no):,} unanswerable"
        )
    if np.isnan(yes).any() or np.isnan(no).any() or np.isnan(hits).any():
        raise UsageError("a score is not a number")
    cuts = np.unique(np.concatenate([yes, no]))[::-1]
    cuts = cuts[np.isfinite(cuts)] if np.isfinite(cuts).any() else np.array([0.0])
    columns = {
        THRESHOLD: cuts,
        ANSWERED: _reaching(yes, cuts),
        UNSUPPORTED: _reaching(no, cuts),
        HIT: _reaching(hits, cuts),
    }
    points = pl.DataFrame(columns)
    gain = (points[ANSWERED] - points[UNSUPPORTED]).round(12)
    row = points.row(int(np.flatnonzero(gain == gain.max())[-1]), named=True)
    full = float(np.isfinite(hits).mean())
    area, low, high = _area(yes, no, level)
    return Separation(
        area=area, low=low, high=high, n_answerable=len(yes), n_unanswerable=len(no), hit=full, k=k,
        best=ThresholdPoint(**row, cost=round(full - row[HIT], 12)), points=points,
    )  # fmt: skip


def _best(frame: pl.DataFrame, *, name: str) -> pl.DataFrame:
    return frame.group_by(QUERY).agg(pl.col(SCORE).max().cast(pl.Float64).alias(name))


def _reaching(ordered: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    share: np.ndarray = 1 - np.searchsorted(ordered, cuts, side="left") / len(ordered)
    return share


def _area(yes: np.ndarray, no: np.ndarray, level: float) -> tuple[float, float, float]:
    above = _placements(yes, no)
    below = 1 - _placements(no, yes)
    area = math.fsum(above) / len(above)
    variance = sum(
        math.fsum((part - area) ** 2) / (len(part) - 1) / len(part)
        for part in (above, below)
        if len(part) > 1
    )
    smaller = min(len(yes), len(no))
    worth = area * (1 - area) / variance if variance > 0 and 0 < area < 1 else smaller
    low, high = wilson(area * worth, worth, level=level)
    return area, low, high


def _placements(values: np.ndarray, others: np.ndarray) -> np.ndarray:
    """For each value the share of the others below it, ties counting half."""
    below = np.searchsorted(others, values, side="left")
    up_to = np.searchsorted(others, values, side="right")
    shares: np.ndarray = (below + up_to) / (2 * len(others))
    return shares
