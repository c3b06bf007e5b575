"""Documents in what a system returned as JSON: where they stand, and fields called otherwise."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from tophit.errors import Fault, InputError
from tophit.records.values import shown
from tophit.relations import RETRIEVED_LIST
from tophit.retrieval.doors.templates import at_path

# What endpoints call a score beside the usual names.
_SCORES = ("_score", "@search.score")


def places_in(returned: Any, path: str, fields: Mapping[str, str], *, source: str) -> Any:
    """The documents of a JSON value: at `path`, or the first list of objects that there is.

    `fields` names paths in a document for what is not found under a usual name
    (`{"text": "_source.body"}`). A value with `retrieved`, as tophit writes runs, is taken whole.
    Errors: `InputError` where no list of documents is.

    >>> places_in({"hits": {"hits": [{"_id": "a", "_score": 2}]}}, "", {}, source="s")
    [{'_id': 'a', '_score': 2, 'score': 2}]
    """
    if not path and isinstance(returned, Mapping) and RETRIEVED_LIST in returned:
        return returned
    listed = at_path(returned, path) if path else _first_list(returned)
    if not isinstance(listed, list):
        expected = f"a list at {path}" if path else "a list of documents"
        raise InputError(
            Fault(file=source, expected=expected, found=shown(returned)),
            hint="say where the documents stand: documents=PATH, such as hits.hits",
        )
    return [_named(each, fields) for each in listed]


def _first_list(value: Any) -> Any:
    """The list nearest to the top whose elements are objects or texts; else an empty one."""
    empty = None
    waiting = deque([value])
    while waiting:
        each = waiting.popleft()
        if isinstance(each, list):
            if each:
                return each if all(isinstance(inner, Mapping | str) for inner in each) else None
            empty = each if empty is None else empty
        elif isinstance(each, Mapping):
            waiting.extend(each.values())
    return empty


def _named(document: Any, fields: Mapping[str, str]) -> Any:
    if not isinstance(document, Mapping):
        return document
    score = next((document[name] for name in _SCORES if name in document), None)
    found = {} if score is None else {"score": score}
    found |= {name: at_path(document, path) for name, path in fields.items()}
    return {**document, **{name: value for name, value in found.items() if value is not None}}
