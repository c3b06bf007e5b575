"""BM25 against its formula written out, and what holds for any question."""

from __future__ import annotations

import math
from collections import Counter

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tophit.documents import read_documents, resolve_doc_ids
from tophit.retrieval import retrieve
from tophit.retrieval.words import words

WORDS = ["fee", "tax", "late", "AND", "ü", "हिन्दी", "台灣大學", "3.14", "x_y", "-", '"', "*", ":"]
# Up to 40 words the length is stored exactly; longer ones are rounded, as in Lucene.
TEXTS = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
CHUNKS = st.lists(TEXTS, min_size=1, max_size=12).map(
    lambda texts: {f"c{number:02}": text for number, text in enumerate(texts)}
)


def frame(texts: dict[str, str]) -> pl.DataFrame:
    return pl.DataFrame({"chunk_id": list(texts), "text": list(texts.values())})


def bm25_slowly(texts: dict[str, str], question: str) -> dict[str, float]:
    documents = {name: Counter(words(text)) for name, text in texts.items()}
    lengths = {name: counts.total() for name, counts in documents.items()}
    average = sum(lengths.values()) / len(lengths)
    scores: dict[str, float] = {}
    for word in words(question):
        having = [name for name, counts in documents.items() if word in counts]
        rarity = math.log(1 + (len(texts) - len(having) + 0.5) / (len(having) + 0.5))
        for name in having:
            times = documents[name][word]
            norm = 1.2 * (1 - 0.75 + 0.75 * lengths[name] / average)
            scores[name] = scores.get(name, 0.0) + rarity * times * 2.2 / (times + norm)
    return scores


@given(texts=CHUNKS, question=TEXTS, depth=st.integers(1, 14))
@settings(max_examples=40)
def test_scores_are_the_formula(texts, question, depth):
    run = retrieve(frame(texts), {"q": question + " fee"}, depth=depth, language="none")
    expected = bm25_slowly(texts, question + " fee")
    found = run.retrieved.select("chunk_id", "score").rows()
    assert len(found) == min(depth, len(expected))
    for name, score in found:
        assert score == pytest.approx(expected[name], rel=1e-5)
    left_out = [score for name, score in expected.items() if name not in dict(found)]
    assert all(score <= found[-1][1] * (1 + 1e-5) for score in left_out)
    assert found == sorted(found, key=lambda hit: (hit[1], hit[0]), reverse=True)


@given(questions=st.lists(st.text(max_size=40).filter(str.strip), min_size=1, max_size=8))
@settings(max_examples=20)
def test_no_question_is_an_error(questions):
    asked = {str(number): text for number, text in enumerate(questions)}
    run = retrieve(frame({"a": "late fee AND tax", "b": "other"}), asked)
    assert run.answers["query_id"].to_list() == list(asked)
    assert set(run.retrieved["chunk_id"]) <= {"a", "b"}


@given(texts=CHUNKS, seed=st.integers(0, 9))
@settings(max_examples=12)
def test_the_order_of_the_chunks_is_nothing(texts, seed):
    chunks = frame(texts)
    shuffled = chunks.sample(fraction=1.0, shuffle=True, seed=seed)
    first, second = (
        retrieve(each, {"q": "late fee tax 台灣"}, depth=3) for each in (chunks, shuffled)
    )
    assert first.retrieved.equals(second.retrieved)


@given(texts=CHUNKS)
@settings(max_examples=15)
def test_every_chunk_is_found_by_its_own_words(texts):
    asked = {name: text for name, text in texts.items() if words(text)}
    if asked:
        run = retrieve(frame(texts), asked, depth=len(texts))
        pairs = set(run.retrieved.select("query_id", "chunk_id").rows())
        assert {(name, name) for name in asked} <= pairs


@given(text=st.text(min_size=1, max_size=40))
@settings(max_examples=40)
def test_documents_are_read_exactly(text, tmp_path_factory):
    folder = tmp_path_factory.mktemp("docs")
    (folder / "a.md").write_bytes(b"here " + text.encode())
    (folder / "b.md").write_bytes(b"x")
    documents = read_documents(folder)
    if "\0" in text:
        assert documents.frame["doc_id"].to_list() == ["b.md"]
    else:
        assert documents.frame.row(0) == ("a.md", "here " + text)


DOC_IDS = st.lists(
    st.sampled_from(["a", "a.md", "a.txt", "x/a.md", "x/b.md", "y/b.md", "v1.2", "v1.3", "c.pdf"]),
    unique=True,
)


@given(wanted=DOC_IDS, available=DOC_IDS)
@settings(max_examples=200)
def test_a_document_is_itself_or_one_that_fits_alone(wanted, available):
    found = resolve_doc_ids(wanted, available)
    assert list(found) == wanted
    for doc, name in found.items():
        assert name is None or name in available
        if doc in available:
            assert name == doc
        elif name is not None:
            alike = [each for each in available if each.split("/")[-1] == name.split("/")[-1]]
            assert len(alike) == 1 or doc.split(".")[0] == name.split(".")[0]
