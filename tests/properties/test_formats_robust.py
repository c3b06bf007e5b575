"""Whatever a file holds, reading it gives relations or an error on purpose, never a traceback."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tophit.errors import InputError, TophitError
from tophit.formats import FORMATS, read_chunks, read_questions, read_run
from tophit.relations import CHUNKS, JUDGMENTS, RETRIEVED, schema

SAMPLES = sorted((Path(__file__).parents[1] / "golden" / "formats" / "samples").glob("*.*"))
READERS = {"questions": read_questions, "run": read_run, "chunks": read_chunks}
KEYS = (
    "id", "text", "expected", "retrieved", "any_of", "grade", "score", "doc", "start", "end",
    "tags", "question", "answers", "ctxs", "contexts", "data", "paragraphs", "context", "qas",
    "queries", "relevant_docs", "corpus", "results", "query_id", "retrieved_context", "tests",
    "snippets", "span", "file_path", "user_input", "reference_contexts", "reference_context_ids",
    "retrieved_contexts", "input", "retrieval_context", "expected_chunks", "metadata",
    "qa_retrieved_documents", "qid", "retrieval_gt", "doc_id", "contents", "required_chunks",
    "questions", "references", "content", "start_index", "_id", "response", "result", "output",
)  # fmt: skip
LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=4),
    st.sampled_from(["", " ", "a", "['a']", "[1", "id"]),
)  # fmt: skip
JSON = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=12,
)
FEW = settings(max_examples=15)


def read_every_way(path: Path, formats: list[str | None]) -> None:
    for format in formats:
        for role, reader in READERS.items():
            if format is not None and role not in FORMATS[format].reads:
                continue
            try:
                found = reader(path, format=format)
            except TophitError as error:
                check_error(error)
            else:
                check(found)


def check_error(error: TophitError) -> None:
    """An error says something, and where it is."""
    assert str(error)
    if isinstance(error, InputError):
        assert all(fault.file and fault.expected for fault in error.faults)


def check(found: Any) -> None:
    """What was read has the relations' columns, types and ids."""
    if isinstance(found, pl.DataFrame):
        frame, relation, ids = found, CHUNKS, ["chunk_id"]
    elif hasattr(found, "judgments"):
        frame, relation, ids = found.judgments, JUDGMENTS, ["query_id", "item_id"]
        assert found.queries["query_id"].is_unique().all()
        assert found.queries["query_id"].null_count() == 0
    else:
        frame, relation, ids = found.retrieved, RETRIEVED, ["query_id", "chunk_id"]
        assert {"rank", "score"} & set(frame.columns)
    assert dict(frame.schema) == schema(relation, only=frame.columns)
    for name in ids:
        assert frame[name].null_count() == 0
        assert (frame[name].str.strip_chars() != "").all()


@pytest.mark.parametrize("sample", [s for s in SAMPLES if s.is_file()], ids=lambda s: s.name)
@FEW
@given(data=st.data())
def test_damaged_samples(sample: Path, data: st.DataObject) -> None:
    whole = sample.read_bytes()
    start = data.draw(st.integers(0, len(whole)))
    stop = data.draw(st.integers(start, len(whole)))
    added = data.draw(
        st.one_of(
            st.binary(max_size=6), st.sampled_from([b"\n", b'"', b"null", b"[", b"\t\t", b"}"])
        )
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / sample.name
        path.write_bytes(whole[:start] + added + whole[stop:])
        read_every_way(path, [None])


@FEW
@given(value=st.one_of(JSON, st.lists(st.dictionaries(st.sampled_from(KEYS), JSON), max_size=3)))
def test_any_json_in_any_format(value: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.json"
        path.write_text(json.dumps(value), "utf-8")
        read_every_way(path, [None, *FORMATS])


@FEW
@given(data=st.one_of(st.binary(max_size=60), st.text(max_size=60).map(str.encode)))
def test_any_bytes_in_any_format(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a"
        path.write_bytes(data)
        read_every_way(path, [None, *FORMATS])


HEADERS = st.lists(
    st.sampled_from(["qid", "query_id", "docno", "chunk_id", "item_id", "rank", "score", "text",
                     "grade", "doc_id", "start", "end", "tokens", "answer", "abstained", "tag.a",
                     "question", "references", "retrieval_gt", "user_input", "contexts"]),
    min_size=2, max_size=6, unique=True,
)  # fmt: skip
CELLS = st.one_of(
    st.integers(-2, 3).map(str),
    st.sampled_from(["", "a", "1.5", "true", "nan", '"', "['a']", "\n"]),
)


@FEW
@given(data=st.data(), header=HEADERS, separator=st.sampled_from([",", "\t", ";"]))
def test_any_table(data: st.DataObject, header: list[str], separator: str) -> None:
    rows = data.draw(st.lists(st.lists(CELLS, max_size=len(header) + 1), max_size=5))
    text = "\n".join(separator.join(cells) for cells in [header, *rows])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.csv"
        path.write_text(text, "utf-8")
        read_every_way(path, [None, "table", "chroma", "autorag", "ragas"])


VALUES = st.one_of(
    st.lists(st.integers(-2, 3), min_size=2, max_size=2),
    st.lists(st.floats(), min_size=2, max_size=2),
    st.lists(st.one_of(st.none(), st.text(max_size=2)), min_size=2, max_size=2),
    st.lists(st.booleans(), min_size=2, max_size=2),
    st.lists(st.lists(st.integers(-2, 3), max_size=2), min_size=2, max_size=2),
    st.lists(st.dates(), min_size=2, max_size=2),
    st.lists(st.binary(max_size=2), min_size=2, max_size=2),
)


@FEW
@given(data=st.data(), header=HEADERS)
def test_any_parquet(data: st.DataObject, header: list[str]) -> None:
    frame = pl.DataFrame({name: data.draw(VALUES) for name in header})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.parquet"
        frame.write_parquet(path)
        read_every_way(path, [None, "table", "chroma", "autorag", "ragas"])
