"""Benchmarks: split, retrieve and evaluate over a grid, with a ranked table."""

from tophit.benching.budget import equal_budget
from tophit.benching.grid import Configuration, grid
from tophit.benching.outcome import BenchResult, BenchRow
from tophit.benching.run import bench

__all__ = [
    "BenchResult",
    "BenchRow",
    "Configuration",
    "bench",
    "equal_budget",
    "grid",
]
