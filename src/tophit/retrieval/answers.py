"""From whatever a retriever returns for one question to `Found`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tophit.records.lists import ranked_list
from tophit.records.places import Place, place_from
from tophit.records.values import Faults
from tophit.relations import ABSTAINED, ANSWER, RETRIEVED_LIST, STAGES_LIST
from tophit.retrieval.protocol import Found

_KINDS = {ANSWER: (str, "text"), ABSTAINED: (bool, "true or false")}


def found_of(returned: Any, *, depth: int) -> Found:
    """The places of an answer: a list, or a dict with `retrieved` and perhaps `stages`, `answer`.

    Of another dict, the one list of documents in it is taken (`records.lists`).
    Errors: `InputError` for text, None, a dict without documents, or an item that is no place.

    >>> found = found_of(["b", ("a", 0.5)], depth=1)
    >>> [place.id for place in found.places], found.too_many
    (['b'], True)
    >>> found_of({"retrieved": ["a"], "stages": {"bm25": ["b", "a"]}}, depth=4).stages["bm25"][0].id
    'b'
    """
    faults = Faults("retriever")
    if isinstance(returned, Found):
        found = returned
    elif isinstance(returned, Mapping) and RETRIEVED_LIST in returned:
        found = Found(
            places=_places(returned[RETRIEVED_LIST], RETRIEVED_LIST, faults, depth + 1),
            stages=_stages(returned.get(STAGES_LIST), faults),
            **{name: _of_type(returned.get(name), name, faults) for name in _KINDS},
        )
    else:
        found = Found(places=_places(returned, "", faults, depth + 1))
    faults.check()
    return replace(found, places=found.places[:depth], too_many=len(found.places) > depth)


def _places(
    listed: Any, field: str, faults: Faults, most: int | None = None
) -> tuple[Place, ...]:  # fmt: skip
    entries = ranked_list(listed, faults, field=field or None, most=most)
    found = (place_from(entry, faults, field=f"{field}[{at}]") for at, entry in enumerate(entries))
    return tuple(place for place in found if place is not None)


def _stages(given: Any, faults: Faults) -> dict[str, tuple[Place, ...]]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        faults.add(expected="lists by the names of the stages", value=given, field=STAGES_LIST)
        return {}
    return {
        str(name): _places(listed, f"{STAGES_LIST}.{name}", faults)
        for name, listed in given.items()
    }


def _of_type(value: Any, name: str, faults: Faults) -> Any:
    kind, expected = _KINDS[name]
    if value is None or isinstance(value, kind):
        return value
    faults.add(expected=expected, value=value, field=name)
    return None
