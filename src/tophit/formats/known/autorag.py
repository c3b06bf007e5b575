"""`autorag`: question and corpus tables of AutoRAG, as Parquet or CSV.

    qid, query, retrieval_gt    a list of lists of ids: every inner list is a set of alternatives,
                                and all outer ones are wanted
    doc_id, contents            the corpus, a row a passage

`retrieval_gt` may also be a list of ids, all of them wanted, or one id.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from tophit.formats.definition import Format, Role, roles
from tophit.formats.reading.files import Source
from tophit.formats.reading.rows import rows
from tophit.formats.reading.sniff import sample
from tophit.records.build import QuestionsBuilder
from tophit.records.cells import listed
from tophit.records.chunks import chunks_frame
from tophit.records.questions import Alternative, Item
from tophit.records.values import Description, Faults, Values, id_of
from tophit.relations import Questions


def recognise(source: Source) -> frozenset[Role]:
    """By the columns `qid` and `retrieval_gt`, or `doc_id` and `contents`."""
    seen = sample(source)
    if seen.has("qid", "retrieval_gt"):
        return roles("questions")
    return roles("chunks") if seen.has("doc_id", "contents") else roles()


def read_questions(source: Source) -> Questions:
    """Read the questions. Errors: `InputError` with line and field of every fault."""
    builder = QuestionsBuilder(source)
    for line, record in rows(source):
        wanted = _wanted(record.get("retrieval_gt"), builder.faults, line)
        items = [Item(tuple(Alternative(id=key) for key in keys)) for keys in wanted]
        builder.add(record.get("qid"), items, question=record.get("query"), line=line, field="qid")
    return builder.build()


def _wanted(value: Any, faults: Faults, line: int | None) -> list[list[str]]:
    if value is None:
        faults.add(expected="a list", value=None, line=line, field="retrieval_gt")
        return []
    entries = listed(value, faults, line=line, field="retrieval_gt", words=True)
    entries = [value] if entries is None else entries
    found = []
    for at, entry in enumerate(entries):
        options = entry if isinstance(entry, list) else [entry]
        keys = [id_of(option) for option in options]
        if None in keys:
            field = f"retrieval_gt[{at}]"
            faults.add(expected="an id or a list of ids", value=entry, line=line, field=field)
        if filled := [key for key in keys if key is not None]:
            found.append(filled)
    return found


def read_chunks(source: Source) -> pl.DataFrame:
    """Read the corpus. Errors: `InputError` with line and field of every fault."""
    faults = Faults(source.name)
    found: dict[str, tuple[Any, ...]] = {}
    for line, record in rows(source):
        values = Values(record, faults, line=line)
        key, text = values.id("doc_id"), values.text("contents")
        if key is not None and key in found:
            expected, again = "an id of its own", Description(f"{key!r} again")
            faults.add(expected=expected, value=again, line=line, field="doc_id")
        if key is not None:
            found[key] = (key, text or "", None, None, None, None)
    faults.check()
    return chunks_frame(list(found.values()))


FORMAT = Format(
    name="autorag",
    description="question and corpus tables of AutoRAG",
    recognise=recognise,
    keys=(("qid",), ("retrieval_gt",)),
    read_questions=read_questions,
    read_chunks=read_chunks,
)
