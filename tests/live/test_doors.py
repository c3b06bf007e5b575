"""The doors to other processes, against real ones on this machine: slow, failing, dropping."""

from __future__ import annotations

import contextlib
import shlex
import socket
import subprocess
import sys
import time

import pytest
import servers
from servers import dropped, first_times, half, search_server, slow, status

from tophit.errors import (
    EndpointError,
    InputError,
    MissingExtraError,
    TophitError,
    UnansweredError,
    UsageError,
)
from tophit.retrieval import retrieve

ASKED = {"q1": "one", "q2": "two", "q3": "three"}
FAST = {"retries": 3, "backoff": 0.01}


def ids(run):
    return run.retrieved.filter(run.retrieved["query_id"] == "q1")["chunk_id"].to_list()


def found(url, **options):
    return retrieve(None, ASKED, retriever=url, **{**FAST, **options})


# HTTP ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "options"),
    [
        ("/list", {}),
        ("/under", {}),
        ("/under", {"documents": "data.items"}),
        ("/spring", {"preset": "spring-ai"}),
        ("/_search", {"preset": "elasticsearch"}),
        ("/_search", {"preset": "opensearch", "field": "body", "text": "_source.text"}),
        ("/list", {"body": '{"text": "about {question}", "n": "{depth}"}', "method": "POST"}),
        ("/list?q={question}&n={depth}", {}),
    ],
)
def test_the_shapes_of_endpoints(path, options):
    with search_server() as server:
        run = found(server.url + path, depth=2, **options)
    assert ids(run) == ["a", "b"]
    assert run.retrieved["text"].to_list() == ["text of a", "text of b"] * 3
    assert run.retrieved["score"].to_list() == [0.9, 0.5] * 3
    assert run.latency.height == 3


def test_what_is_sent():
    with search_server() as server:
        found(f"{server.url}/_search", preset="elasticsearch", field="body", depth=7, concurrency=1)
        found(f"{server.url}/spring", preset="spring-ai", depth=7, concurrency=1)
        found(server.url + "/list?q={question}", concurrency=1)
        sent = [(method, path, body) for method, path, body, _ in server.bodies]
    query = {"bool": {"must": [{"match": {"body": "one"}}]}}
    assert sent[0] == ("POST", "/_search", {"query": query, "size": 7})
    assert sent[3] == ("POST", "/spring", {"query": "one", "topK": 7})
    assert sent[6] == ("GET", "/list", {"q": "one"})


def test_qdrant_gets_a_vector():
    with search_server() as server:
        run = found(f"{server.url}/points/query", preset="qdrant", embedder="wordllama")
        body = server.bodies[0][2]
    assert ids(run) == ["0", "1"]
    assert len(body["query"]) == 256
    assert body["with_payload"] is True


def test_stages_and_answers_of_an_endpoint():
    with search_server() as server:
        run = found(f"{server.url}/staged")
    assert run.stages["stage"].unique().to_list() == ["bm25"]
    assert run.answers["answer"].to_list() == ["four"] * 3


def test_an_empty_list_is_a_question_without_results():
    with search_server() as server:
        assert found(f"{server.url}/empty").retrieved.height == 0


def test_a_key_comes_from_the_environment_and_is_never_shown(monkeypatch, tmp_path):
    header = "Authorization: Bearer $SEARCH_KEY"
    with search_server(two=status(401, {"error": {"message": "wrong key"}})) as server:
        with pytest.raises(UsageError, match="environment variable SEARCH_KEY is not set"):
            found(f"{server.url}/list", header=header)
        assert server.bodies == []
        monkeypatch.setenv("SEARCH_KEY", "s3cret")
        with pytest.raises(UnansweredError, match="answers 401: wrong key; is the key right") as e:
            found(f"{server.url}/list", header=header, journal=tmp_path / "kept")
        assert server.bodies[0][3]["Authorization"] == "Bearer s3cret"
    assert "s3cret" not in str(e.value)
    assert "s3cret" not in (tmp_path / "kept").read_text()


@pytest.mark.parametrize(
    "ill",
    [status(429, headers=[("Retry-After", "0.05")]), status(503), dropped, half],
    ids=["429", "503", "dropped", "half"],
)
def test_what_passes_is_tried_again(ill):
    with search_server(two=first_times(2, ill)) as server:
        run = found(f"{server.url}/list")
    assert run.retrieved["query_id"].n_unique() == 3


def test_waiting_for_a_rate_limit_is_no_latency():
    ill = first_times(1, status(429, headers=[("Retry-After", "0.6")]))
    with search_server(two=ill) as server:
        run = found(f"{server.url}/list")
    assert run.latency["latency_ms"].max() < 500


@pytest.mark.parametrize(
    ("ill", "options", "message"),
    [
        (status(404, {"detail": "no index"}), {}, "answers 404: no index; is the path right"),
        (status(500, b"oops"), {"retries": 1}, "answers 500: oops"),
        (status(200, b"<html>login</html>"), {}, "expected JSON, found <html>login</html>"),
        (status(200, {"total": 3}), {}, "expected a list of documents, found an object with total"),
        (status(200, [{"name": "x"}]), {}, "expected an id, a document"),
        (dropped, {"retries": 1}, "127.0.0.1"),
        (slow(5), {"time_limit": 0.2, "retries": 0}, "no answer within 0.2 seconds"),
    ],
)
def test_what_does_not_pass_names_the_question_and_keeps_the_others(
    ill, options, message, tmp_path
):
    with search_server(two=ill) as server:
        with pytest.raises(TophitError, match=message) as caught:
            found(f"{server.url}/list", journal=tmp_path / "kept", concurrency=1, **options)
        assert "question 'q2' (two)" in str(caught.value)
        assert "1 of 3 answers are kept" in str(caught.value)
        server.ills.clear()
        server.bodies.clear()
        run = found(f"{server.url}/list", journal=tmp_path / "kept", concurrency=1)
        assert [body["question"] for _, _, body, _ in server.bodies] == ["two", "three"]
    assert run.retrieved.height == 6


