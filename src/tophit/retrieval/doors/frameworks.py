"""What the doors of frameworks share: where the documents are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tophit.errors import UsageError

_DOCUMENTS = ("context", "source_documents", "documents")


def documents_in(returned: Mapping[Any, Any], key: str, *, kind: str) -> Any:
    """The documents in what a chain returned: under `key`, or left to `records.lists` to find.

    Errors: `UsageError` where the name is not there.

    >>> documents_in({"answer": "8", "context": ["a"]}, "context", kind="the chain")
    ['a']
    """
    if not key:
        return next((returned[name] for name in _DOCUMENTS if name in returned), returned)
    if key not in returned:
        held = ", ".join(map(str, returned)) or "nothing"
        raise UsageError(f"{kind} gives no {key!r}; it gives {held}")
    return returned[key]
