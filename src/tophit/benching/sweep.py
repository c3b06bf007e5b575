"""A sweep in one TOML file: the options of `bench`, and ways to split and retrieve by name.

sizes = [200, 400, 800]
splitters = ["spring-ai"]           # or tables [splitters.NAME], as below
k = 4

[retrievers.bm25]

[retrievers.both]
retriever = "hybrid"
model = "nomic-embed-text"
embedder = "http://localhost:11434/v1"
tune.weights = ["1,1", "1,2"]
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tophit.errors import Fault, InputError, UsageError, unknown
from tophit.settings import Options

_KINDS: Mapping[str, tuple[type, ...]] = {
    "splitters": (list, dict), "sizes": (list,), "overlaps": (list,), "retrievers": (list, dict),
    "measures": (str, list), "budget": (int,), "splitter_options": (dict,),
    "retriever_options": (dict,), "reranker": (str,), "rerank_depth": (int,), "tune": (dict,),
    "cache": (str,), "concurrency": (int,), "time_limit": (int, float), "retries": (int,),
}  # fmt: skip
_SETTINGS = tuple(Options.__annotations__)


def read_sweep(path: str | Path) -> dict[str, Any]:
    """The options of `bench` that a file holds.

    Errors: `InputError` for a file that is not there or is no TOML, `UsageError` for an option that
    `bench` does not have, or a value of another kind.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "sweep.toml"
    >>> _ = path.write_text("sizes = [200, 800]\\n[retrievers.bm25]\\nlanguage = 'german'")
    >>> read_sweep(path)
    {'sizes': [200, 800], 'retrievers': {'bm25': {'language': 'german'}}}
    """
    try:
        options = tomllib.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        found = error.strerror or "nothing"
        raise InputError(Fault(file=str(path), expected="a file", found=found)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(Fault(file=str(path), expected="TOML", found=str(error))) from None
    for name, value in options.items():
        if name not in _KINDS and name not in _SETTINGS:
            raise unknown(f"option of a sweep in {path}", name, [*_KINDS, *_SETTINGS])
        kinds = _KINDS.get(name)
        if kinds is not None and (not isinstance(value, kinds) or isinstance(value, bool)):
            wanted = " or ".join(kind.__name__ for kind in kinds)
            raise UsageError(f"{path}, {name}: expected {wanted}, found {value!r}")
    return options
