"""How sure a number is: intervals of means, paired tests, and the power of a comparison.

intervals.py      Wilson, Wilson on the effective number of questions, normal; from values or sums
bootstrap.py      BCa, on request
distributions.py  Student's t and the fair binomial, so that SciPy is not needed at run time
paired.py         exact McNemar, sign-flip randomisation, Holm, intervals of a paired difference
power.py          smallest detectable difference, number of questions needed
"""

from tophit.statistics.bootstrap import bca
from tophit.statistics.intervals import (
    Interval,
    interval,
    interval_from_cluster_totals,
    interval_from_sums,
    normal,
    wilson,
)
from tophit.statistics.paired import (
    SignFlip,
    difference_of_proportions,
    holm,
    mcnemar,
    mean_difference,
    sign_flip,
    sign_flip_from_sums,
)
from tophit.statistics.power import questions_needed, smallest_detectable

__all__ = [
    "Interval",
    "SignFlip",
    "bca",
    "difference_of_proportions",
    "holm",
    "interval",
    "interval_from_cluster_totals",
    "interval_from_sums",
    "mcnemar",
    "mean_difference",
    "normal",
    "questions_needed",
    "sign_flip",
    "sign_flip_from_sums",
    "smallest_detectable",
    "wilson",
]
