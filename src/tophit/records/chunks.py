"""Records of chunks put together as the relation: each chunk once, with a text or a place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl

from tophit.records.build import frame
from tophit.records.made import is_made
from tophit.records.places import place_from
from tophit.records.values import Description, Extras, Faults
from tophit.relations import CHUNK, CHUNKS, TEXT


def chunks_frame(rows: Sequence[Sequence[Any]]) -> pl.DataFrame:
    """The relation `chunks` from rows with all of its columns; `text` goes where none has one."""
    return frame(rows, CHUNKS, always=(CHUNK,) if rows else (CHUNK, TEXT))


def chunks_from_records(
    records: Iterable[tuple[int | None, Any]], faults: Faults, *, once: bool = True
) -> pl.DataFrame:
    """The relation `chunks` from records of chunks, each with its line; each chunk `once`.

    Errors: `InputError` with every fault.

    >>> chunks_from_records([(1, {"id": "c1", "content": "four"})], Faults("chunks")).rows()
    [('c1', 'four')]
    """
    extras = Extras(faults)
    lines: dict[str, int | None] = {}
    rows: list[tuple[Any, ...]] = []
    for line, record in records:
        chunk = place_from(record, faults, line=line, extras=extras)
        if chunk is None or chunk.id is None:
            continue
        if chunk.text is None and (chunk.doc is None or chunk.start is None):
            wanted = "a text, or doc with start and end"
            faults.add(expected=wanted, value=None, line=line, field=TEXT)
        if once and chunk.id in lines and not is_made(chunk.id):
            before = lines[chunk.id]
            where = "" if before is None else f", as in line {before}"
            found = Description(f"{chunk.id!r} again{where}")
            faults.add(expected="an id of its own", value=found, line=line, field="id")
        elif not once or chunk.id not in lines:
            lines[chunk.id] = line
            rows.append((chunk.id, chunk.text, *chunk[3:]))
    faults.check()
    return chunks_frame(rows)
