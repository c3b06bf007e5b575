"""The time of a comparison beside ranx `compare` and SciPy; prints a Markdown table of ratios.

    python benchmarks/compare.py [--queries 10000] [--runs 10]

10 runs x 10,000 questions x 5 measures, 10,000 resamples. The peers do less: no exact tests, no
intervals, no correction, no power. Their test is timed on one pair and one measure and multiplied
by the number of comparisons; ranx `compare` runs every pair in both orders. ranx is optional.
"""

from __future__ import annotations

import argparse
import importlib.util
import resource
import time
from collections.abc import Callable, Mapping

import numpy as np
import scipy.stats

from tophit.comparison import compare_scores

MEASURES = ("Hit@4", "MRR", "nDCG@10", "Recall@10", "MAP")
RESAMPLES = 10_000
Scores = Mapping[str, Mapping[str, np.ndarray]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=10)
    chosen = parser.parse_args()
    ids, scores = made(chosen.queries, chosen.runs)
    pairs = chosen.runs * (chosen.runs - 1) // 2
    tests = pairs * len(MEASURES)
    print(f"{chosen.runs} runs x {chosen.queries:,} questions x {len(MEASURES)} measures, "
          f"{RESAMPLES:,} resamples, all {pairs} pairs: {tests} comparisons\n")  # fmt: skip
    ours = timed(lambda: compare_scores(ids, scores, binary={"Hit@4"}, baseline="*"))
    first = timed(lambda: compare_scores(ids, scores, binary={"Hit@4"}))
    rows = [
        ("tophit, all pairs, with intervals, Holm and power", ours),
        (f"tophit, against a baseline ({(chosen.runs - 1) * len(MEASURES)} comparisons)", first),
        ("SciPy permutation_test, vectorised, times the comparisons", scipy_time(scores) * tests),
    ]
    if (ranx := ranx_time(scores, tests)) is not None:
        rows.append(("ranx fisher_randomization_test, as `compare` calls it", ranx))
    else:
        print("(ranx is not installed: skipped)\n")
    print("| | seconds | ratio |\n| --- | --- | --- |")
    for name, seconds in rows:
        print(f"| {name} | {seconds:.2f} | {seconds / ours:.1f} |")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"\nhighest memory of this process, peers included: {peak:.0f} MB")


def made(queries: int, runs: int) -> tuple[list[str], Scores]:
    """Runs that share most of their ranks, as variants of one system do."""
    rng = np.random.default_rng(0)
    base = rng.geometric(0.35, queries)
    scores = {}
    for index in range(runs):
        ranks = np.where(rng.random(queries) < 0.3, rng.geometric(0.35, queries), base)
        found = np.where(ranks <= 10, 1 / ranks, 0.0)
        scores[f"run{index}"] = {
            "Hit@4": (ranks <= 4).astype(float),
            "MRR": found,
            "nDCG@10": np.where(ranks <= 10, 1 / np.log2(ranks + 1), 0.0) * rng.beta(9, 1, queries),
            "Recall@10": (ranks <= 10) * rng.choice([1 / 3, 2 / 3, 1.0], queries),
            "MAP": found * rng.random(queries),
        }
    return [f"q{index}" for index in range(queries)], scores


def timed(work: Callable[[], object]) -> float:
    """The faster of two rounds."""
    rounds = []
    for _ in range(2):
        start = time.perf_counter()
        work()
        rounds.append(time.perf_counter() - start)
    return min(rounds)


def scipy_time(scores: Scores) -> float:
    first, second = (columns["MRR"] for columns in list(scores.values())[:2])
    return timed(
        lambda: scipy.stats.permutation_test(
            (second - first,),
            np.mean,
            permutation_type="samples",
            n_resamples=RESAMPLES,
            vectorized=True,
            batch=200,
            rng=np.random.default_rng(0),
        )
    )


def ranx_time(scores: Scores, tests: int) -> float | None:
    if importlib.util.find_spec("ranx") is None:
        return None
    from ranx.statistical_tests.fisher_randomization_test import fisher_randomization_test

    first, second = (columns["MRR"] for columns in list(scores.values())[:2])

    def work() -> object:
        return fisher_randomization_test(first, second, RESAMPLES, 0.05, 42)

    work()  # compiled at the first call
    return timed(work) * tests * 2


if __name__ == "__main__":
    main()
