"""Benchmarks: split, retrieve and evaluate over a grid, with a ranked table."""

from tophit.bench.budget import equal_budget
from tophit.bench.grid import Configuration, grid
from tophit.bench.outcome import BenchResult, BenchRow
from tophit.bench.run import bench

__all__ = [
    "BenchResult",
    "BenchRow",
    "Configuration",
    "bench",
    "equal_budget",
    "grid",
]
