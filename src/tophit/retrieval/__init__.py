"""Retrieval: chunks and questions to a `Run`, or questions alone, by any retriever.

protocol.py   a request goes in, ranked places come out; `Live`, an open retriever
doors/        how every kind of retriever is opened: functions, frameworks, HTTP, commands, MCP
table.py      the retrievers over an index of chunks: bm25, dense, hybrid
asking.py     how many questions at once, how often again, how long to wait
waiting.py    no longer than a limit; an event loop driven to its end
journal.py    answers kept on disk, so that a second start asks only the rest
runs.py       `retrieve`: all of it, to a `Run`

The public names are loaded on first use, so that a help text loads no engine.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tophit.retrieval.doors.table import DOORS as DOORS
    from tophit.retrieval.doors.table import is_retriever as is_retriever
    from tophit.retrieval.doors.table import open_retriever as open_retriever
    from tophit.retrieval.protocol import Found as Found
    from tophit.retrieval.protocol import Live as Live
    from tophit.retrieval.protocol import Request as Request
    from tophit.retrieval.runs import retrieve as retrieve
    from tophit.retrieval.table import RETRIEVERS as RETRIEVERS
    from tophit.retrieval.table import Retriever as Retriever

_HOME = {
    "DOORS": "doors.table",
    "Found": "protocol",
    "Live": "protocol",
    "RETRIEVERS": "table",
    "Request": "protocol",
    "Retriever": "table",
    "is_retriever": "doors.table",
    "open_retriever": "doors.table",
    "retrieve": "runs",
}
__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'tophit.retrieval' has no attribute {name!r}")
    value = getattr(import_module(f"tophit.retrieval.{_HOME[name]}"), name)
    globals()[name] = value
    return value
