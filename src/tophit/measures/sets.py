"""How many: Recall, Precision, F1, Rprec, Judged."""

from __future__ import annotations

import narwhals as nw

from tophit.measures.credit import N_RELEVANT, flag, places, ratio, within
from tophit.measures.definition import Definition, Measure
from tophit.relations import N_RETRIEVED, RANK


def _items(measure: Measure) -> nw.Expr:
    return flag((nw.col("credit") == 1) & within(measure)).sum()


def _recall(measure: Measure) -> nw.Expr:
    return ratio(_items(measure), nw.col(N_RELEVANT).max())


def _precision(measure: Measure) -> nw.Expr:
    return flag((nw.col("place") == 1) & within(measure)).sum() / places(measure)


def _f1(measure: Measure) -> nw.Expr:
    precision, recall = _precision(measure), _recall(measure)
    return ratio(2.0 * precision * recall, precision + recall)


def _r_precision(measure: Measure) -> nw.Expr:
    found = (nw.col("credit") == 1) & (nw.col(RANK) <= nw.col(N_RELEVANT))
    return ratio(flag(found).sum(), nw.col(N_RELEVANT).max())


def _judged(measure: Measure) -> nw.Expr:
    judged = flag((nw.col("judged_place") == 1) & within(measure)).sum()
    return ratio(judged, nw.min_horizontal(places(measure), nw.col(N_RETRIEVED).max()))


RECALL = Definition(
    name="Recall",
    summary="fraction of the items whole within the first k places",
    formula="items whole within k / items",
    reference="trec_eval recall",
    expression=_recall,
    aliases=("R",),
    rises_with_k=True,
)

PRECISION = Definition(
    name="Precision",
    summary="fraction of the k places that bring an item; k divides even if fewer came back",
    formula="places within k where an item is credited / k",
    reference="trec_eval P",
    expression=_precision,
    aliases=("P",),
)

F1 = Definition(
    name="F1",
    summary="harmonic mean of Precision@k and Recall@k",
    formula="2 P R / (P + R), 0 where both are 0",
    reference="van Rijsbergen 1979",
    expression=_f1,
    aliases=("F", "FMeasure"),
)

RPREC = Definition(
    name="Rprec",
    summary="fraction of the R items found within the first R places",
    formula="items whole within R / R, R = the number of items",
    reference="trec_eval Rprec",
    expression=_r_precision,
    aliases=("RPrecision",),
    cutoff="none",
)

JUDGED = Definition(
    name="Judged",
    summary="fraction of the first k places that were judged at all, whatever the grade",
    formula="judged places within k / min(k, places returned)",
    reference="ir_measures Judged",
    expression=_judged,
)

DEFINITIONS = (RECALL, PRECISION, F1, RPREC, JUDGED)
