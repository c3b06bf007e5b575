"""`llama-index`: an `EmbeddingQAFinetuneDataset` of LlamaIndex.

    {"queries": {qid: text}, "corpus": {node_id: text}, "relevant_docs": {qid: [node_id]}}

An item is a node: its id, and its text where the corpus has it. The corpus is read as chunks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import polars as pl

from tophit.formats.definition import Format, Losses, Role, roles
from tophit.formats.reading import jsontext
from tophit.formats.reading.files import Source, StrPath, atomic_write
from tophit.formats.reading.sniff import sample
from tophit.formats.writing.losses import (
    alternatives_lost,
    columns_lost,
    match_ids,
    not_carried,
    questions_lost,
    refuse_nothing_left,
    without_grades,
)
from tophit.records.build import QuestionsBuilder
from tophit.records.chunks import chunks_frame
from tophit.records.made import made_id
from tophit.records.questions import Alternative, Item
from tophit.records.values import Faults, id_of
from tophit.relations import CHUNK, GRADE, ITEM, QUERY, QUESTION, TEXT, Questions

_NAME = "llama-index"


def recognise(source: Source) -> frozenset[Role]:
    """One object with `queries` and `relevant_docs`."""
    is_one = sample(source).kind == "json" and sample(source).has("queries", "relevant_docs")
    return roles("questions", "chunks") if is_one else roles()


def _part(source: Source, name: str) -> Mapping[str, Any]:
    whole = jsontext.document(source)
    part = whole.get(name) if isinstance(whole, dict) else None
    if not isinstance(part, dict):
        jsontext.records(source)
        raise source.error(f"one object with an object {name!r}", "another JSON value")
    return part


def read_questions(source: Source) -> Questions:
    """Read the questions. Errors: `InputError` with the place of every fault."""
    builder = QuestionsBuilder(source)
    relevant, corpus = _part(source, "relevant_docs"), _part(source, "corpus")
    for query, question in _part(source, "queries").items():
        nodes = relevant.get(query)
        field = f"relevant_docs: {query!r}"
        if not isinstance(nodes, list):
            builder.faults.add(expected="a list of ids", value=nodes, field=field)
            nodes = []
        keys = [id_of(node) for node in nodes]
        for at, key in enumerate(keys):
            if key is None:
                builder.faults.add(expected="an id", value=nodes[at], field=f"{field}[{at}]")
        items = [
            Item((Alternative(id=key, text=_text(corpus, key)),)) for key in keys if key is not None
        ]
        builder.add(query, items, question=question, field=f"queries: {query!r}")
    for query in relevant:
        if query not in _part(source, "queries"):
            field = f"relevant_docs: {query!r}"
            builder.faults.add(expected="a query of the file", value=query, field=field)
    return builder.build()


def _text(corpus: Mapping[str, Any], key: str) -> str | None:
    text = corpus.get(key)
    return text if isinstance(text, str) and text.strip() else None


def read_chunks(source: Source) -> pl.DataFrame:
    """Read the corpus. Errors: `InputError` with the place of every fault."""
    faults = Faults(source.name)
    rows: list[tuple[Any, ...]] = []
    for key, text in _part(source, "corpus").items():
        if id_of(key) is None or not isinstance(text, str):
            expected, value = ("text", text) if id_of(key) else ("an id", key)
            faults.add(expected=expected, value=value, field=f"corpus: {key!r}")
        rows.append((key, text, None, None, None, None))
    faults.check()
    return chunks_frame(rows)


def write_questions(questions: Questions, path: StrPath) -> Losses:
    """Write the questions; an item without an id becomes a node whose id is made of its text.

    Returns what cannot be carried: tags, grades, alternatives, places in documents.
    """
    judgments, ungraded = without_grades(match_ids(questions.judgments), format=_NAME)
    if TEXT not in judgments.columns:
        judgments = judgments.with_columns(pl.lit(None, pl.String).alias(TEXT))
    corpus: dict[str, str] = {}
    relevant: dict[str, list[str]] = {query: [] for query in questions.queries[QUERY]}
    nothing = clashes = 0
    for query, key, text in judgments.select(QUERY, CHUNK, TEXT).iter_rows():
        node = made_id(text) if key is None and text is not None else key
        if node is None:
            nothing += 1
            continue
        if node not in relevant[query]:
            relevant[query].append(node)
        if text is not None:
            clashes += corpus.setdefault(node, text) != text
    # A question that loses all of its items would become unanswerable, so it is left out.
    emptied = {query for query in set(judgments[QUERY]) if not relevant[query]}
    relevant = {query: nodes for query, nodes in relevant.items() if query not in emptied}
    refuse_nothing_left(len(relevant), len(emptied), questions, format=_NAME)
    rows = questions.queries.iter_rows(named=True)
    queries = {row[QUERY]: row.get(QUESTION) or "" for row in rows if row[QUERY] in relevant}
    with atomic_write(path) as file:
        whole = {"queries": queries, "corpus": corpus, "relevant_docs": relevant, "mode": "text"}
        json.dump(whole, file, ensure_ascii=False, indent=4)
        file.write("\n")
    lost = ungraded + questions_lost(len(emptied), format=_NAME)
    return lost + _lost(questions, judgments, nothing, clashes)


def _lost(questions: Questions, judgments: pl.DataFrame, nothing: int, clashes: int) -> Losses:
    kept = (QUERY, ITEM, CHUNK, TEXT, GRADE)
    return (
        *columns_lost(questions.queries, kept=(QUERY, QUESTION), format=_NAME, of="questions"),
        *alternatives_lost(judgments, format=_NAME),
        *not_carried(nothing, "expected items without an id or a text", format=_NAME),
        *not_carried(clashes, "second texts of one id", format=_NAME),
        *columns_lost(judgments, kept=kept, format=_NAME, of="expected items"),
    )


FORMAT = Format(
    name=_NAME,
    description="question sets of LlamaIndex (EmbeddingQAFinetuneDataset)",
    recognise=recognise,
    keys=(("queries",), ("relevant_docs",)),
    read_questions=read_questions,
    read_chunks=read_chunks,
    write_questions=write_questions,
)
