"""tophit: did the answer make it into the context window at all?"""

from tophit.errors import DataWarning, Fault, InputError, TophitError, UsageError
from tophit.evaluate import evaluate
from tophit.frames import Retrieval
from tophit.relations import Questions, Run
from tophit.result import Result, Score

__version__ = "0.1.0"
__all__ = [
    "DataWarning",
    "Fault",
    "InputError",
    "Questions",
    "Result",
    "Retrieval",
    "Run",
    "Score",
    "TophitError",
    "UsageError",
    "evaluate",
]
