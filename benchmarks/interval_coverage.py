"""How often a 95 % interval holds the true value, by simulation; prints Markdown tables.

    python benchmarks/interval_coverage.py            about five minutes
    python benchmarks/interval_coverage.py --quick    about one minute, rougher

Every cell is a share of simulated question sets. BCa draws 2,000 resamples a question set here
(10,000 in the library) and runs on fewer sets: its cells are good to about one point.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.stats

from populations import population
from tophit.statistics import (
    difference_of_proportions,
    interval_from_cluster_totals,
    interval_from_sums,
    mean_difference,
    normal,
    wilson,
)
from tophit.statistics.bootstrap import bca_from_resamples

SIZES = (30, 100, 1_000)
MEANS = (0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95)
MEASURES = ("MRR@10", "nDCG@10", "Recall@10", "concentrated", "rare and large")
Ends = tuple[float, float]


@dataclass(frozen=True)
class Effort:
    """How many question sets are drawn, and for how many of them BCa is made."""

    sets: int
    bca_sets: int
    resamples: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    effort = Effort(1_000, 200, 1_000) if quick else Effort(5_000, 500, 2_000)
    proportions()
    means(effort)
    clusters(effort)
    differences(effort)


def proportions() -> None:
    """Exact: the binomial probabilities of all counts whose interval holds p."""
    print("## 0/1 measures: Wilson (exact, no simulation)\n")
    print("coverage in %, p from .05 to .95 in steps of .01\n")
    head(["n", *(f"p = {p}" for p in MEANS), "lowest", "mean", "highest", "outside 93 to 97"])
    for n in SIZES:
        ends = np.array([wilson(count, n) for count in range(n + 1)])

        def covered(p: float, n: int = n, ends: np.ndarray = ends) -> float:
            holds = (ends[:, 0] <= p) & (p <= ends[:, 1])
            return float(scipy.stats.binom.pmf(np.arange(n + 1), n, p)[holds].sum())

        grid = np.array([covered(p) for p in np.arange(5, 96) / 100])
        outside = int(np.sum((grid < 0.93) | (grid > 0.97)))
        cells = [*map(covered, MEANS), grid.min(), grid.mean(), grid.max()]
        row([f"{n:,}", *(f"{100 * cell:.1f}" for cell in cells), f"{outside} of {len(grid)}"])
    print()


def means(effort: Effort) -> None:
    print("## Other measures: Wilson on the effective number / BCa / normal\n")
    head(["values", "n", *(f"mean {mean}" for mean in MEANS)])
    rng = np.random.default_rng(7)
    worst: dict[str, list[float]] = {"effective": [], "BCa": [], "normal": []}
    for measure in MEASURES:
        for n in SIZES:
            cells = []
            for mean in MEANS:
                values = population(measure, mean)
                truth = float(values.mean())
                if abs(truth - mean) > 0.02:
                    cells.append("")
                    continue
                sets = values[rng.integers(0, len(values), (effort.sets, n))]
                shares = [
                    share(sets, truth, _effective),
                    share(sets[: effort.bca_sets], truth, _bca_of(n, effort.resamples)),
                    share(sets, truth, _normal),
                ]
                if measure != "rare and large":
                    for name, value in zip(worst, shares, strict=True):
                        worst[name].append(value)
                cells.append(" / ".join(f"{100 * value:.0f}" for value in shares))
            row([measure, f"{n:,}", *cells])
    print()
    for name, shares in worst.items():
        inside = np.mean([0.93 <= value <= 0.97 for value in shares])
        print(
            f"- {name}: {100 * min(shares):.1f} to {100 * max(shares):.1f} %, {100 * inside:.0f} % "
            "of the cells within 93 to 97 (without the last population)"
        )
    print()


def clusters(effort: Effort) -> None:
    print("## Clustered questions: by cluster / as if independent / BCa of clusters\n")
    print("9 questions a cluster (Poisson), or log-normal sizes; 0/1 measure, mean .3 and .9\n")
    head(
        [
            "sizes",
            "clusters",
            *(f"correlation {icc}, {p}" for icc in (0, 0.1, 0.4) for p in (0.3, 0.9)),
        ]
    )
    rng = np.random.default_rng(11)
    for sizes in ("alike", "unlike"):
        for groups in (10, 30, 100):
            cells = []
            for icc in (0.0, 0.1, 0.4):
                for p in (0.3, 0.9):
                    found = _cluster_cell(rng, sizes, groups, icc, p, effort)
                    cells.append(" / ".join(f"{100 * value:.0f}" for value in found))
            row([sizes, str(groups), *cells])
    print()


def differences(effort: Effort) -> None:
    print("## Paired differences: ours / Student's t / BCa\n")
    print(
        "share of the questions on which the second run is drawn anew, and the mean it then has\n"
    )
    cases = ((0.05, 0.7), (0.2, 0.7), (0.6, 0.7), (0.2, 0.9), (0.6, 0.9))
    head(["values", "n", *(f"{w:.0%}, .7 to {b}" for w, b in cases)])
    rng = np.random.default_rng(13)
    for measure in ("Hit@10", "MRR@10", "nDCG@10", "concentrated"):
        for n in SIZES:
            cells = []
            for changed, better in cases:
                old, new = population(measure, 0.7), population(measure, better)
                truth = changed * (new.mean() - old.mean())
                shape = (effort.sets, n)
                moved = rng.random(shape) < changed
                before, after = rng.choice(old, shape), rng.choice(new, shape)
                sets = np.where(moved, after - before, 0.0)
                ours = _tango if measure == "Hit@10" else _difference
                shares = (
                    share(sets, truth, ours),
                    share(sets, truth, _student),
                    share(sets[: effort.bca_sets], truth, _bca_of(n, effort.resamples)),
                )
                cells.append(" / ".join(f"{100 * value:.0f}" for value in shares))
            row([measure, f"{n:,}", *cells])
    print()


def share(sets: np.ndarray, truth: float, method: Callable[[np.ndarray], Ends]) -> float:
    """In how many of the question sets the interval holds the truth."""
    ends = np.array([method(values) for values in sets])
    return float(np.mean((ends[:, 0] <= truth + 1e-12) & (truth - 1e-12 <= ends[:, 1])))


def _effective(values: np.ndarray) -> Ends:
    found = interval_from_sums(
        float(values.sum()), float(values @ values), len(values), binary=False
    )
    return _ends(found.low, found.high)


def _normal(values: np.ndarray) -> Ends:
    return normal(float(values.mean()), float(values.var(ddof=1)), len(values))


def _student(values: np.ndarray) -> Ends:
    half = scipy.stats.t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / math.sqrt(len(values))
    return float(values.mean() - half), float(values.mean() + half)


def _tango(values: np.ndarray) -> Ends:
    return difference_of_proportions(int((values > 0).sum()), int((values < 0).sum()), len(values))


def _difference(values: np.ndarray) -> Ends:
    return mean_difference(
        float(values.sum()), float(values @ values), int(np.count_nonzero(values)), len(values)
    )


def _bca_of(n: int, resamples: int) -> Callable[[np.ndarray], Ends]:
    """BCa with one set of resamples for all question sets of a size: a matrix product each."""
    weights = np.random.default_rng(3).multinomial(n, np.full(n, 1 / n), size=resamples) / n

    def found(values: np.ndarray) -> Ends:
        if np.ptp(values) == 0:
            return float(values[0]), float(values[0])
        jackknife = (values.sum() - values) / (n - 1)
        return bca_from_resamples(float(values.mean()), weights @ values, jackknife)

    return found


def _cluster_cell(
    rng: np.random.Generator, sizes: str, groups: int, icc: float, p: float, effort: Effort
) -> np.ndarray:
    held = np.zeros(3)
    for index in range(effort.sets // 2):
        counts = (
            rng.poisson(8, groups) + 1
            if sizes == "alike"
            else np.ceil(rng.lognormal(1.5, 1, groups)).astype(int)
        )
        own = np.full(groups, p)
        if icc:
            own = rng.beta(p * (1 / icc - 1), (1 - p) * (1 / icc - 1), groups)
        totals = rng.binomial(counts, own).astype(float)
        found = interval_from_cluster_totals(totals, counts)
        ends = [_ends(found.low, found.high), wilson(totals.sum(), counts.sum())]
        if index < effort.bca_sets:
            ends.append(_cluster_bca(totals, counts, rng, effort.resamples))
        held[: len(ends)] += [low <= p <= high for low, high in ends]
    return held / (effort.sets // 2, effort.sets // 2, effort.bca_sets)


def _cluster_bca(
    totals: np.ndarray, counts: np.ndarray, rng: np.random.Generator, resamples: int
) -> Ends:
    observed = float(totals.sum() / counts.sum())
    if np.ptp(totals / counts) == 0:
        return observed, observed
    drawn = rng.integers(0, len(totals), (resamples, len(totals)))
    jackknife = (totals.sum() - totals) / (counts.sum() - counts)
    means_drawn = totals[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    return bca_from_resamples(observed, means_drawn, jackknife)


def _ends(low: float | None, high: float | None) -> Ends:
    return (0.0 if low is None else low), (1.0 if high is None else high)


def head(columns: Sequence[str]) -> None:
    row(columns)
    row(["---"] * len(columns))


def row(cells: Sequence[str]) -> None:
    print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