def test_an_endpoint_that_is_down_is_said_before_any_work():
    with search_server() as server:
        url = server.url
    with pytest.raises(EndpointError, match=r"nothing answers at http://127\.0\.0\.1"):
        found(f"{url}/list")


@pytest.mark.parametrize(
    ("url", "options", "message"),
    [
        ("http://", {}, "an address begins with"),
        ("http://h/s", {"preset": "elastic"}, "unknown preset 'elastic'; did you mean elastics"),
        ("http://h/s", {"body": "{question"}, "body: expected JSON"),
        ("http://h/s", {"hedder": "x"}, "unknown option of a retriever by http 'hedder'"),
        ("http://h/s", {"header": "no colon"}, "a header is written"),
    ],
)
def test_requests_that_cannot_be(url, options, message):
    with pytest.raises(UsageError, match=message):
        found(url, **options)


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(MissingExtraError, match=r"httpx2.*tophit\[live\]"):
        found("http://localhost/search")


# Commands --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    path = tmp_path_factory.mktemp("programs") / "search.py"
    path.write_text(servers.PROGRAM)
    return f"command:{shlex.quote(sys.executable)} {shlex.quote(str(path))}"


@pytest.mark.parametrize("at_once", [1, 3])
def test_a_command_is_kept_running(program, at_once):
    run = retrieve(None, ASKED, retriever=program, depth=7, concurrency=at_once)
    assert run.retrieved["chunk_id"].to_list() == ["one 7", "two 7", "three 7"]
    assert run.retrieved["query_id"].to_list() == list(ASKED)


@pytest.mark.parametrize(
    ("question", "options", "message"),
    [
        ("dies", {}, "ended with status 3: out of memory"),
        ("sleeps", {"time_limit": 0.3}, "no answer within 0.3 seconds"),
        ("rubbish", {}, "expected a line of JSON, found 'Traceback"),
        ("says no", {}, "says: no such index"),
    ],
)
def test_a_command_that_fails(program, question, options, message, tmp_path):
    asked = {"q1": "one", "q2": question, "q3": "three"}
    for _ in range(2):
        with pytest.raises(UnansweredError, match=message) as caught:
            retrieve(None, asked, retriever=program, retries=1, backoff=0.01, **options,
                     journal=tmp_path / "kept")  # fmt: skip
        assert "question 'q2'" in str(caught.value)
    assert len((tmp_path / "kept").read_text().splitlines()) == 2


def test_a_command_that_is_not_there():
    with pytest.raises(UsageError, match="there is no command 'no-such-program'"):
        retrieve(None, ASKED, retriever="command:no-such-program --x")
    with pytest.raises(UnansweredError, match="ended with status 1"):
        retrieve(None, ASKED, retriever="command:false", retries=0)


# MCP ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def mcp_program(tmp_path_factory):
    path = tmp_path_factory.mktemp("mcp") / "server.py"
    path.write_text(servers.MCP_SERVER)
    return [sys.executable, str(path)]


@pytest.fixture(scope="module")
def mcp_server(mcp_program):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([*mcp_program, str(port)], stderr=subprocess.DEVNULL)
    for _ in range(600):
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", port)).close()
            break
        time.sleep(0.05)
    yield f"mcp:http://127.0.0.1:{port}/mcp"
    process.terminate()
    process.wait()


def test_a_tool_of_an_mcp_server_that_is_a_program(mcp_program):
    run = retrieve(None, ASKED, retriever=f"mcp:{shlex.join(mcp_program)}", tool="search", depth=3)
    assert ids(run) == ["one 0", "one 1", "one 2"]
    assert run.retrieved["text"].unique().to_list() == ["late fees"]


def test_a_tool_of_an_mcp_server_behind_an_address(mcp_server):
    run = retrieve(None, ASKED, retriever=mcp_server, tool="search", depth=2, concurrency=3)
    assert ids(run) == ["one 0", "one 1"]
    as_text = retrieve(None, ASKED, retriever=mcp_server, tool="as_text", documents="results")
    assert as_text.retrieved["chunk_id"].to_list() == ["one", "two", "three"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "several tools, name one as tool=NAME: search, as_text, as_prose"),
        ({"tool": "serch"}, "unknown tool 'serch'; did you mean search"),
        ({"tool": "search", "argument": "qeury"}, "unknown argument of the tool 'search' 'qeury'"),
        ({"tool": "as_prose"}, "expected JSON in the tool's text, found 'I found nothing'"),
    ],
)
def test_a_tool_that_is_not_clear(mcp_server, options, message):
    with pytest.raises((UsageError, InputError), match=message):
        retrieve(None, ASKED, retriever=mcp_server, **options, retries=0)


def test_a_tool_that_fails_names_the_question(mcp_server):
    asked = {"q1": "one", "q2": "fails"}
    with pytest.raises(UnansweredError, match=r"question 'q2' \(fails\): the tool 'search' says"):
        retrieve(None, asked, retriever=mcp_server, tool="search", retries=0)


def test_a_server_that_is_not_there(monkeypatch):
    with pytest.raises(EndpointError, match="does not start"):
        retrieve(None, ASKED, retriever="mcp:no-such-program")
    monkeypatch.setitem(sys.modules, "mcp", None)
    with pytest.raises(MissingExtraError, match=r"tophit\[mcp\]"):
        retrieve(None, ASKED, retriever="mcp:no-such-program")
