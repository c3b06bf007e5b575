"""The place lists on the way to what was retrieved: `{"bm25": [...], "fused": [...]}`.

A place whose chunk stands in the question's `retrieved` too is written as its id and score alone,
and gets its text and offsets from there when it is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from tophit.records.lists import ranked_list
from tophit.records.made import made_id
from tophit.records.places import place_from
from tophit.records.values import Faults
from tophit.relations import CHUNK, CHUNKS, QUERY, STAGE, STAGES, STAGES_LIST, schema

_CARRIED = [name for name in CHUNKS if name != CHUNK]


def stage_rows(
    given: Any, key: str, faults: Faults, *, line: int | None
) -> Iterator[tuple[Any, ...]]:  # fmt: skip
    """The rows of the relation `stages` of one record; what is wrong goes to `faults`.

    >>> list(stage_rows({"bm25": ["a"]}, "q1", Faults("run"), line=1))
    [('q1', 'bm25', 'a', 1, None, None, None, None, None, None)]
    """
    if given is None:
        return
    if not isinstance(given, Mapping):
        faults.add(expected="lists by the names of the stages", value=given, line=line,
                   field=STAGES_LIST)  # fmt: skip
        return
    for name, listed in given.items():
        field = f"{STAGES_LIST}.{name}"
        for rank, entry in enumerate(ranked_list(listed, faults, line=line, field=field), 1):
            place = place_from(entry, faults, line=line, field=f"{field}[{rank - 1}]")
            if place is not None:
                chunk, score, *rest = place
                yield key, str(name), chunk or made_id(place.text or ""), rank, score, *rest


def stages_frame(rows: list[tuple[Any, ...]], retrieved: pl.DataFrame) -> pl.DataFrame | None:
    """The relation `stages`; what a place leaves out is taken from `retrieved`. None of no rows."""
    if not rows:
        return None
    made = pl.DataFrame(rows, schema=schema(STAGES), orient="row")
    known = [name for name in _CARRIED if name in retrieved.columns]
    if not known:
        return made
    texts = retrieved.select(QUERY, CHUNK, *known).unique([QUERY, CHUNK], keep="first")
    joined = made.join(
        texts, on=[QUERY, CHUNK], how="left", maintain_order="left", suffix=":retrieved"
    )
    filled = [pl.coalesce(name, f"{name}:retrieved").alias(name) for name in known]
    return joined.with_columns(filled).select(made.columns)


def stages_written(
    stages: pl.DataFrame, retrieved: pl.DataFrame, names: Mapping[str, str]
) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """By query and stage, the places as records with the keys of `names` (key to column)."""
    held = set(retrieved.select(QUERY, CHUNK).iter_rows())
    short = {key: column for key, column in names.items() if column not in _CARRIED}
    written: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for row in stages.iter_rows(named=True):
        keys = short if (row[QUERY], row[CHUNK]) in held else names
        place = {key: row[column] for key, column in keys.items() if row.get(column) is not None}
        written.setdefault(row[QUERY], {}).setdefault(row[STAGE], []).append(place)
    return written
