"""`ragas`: samples of Ragas, as JSON lines, a JSON array, CSV or Parquet.

    user_input, reference_contexts, reference_context_ids, retrieved_contexts,
    retrieved_context_ids, response, reference

and, before version 0.2, `question, contexts, answer, ground_truth`. A list in CSV is what Python
prints. Texts and ids of one list stand side by side. The ids of questions go into a field `id`,
which Ragas does not read; without it the questions are called by their text.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from tophit.errors import UsageError
from tophit.formats.definition import Format, Losses, Role, roles
from tophit.formats.reading import samples
from tophit.formats.reading.files import Source, StrPath, atomic_write, plain_name
from tophit.formats.reading.sniff import sample
from tophit.formats.writing.losses import (
    alternatives_lost,
    columns_lost,
    in_order,
    match_ids,
    not_carried,
    questions_lost,
    refuse_nothing_left,
    run_losses,
    silent_queries,
    without_grades,
)
from tophit.relations import (
    ANSWER,
    CHUNK,
    GRADE,
    ITEM,
    QUERY,
    QUESTION,
    RANK,
    TEXT,
    Questions,
    Run,
)

_FIELDS = samples.Fields(
    question=("user_input", "question"),
    passages=("reference_contexts",),
    passage_ids=("reference_context_ids",),
    answers=("reference", "ground_truth", "ground_truths"),
    retrieved=("retrieved_contexts", "contexts"),
    retrieved_ids=("retrieved_context_ids",),
    response=("response", "answer"),
)
_NAME = "ragas"


def recognise(source: Source) -> frozenset[Role]:
    """By `user_input`, or by `question` with `contexts` or `ground_truth`."""
    seen = sample(source)
    if not seen.has("user_input") and not (
        seen.has("question") and seen.has_any("contexts", "ground_truth", "reference_contexts")
    ):
        return roles()
    found: set[Role] = set()
    if seen.has_any(*_FIELDS.passages, *_FIELDS.passage_ids, *_FIELDS.answers):
        found.add("questions")
    if seen.has_any(*_FIELDS.retrieved, *_FIELDS.retrieved_ids):
        found.add("run")
    return frozenset(found)


def read_questions(source: Source) -> Questions:
    """Read the questions. Errors: `InputError` with the line and field of every fault."""
    return samples.read_questions(source, _FIELDS)


def read_run(source: Source, name: str | None) -> Run:
    """Read what was retrieved. Errors: `InputError` with the line and field of every fault."""
    return samples.read_run(source, _FIELDS, name)


def write_questions(questions: Questions, path: StrPath) -> Losses:
    """Write the questions and their passages; returns what cannot be carried."""
    records, lost = _question_records(questions)
    _write(records, path)
    return lost


def write_run(run: Run, path: StrPath) -> Losses:
    """Write what was retrieved and answered; returns what cannot be carried."""
    records, lost = _run_records(run)
    _write(records, path)
    return lost


def write_both(questions: Questions, run: Run, path: StrPath) -> Losses:
    """Write questions and run as one record a question; returns what cannot be carried."""
    asked, lost = _question_records(questions)
    retrieved, also_lost = _run_records(run)
    silent: dict[str, Any] = {"retrieved_contexts": []}
    records = {key: {**record, **retrieved.get(key, silent)} for key, record in asked.items()}
    not_asked = len(set(retrieved) - set(questions.queries[QUERY]))
    _write(records, path)
    return lost + also_lost + not_carried(not_asked, "queries that were not asked", format=_NAME)


def _question_records(questions: Questions) -> tuple[dict[str, dict[str, Any]], Losses]:
    judgments, ungraded = without_grades(match_ids(questions.judgments), format=_NAME)
    if TEXT not in judgments.columns:
        judgments = judgments.with_columns(pl.lit(None, pl.String).alias(TEXT))
    lists: dict[str, list[tuple[str | None, str | None]]] = {}
    for query, key, text in judgments.select(QUERY, CHUNK, TEXT).iter_rows():
        lists.setdefault(query, []).append((key, text))
    records: dict[str, dict[str, Any]] = {}
    counts: Counter[str] = Counter()
    for row in questions.queries.iter_rows(named=True):
        pieces = lists.get(row[QUERY], [])
        fields = _fields(pieces, counts)
        if pieces and not any(fields.values()):
            # Written down without its items it would become unanswerable.
            counts["emptied"] += 1
            continue
        records[row[QUERY]] = {"id": row[QUERY], "user_input": row.get(QUESTION), **fields}
    refuse_nothing_left(len(records), counts["emptied"], questions, format=_NAME)
    kept = (QUERY, ITEM, CHUNK, TEXT, GRADE)
    lost = (
        *columns_lost(questions.queries, kept=(QUERY, QUESTION), format=_NAME, of="questions"),
        *ungraded,
        *alternatives_lost(judgments, format=_NAME),
        *not_carried(counts["textless"], "expected items without a text", format=_NAME),
        *not_carried(counts["ids"], "ids beside passages without one", format=_NAME),
        *not_carried(counts["texts"], "texts beside ids without one", format=_NAME),
        *questions_lost(counts["emptied"], format=_NAME),
        *columns_lost(judgments, kept=kept, format=_NAME, of="expected items"),
    )
    return records, lost


def _fields(
    pieces: list[tuple[str | None, str | None]], counts: Counter[str]
) -> dict[str, list[str]]:
    """The lists of a question: texts, ids, or both side by side; `counts` what is left out."""
    texts = [text for _, text in pieces if text is not None]
    ids = [key for key, _ in pieces if key is not None]
    if len(ids) == len(pieces) and len(texts) < len(pieces):
        counts["texts"] += len(texts)
        return {"reference_context_ids": ids}
    counts["textless"] += len(pieces) - len(texts)
    if not ids:
        return {"reference_contexts": texts}
    beside = [key for key, text in pieces if key is not None and text is not None]
    if len(beside) < len(texts):
        counts["ids"] += len(beside)
        return {"reference_contexts": texts}
    return {"reference_contexts": texts, "reference_context_ids": beside}


def _run_records(run: Run) -> tuple[dict[str, dict[str, Any]], Losses]:
    places = in_order(run.retrieved)
    has_text = TEXT in places.columns and places[TEXT].null_count() == 0
    silent = silent_queries(run)
    field = "retrieved_contexts"
    records: dict[str, dict[str, Any]] = {query: {"id": query, field: []} for query in silent}
    for row in places.iter_rows(named=True):
        record = records.setdefault(row[QUERY], {"id": row[QUERY]})
        if has_text:
            record.setdefault(field, []).append(row[TEXT])
        elif not record.get(field, [None]):
            del record[field]
        record.setdefault("retrieved_context_ids", []).append(row[CHUNK])
    kept = (QUERY, CHUNK, RANK, TEXT) if has_text else (QUERY, CHUNK, RANK)
    lost = run_losses(run, kept=kept, format=_NAME, answers=True)
    if run.answers is not None:
        lost += columns_lost(run.answers, kept=(QUERY, ANSWER), format=_NAME, of="the run")
        if ANSWER in run.answers.columns:
            for query, answer in run.answers.select(QUERY, ANSWER).iter_rows():
                records.setdefault(query, {"id": query})["response"] = answer
    return records, lost


def _write(records: Mapping[str, Mapping[str, Any]], path: StrPath) -> None:
    name = plain_name(Path(path)).lower()
    if name.endswith((".csv", ".tsv", ".parquet", ".pq")):
        raise UsageError(f"ragas is written as JSON lines, not as {Path(name).suffix}")
    with atomic_write(path) as file:
        for record in records.values():
            file.write(json.dumps(record, ensure_ascii=False))
            file.write("\n")
        if not records:
            file.write("[]\n")


FORMAT = Format(
    name=_NAME,
    description="samples of Ragas: questions, reference and retrieved contexts, answers",
    recognise=recognise,
    keys=(_FIELDS.question, (*_FIELDS.passages, *_FIELDS.passage_ids, *_FIELDS.retrieved)),
    read_questions=read_questions,
    read_run=read_run,
    write_questions=write_questions,
    write_run=write_run,
    write_both=write_both,
)
