"""Splitting: documents to the relation `chunks`, by any splitter.

The public names are loaded on first use, so that a help text loads no engine.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tophit.splitting.chunks import chunk_warnings as chunk_warnings
    from tophit.splitting.chunks import split as split
    from tophit.splitting.table import SPLITTERS as SPLITTERS
    from tophit.splitting.table import Splitter as Splitter
    from tophit.splitting.table import open_splitter as open_splitter

_HOME = {
    "SPLITTERS": "table",
    "Splitter": "table",
    "chunk_warnings": "chunks",
    "open_splitter": "table",
    "split": "chunks",
}
__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'tophit.splitting' has no attribute {name!r}")
    value = getattr(import_module(f"tophit.splitting.{_HOME[name]}"), name)
    globals()[name] = value
    return value
