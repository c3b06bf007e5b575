"""One place of a ranked list, from whatever a retriever returns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from tophit.errors import Fault, InputError
from tophit.frames import text_id
from tophit.relations import CHUNK, DOC, END, SCORE, START, SYNONYMS, TEXT, TOKENS

_ID_NAMES = (CHUNK, "id", "_id", "id_", *SYNONYMS[CHUNK])
_OWN = {name: (name, *SYNONYMS[name]) for name in (TEXT, DOC, START, END, TOKENS)}


class Place(NamedTuple):
    """A retrieved chunk: its id, its score if there is one, and the columns that came with it.

    >>> Place("c1", 0.5).columns
    {}
    """

    chunk_id: str
    score: float | None = None
    columns: Mapping[str, Any] = {}


def place_of(item: Any) -> Place:
    """The place that `item` stands for.

    An id; a dict (`id` or `chunk_id`, and `text`, `score`, `doc`, `start`, `end`, `tokens` where
    they are there); a pair (any of these, score); a document of LangChain (`page_content`),
    Haystack (`content`) or LlamaIndex (`node` with a score).
    Errors: `InputError` for anything else, or without an id.

    >>> place_of(7)
    Place(chunk_id='7', score=None, columns={})
    >>> place_of(({"id": "c1", "text": "four"}, 0.5))
    Place(chunk_id='c1', score=0.5, columns={'text': 'four'})
    """
    if isinstance(item, tuple) and len(item) == 2 and not hasattr(item, "_fields"):
        inner, score = item
        return place_of(inner)._replace(score=_number(score, "score"))
    if hasattr(item, "_asdict"):
        item = item._asdict()
    if isinstance(item, Mapping):
        return _from_fields(item)
    if hasattr(item, "node"):
        return _from_object(item.node)._replace(score=_number(getattr(item, "score", None), SCORE))
    if any(hasattr(item, name) for name in ("page_content", "content", "get_content")):
        return _from_object(item)
    return Place(_required_id(item, item))


def _from_object(item: Any) -> Place:
    metadata = getattr(item, "metadata", None) or getattr(item, "meta", None) or {}
    fields: dict[str, Any] = dict(metadata) if isinstance(metadata, Mapping) else {}
    for name in ("id", "id_", "node_id"):
        if text_id(found := getattr(item, name, None)):
            fields[CHUNK] = found
            break
    for name in ("page_content", "content", "get_content", "text"):
        if (found := getattr(item, name, None)) is not None:
            fields[TEXT] = found() if callable(found) else found
            break
    if (score := getattr(item, SCORE, None)) is not None:
        fields[SCORE] = score
    return _from_fields(fields)


def _from_fields(fields: Mapping[Any, Any]) -> Place:
    lowered = {str(name).lower(): value for name, value in fields.items()}
    chunk = next((name for name in _ID_NAMES if text_id(lowered.get(name)) is not None), None)
    columns: dict[str, Any] = {}
    for name, aliases in _OWN.items():
        found = next((a for a in aliases if a != chunk and lowered.get(a) is not None), None)
        if found is not None:
            value = lowered[found]
            is_text = name in (TEXT, DOC)
            columns[name] = str(value) if is_text else _whole(value, found)
    return Place(
        _required_id(lowered.get(chunk) if chunk else None, fields),
        _number(lowered.get(SCORE), SCORE),
        columns,
    )


def _required_id(value: Any, item: Any) -> str:
    if not isinstance(value, list | set | Mapping) and (found := text_id(value)) is not None:
        return found
    shown = repr(item)
    raise InputError(
        Fault(
            file="retriever",
            expected="a chunk's id, a dict with one, a pair with a score, or a document with an id",
            found=shown if len(shown) <= 80 else f"{shown[:77]}...",
        )
    )


def _number(value: Any, field: str) -> float | None:
    if value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if number != number:
        fault = Fault(file="retriever", field=field, expected="a number", found=repr(value))
        raise InputError(fault)
    return number


def _whole(value: Any, field: str) -> int:
    number = _number(value, field)
    if number is None or not number.is_integer():
        fault = Fault(file="retriever", field=field, expected="a whole number", found=repr(value))
        raise InputError(fault)
    return int(number)
