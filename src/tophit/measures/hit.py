"""Did the answer make it: Hit, Partial, All."""

from __future__ import annotations

import narwhals as nw

from tophit.measures.credit import N_RELEVANT, flag, within
from tophit.measures.definition import Definition, Measure, Parameter
from tophit.relations import SHARE


def _hit(measure: Measure) -> nw.Expr:
    return flag((nw.col("credit") == 1) & within(measure)).max()


def _partial(measure: Measure) -> nw.Expr:
    held = nw.col("relevant") & (nw.col(SHARE) >= measure.parameters["share"])
    return flag(held & within(measure)).max()


def _all(measure: Measure) -> nw.Expr:
    found = flag((nw.col("credit") == 1) & within(measure)).sum()
    relevant = nw.col(N_RELEVANT).max()
    return flag((found >= relevant) & (relevant > 0))


HIT = Definition(
    name="Hit",
    summary="1 if an item is whole in the first k places",
    formula="[min rank of a whole item <= k]",
    reference="trec_eval success; hit rate in recommendation",
    expression=_hit,
    aliases=("Success", "HR", "HitRate", "Hits", "Accuracy"),
    binary=True,
    rises_with_k=True,
)

PARTIAL = Definition(
    name="Partial",
    summary="1 if a chunk in the first k places holds at least half (`share`) of an item",
    formula="[max share of an item in one of the first k chunks >= share]",
    reference="tophit: what cutting chunks by token count costs",
    expression=_partial,
    aliases=("PartialHit",),
    parameters={
        "share": Parameter(summary="fraction of the item held", default=0.5, low=0, high=1)
    },
    binary=True,
    rises_with_k=True,
)

ALL = Definition(
    name="All",
    summary="1 if every item is whole within the first k places",
    formula="[items whole within k = all items]",
    reference="multi-hop question answering, where one missing piece is fatal",
    expression=_all,
    aliases=("AllHit",),
    binary=True,
    rises_with_k=True,
)

DEFINITIONS = (HIT, PARTIAL, ALL)
