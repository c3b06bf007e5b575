"""Documents and nodes of LangChain, LlamaIndex and Haystack, and what else stands for a place."""

from __future__ import annotations

import json
import warnings
from collections import namedtuple
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from haystack import Document as HaystackDocument
from langchain_core.documents import Document
from langchain_core.load import dumps

import tophit
from tophit.errors import InputError
from tophit.frames import chunks_from, run_from
from tophit.records.places import place_from
from tophit.records.values import Faults
from tophit.retrieval import retrieve

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # Pydantic has remarks on its classes
    from llama_index.core.schema import NodeWithScore, TextNode

TEXT = "Your late fees are due."
SPAN = {"text": "late fees", "doc": "a.md", "start": 5, "end": 14}
NODE = TextNode(
    id_="n1", text=TEXT, metadata={"file_name": "a.md"}, start_char_idx=0, end_char_idx=len(TEXT)
)
LANGCHAIN = Document(page_content=TEXT, metadata={"source": "a.md", "start_index": 0})
HAYSTACK = HaystackDocument(
    id="h1", content=TEXT, score=0.5, meta={"file_path": "a.md", "split_idx_start": 0}
)


@dataclass
class Passage:
    content: str
    source: str = "a.md"
    start_index: int = 0
    metadata: dict[str, Any] = field(default_factory=dict)


Hit = namedtuple("Hit", ["page_content", "source", "start", "end"])

PLACES = {
    "LangChain": LANGCHAIN,
    "LangChain, dumped by Pydantic": LANGCHAIN.model_dump(),
    "LangChain, dumped by itself": json.loads(dumps(LANGCHAIN)),
    "LangChain, with its score": (LANGCHAIN, 0.5),
    "LlamaIndex node": NODE,
    "LlamaIndex node with score": NodeWithScore(node=NODE, score=0.5),
    "LlamaIndex, dumped": NodeWithScore(node=NODE, score=0.5).to_dict(),
    "Haystack": HAYSTACK,
    "Haystack, dumped": HAYSTACK.to_dict(flatten=False),
    "Haystack, dumped flat": HAYSTACK.to_dict(),
    "Spring AI": {"id": "s1", "text": TEXT, "metadata": {"source": "a.md", "start_index": 0}},
    "Elasticsearch": {
        "_id": "x",
        "_score": 0.5,
        "_source": {"content": TEXT, "source": "a.md", "start": 0, "end": len(TEXT)},
    },
    "Qdrant": SimpleNamespace(
        id=7, score=0.5, payload={"page_content": TEXT, "file_name": "a.md", "start_index": 0}
    ),
    "a dataclass": Passage(TEXT),
    "a named tuple": Hit(TEXT, "a.md", 0, len(TEXT)),
    "a dict in camel case": {"pageContent": TEXT, "fileName": "a.md", "startIndex": 0},
}


@pytest.mark.parametrize("kind", PLACES)
@pytest.mark.parametrize("match", ["text", "spans"])
def test_a_place_is_read_with_its_text_document_and_offsets(kind, match):
    asked = [{"id": "q", "question": "Which?", "expected": [SPAN]}]
    for found in (
        {"q": [PLACES[kind]]},
        [{"question": "which?", "retrieved": [PLACES[kind]]}],
        retrieve(None, {"q": "Which?"}, retriever=lambda question: [PLACES[kind]]),
    ):
        result = tophit.evaluate(asked, found, measures="Hit@1", match=match)
        assert result["Hit@1"].value == 1.0


@pytest.mark.parametrize("kind", PLACES)
def test_places_are_chunks_too(kind):
    if kind == "LangChain, with its score":
        return
    row = chunks_from([PLACES[kind]]).collect().to_polars().row(0, named=True)
    assert (row["text"], row["doc_id"], row["start"], row["end"]) == (TEXT, "a.md", 0, len(TEXT))


def test_ids_are_the_framework_s_own_where_it_has_them():
    def key(place: Any) -> str:
        return run_from({"q": [place]}).retrieved["chunk_id"][0]

    assert key(NODE) == key(NodeWithScore(node=NODE, score=1.0)) == "n1"
    assert key(HAYSTACK) == "h1"
    assert key(Document(id="x", page_content=TEXT)) == "x"
    assert key(Document(page_content=TEXT, metadata={"chunk_id": 7})) == "7"
    # without one, the same text is the same chunk
    assert key(LANGCHAIN) == key(Document(page_content=TEXT)) == key({"text": TEXT})


