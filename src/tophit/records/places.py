"""One place of a ranked list, or one chunk of an index, from whatever stands for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from tophit.records.made import made_id
from tophit.records.objects import record_of
from tophit.records.values import Extras, Faults, Values, count_of, id_of, number_of
from tophit.records.vocabulary import OF_DOCUMENTS, PLACES, plain
from tophit.relations import CHUNK, DOC, END, SCORE, START, TEXT, TOKENS

_EXPECTED = (
    'an id, a document, or an object with "id", "text", or "doc", "start" and "end" '
    "(or a pair of these with a score)"
)


class Place(NamedTuple):
    """One place of a ranked list. `id` is made up where the record has none.

    >>> Place("c1", 0.5).text is None
    True
    """

    id: str | None = None
    score: float | None = None
    text: str | None = None
    doc: str | None = None
    start: int | None = None
    end: int | None = None
    tokens: int | None = None


def place_from(
    record: Any,
    faults: Faults,
    *,
    line: int | None = None,
    field: str = "",
    extras: Extras | None = None,
) -> Place | None:
    """The place that a record stands for; None, and faults, where it is wrong.

    A record is an id; an object with the fields of `vocabulary.PLACES`, by any of their names; a
    pair of a record and its score; a document or node of a framework, a dataclass, a named tuple
    (`objects.record_of`). A bare text is taken for an id here: only what the questions hold can
    tell (`pairing.places`). Without an id, the place gets one made from its text.

    >>> place_from({"chunk_id": 7, "content": "four"}, Faults("run"))
    Place(id='7', score=None, text='four', doc=None, start=None, end=None, tokens=None)
    >>> place_from(("c1", 0.5), Faults("run")).score
    0.5
    """
    if (key := id_of(record)) is not None:
        return Place(key)
    given = record_of(record)
    if given is None:
        return _pair(record, faults, line=line, field=field, extras=extras)
    keys = PLACES.keys(given)
    if _is_id(keys):
        keys[CHUNK] = keys.pop(DOC)
    if CHUNK not in keys and TEXT not in keys and not {DOC, START, END} <= set(keys):
        # What is there and empty or null is named; else the whole record is what is wrong.
        faults.add(expected=_EXPECTED, value=record, line=line, field=field or None)
        return None
    given, keys = _whole_span(given, keys)
    prefix = f"{field}." if field else ""
    if extras is not None and isinstance(record, Mapping):
        known = (*PLACES.own, *keys.values())
        extras.see(given, known=known, line=line, field=prefix, is_synonym=PLACES.name_one)
    return _place(keys, Values(given, faults, line=line, field=prefix))


def _is_id(keys: Mapping[str, Any]) -> bool:
    """A document's id is that of the place where nothing else tells one place from another."""
    if DOC not in keys or not {CHUNK, TEXT, START}.isdisjoint(keys):
        return False
    return plain(str(keys[DOC])) in OF_DOCUMENTS


def _whole_span(
    record: Mapping[Any, Any], keys: dict[str, Any]
) -> tuple[Mapping[Any, Any], dict[str, Any]]:
    """Where a splitter says the start alone, the text says the end; -1 is "not found" there."""
    if START not in keys or END in keys or TEXT not in keys or plain(str(keys[START])) == START:
        return record, keys
    start, text = count_of(record[keys[START]]), record[keys[TEXT]]
    if start is None and number_of(record[keys[START]]) == -1:
        return record, {name: key for name, key in keys.items() if name != START}
    if start is None or not isinstance(text, str):
        return record, keys
    return {**record, END: start + len(text)}, {**keys, END: END}


def _place(keys: Mapping[str, Any], values: Values) -> Place:
    key = values.id(keys[CHUNK]) if CHUNK in keys else None
    text = values.text(keys[TEXT]) if TEXT in keys else None
    doc = values.id(keys[DOC]) if DOC in keys else None
    start, end = values.span(keys.get(START, "start"), keys.get(END, "end"))
    score = _score(values.given(keys[SCORE])) if SCORE in keys else None
    tokens = values.count(keys[TOKENS]) if TOKENS in keys else None
    if CHUNK not in keys:
        key = made_id(f"{doc} {start} {end}" if text is None else text)
    return Place(key, score, text, doc, start, end, tokens)


def _score(value: Any) -> float | None:
    """A score beside a place of a list, whose order counts: nothing where it is no number."""
    if not isinstance(value, str):
        return number_of(value)
    try:
        return number_of(float(value))
    except ValueError:
        return None


def _pair(record: Any, faults: Faults, **where: Any) -> Place | None:
    at = {"line": where["line"], "field": where["field"] or None}
    if not isinstance(record, list | tuple) or len(record) != 2 or _is_sequence(record[0]):
        faults.add(expected=_EXPECTED, value=record, **at)
        return None
    inner, score = record
    place = place_from(inner, faults, **where)
    if score is None or place is None:
        return place
    if (number := number_of(score)) is None:
        at["field"] = f"{where['field']}.{SCORE}" if where["field"] else SCORE
        faults.add(expected="a number", value=score, **at)
    return place._replace(score=number)


def _is_sequence(value: Any) -> bool:
    return isinstance(value, list | tuple) and not hasattr(value, "_fields")
