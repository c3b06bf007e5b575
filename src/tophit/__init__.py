"""tophit: did the answer make it into the context window at all?

The public names are loaded on first use, so that `import tophit` costs nothing.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tophit._version import __version__ as __version__

if TYPE_CHECKING:
    from tophit.abstaining import abstention as abstention
    from tophit.abstaining.threshold import threshold as threshold
    from tophit.benching import bench as bench
    from tophit.checking import check as check
    from tophit.comparison import Comparison as Comparison
    from tophit.comparison import compare as compare
    from tophit.diagnosis import diagnose as diagnose
    from tophit.errors import DataWarning as DataWarning
    from tophit.errors import InputError as InputError
    from tophit.errors import TophitError as TophitError
    from tophit.errors import UsageError as UsageError
    from tophit.evaluation.curve import curve as curve
    from tophit.evaluation.evaluate import evaluate as evaluate
    from tophit.evaluation.result import Result as Result
    from tophit.evaluation.result import Score as Score
    from tophit.evaluation.simple import hit_at_k as hit_at_k
    from tophit.evaluation.simple import mean_reciprocal_rank as mean_reciprocal_rank
    from tophit.evaluation.simple import ndcg_at_k as ndcg_at_k
    from tophit.evaluation.simple import precision_at_k as precision_at_k
    from tophit.evaluation.simple import recall_at_k as recall_at_k
    from tophit.formats import convert as convert
    from tophit.frames import Retrieval as Retrieval
    from tophit.gates.freezing import baseline as baseline
    from tophit.relations import Questions as Questions
    from tophit.relations import Run as Run
    from tophit.retrieval import retrieve as retrieve
    from tophit.settings import Folding as Folding
    from tophit.settings import Settings as Settings
    from tophit.splitting import split as split


_HOME = {
    "Comparison": "tophit.comparison",
    "DataWarning": "tophit.errors",
    "Folding": "tophit.settings",
    "InputError": "tophit.errors",
    "Questions": "tophit.relations",
    "Result": "tophit.evaluation.result",
    "Retrieval": "tophit.frames",
    "Run": "tophit.relations",
    "Score": "tophit.evaluation.result",
    "Settings": "tophit.settings",
    "TophitError": "tophit.errors",
    "UsageError": "tophit.errors",
    "abstention": "tophit.abstaining",
    "baseline": "tophit.gates.freezing",
    "bench": "tophit.benching",
    "check": "tophit.checking",
    "compare": "tophit.comparison",
    "convert": "tophit.formats",
    "curve": "tophit.evaluation.curve",
    "diagnose": "tophit.diagnosis",
    "evaluate": "tophit.evaluation.evaluate",
    "hit_at_k": "tophit.evaluation.simple",
    "mean_reciprocal_rank": "tophit.evaluation.simple",
    "ndcg_at_k": "tophit.evaluation.simple",
    "precision_at_k": "tophit.evaluation.simple",
    "recall_at_k": "tophit.evaluation.simple",
    "retrieve": "tophit.retrieval",
    "split": "tophit.splitting",
    "threshold": "tophit.abstaining.threshold",
}
__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'tophit' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])


class _Package(ModuleType):
    """Importing `tophit.evaluate`, the module, must not hide `tophit.evaluate`, the function."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
