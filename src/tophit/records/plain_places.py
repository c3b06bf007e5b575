"""The places of runs, all at once, where every field has its own name and its plain type.

Looking at a million places one by one takes seconds; whatever is unusual here is left to that
way, which names its faults.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import polars as pl

from tophit.records.values import BLANK_MARKS
from tophit.relations import (
    CHUNK,
    DOC,
    END,
    RANK,
    RETRIEVED,
    SCORE,
    START,
    TEXT,
    TOKENS,
    schema,
)

_TEXT: frozenset[type] = frozenset({str, type(None)})
_COUNT: frozenset[type] = frozenset({int, type(None)})
_COLUMNS: dict[str, tuple[str, frozenset[type]]] = {
    "id": (CHUNK, frozenset({str})),
    "score": (SCORE, frozenset({float, int, type(None)})),
    "text": (TEXT, _TEXT),
    "doc": (DOC, _TEXT),
    "start": (START, _COUNT),
    "end": (END, _COUNT),
    "tokens": (TOKENS, _COUNT),
}


def plain_places(lists: Sequence[Any]) -> pl.DataFrame | None:
    """The relation `retrieved` of all lists but the query, or None where one needs a closer look.

    >>> plain_places([[{"id": "c7"}, {"id": "c8"}], [{"id": "c7"}]]).rows()
    [('c7', 1), ('c8', 2), ('c7', 1)]
    """
    if set(map(type, lists)) - {list}:
        return None
    entries = list(chain.from_iterable(lists))
    kinds = set(map(type, entries))
    if kinds == {str}:
        columns: dict[str, list[Any]] = {CHUNK: entries}
    elif kinds - {dict} or (columns := _columns(entries)) is None:  # type: ignore[assignment]
        return None
    try:
        places = pl.DataFrame(columns, schema=schema(RETRIEVED, only=list(columns)))
    except (OverflowError, TypeError, UnicodeEncodeError, pl.exceptions.PolarsError):
        return None
    ids = [name for name in (CHUNK, DOC) if name in places.columns]
    places = places.with_columns(pl.col(ids).str.strip_chars(BLANK_MARKS))
    if not _are_fine(places):
        return None
    ranks = list(chain.from_iterable(range(1, len(found) + 1) for found in lists))
    places = places.with_columns(pl.Series(RANK, ranks, pl.Int64))
    kept = (CHUNK, RANK)
    filled = [n for n in places.columns if n in kept or places[n].null_count() < places.height]
    return places.select(name for name in RETRIEVED if name in filled)


def _columns(entries: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]] | None:
    names = set(chain.from_iterable(entries))
    if names - set(_COLUMNS):
        return None
    columns = {}
    for name in sorted(names | {"id"}):
        column, kinds = _COLUMNS[name]
        values = [entry.get(name) for entry in entries]
        if set(map(type, values)) - kinds:
            return None
        columns[column] = values
    return columns


def _are_fine(places: pl.DataFrame) -> bool:
    ids = [name for name in (CHUNK, DOC) if name in places.columns]
    checks = [(pl.col(name) != "").all() for name in ids]
    if SCORE in places.columns:
        checks.append(pl.col(SCORE).is_not_nan().all())
    checks += [(pl.col(n) >= 0).all() for n in (START, END, TOKENS) if n in places.columns]
    if START in places.columns and END in places.columns:
        checks.append((pl.col(START).is_null() == pl.col(END).is_null()).all())
        checks.append((pl.col(START) <= pl.col(END)).all())
    elif START in places.columns or END in places.columns:
        return False
    return all(places.select(check.alias(str(at)) for at, check in enumerate(checks)).row(0))
