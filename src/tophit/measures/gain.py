"""Graded relevance: nDCG, ERR."""

from __future__ import annotations

import narwhals as nw

from tophit.measures.credit import places_column, ratio, within
from tophit.measures.definition import Definition, Measure, Parameter
from tophit.relations import GRADE, QUERY


def _gain(measure: Measure) -> nw.Expr:
    if measure.parameters["gain"] == "exp":
        return nw.lit(2.0) ** nw.col(GRADE) - 1.0
    return nw.col(GRADE)


def _discounted(measure: Measure, position: str) -> nw.Expr:
    return _gain(measure) / (nw.col(position) + 1.0).log(2)


def _ideal(measure: Measure) -> dict[str, nw.Expr]:
    counts = nw.col(GRADE) > 0
    if measure.cutoff is not None:
        budget = measure.cutoff.unit == "tok"
        limit = nw.col(places_column(measure.cutoff)) if budget else nw.lit(measure.cutoff.value)
        counts = counts & (nw.col("ideal_rank") <= limit)
    gain = nw.when(counts).then(_discounted(measure, "ideal_rank")).otherwise(nw.lit(0.0))
    return {measure.key("ideal"): gain.sum()}


def _ndcg(measure: Measure) -> nw.Expr:
    found = (nw.col("gain_credit") == 1) & within(measure, "gain_position")
    gain = nw.when(found).then(_discounted(measure, "gain_position")).otherwise(nw.lit(0.0)).sum()
    ideal = nw.col(measure.key("ideal")).max()
    # the two sums may round apart where the ranking is the ideal one
    return nw.min_horizontal(ratio(gain, ideal), nw.lit(1.0))


def _stop(measure: Measure) -> nw.Expr:
    highest = measure.parameters["max"]
    grade = nw.min_horizontal(nw.col(GRADE), nw.lit(highest))
    chance = (nw.lit(2.0) ** grade - 1.0) / 2.0**highest
    return nw.when(nw.col("gain_credit") == 1).then(chance).otherwise(nw.lit(0.0))


def _passed(measure: Measure) -> tuple[dict[str, nw.Expr], ...]:
    # the log of the chance to pass every item down to this one: a product as a running sum
    passed = (1.0 - _stop(measure)).log().cum_sum()
    return ({measure.key("passed"): passed.over(QUERY, order_by=["gain_position", "_row"])},)


def _expected_reciprocal_rank(measure: Measure) -> nw.Expr:
    stop = _stop(measure)
    reached = nw.col(measure.key("passed")).exp() / (1.0 - stop)
    found = (nw.col("gain_credit") == 1) & within(measure, "gain_position")
    return (
        nw.when(found).then(reached * stop / nw.col("gain_position")).otherwise(nw.lit(0.0)).sum()
    )


NDCG = Definition(
    name="nDCG",
    summary="graded gain, discounted by log2(rank + 1), over that of the best possible ranking",
    formula="sum gain / log2(position + 1) of the found items, over the same of the ideal order",
    reference="Järvelin and Kekäläinen, TOIS 2002; trec_eval ndcg, ndcg_cut",
    expression=_ndcg,
    totals=_ideal,
    aliases=("ndcg_cut", "NormalizedDCG"),
    cutoff="optional",
    parameters={
        "gain": Parameter(
            summary="lin: the grade; exp: 2^grade - 1", default="lin", choices=("lin", "exp")
        )
    },
)

ERR = Definition(
    name="ERR",
    summary="expected reciprocal rank of a reader who stops at the place that satisfies",
    formula="sum (1 / position) R prod(1 - R above), R = (2^grade - 1) / 2^max",
    reference="Chapelle et al., CIKM 2009; gdeval, whose highest grade is 4",
    expression=_expected_reciprocal_rank,
    columns=_passed,
    cutoff="optional",
    parameters={
        "max": Parameter(summary="the highest grade there is", default=4.0, low=0, high=30)
    },
    rises_with_k=True,
)

DEFINITIONS = (NDCG, ERR)
