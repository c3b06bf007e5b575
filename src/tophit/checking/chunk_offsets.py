"""Whether the chunks of the index stand where their offsets say, by their documents or lengths."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import polars as pl

from tophit.checking.codes import Finding
from tophit.checking.offsets import agrees, explained
from tophit.checking.places import Library, Place
from tophit.documents import resolve_doc_ids
from tophit.errors import InputError
from tophit.records.offsets import refuse_offsets
from tophit.relations import CHUNK, DOC, END, START, TEXT

_CODE = "wrong_chunk_offsets"


def check_chunk_offsets(index: pl.DataFrame, library: Library | None) -> Iterator[Finding]:
    """One finding for all chunks whose offsets are wrong, with what they seem to count.

    >>> index = pl.DataFrame({"chunk_id": ["c"], "text": ["cat"], "doc_id": ["d"],
    ...                       "start": [0], "end": [3]})
    >>> [found.count for found in check_chunk_offsets(index, Library({"d": "a cat"}))]
    [1]
    """
    if not {TEXT, DOC, START, END} <= set(index.columns):
        return
    try:
        for doubt in refuse_offsets(index, name="chunks"):
            yield Finding(code=_CODE, query_id=None, message=doubt.message, count=doubt.count)
    except InputError as error:
        fault = error.faults[0]
        message = f"{fault.field}: expected {fault.expected}, found {fault.found}"
        yield Finding(code=_CODE, query_id=None, message=message)
        return
    if library is not None:
        yield from _in_documents(index, library)


def _in_documents(index: pl.DataFrame, library: Library) -> Iterator[Finding]:
    rows = index.drop_nulls([TEXT, DOC, START, END])
    named = resolve_doc_ids(rows[DOC].unique(maintain_order=True), library.ids)
    reasons: Counter[str] = Counter()
    first = ""
    for key, text, doc, start, end in rows.select(CHUNK, TEXT, DOC, START, END).iter_rows():
        name = named.get(doc)
        place = None if name is None else Place(name, start, end)
        if place is None or agrees(text, place, library):
            continue
        there = library.documents[place.doc][start:end].strip()
        if there and there in text:
            continue  # with its title in front, say
        first = first or f"{key!r}, {start} to {end}"
        reasons[explained(text.strip(), place, library).reason] += 1
    if reasons:
        count, (reason, _) = reasons.total(), reasons.most_common(1)[0]
        message = (
            f"{count:,} of {rows.height:,} chunks stand elsewhere, the first {first}: {reason}"
        )
        yield Finding(code=_CODE, query_id=None, message=message, count=count)
