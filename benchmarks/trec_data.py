"""TREC files of any size, the same bytes every time: like a real run, shuffled, or full of ties."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

_CHUNK_QUERIES = 500


@dataclass(frozen=True, kw_only=True)
class DataSet:
    """What to make: `order` is sorted, as systems write runs, or shuffled; `scores` fine, tied."""

    name: str
    queries: int
    depth: int
    judged: int
    grades: int = 1
    order: str = "sorted"
    scores: str = "fine"

    @property
    def lines(self) -> int:
        return self.queries * self.depth


DATA_SETS = {
    data.name: data
    for data in (
        DataSet(name="A", queries=1_000, depth=1_000, judged=20_318, grades=3),
        DataSet(name="B", queries=50_000, depth=10, judged=50_000),
        DataSet(name="C", queries=6_980, depth=1_000, judged=7_437),
        DataSet(name="C-shuffled", queries=6_980, depth=1_000, judged=7_437, order="shuffled"),
        DataSet(name="C-tied", queries=6_980, depth=1_000, judged=7_437, scores="tied"),
    )
}


def make(data: DataSet, folder: Path) -> tuple[Path, Path]:
    """Write qrels and run of a data set into `folder`, unless they are there already."""
    folder.mkdir(parents=True, exist_ok=True)
    qrels, run = folder / f"{data.name}.qrels", folder / f"{data.name}.run"
    if not (qrels.exists() and run.exists()):
        rng = np.random.default_rng(20_26)
        queries = np.sort(rng.choice(1_100_000, size=data.queries, replace=False)).astype(str)
        places = _places(data, queries, rng)
        _qrels(data, queries, places, rng).write_csv(qrels, separator=" ", include_header=False)
        if data.order == "shuffled":
            places = places.sample(fraction=1, shuffle=True, seed=7)
        places.write_csv(run, separator=" ", include_header=False, float_precision=4)
    return qrels, run


def _places(data: DataSet, queries: np.ndarray, rng: np.random.Generator) -> pl.DataFrame:
    documents = np.stack(
        [rng.choice(8_841_823, size=data.depth, replace=False) for _ in range(data.queries)]
    )
    scores = 8 + rng.gamma(2.0, 1.8, size=(data.queries, data.depth))
    if data.scores == "tied":
        scores = np.round(scores)
    scores = -np.sort(-scores, axis=1)
    return pl.DataFrame(
        {
            "query": np.repeat(queries, data.depth),
            "q0": pl.repeat("Q0", data.lines, eager=True),
            "document": documents.ravel().astype(str),
            "rank": np.tile(np.arange(1, data.depth + 1), data.queries),
            "score": scores.ravel(),
            "tag": pl.repeat("bm25", data.lines, eager=True),
        }
    )


def _qrels(
    data: DataSet, queries: np.ndarray, places: pl.DataFrame, rng: np.random.Generator
) -> pl.DataFrame:
    """Judge at least one document a query; half are retrieved, mostly high up."""
    extra = rng.integers(0, data.queries, size=max(0, data.judged - data.queries))
    owner = np.sort(np.concatenate([np.arange(data.queries), extra]))
    high = np.minimum((rng.pareto(0.6, size=len(owner)) * 2).astype(int), data.depth - 1)
    found = places["document"].gather(owner * data.depth + high)
    missed = pl.Series(np.char.add("9", rng.integers(10**6, 10**7, size=len(owner)).astype(str)))
    document = pl.select(
        pl.when(pl.Series(rng.random(len(owner)) < 0.7)).then(found).otherwise(missed)
    ).to_series()
    grade = rng.integers(0 if data.grades > 1 else 1, data.grades + 1, size=len(owner))
    table = pl.DataFrame(
        {"query": queries[owner], "iteration": "0", "document": document, "grade": grade}
    )
    return table.unique(["query", "document"], keep="first", maintain_order=True)
