"""The ranked list that a record or a retriever's return holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from tophit.records.cells import listed
from tophit.records.objects import record_of
from tophit.records.places import Place, place_from
from tophit.records.values import Description, Extras, Faults, shown
from tophit.records.vocabulary import PLACES, RUNS, plain
from tophit.relations import RETRIEVED_IDS, RETRIEVED_LIST, TEXT

_LISTS = (*RUNS.names[RETRIEVED_LIST], *RUNS.names[RETRIEVED_IDS])
_TEXTS = ("context", "passage", "text")


def places_in(
    record: Mapping[Any, Any],
    keys: Mapping[str, Any],
    faults: Faults,
    *,
    line: int | None = None,
    extras: Extras | None = None,
) -> list[Place]:
    """The places of a run's record, whose `keys` `RUNS.keys` found; faults where there are none.

    >>> record = {"question": "?", "contexts": ["four chunks"]}
    >>> places_in(record, RUNS.keys(record), Faults("run"))[0].text
    'four chunks'
    """
    key = keys.get(RETRIEVED_LIST, keys.get(RETRIEVED_IDS))
    if key is None:
        faults.add(expected="a list", value=None, line=line, field=RETRIEVED_LIST)
        return []
    entries = ranked_list(record[key], faults, line=line, field=str(key))
    if holds_texts(keys):
        entries = [{TEXT: entry} if isinstance(entry, str) else entry for entry in entries]
    found = [
        place_from(entry, faults, line=line, field=f"{key}[{at}]", extras=extras)
        for at, entry in enumerate(entries)
    ]
    return [place for place in found if place is not None]


def holds_texts(keys: Mapping[str, Any]) -> bool:
    """Whether the name of the list says that its bare strings are texts: contexts, passages.

    >>> holds_texts({"retrieved": "contexts"}), holds_texts({"retrieved": "retrieved"})
    (True, False)
    """
    name = plain(str(keys.get(RETRIEVED_LIST, "")))
    return any(word in name for word in _TEXTS)


def ranked_list(
    value: Any,
    faults: Faults,
    *,
    line: int | None = None,
    field: str | None = None,
    most: int | None = None,
) -> list[Any]:
    """A ranked list as a list, its first `most` entries; [] and a fault where it is none.

    A set has no order. Of an object, such as a pipeline returns, the one list of documents is
    taken; where there is none or are several, its keys are named.

    >>> ranked_list({"answer": "5", "documents": [{"content": "four"}]}, Faults("retriever"))
    [{'content': 'four'}]
    """
    if isinstance(value, str):
        found = listed(value, faults, line=line, field=field or RETRIEVED_LIST, ordered=True)
        if found is not None:
            return found[:most]
    if isinstance(value, list):
        return value[:most]
    wrong: Any = value
    if isinstance(value, set | frozenset):
        wrong = Description(f"{shown(value)}: a set has no order")
    elif isinstance(value, Mapping):
        lists = _lists_in(value)
        if len(lists) == 1:
            return next(iter(lists.values()))[:most]
        wrong = _several(value, lists)
    elif isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return list(islice(value, most))
    faults.add(expected="a list", value=wrong, line=line, field=field)
    return []


def _several(value: Mapping[Any, Any], lists: Mapping[str, Any]) -> Description:
    named = [str(key) for key in value if plain(str(key)) in _LISTS]
    keys = ", ".join(str(key) for key in value)
    kind = f"a dict with the key{'' if len(value) == 1 else 's'} {keys}"
    wanted = named[0] if len(named) == 1 else next(iter(lists), None)
    return Description(
        f"{kind}: return the list of documents" + (f", as {wanted}" if wanted else "")
    )


def _lists_in(value: Mapping[Any, Any]) -> dict[str, list[Any]]:
    """The lists of documents in an object, or in the objects in it, by their path."""
    found: dict[str, list[Any]] = {}
    for key, inner in value.items():
        if isinstance(inner, list | tuple) and _holds_documents(key, inner):
            found[str(key)] = list(inner)
        elif isinstance(inner, Mapping):
            found |= {f"{key}.{path}": deep for path, deep in _lists_in(inner).items()}
    return found


def _holds_documents(key: Any, value: list[Any] | tuple[Any, ...]) -> bool:
    if not value:
        return plain(str(key)) in _LISTS
    records = [
        record_of(entry[0] if isinstance(entry, tuple) and entry else entry) for entry in value
    ]
    return all(record is not None and TEXT in PLACES.keys(record) for record in records)
