"""How often a `--significant` gate fails a build, by simulation; prints a Markdown table.

    python benchmarks/gates.py            about five minutes
    python benchmarks/gates.py --quick    under a minute, rougher

A build draws a question set, scores a frozen baseline and a new run on it, and checks Hit@4, MRR
and nDCG@10 together. Noise: a share of the questions is ranked anew by an equally good system.
A drop: the new system is worse by so many points of Hit@4, on top of the noise. The columns beside
it show what a gate without a paired test would do on the same builds.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace

import numpy as np
import polars as pl

from tophit import Result, evaluate
from tophit.gates import check_against, freeze
from tophit.gates.baseline import baseline_from

MEASURES = "Hit@4 MRR nDCG@10"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    builds = 200 if parser.parse_args().quick else 2_000
    print(f"builds that fail, of {builds:,}\n")
    print(
        "| questions | ranked anew | drop of Hit@4 | significant | any drop | drop above 2 points |"
    )
    print("| --- | --- | --- | --- | --- | --- |")
    rng = np.random.default_rng(17)
    for n in (50, 100, 400, 1_000):
        for anew in (0.05, 0.3, 1.0):
            _row(rng, n, anew, 0.0, builds)
    for n in (100, 400, 1_000):
        for anew in (0.05, 0.3):
            _row(rng, n, anew, 0.1, builds // 4)


def _row(rng: np.random.Generator, n: int, anew: float, drop: float, builds: int) -> None:
    failed = np.zeros(3)
    for _ in range(builds):
        before, after = _build(rng, n, anew, drop)
        baseline = baseline_from(json.loads(freeze(before, version="benchmark")))
        for index, options in enumerate(({"significant": True}, {}, {"max_drop": 0.02})):
            failed[index] += not check_against(after, baseline, **options).passed
    cells = " | ".join(f"{100 * share:.1f} %" for share in failed / builds)
    points = f"{100 * drop:.0f} points" if drop else "none"
    print(f"| {n:,} | {anew:.0%} | {points} | {cells} |", flush=True)


def _build(rng: np.random.Generator, n: int, anew: float, drop: float) -> tuple[Result, Result]:
    ease = rng.beta(2, 2, n)
    ranks = rng.geometric(np.clip(ease, 0.02, 0.98))
    moved = np.where(rng.random(n) < anew, rng.geometric(np.clip(ease, 0.02, 0.98)), ranks)
    # a hit is lost so often that Hit@4 falls by `drop` on average
    hits = np.mean(1 - (1 - np.clip(ease, 0.02, 0.98)) ** 4)
    lost = (rng.random(n) < drop / hits) & (moved <= 4)
    moved = np.where(lost, 11 + moved, moved)
    template = evaluate({"q": ["a"]}, {"q": ["a"]}, measures=MEASURES)
    return replace(template, scores=_scores(ranks)), replace(template, scores=_scores(moved))


def _scores(ranks: np.ndarray) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "query_id": [f"q{index}" for index in range(len(ranks))],
            "Hit@4": (ranks <= 4).astype(float),
            "MRR": 1 / ranks,
            "nDCG@10": (ranks <= 10) / np.log2(ranks + 1),
        }
    )


if __name__ == "__main__":
    main()
