"""The places of a ranked list, from whatever a retriever returns."""

from __future__ import annotations

from typing import Any

from tophit.records.lists import ranked_list
from tophit.records.places import Place, place_from
from tophit.records.values import Faults

__all__ = ["Place", "places_of"]


def places_of(found: Any, *, depth: int) -> list[Place]:
    """The first `depth` places of what a retriever returned for one question.

    A list, best first, of whatever `records.places.place_from` takes; or an object in which one key
    holds the list of documents.
    Errors: `InputError` for anything else, such as a set or nothing.

    >>> places_of(["b", ("a", 0.5)], depth=1)[0].id
    'b'
    """
    faults = Faults("retriever")
    listed = ranked_list(found, faults, most=depth)
    places = [place_from(item, faults, field=f"[{at}]") for at, item in enumerate(listed)]
    faults.check()
    return [place for place in places if place is not None]
