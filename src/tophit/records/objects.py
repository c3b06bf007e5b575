"""Documents and nodes of LangChain, LlamaIndex, Haystack and others, dataclasses and named tuples.

They are told by what they hold, so none of these packages is imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from tophit.records.values import count_of, id_of, number_of
from tophit.records.vocabulary import METADATA, PLACES, plain
from tophit.relations import CHUNK, DOC, END, SCORE, START, TEXT

# Where frameworks put what they know of a document beside its text.
_HOLDERS = ("metadata", "meta", "payload", "_source", "citation", "properties", "entity")
_TEXTS = ("page_content", "content", "text", "get_content")
_ATTRIBUTES = ("id", "id_", "node_id", "score", "start_char_idx", "end_char_idx", "ref_doc_id",
               *_HOLDERS)  # fmt: skip
_DOC_OF_NODE = "ref_doc_id"


def record_of(item: Any) -> Mapping[Any, Any] | None:
    """The record that an object is, or None where it is none: a text, a number, a list.

    What stands in metadata (`metadata`, `meta`, `payload`, ...) is filled in where the object
    itself does not say it: id, document, offsets, score. Values that make no sense there are left
    out.
    A start without an end gets it from the text.

    >>> dump = {"page_content": "four", "metadata": {"source": "a.md", "start_index": 10}}
    >>> record_of(dump)
    {'page_content': 'four', 'doc_id': 'a.md', 'start': 10, 'end': 14}
    >>> record_of("four") is None
    True
    """
    record = _plain_record(item)
    if record is None:
        return None
    holders = {plain(str(key)): value for key, value in record.items()}
    held = [holders[name] for name in _HOLDERS if isinstance(holders.get(name), Mapping)]
    if _DOC_OF_NODE in record:
        held.append({DOC: record[_DOC_OF_NODE]})
    return _filled(record, held) if held else record


def _plain_record(item: Any) -> Mapping[Any, Any] | None:
    if isinstance(item, Mapping):
        return _unwrapped(item)
    if isinstance(item, str | bytes | int | float) or item is None:
        return None
    if hasattr(item, "_asdict"):
        return dict(item._asdict())
    if hasattr(item, "node"):
        return _scored(_plain_record(item.node), getattr(item, "score", None))
    if is_dataclass(item) and not isinstance(item, type):
        return {field.name: getattr(item, field.name) for field in fields(item)}
    found = _from_attributes(item)
    if found is None and hasattr(item, "model_dump") and not isinstance(item, type):
        found = item.model_dump()  # Pydantic, such as a sample of Ragas
    return found


def _unwrapped(record: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """A dumped LlamaIndex `NodeWithScore`, or a LangChain object as its `dumps` writes it."""
    if isinstance(node := record.get("node"), Mapping):
        return _scored(node, record.get("score")) or record
    if "lc" in record and isinstance(inner := record.get("kwargs"), Mapping):
        return inner
    return record


def _scored(record: Mapping[Any, Any] | None, score: Any) -> Mapping[Any, Any] | None:
    return record if record is None or score is None else {**record, SCORE: score}


def _from_attributes(item: Any) -> Mapping[Any, Any] | None:
    text = next((name for name in _TEXTS if getattr(item, name, None) is not None), None)
    found = {n: value for n in _ATTRIBUTES if (value := getattr(item, n, None)) is not None}
    if isinstance(item, type) or (text is None and not {"id", "score"} <= set(found)):
        return None
    if text is not None:
        value = getattr(item, text)
        found[TEXT] = value() if callable(value) else value
    return found


def _filled(record: Mapping[Any, Any], held: Iterable[Mapping[Any, Any]]) -> Mapping[Any, Any]:
    own = PLACES.keys(record)
    made: dict[str, Any] = {}
    for metadata in held:
        for field, key in METADATA.keys(metadata).items():
            if field not in own and field not in made and _makes_sense(field, metadata[key]):
                made[field] = metadata[key]
    text = record[own[TEXT]] if TEXT in own else made.get(TEXT)
    start = record[own[START]] if START in own else made.get(START)
    if start is None:
        made.pop(END, None)
    elif END not in own and END not in made and isinstance(text, str):
        made[END] = start + len(text)
    return {**{key: v for key, v in record.items() if plain(str(key)) not in _HOLDERS}, **made}


def _makes_sense(field: str, value: Any) -> bool:
    if field in (TEXT, DOC):
        return isinstance(value, str) and bool(value.strip())
    if field == CHUNK:
        return id_of(value) is not None
    return (number_of if field == SCORE else count_of)(value) is not None
