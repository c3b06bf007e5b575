"""Runs compared on the same questions: which is better, by how much, and is it more than noise?

difference.py   one run against another on one measure: the numbers, from values or from sums
scores.py       tables of scores: every pair and measure, with Holm's correction over all
outcomes.py     the questions whose outcome changed, found to cut and so on
engine.py       the same on DuckDB and Spark, from sums
runs.py         `compare`: evaluate each run, make sure that they belong together, compare
"""

from tophit.comparison.changes import outcome_changes
from tophit.comparison.difference import Difference
from tophit.comparison.run import compare, compare_results, questions_difference
from tophit.comparison.scores import Comparison, compare_scores

__all__ = [
    "Comparison",
    "Difference",
    "compare",
    "compare_results",
    "compare_scores",
    "outcome_changes",
    "questions_difference",
]
