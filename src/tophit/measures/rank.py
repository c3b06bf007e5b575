"""How high: MRR, MAP, Bpref, RBP."""

from __future__ import annotations

import narwhals as nw

from tophit.measures.credit import N_NONRELEVANT, N_RELEVANT, ratio, within
from tophit.measures.definition import Definition, Measure, Parameter
from tophit.relations import QUERY, RANK


def _reciprocal_rank(measure: Measure) -> nw.Expr:
    found = (nw.col("credit") == 1) & within(measure)
    return nw.when(found).then(1.0 / nw.col(RANK)).otherwise(nw.lit(0.0)).max()


def _found_so_far() -> nw.Expr:
    return nw.col("credit").cum_sum().over(QUERY, order_by=["position", "_row"])


def _average_precision(measure: Measure) -> nw.Expr:
    found = (nw.col("credit") == 1) & within(measure, "position")
    precision = nw.col("found_so_far").cast(nw.Float64) / nw.col("position")
    total = nw.when(found).then(precision).otherwise(nw.lit(0.0)).sum()
    return ratio(total, nw.col(N_RELEVANT).max())


def _bpref(measure: Measure) -> nw.Expr:
    bound = nw.min_horizontal(nw.col(N_NONRELEVANT), nw.col(N_RELEVANT))
    worse = nw.min_horizontal(nw.col("nonrelevant_above"), nw.col(N_RELEVANT))
    kept = nw.when(nw.col("credit") == 1).then(1.0 - ratio(worse, bound)).otherwise(nw.lit(0.0))
    return ratio(kept.sum(), nw.col(N_RELEVANT).max())


def _rank_biased_precision(measure: Measure) -> nw.Expr:
    p = measure.parameters["p"]
    gain = (1.0 - p) * (nw.lit(p) ** (nw.col(RANK) - 1))
    return nw.when((nw.col("place") == 1) & within(measure)).then(gain).otherwise(nw.lit(0.0)).sum()


MRR = Definition(
    name="MRR",
    summary="1 / rank of the first whole item, else 0; the mean over questions gives the M",
    formula="1 / min rank of a whole item (0 if none, or beyond k)",
    reference="trec_eval recip_rank, which does not cut; this does",
    expression=_reciprocal_rank,
    aliases=("RR", "recip_rank", "reciprocal_rank", "MeanReciprocalRank"),
    cutoff="optional",
    rises_with_k=True,
)

MAP = Definition(
    name="MAP",
    summary="mean over the items of the precision where each is found",
    formula="(1 / items) x sum over found items of j / max(rank of the j-th, j)",
    reference="trec_eval map, map_cut",
    expression=_average_precision,
    columns=lambda measure: ({"found_so_far": _found_so_far()},),
    aliases=("AP", "map_cut", "MeanAveragePrecision", "AveragePrecision"),
    cutoff="optional",
    rises_with_k=True,
)

BPREF = Definition(
    name="Bpref",
    summary="how often a relevant item stands before the judged nonrelevant ones",
    formula="(1 / R) x sum over found items of 1 - min(nonrelevant above, R) / min(N, R)",
    reference="Buckley and Voorhees, SIGIR 2004; trec_eval bpref",
    expression=_bpref,
    cutoff="none",
)

RBP = Definition(
    name="RBP",
    summary="rank-biased precision: a reader who goes on to the next place with probability p",
    formula="(1 - p) x sum over the places with an item of p^(rank - 1)",
    reference="Moffat and Zobel, TOIS 2008",
    expression=_rank_biased_precision,
    cutoff="optional",
    parameters={"p": Parameter(summary="persistence", default=0.8, low=0, high=0.9999)},
    rises_with_k=True,
)

DEFINITIONS = (MRR, MAP, BPREF, RBP)
