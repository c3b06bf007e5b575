"""Dense and hybrid retrieval: embedders of every kind, the cache, thresholds, fusion, rerankers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from servers import first_times, search_server, status

import tophit
from tophit.errors import EndpointError, InputError, MissingExtraError, OutputError, UsageError
from tophit.records.places import Place
from tophit.relations import CHUNK
from tophit.retrieval import retrieve
from tophit.retrieval.embedding.wordllama import open_wordllama
from tophit.retrieval.hybrid import fused

TEXTS = {"a": "aaaa", "b": "bbbb", "ab": "aabb", "c": "cccc"}
CHUNKS = pl.DataFrame({"chunk_id": list(TEXTS), "text": list(TEXTS.values())})
ASKED = {"q1": "aaa", "q2": "bbbc"}


def letters(texts):
    return [[text.count(letter) - 0.5 for letter in "abc"] for text in texts]


def ids(run, query="q1"):
    return run.retrieved.filter(pl.col("query_id") == query)[CHUNK].to_list()


def dense(**options):
    return retrieve(CHUNKS, ASKED, retriever="dense", **{"embedder": letters, **options})


def test_cosines_ties_and_the_threshold_of_spring_ai():
    run = dense(threshold=-1.0)
    assert ids(run) == ["a", "ab", "c", "b"]  # b and c are as far: by id, descending
    scores = run.retrieved["score"].to_list()[:4]
    vectors = np.array(letters(["aaa", *(TEXTS[i] for i in ids(run))]))
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    assert scores == pytest.approx((unit[1:] @ unit[0]).tolist(), abs=1e-6)
    assert scores[-1] < 0
    assert ids(dense()) == ["a", "ab"]  # 0.0, the default, drops negative cosines
    assert ids(dense(threshold=0.9)) == ["a"]
    assert ids(dense(threshold=1.0)) == []


def test_every_text_is_embedded_once(tmp_path):
    seen = []

    def counting(texts):
        seen.extend(texts)
        return letters(texts)

    first = dense(embedder=counting, cache=tmp_path / "deep" / "vectors.sqlite")
    assert sorted(seen) == sorted([*TEXTS.values(), *ASKED.values()])
    seen.clear()
    again = dense(embedder=counting, cache=tmp_path / "deep" / "vectors.sqlite")
    assert seen == []
    assert again.retrieved.equals(first.retrieved)
    assert again.latency["latency_ms"].min() > 0
    dense(embedder=counting, cache=tmp_path / "deep" / "vectors.sqlite", document_prefix="p: ")
    assert sorted(seen) == sorted(f"p: {text}" for text in TEXTS.values())
    (tmp_path / "text").write_text("no database at all, and longer than a header of one " * 20)
    with pytest.raises(OutputError, match=r"cannot keep embeddings in .*text"):
        dense(cache=tmp_path / "text")


@pytest.mark.parametrize(
    ("embedder", "error", "message"),
    [
        (lambda texts: [[1.0]], InputError, "expected 4 vectors of one length for as many texts"),
        (lambda texts: [1.0] * len(texts), InputError, r"found an array of shape \(4,\)"),
        (lambda texts: [[float("nan")]] * len(texts), InputError, "finite numbers"),
        (lambda texts: [["x"]] * len(texts), InputError, "vectors of one length"),
        (lambda texts: [[0.0, 0.0]] * len(texts), None, ""),
        (4, UsageError, "expected an embedder .*, found int"),
        ("wordlama", UsageError, "unknown embedder 'wordlama'; did you mean wordllama"),
        ("http://localhost:9/v1", UsageError, "which model of http://localhost:9/v1"),
        ("sentence-transformers", UsageError, "which model of sentence-transformers"),
    ],
)
def test_what_an_embedder_may_not_do(embedder, error, message):
    if error is None:
        assert ids(dense(embedder=embedder)) == ["c", "b", "ab", "a"]
        return
    with pytest.raises(error, match=message):
        dense(embedder=embedder)


def test_options_that_cannot_be():
    for options, message in [
        ({"threshold": 2.0}, "from -1 to 1, not 2"),
        ({"index": "faiss"}, "unknown index 'faiss'"),
        ({"treshold": 0.5}, "did you mean threshold"),
    ]:
        with pytest.raises(UsageError, match=message):
            dense(**options)


def test_missing_extras_are_named(monkeypatch):
    for module, options in [("wordllama", {"embedder": "wordllama"}),
                            ("usearch", {"index": "usearch"}),
                            ("sentence_transformers", {"embedder": "sentence-transformers",
                                                       "model": "m"})]:  # fmt: skip
        monkeypatch.setitem(sys.modules, module, None)
        monkeypatch.delitem(sys.modules, f"{module}.index", raising=False)
        extra = module.replace("_", "-")
        with pytest.raises(MissingExtraError, match=rf"tophit\[{extra}\]"):
            dense(**options)


def test_an_approximate_index_is_kept_and_finds_the_same(asked, tmp_path):
    exact = retrieve(asked.chunks, asked.questions, retriever="dense", depth=5)
    for _ in range(2):
        near = retrieve(asked.chunks, asked.questions, retriever="dense", depth=5, index="usearch",
                        index_dir=tmp_path / "index")  # fmt: skip
        same = near.retrieved[CHUNK] == exact.retrieved[CHUNK]
        assert same.mean() > 0.95
    assert (tmp_path / "index" / "vectors.usearch").exists()
    (tmp_path / "index" / "vectors.usearch").write_bytes(b"damaged")
    again = retrieve(asked.chunks, asked.questions, retriever="dense", depth=5, index="usearch",
                     index_dir=tmp_path / "index")  # fmt: skip
    assert again.retrieved.equals(near.retrieved)


def test_wordllama_finds_what_means_the_same(asked):
    run = retrieve(asked.chunks, asked.questions, retriever="dense")
    assert tophit.evaluate(asked.questions, run, measures="Hit@4")["Hit@4"].value > 0.5
    assert open_wordllama().batch > 1


# Fusion ----------------------------------------------------------------------------------


def test_reciprocal_rank_fusion_by_hand():
    lists = {"bm25": [Place("a"), Place("b"), Place("a")], "dense": [Place("b"), Place("c")]}
    found = fused(lists, weights={"bm25": 1.0, "dense": 2.0}, constant=60)
    expected = {"b": 1 / 62 + 2 / 61, "c": 2 / 62, "a": 1 / 61}
    assert {place.id: place.score for place in found} == pytest.approx(expected)
    assert [place.id for place in found] == sorted(expected, key=expected.get, reverse=True)
    assert [p.id for p in fused(lists, weights={"bm25": 0.0, "dense": 1.0}, constant=60)] == [
        "b", "c",
    ]  # fmt: skip


def test_hybrid_with_one_weight_is_that_part():
    texts = pl.DataFrame({"chunk_id": ["a", "b"], "text": ["late fees", "taxes due"]})
    asked = {"q1": "late taxes due"}
    for weights, part in (("1,0", "bm25"), ([0, 1], "dense")):
        both = retrieve(texts, asked, retriever="hybrid", weights=weights, embedder=letters,
                        threshold=-1.0)  # fmt: skip
        own: dict[str, Any] = {"embedder": letters, "threshold": -1.0} if part == "dense" else {}
        assert ids(both) == ids(retrieve(texts, asked, retriever=part, **own))
    for options, message in [
        ({"weights": "1"}, "weights: expected 2 numbers"),
        ({"weights": "a,b"}, "weights: expected numbers such as 1,2"),
        ({"weights": "-1,2"}, "numbers from 0"),
        ({"rrf": 0.0}, "rrf must be above 0"),
    ]:
        with pytest.raises(UsageError, match=message):
            retrieve(texts, asked, retriever="hybrid", embedder=letters, **options)


# Rerankers -------------------------------------------------------------------------------


class CrossEncoder:
    def predict(self, pairs):
        return np.array([-len(text) for _, text in pairs])


def test_a_reranker_orders_the_first_places_and_the_rest_follows():
    texts = pl.DataFrame({"chunk_id": list("abcd"), "text": ["x y", "x", "x y z", "x y z w"]})
    asked = {"q": "x y z w"}
    plain = ids(retrieve(texts, asked), "q")
    assert plain == ["d", "c", "a", "b"]
    run = retrieve(texts, asked, reranker=CrossEncoder(), rerank_depth=3)
    assert ids(run, "q") == ["a", "c", "d", "b"]
    scores = run.retrieved["score"].to_list()
    assert scores == sorted(scores, reverse=True)
    assert run.stages["stage"].unique().to_list() == ["bm25"]
    with search_server() as server:
        run = retrieve(texts, asked, reranker=f"{server.url}/rerank", rerank_depth=3, depth=2)
        body = server.bodies[0][2]
    assert ids(run, "q") == ["d", "c"]
    assert body["query"] == "x y z w"


@pytest.mark.parametrize(
    ("reranker", "error", "message"),
    [
        (lambda question, texts: [1.0], InputError, "expected 4 scores for as many texts"),
        (lambda question, texts: ["x"] * len(texts), InputError, "expected 4 scores"),
        ("nonsense", UsageError, "'nonsense' is no reranker"),
        (4, UsageError, "expected a reranker"),
    ],
)
def test_what_is_no_reranker(reranker, error, message):
    with pytest.raises(error, match=message):
        dense(reranker=reranker, threshold=-1.0)


# Endpoints -------------------------------------------------------------------------------


def test_an_endpoint_that_speaks_openais_protocol():
    with search_server() as server:
        run = dense(embedder=f"{server.url}/v1", model="letters")
        sent = [body for _, path, body, _ in server.bodies if path == "/v1/embeddings"]
    assert ids(run)[0] == "a"
    assert ids(run, "q2")[0] == "b"
    assert sent[0] == {"model": "letters", "input": ["tophit"], "encoding_format": "float"}


def test_a_key_of_an_endpoint(monkeypatch):
    with search_server() as server:
        with pytest.raises(UsageError, match="environment variable EMBED_KEY is not set"):
            dense(embedder=f"{server.url}/v1", model="letters", key="EMBED_KEY")
        monkeypatch.setenv("EMBED_KEY", "s3cret")
        dense(embedder=f"{server.url}/v1", model="letters", key="EMBED_KEY")
        assert server.bodies[-1][3]["Authorization"] == "Bearer s3cret"


def test_a_model_that_the_endpoint_does_not_have_is_said_before_any_work():
    ill = status(404, {"error": {"message": "model 'leters' not found"}})
    with search_server(leters=ill) as server:
        with pytest.raises(EndpointError, match="asked for the model 'leters'; it has letters"):
            dense(embedder=f"{server.url}/v1", model="leters")
        assert len(server.bodies) == 2


def test_a_text_that_is_too_long_for_the_model_is_named():
    ill = status(500, {"error": {"message": "input is too large to process"}})
    said = r"too large .*for the text of 4 characters 'cccc'"
    with search_server(cccc=ill) as server, pytest.raises(EndpointError, match=said):
        dense(embedder=f"{server.url}/v1", model="letters")


def test_a_rate_limit_of_embeddings_is_waited_for():
    ill = first_times(2, status(429, headers=[("Retry-After", "0.05")]))
    with search_server(aaa=ill) as server:
        assert ids(dense(embedder=f"{server.url}/v1", model="letters"))[0] == "a"


def test_embeddings_that_are_none():
    for value in ({"data": []}, [], {"data": [{"vector": [1]}] * 4}, {"error": "x"}):
        with (
            search_server(bbbb=status(200, value)) as server,
            pytest.raises(EndpointError, match=r"expected . embeddings|no embeddings"),
        ):
            dense(embedder=f"{server.url}/v1", model="letters")


# A real model server -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def model_server():
    script = Path(__file__).with_name("model_server.py")
    process = subprocess.Popen(
        [sys.executable, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    address = process.stdout.readline().strip()
    assert address.startswith("http://127.0.0.1"), "the model server did not start"
    yield f"{address}/v1"
    process.kill()
    process.wait()
    process.stdin.close()
    process.stdout.close()


def test_embeddings_of_a_real_model_server(model_server, tmp_path):
    texts = {
        "fees": "A late bike costs eight euros a day.",
        "hours": "The shop opens at nine and closes at six.",
        "repair": "Our workshop repairs flat tyres while you wait.",
    }
    chunks = pl.DataFrame({"chunk_id": list(texts), "text": list(texts.values())})
    asked = {"q1": "The shop opens at nine.", "q2": "Our workshop repairs flat tyres."}
    options = {"retriever": "dense", "embedder": model_server, "model": "smollm2"}
    run = retrieve(chunks, asked, **options, cache=tmp_path / "vectors.sqlite")
    assert ids(run, "q1")[0] == "hours"
    assert ids(run, "q2")[0] == "repair"
    assert run.latency["latency_ms"].min() > 0
    again = retrieve(chunks, asked, **options, cache=tmp_path / "vectors.sqlite")
    assert again.retrieved.equals(run.retrieved)
    both = retrieve(chunks, asked, **{**options, "retriever": "hybrid"})
    assert both.stages["stage"].unique().sort().to_list() == ["bm25", "dense"]


def test_a_chunk_beyond_the_window_of_a_real_model_server(model_server):
    chunks = pl.DataFrame({"chunk_id": ["a", "b"], "text": ["short", "word " * 900]})
    with pytest.raises(EndpointError, match=r"too large.*for the text of 4,500 characters 'word"):
        retrieve(chunks, {"q": "?"}, retriever="dense", embedder=model_server, model="smollm2")