@pytest.mark.parametrize("start", [-1, None, "no number", 2.5, True])
def test_metadata_that_make_no_sense_are_left_out(start):
    places = run_from(
        {"q": [Document(page_content=TEXT, metadata={"start_index": start})]}
    ).retrieved
    assert places.columns == ["query_id", "chunk_id", "rank", "text"]


def test_a_field_of_its_own_comes_before_metadata():
    place = {"id": "a", "doc": "b.md", "text": "x", "metadata": {"source": "c.md", "id": "z"}}
    assert place_from(place, Faults("run"))[:4] == ("a", None, "x", "b.md")


@pytest.mark.parametrize(
    "names",
    [
        "text",
        "content",
        "page_content",
        "pageContent",
        "passage",
        "chunk",
        "contents",
        "Chunk Text",
    ],
)
def test_one_list_of_names_at_every_door(names, tmp_path):
    place = {names: TEXT, "ChunkID": "c"}
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps({"id": "q", "retrieved": [place]}))
    frame = pl.DataFrame({"query_id": ["q"], "rank": [1], names: [TEXT], "ChunkID": ["c"]})
    table = tmp_path / "r.csv"
    frame.write_csv(table)
    for door in (path, {"q": [place]}, [{"id": "q", "retrieved": [place]}], frame, table):
        places = run_from(door).retrieved.lazy().collect()
        rows = places.select("query_id", "chunk_id", "rank", "text").rows()
        assert rows == [("q", "c", 1, TEXT)]


@pytest.mark.parametrize("name", ["id", "chunk_id", "docno", "node_id", "passage_id", "doc_id"])
def test_an_id_means_the_same_everywhere(name, tmp_path):
    place = {name: np.int64(7)}
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps({"id": "q", "retrieved": [{name: 7}]}))
    for door in (path, {"q": [place]}, [{"id": "q", "retrieved": [place]}]):
        assert run_from(door).retrieved["chunk_id"].to_list() == ["7"]
    run = retrieve(None, {"q": "?"}, retriever=lambda question: [place])
    assert run.retrieved["chunk_id"].to_list() == ["7"]


# What a retriever returns -------------------------------------------------------------------------

RETURNS = {
    "Haystack's pipeline": {"retriever": {"documents": [HAYSTACK]}},
    "LangChain's chain": {"question": "Which?", "context": [LANGCHAIN], "answer": "Those."},
    "source documents": {"result": "Those.", "source_documents": [LANGCHAIN]},
    "pairs": {"matches": [(NODE, 0.5)]},
}


@pytest.mark.parametrize("kind", RETURNS)
def test_of_a_dict_the_one_list_of_documents_is_taken(kind):
    run = retrieve(None, {"q": "?"}, retriever=lambda question: RETURNS[kind])
    assert run.retrieved["text"].to_list() == [TEXT]
    assert run_from({"q": RETURNS[kind]}).retrieved["text"].to_list() == [TEXT]


@pytest.mark.parametrize(
    ("found", "says"),
    [
        ({"ids": [["a"]], "documents": [["x y"]]}, "keys ids, documents.*, as documents"),
        ({"answer": "Those."}, "a dict with the key answer: return the list of documents"),
        ({"a": [LANGCHAIN], "b": [LANGCHAIN]}, "a dict with the keys a, b: return the list"),
        (None, "expected a list, found nothing"),
        ("c1", "expected a list, found 'c1'"),
        (3, "expected a list, found 3"),
        ({"c1", "c2"}, "a set has no order"),
    ],
)
def test_what_is_no_ranked_list(found, says):
    with pytest.raises(InputError, match=says):
        retrieve(None, {"q": "?"}, retriever=lambda question: found)


def test_an_empty_list_in_a_dict_is_an_empty_list():
    run = retrieve(None, {"q": "?"}, retriever=lambda question: {"documents": []})
    assert run.retrieved.is_empty()


def test_documents_as_expected_elements(tmp_path: Path):
    asked = [{"question": "Which?", "expected": [LANGCHAIN]}]
    found = [{"question": "Which?", "retrieved": [f"Note: {TEXT}"]}]
    assert tophit.evaluate(asked, found, measures="Hit@1")["Hit@1"].value == 1.0
