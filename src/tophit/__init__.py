"""tophit: did the answer make it into the context window at all?

The public names are loaded on first use, so that `import tophit` costs nothing.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tophit.check import check as check
    from tophit.comparison import Comparison as Comparison
    from tophit.comparison import compare as compare
    from tophit.diagnosis import diagnose as diagnose
    from tophit.errors import DataWarning as DataWarning
    from tophit.errors import InputError as InputError
    from tophit.errors import TophitError as TophitError
    from tophit.errors import UsageError as UsageError
    from tophit.evaluate import evaluate as evaluate
    from tophit.frames import Retrieval as Retrieval
    from tophit.relations import Questions as Questions
    from tophit.relations import Run as Run
    from tophit.result import Result as Result
    from tophit.result import Score as Score
    from tophit.simple import hit_at_k as hit_at_k
    from tophit.simple import mean_reciprocal_rank as mean_reciprocal_rank
    from tophit.simple import ndcg_at_k as ndcg_at_k
    from tophit.simple import precision_at_k as precision_at_k
    from tophit.simple import recall_at_k as recall_at_k

__version__ = "0.1.0"

_HOME = {
    "Comparison": "tophit.comparison",
    "DataWarning": "tophit.errors",
    "InputError": "tophit.errors",
    "Questions": "tophit.relations",
    "Result": "tophit.result",
    "Retrieval": "tophit.frames",
    "Run": "tophit.relations",
    "Score": "tophit.result",
    "TophitError": "tophit.errors",
    "UsageError": "tophit.errors",
    "check": "tophit.check",
    "compare": "tophit.comparison",
    "diagnose": "tophit.diagnosis",
    "evaluate": "tophit.evaluate",
    "hit_at_k": "tophit.simple",
    "mean_reciprocal_rank": "tophit.simple",
    "ndcg_at_k": "tophit.simple",
    "precision_at_k": "tophit.simple",
    "recall_at_k": "tophit.simple",
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
