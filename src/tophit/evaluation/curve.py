"""What each further place buys: Hit@k for every k, and the tokens that the first k chunks take."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Unpack

import narwhals as nw
import polars as pl

from tophit.errors import DataWarning, UsageError
from tophit.evaluation.budgets import with_tokens
from tophit.evaluation.evaluate import evaluate, name_given
from tophit.evaluation.ranking import ranked
from tophit.frames import collected, read_once
from tophit.pairing import inputs_from
from tophit.relations import QUERY, RANK, TEXT, TOKENS, Run
from tophit.retrieval.held import run_held
from tophit.settings import Options, Settings
from tophit.showing import Shown
from tophit.statistics import interval_from_sums
from tophit.tokens import CL100K

K, VALUE, LOW, HIGH, GAIN = "k", "value", "low", "high", "gain"
TOKENS_MEAN, TOKENS_MAX = "tokens_mean", "tokens_max"


@dataclass(frozen=True, kw_only=True)
class Context:
    """What the first `k` chunks cost in tokens: the mean and the maximum over the questions.

    >>> Context(k=4, mean=742.0, most=797).said(window=16_384)
    'the first 4 chunks take 742 tokens on average, 797 at most: 4.5 % and 4.9 % of 16,384'
    """

    k: int
    mean: float
    most: int

    def said(self, *, window: int) -> str:
        """It in words, as shares of a window."""
        shares = [f"{100 * tokens / window:.1f} %" for tokens in (self.mean, self.most)]
        return (
            f"the first {self.k} chunks take {self.mean:,.0f} tokens on average, "
            f"{self.most:,} at most: {' and '.join(shares)} of {window:,}"
        )

    def to_dict(self, *, window: int) -> dict[str, Any]:
        """The numbers as in the JSON output."""
        return {"k": self.k, "tokens_mean": self.mean, "tokens_max": self.most, "window": window}


def context(run: Run, queries: pl.Series, *, k: int, tokenizer: str = CL100K) -> Context | None:
    """The context of a run over these queries; None where it has neither tokens nor texts.

    >>> rows = {"query_id": ["q", "q"], "chunk_id": ["a", "b"], "rank": [1, 2], "tokens": [3, 4]}
    >>> context(Run(retrieved=pl.DataFrame(rows)), pl.Series(["q"]), k=1)
    Context(k=1, mean=3.0, most=3)
    """
    places = ranked(nw.from_native(run.retrieved.lazy())).collect().to_polars().lazy()
    row = tokens_of_context(places, queries, depth=k, tokenizer=tokenizer).row(-1, named=True)
    if row[TOKENS_MEAN] is None:
        return None
    return Context(k=k, mean=row[TOKENS_MEAN], most=row[TOKENS_MAX])


@dataclass(frozen=True, kw_only=True)
class Curve(Shown):
    """Hit@k over k: `points` has a row a k from 1 to the depth.

    Columns: k, value (Hit@k), low, high, gain (over k - 1), tokens_mean and tokens_max (of the
    first k chunks together, over the `n` questions; null where the run has neither tokens nor
    texts). With n = 0 the values are 0.0 and there is no interval.

    >>> curve({"q": ["b"]}, {"q": ["a", "b"]}).points["value"].to_list()
    [0.0, 1.0]
    """

    name: str
    match: str
    n: int
    level: float
    points: pl.DataFrame = field(repr=False)
    warnings: tuple[DataWarning, ...] = ()

    def at(self, k: int) -> dict[str, Any]:
        """The row of one k. Errors: `UsageError` for a k beyond the depth."""
        if not 1 <= k <= self.points.height:
            raise UsageError(f"the curve goes from k = 1 to {self.points.height}, not to {k}")
        return self.points.row(k - 1, named=True)

    def to_dict(self) -> dict[str, Any]:
        """The curve as in the JSON output."""
        head = {name: getattr(self, name) for name in ("name", "match", "n", "level")}
        return {**head, "points": self.points.to_dicts()}


def curve(
    questions: Any,
    run: Any,
    *,
    name: str | None = None,
    settings: Settings | None = None,
    **options: Unpack[Options],
) -> Curve:
    """Hit@k for k from 1 to `depth` (the longest list of the run, if None), and what it costs.

    Hit@k is the share of questions whose first hit is within the first k places, so all of it comes
    out of one pass. `settings` and `options` as in `evaluate`.

    Errors: those of `evaluate`.

    >>> found = curve({"q1": ["a"], "q2": ["c"]}, {"q1": ["a"], "q2": ["b", "c"]})
    >>> found.points.select("k", "value", "gain").rows()
    [(1, 0.5, 0.5), (2, 1.0, 0.5)]
    """
    chosen = Settings.of(settings, options)
    questions = read_once(questions, "questions")
    held = read_once(run_held(questions, run, depth=chosen.depth), "run")
    inputs = inputs_from(questions, held, match=chosen.match)
    places = ranked(inputs.retrieved).collect().to_polars().lazy()
    depth = chosen.depth or _deepest(places)
    result = evaluate(
        questions, held, measures=f"MRR@{depth}", name=name or name_given(run), settings=chosen
    )
    scores = collected(result.scores)
    costs = tokens_of_context(places, scores[QUERY], depth=depth, tokenizer=chosen.tokenizer)
    points = _points(scores, next(iter(result.measures)), depth=depth, level=chosen.level)
    return Curve(
        name=result.name,
        match=result.match,
        n=scores.height,
        level=chosen.level,
        points=points.with_columns(costs[TOKENS_MEAN], costs[TOKENS_MAX]),
        warnings=result.warnings,
    )


def _points(scores: pl.DataFrame, score: str, *, depth: int, level: float) -> pl.DataFrame:
    """Hit@k, its interval and its gain, a row a k, from reciprocal ranks."""
    ranks = scores.filter(pl.col(score) > 0).select((1 / pl.col(score)).round().alias(K))[K]
    n = scores.height
    points = pl.DataFrame({K: range(1, depth + 1)}, schema={K: pl.Int64})
    found = [int((ranks <= k).sum()) for k in points[K]]
    bounds = [interval_from_sums(hits, hits, n, binary=True, level=level) for hits in found]
    values = pl.Series(VALUE, [hits / n if n else 0.0 for hits in found], pl.Float64)
    return points.with_columns(
        values,
        pl.Series(LOW, [each.low for each in bounds], pl.Float64),
        pl.Series(HIGH, [each.high for each in bounds], pl.Float64),
        (values - values.shift(1, fill_value=0.0)).alias(GAIN),
    )


def _deepest(places: pl.LazyFrame) -> int:
    """The length of the longest list."""
    return max(1, int(places.select(pl.col(RANK).max()).collect().item() or 1))


def tokens_of_context(
    places: pl.LazyFrame, queries: pl.Series, *, depth: int, tokenizer: str = CL100K
) -> pl.DataFrame:
    """The tokens of the first k chunks together, for k from 1 to `depth`: k, mean, maximum.

    `places` are ranked. The mean is over `queries`; one without results has 0 tokens. A list that
    is shorter than k counts as it is. Null where the run has neither tokens nor texts.

    >>> run = {"query_id": ["a", "a", "b"], "rank": [1, 2, 1], "tokens": [5, 7, 6]}
    >>> asked = pl.Series(["a", "b"])
    >>> tokens_of_context(pl.LazyFrame(run), asked, depth=2).rows()
    [(1, 5.5, 6), (2, 9.0, 12)]
    """
    steps = pl.DataFrame({K: range(1, depth + 1)}, schema={K: pl.Int64})
    columns = places.collect_schema().names()
    if not {TOKENS, TEXT} & set(columns) or not len(queries):
        empty = (
            pl.lit(None, pl.Float64).alias(TOKENS_MEAN),
            pl.lit(None, pl.Int64).alias(TOKENS_MAX),
        )
        return steps.with_columns(*empty)
    asked = places.filter(pl.col(QUERY).is_in(queries.to_list()), pl.col(RANK) <= depth)
    counted = with_tokens(nw.from_native(asked), tokenizer=tokenizer).collect().to_polars()
    through = counted.sort(RANK).with_columns(pl.col(TOKENS).cum_sum().over(QUERY).alias("through"))
    by_rank = through.group_by(pl.col(RANK).cast(pl.Int64).alias(K)).agg(
        pl.col(TOKENS).sum(), pl.col("through").max()
    )
    told = steps.join(by_rank, on=K, how="left", maintain_order="left")
    totals = told[TOKENS].fill_null(0).cum_sum().to_list()
    return told.select(
        K,
        pl.Series(TOKENS_MEAN, [total / len(queries) for total in totals], pl.Float64),
        pl.col("through").fill_null(0).cum_max().cast(pl.Int64).alias(TOKENS_MAX),
    )
