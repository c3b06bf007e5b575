"""The protocol: what may be a retriever, how it is asked, what it may return, what is kept."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import polars as pl
import pytest

import tophit
from tophit.errors import InputError, UnansweredError, UsageError
from tophit.formats import write_run
from tophit.relations import Questions
from tophit.retrieval import (
    DOORS,
    RETRIEVERS,
    Found,
    Request,
    is_retriever,
    open_retriever,
    retrieve,
)
from tophit.retrieval.journal import Journal, Kept

ASKED = {"q1": "one", "q2": "two", "q3": "three", "q4": "four"}
JUDGED = {"one": ["one!"], "two": ["two!"], "three": ["none"], "four": ["four!"]}


def shout(question):
    return [f"{question}!", "other"]


async def whispered(question):
    await asyncio.sleep(0)
    return shout(question)


class Search:
    """An object of the protocol."""

    def retrieve(self, request):
        return shout(request.question)[: request.depth]


class Batched:
    def retrieve(self, request):
        raise AssertionError("asked one by one")

    def retrieve_batch(self, requests):
        return [shout(request.question) for request in requests]


class Async:
    async def aretrieve(self, request):
        return await whispered(request.question)

    async def retrieve(self, request):
        return await whispered(request.question)


def many(questions):
    return [shout(question) for question in questions]


def deep(question, depth):
    return shout(question)[:depth]


def with_request(request: Request):
    return shout(request.question)


def of_all(question, *, history=None, filter=None, tags=None, query_id=None):  # noqa: A002
    return [{"id": f"{question} {history} {filter} {tags} {query_id}"}]


KINDS = [shout, whispered, Search, Search(), Batched(), Async(), many, deep, with_request]


def named(kind):
    return getattr(kind, "__name__", type(kind).__name__)


@pytest.mark.parametrize("kind", KINDS, ids=named)
def test_every_kind_gives_the_same_everywhere(kind):
    as_dict = {query: shout(query) for query in JUDGED}
    told = tophit.evaluate(JUDGED, as_dict, measures="Hit@1 MRR")
    found = tophit.evaluate(JUDGED, kind, measures="Hit@1 MRR")
    assert {n: s.to_dict() for n, s in found.items()} == {n: s.to_dict() for n, s in told.items()}
    run = retrieve(None, ASKED, retriever=kind, depth=2)
    assert run.retrieved.select("query_id", "chunk_id", "rank").rows() == [
        (query, chunk, rank)
        for query, text in ASKED.items()
        for rank, chunk in enumerate(shout(text), 1)
    ]
    compared = tophit.compare(JUDGED, {"file": as_dict, "live": kind}, measures="MRR")
    assert compared.between("file", "live", "MRR").difference == 0


@pytest.mark.parametrize("kind", KINDS, ids=named)
@pytest.mark.parametrize("options", [{"concurrency": 3}, {"time_limit": 30.0}])
def test_asked_at_once_or_with_a_time_limit_the_run_is_the_same(kind, options):
    plain = retrieve(None, ASKED, retriever=kind, depth=2)
    run = retrieve(None, ASKED, retriever=kind, depth=2, **options)
    assert run.retrieved.equals(plain.retrieved)


def test_what_a_question_has_beside_its_text_reaches_the_retriever():
    queries = pl.DataFrame(
        {
            "query_id": ["q"],
            "question": ["why"],
            "history": ['["hello"]'],
            "filter": ['{"lang": "en"}'],
            "tag.topic": ["fees"],
        }
    )
    questions = Questions(queries=queries, judgments=pl.DataFrame())
    run = retrieve(None, questions, retriever=of_all)
    assert run.retrieved["chunk_id"].to_list() == [
        "why ['hello'] {'lang': 'en'} {'topic': 'fees'} q"
    ]


def test_a_parameter_that_nobody_can_give_is_said_before_any_work():
    def search(question, connection):
        raise AssertionError

    with pytest.raises(UsageError, match="search wants a parameter 'connection'"):
        retrieve(None, ASKED, retriever=search)


def test_what_is_a_retriever():
    assert is_retriever("shop.search:find")
    assert is_retriever("http://localhost/search")
    assert is_retriever(Search())
    for other in ("run.jsonl", {"q": []}, pl.DataFrame({"search": [1]}), ["a"], None, 4):
        assert not is_retriever(other)
    with pytest.raises(UsageError, match="there is no module 'nowhere'"):
        open_retriever("nowhere.search:find")
    with pytest.raises(UsageError, match="unknown name in json 'lods'; did you mean loads"):
        open_retriever("json:lods")


def test_a_module_of_the_current_folder(tmp_path, monkeypatch):
    (tmp_path / "my_search.py").write_text("def find(question):\n    return [question]\n")
    (tmp_path / "broken_search.py").write_text("1 / 0\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    run = retrieve(None, {"q": "a"}, retriever="my_search:find")
    assert run.retrieved["chunk_id"].to_list() == ["a"]
    with pytest.raises(UsageError, match="the module fails with ZeroDivisionError"):
        open_retriever("broken_search:find")


def test_a_function_of_chunks_makes_a_retriever():
    def build(chunks):
        ids = chunks["chunk_id"].to_list()
        return lambda question: ids[::-1]

    chunks = pl.DataFrame({"chunk_id": ["a", "b"], "text": ["x", "y"]})
    run = retrieve(chunks, {"q": "?"}, retriever=build)
    assert run.retrieved.select("chunk_id", "text").rows() == [("b", "y"), ("a", "x")]
    with pytest.raises(UsageError, match="build makes a retriever of chunks"):
        retrieve(None, {"q": "?"}, retriever=build)


def test_a_retriever_that_belongs_to_its_thread():
    base = sqlite3.connect(":memory:")

    def search(question):
        return [str(base.execute("SELECT 4").fetchone()[0])]

    assert retrieve(None, ASKED, retriever=search).retrieved.height == 4
    base.close()


def test_inside_a_running_event_loop():
    async def whole():
        return retrieve(None, ASKED, retriever=whispered).retrieved.height

    # in a thread of its own: a browser that other tests drive leaves its loop in this one
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: asyncio.run(whole())).result() == 8


def test_stages_answers_and_latency():
    def search(question):
        return {
            "retrieved": [{"id": "b", "text": "B"}],
            "stages": {"bm25": ["a", "b"], "dense": [("b", 0.5)]},
            "answer": "four",
            "abstained": False,
        }

    run = retrieve(None, {"q": "?"}, retriever=search)
    assert run.stages.select("query_id", "stage", "chunk_id", "rank", "score").rows() == [
        ("q", "bm25", "a", 1, None),
        ("q", "bm25", "b", 2, None),
        ("q", "dense", "b", 1, 0.5),
    ]
    assert run.answers.rows() == [("q", "four", False)]
    assert run.latency["latency_ms"].item() >= 0


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ("a text", "expected a list, found 'a text'"),
        (None, "expected a list, found nothing"),
        ({"a": 0.5}, "found a dict with the key a"),
        (4, "expected a list, found 4"),
        ({"retrieved": "a"}, "retrieved: expected a list, found 'a'"),
        ({"retrieved": [], "stages": ["a"]}, "stages: expected lists by the names"),
        ({"retrieved": [], "stages": {"bm25": "a"}}, r"stages\.bm25: expected a list"),
        ({"retrieved": [], "answer": 4}, "answer: expected text, found 4"),
        ([{"score": "x"}], r"\[0\]: expected an id"),
    ],
)
@pytest.mark.parametrize("at_once", [1, 2])
def test_a_return_that_is_no_list_names_the_question(returned, message, at_once):
    with pytest.raises(InputError, match=message) as caught:
        retrieve(None, ASKED, retriever=lambda question: returned, concurrency=at_once, retries=0)
    assert "question 'q" in str(caught.value)


def test_more_than_asked_unsorted_and_twice_are_counted():
    def search(question):
        return [("a", 0.1), ("b", 0.9), ("a", 0.5), ("c", 0.4)]

    run = retrieve(None, ASKED, retriever=search, depth=3)
    assert run.retrieved.filter(pl.col("query_id") == "q1")["chunk_id"].to_list() == ["a", "b", "a"]
    assert {w.code: w.count for w in run.warnings} == {"more_than_asked": 4, "unsorted_scores": 4}
    result = tophit.evaluate({query: ["a"] for query in ASKED}, run, measures="Hit@4 Recall@4")
    assert result["Hit@4"].value == result["Recall@4"].value == 1
    assert "duplicates" in {warning.code for warning in result.warnings}
    distances = retrieve(None, {"q": "?"}, retriever=lambda q: [("a", 0.1), ("b", 0.9)])
    assert distances.warnings == ()


class Fails:
    """Fails on a question as often as it is told."""

    def __init__(self, error, *, question="three", times=10**6):
        self.error, self.question, self.left = error, question, times
        self.asked = []

    def retrieve(self, request):
        self.asked.append(request.question)
        if request.question == self.question and self.left > 0:
            self.left -= 1
            raise self.error
        return shout(request.question)


@pytest.mark.parametrize("at_once", [1, 3])
def test_what_passes_is_tried_again(at_once):
    search = Fails(ConnectionResetError("reset"), times=2)
    run = retrieve(None, ASKED, retriever=search, retries=2, backoff=0.001, concurrency=at_once)
    assert run.retrieved.height == 8
    assert search.asked.count("three") == 3


@pytest.mark.parametrize("at_once", [1, 3])
def test_what_does_not_pass_is_not_tried_again_and_names_the_question(at_once):
    search = Fails(ValueError("no such field"))
    with pytest.raises(UnansweredError, match=r"Fails on question 'q3' \(three\): ValueError: no"):
        retrieve(None, ASKED, retriever=search, backoff=0.001, concurrency=at_once)
    assert search.asked.count("three") == 1


class RateLimitError(Exception):
    status_code = 429


def test_errors_of_other_clients_are_known_by_their_status():
    search = Fails(RateLimitError("slow down"), times=1)
    retrieve(None, ASKED, retriever=search, retries=1, backoff=0.001)
    assert search.asked.count("three") == 2


def test_a_batch_that_fails_names_its_question():
    def search(questions):
        if "three" in questions:
            raise KeyError("three")
        return many(questions)

    with pytest.raises(UnansweredError, match="search on question 'q3'"):
        retrieve(None, ASKED, retriever=search)
    with pytest.raises(UnansweredError, match="on question 'q1'"):
        retrieve(None, ASKED, retriever=lambda questions: [["a"]] * 7 if len(questions) > 1 else [])


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_time_limit(kind):
    def slow(question):
        if question == "three":
            time.sleep(5)
        return shout(question)

    async def slow_async(question):
        if question == "three":
            await asyncio.sleep(5)
        return shout(question)

    begun = time.perf_counter()
    with pytest.raises(UnansweredError, match=r"q3.*no answer within 0\.2 seconds"):
        retrieve(None, ASKED, retriever=slow if kind == "sync" else slow_async, time_limit=0.2,
                 retries=1, backoff=0.001)  # fmt: skip
    assert time.perf_counter() - begun < 4


def test_a_second_start_asks_only_the_rest_and_ends_with_the_same_bytes(tmp_path):
    undisturbed, resumed = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    write_run(_without_latency(retrieve(None, ASKED, retriever=Fails(KeyError(), times=0))),
              undisturbed)  # fmt: skip
    search, kept = Fails(KeyError("gone")), Kept(resumed)
    with pytest.raises(
        UnansweredError, match=r"2 of 4 answers are kept in .*b\.jsonl\..*\.partial"
    ):
        retrieve(None, ASKED, retriever=search, journal=kept)
    (partial,) = tmp_path.glob("*.partial")
    with partial.open("a") as file:
        file.write('{"key": "half a li')  # a kill while writing
    search.left, search.asked = 0, []
    kept = Kept(resumed)
    write_run(_without_latency(retrieve(None, ASKED, retriever=search, journal=kept)), resumed)
    kept.remove()
    assert search.asked == ["three", "four"]
    assert resumed.read_bytes() == undisturbed.read_bytes()
    assert list(tmp_path.glob("*.partial")) == []


def test_with_several_at_once_those_that_answered_are_kept(tmp_path):
    started = threading.Barrier(2)

    def search(question):
        if question in ("one", "two"):
            started.wait(timeout=5)
        if question == "one":
            raise KeyError("gone")
        time.sleep(0.05)
        return shout(question)

    path = tmp_path / "kept"
    with pytest.raises(UnansweredError, match="q1"):
        retrieve(None, ASKED, retriever=search, concurrency=2, journal=path)
    assert len(path.read_text().splitlines()) == 2


def test_answers_of_another_system_or_to_other_questions_are_not_taken(tmp_path):
    path = tmp_path / "kept"
    first = Journal(path, "one system")
    request = Request(question="one", id="q1", depth=4)
    first.add(request, Found(places=()))
    first.close()
    again = Journal(path, "one system")
    assert list(again.kept([request])) == [request.key]
    assert again.kept([Request(question="one", id="q1", depth=5)]) == {}
    assert again.kept([Request(question="one", id="q1", depth=4, filter="x")]) == {}
    assert Journal(path, "another system").kept([request]) == {}


def test_numbers_that_cannot_be():
    for options, message in [
        ({"concurrency": 0}, "concurrency must be at least 1"),
        ({"time_limit": 0.0}, "time limit must be above 0"),
        ({"retries": -1}, "retries must be 0 or more"),
    ]:
        with pytest.raises(UsageError, match=message):
            retrieve(None, ASKED, retriever=shout, **options)


def test_a_prepared_run(tmp_path):
    path = tmp_path / "bm25.json"
    path.write_text(json.dumps({"q1": ["b", "a"], "two": ["c"]}))
    run = retrieve(None, ASKED, retriever=f"run:{path}", depth=1)
    assert run.retrieved.select("query_id", "chunk_id").rows() == [("q1", "b"), ("q2", "c")]
    assert run.name == "bm25"


def _without_latency(run):
    from dataclasses import replace

    return replace(run, latency=None)


def test_the_options_in_the_tables_are_those_of_the_functions():
    for name, retriever in RETRIEVERS.items():
        opened = getattr(importlib.import_module(f"tophit.retrieval.{name}"), f"open_{name}")
        own = {
            each.name: each.default
            for each in inspect.signature(opened).parameters.values()
            if each.kind is each.KEYWORD_ONLY
        }
        assert own.items() <= retriever.options.items(), name
    assert RETRIEVERS["dense"].options.items() <= RETRIEVERS["hybrid"].options.items()
    for door in DOORS:
        module = importlib.import_module(f"tophit.retrieval.doors.{door.name}")
        parameters = list(inspect.signature(getattr(module, f"open_{door.name}")).parameters)
        assert parameters[1:] == list(door.options), door.name
