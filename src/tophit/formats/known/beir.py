"""`beir`: a folder in the layout of BEIR.

    corpus.jsonl   {"_id", "title", "text"}
    queries.jsonl  {"_id", "text"}
    qrels/*.tsv    with the header query-id, corpus-id, score

The questions are those with a line in the qrels, as BEIR's own loader takes them; of several
splits `test.tsv` is read. The corpus is read as chunks, the title in front of the text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from tophit.errors import DataWarning, OutputError, UsageError
from tophit.formats.definition import Format, Losses, Role, roles
from tophit.formats.known import table
from tophit.formats.known.trec import number_text
from tophit.formats.reading import jsontext
from tophit.formats.reading.files import STDIO, Source, StrPath, atomic_write
from tophit.formats.reading.sniff import sample
from tophit.formats.writing.losses import columns_lost, only_ids
from tophit.records.build import frame
from tophit.records.chunks import chunks_frame
from tophit.records.values import Description, Faults, Values
from tophit.relations import CHUNK, GRADE, ITEM, QUERIES, QUERY, QUESTION, TEXT, Questions

_NAME = "beir"
_PACKINGS = ("", ".gz", ".zst")


def recognise(source: Source) -> frozenset[Role]:
    """A folder with queries and qrels, or with a corpus; a corpus file on its own."""
    if not source.is_folder:
        is_corpus = sample(source).kind == "json" and sample(source).has("_id", "text", "title")
        return roles("chunks") if is_corpus else roles()
    found: set[Role] = set()
    if _file(source.path, "queries.jsonl") and _splits(source.path):
        found.add("questions")
    if _file(source.path, "corpus.jsonl"):
        found.add("chunks")
    return frozenset(found)


def _file(folder: Path, name: str) -> Path | None:
    paths = (folder / (name + packing) for packing in _PACKINGS)
    return next((path for path in paths if path.is_file()), None)


def _splits(folder: Path) -> list[Path]:
    found = [path for packing in _PACKINGS for path in (folder / "qrels").glob(f"*.tsv{packing}")]
    return sorted(found, key=lambda path: (path.name.split(".")[0] != "test", path.name))


def _needed(source: Source, path: Path | None, name: str) -> Source:
    if path is None:
        raise source.error(f"a folder with {name}", "none there" if source.is_folder else "a file")
    return Source(path)


def _records(source: Source, faults: Faults) -> Iterable[tuple[str, Values, Mapping[str, Any]]]:
    lines: dict[str, int] = {}
    for line, record in jsontext.records(source):
        if not isinstance(record, dict) or "_id" not in record:
            faults.add(expected='an object with "_id"', value=record, line=line)
            continue
        values = Values(record, faults, line=line)
        key = values.id("_id")
        if key is not None and key in lines:
            again = Description(f"{key!r} again, as in line {lines[key]}")
            faults.add(expected="an id of its own", value=again, line=line, field="_id")
        elif key is not None:
            lines[key] = line
            yield key, values, record


def read_questions(source: Source) -> Questions:
    """Read the questions of a folder. Errors: `InputError` with all faults of its files."""
    splits = _splits(source.path) if source.is_folder else []
    qrels = table.read_questions(_needed(source, next(iter(splits), None), "qrels/*.tsv"))
    queries = _needed(source, _file(source.path, "queries.jsonl"), "queries.jsonl")
    faults = Faults(queries.name)
    texts = {key: values.text("text") for key, values, _ in _records(queries, faults)}
    faults.check()
    asked = qrels.queries[QUERY].to_list()
    unknown = [key for key in asked if key not in texts]
    for key in unknown:
        found = Description("none in the file")
        faults.add(expected=f"the query {key!r} of {qrels.source}", value=found, field="_id")
    faults.check()
    questions = [(key, texts[key] or None) for key in asked]
    asked_for = frame(questions, QUERIES, always=(QUERY,))
    warnings = _unread(splits[1:]) + _not_asked(len(texts) - len(asked), splits[0])
    return Questions(
        queries=asked_for, judgments=qrels.judgments, source=source.name, warnings=warnings
    )


def _unread(splits: list[Path]) -> tuple[DataWarning, ...]:
    if not splits:
        return ()
    names = ", ".join(f"qrels/{path.name}" for path in splits)
    message = f"other splits that were not read: {names} (give the path of one to read it)"
    return (DataWarning(code="splits_not_read", count=len(splits), message=message),)


def _not_asked(count: int, split: Path) -> tuple[DataWarning, ...]:
    if not count:
        return ()
    message = f"{count:,} queries have no line in qrels/{split.name} and are left out"
    return (DataWarning(code="queries_without_qrels", count=count, message=message),)


def read_chunks(source: Source) -> pl.DataFrame:
    """Read the corpus. Errors: `InputError` with all faults of the file."""
    corpus = source
    if source.is_folder:
        corpus = _needed(source, _file(source.path, "corpus.jsonl"), "corpus.jsonl")
    faults = Faults(corpus.name)
    rows = []
    for key, values, _ in _records(corpus, faults):
        title, text = values.text("title"), values.text("text") or ""
        whole = f"{title}\n{text}" if title else text
        rows.append((key, whole, None, None, None, None))
    faults.check()
    return chunks_frame(rows)


def _folder(path: StrPath) -> Path:
    if str(path) == STDIO:
        raise UsageError("beir is a folder of files, which cannot go to standard output")
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from error
    return folder


def write_questions(questions: Questions, path: StrPath) -> Losses:
    """Write `queries.jsonl` and `qrels/test.tsv` into a folder; returns what cannot be carried.

    Errors: `UsageError` where no item has an id.
    """
    held = only_ids(questions, format=_NAME, kept=(QUERY, QUESTION))
    folder = _folder(path)
    _folder(folder / "qrels")
    with atomic_write(folder / "queries.jsonl") as file:
        for row in questions.queries.iter_rows(named=True):
            record = {"_id": row[QUERY], "text": row.get(QUESTION) or "", "metadata": {}}
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
    header = {QUERY: "query-id", ITEM: "corpus-id", GRADE: "score"}
    with atomic_write(folder / "qrels" / "test.tsv") as file:
        lines = held.rows.select(QUERY, ITEM, pl.col(GRADE).map_elements(number_text, pl.String))
        file.write(lines.rename(header).write_csv(separator="\t"))
    return held.lost


def write_chunks(chunks: pl.DataFrame, path: StrPath) -> Losses:
    """Write `corpus.jsonl` into a folder; returns what cannot be carried."""
    folder = _folder(path)
    with atomic_write(folder / "corpus.jsonl") as file:
        for key, text in chunks.select(CHUNK, TEXT).iter_rows():
            record = {"_id": key, "title": "", "text": text, "metadata": {}}
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
    return columns_lost(chunks, kept=(CHUNK, TEXT), format=_NAME, of="chunks")


FORMAT = Format(
    name=_NAME,
    description="folder in the layout of BEIR: corpus.jsonl, queries.jsonl, qrels/*.tsv",
    recognise=recognise,
    read_questions=read_questions,
    read_chunks=read_chunks,
    write_questions=write_questions,
    write_chunks=write_chunks,
)
