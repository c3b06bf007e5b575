"""Gates for continuous integration: a limit on a value, or a frozen baseline.

limits.py     'Hit@4>=0.8' and its like
baseline.py   the frozen baseline: written, read, refused where it does not fit
checks.py     a result against limits or against a baseline
"""

from tophit.gates.baseline import Baseline, freeze, read_baseline, write_baseline
from tophit.gates.checks import Check, GateReport, check_against, check_limits
from tophit.gates.limits import Limit, parse_limit, parse_limits

__all__ = [
    "Baseline",
    "Check",
    "GateReport",
    "Limit",
    "check_against",
    "check_limits",
    "freeze",
    "parse_limit",
    "parse_limits",
    "read_baseline",
    "write_baseline",
]
