"""Local processes for the doors: a search endpoint that behaves as it is told, and programs."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

FOUND = [("a", 0.9), ("b", 0.5)]


class Search(BaseHTTPRequestHandler):
    """Answers in the shape of the path; `server.ills` says what goes wrong with which question."""

    server: SearchServer
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        query = parse_qs(urlsplit(self.path).query)
        self._answer(urlsplit(self.path).path, {name: values[0] for name, values in query.items()})

    def do_POST(self):
        length = int(self.headers.get("Content-Length") or 0)
        self._answer(urlsplit(self.path).path, json.loads(self.rfile.read(length) or "null"))

    def _answer(self, path, body):
        server = self.server
        text = json.dumps(body)
        server.bodies.append((self.command, path, body, dict(self.headers)))
        ill = next((ill for word, ill in server.ills.items() if word in text), None)
        if ill is not None:
            server.seen[text] += 1
            if ill(self, server.seen[text]):
                return
        self.send(200, SHAPES[path](body))

    def send(self, status, value, headers=()):
        content = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args):
        pass


def _documents(body):
    return [{"id": i, "text": f"text of {i}", "score": s} for i, s in FOUND]


def _embeddings(body):
    """The share of each letter; the vectors come back in another order, as they may."""
    data = [
        {"index": at, "embedding": [text.lower().count(letter) + 0.01 for letter in "abcdefgh"]}
        for at, text in enumerate(body["input"])
    ]
    return {"data": data[::-1]}


SHAPES = {
    "/v1/embeddings": _embeddings,
    "/v1/models": lambda body: {"data": [{"id": "letters"}]},
    "/rerank": lambda body: {
        "results": [
            {"index": at, "relevance_score": len(text)} for at, text in enumerate(body["documents"])
        ]
    },
    "/list": _documents,
    "/under": lambda body: {"took": 3, "data": {"items": _documents(body)}},
    "/empty": lambda body: {"items": []},
    "/spring": lambda body: [
        {"id": i, "text": f"text of {i}", "metadata": {"source": "a.md"}, "score": s}
        for i, s in FOUND[: body["topK"]]
    ],
    "/_search": lambda body: {
        "hits": {
            "total": {"value": 2},
            "hits": [
                {"_id": i, "_score": s, "_source": {"text": f"text of {i}", "doc_id": "a.md"}}
                for i, s in FOUND[: body["size"]]
            ],
        }
    },
    "/points/query": lambda body: {
        "result": {
            "points": [
                {"id": n, "score": s, "payload": {"text": f"text of {i}", "n": len(body["query"])}}
                for n, (i, s) in enumerate(FOUND)
            ]
        },
        "status": "ok",
    },
    "/staged": lambda body: {
        "retrieved": _documents(body),
        "stages": {"bm25": ["b", "a"]},
        "answer": "four",
    },
}


def first_times(count, what):
    """An ill of the first tries alone."""
    return lambda handler, time: what(handler, time) if time <= count else False


def status(code, value=b"", headers=()):
    def send(handler, time):
        handler.send(code, value, headers)
        return True

    return send


def dropped(handler, time):
    handler.close_connection = True
    handler.connection.close()
    return True


def half(handler, time):
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'[{"id"')
    return dropped(handler, time)


def slow(seconds):
    def wait(handler, _):
        time.sleep(seconds)
        return False

    return wait


class SearchServer(ThreadingHTTPServer):
    """What goes wrong (`ills`), how often it has (`seen`), and what was asked (`bodies`)."""

    daemon_threads = True

    def __init__(self, ills):
        super().__init__(("127.0.0.1", 0), Search)
        self.ills, self.seen, self.bodies = ills, Counter(), []
        self.url = f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request, client_address):
        """A connection that a test broke off is no news."""


@contextmanager
def search_server(**ills):
    server = SearchServer(ills)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


PROGRAM = """
import json, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    question = asked["question"]
    if question == "dies":
        print("out of memory", file=sys.stderr)
        sys.exit(3)
    if question == "sleeps":
        time.sleep(30)
    if question == "rubbish":
        print("Traceback (most recent call last):", flush=True)
    elif question == "says no":
        print(json.dumps({"error": "no such index"}), flush=True)
    else:
        print(json.dumps([{"id": f"{question} {asked['depth']}"}]), flush=True)
"""

MCP_SERVER = '''
import json
import sys
from mcp.server import MCPServer

server = MCPServer("search")

@server.tool()
def search(query: str, top_k: int = 4) -> list[dict]:
    """Search."""
    if query == "fails":
        raise ValueError("no such index")
    return [{"id": f"{query} {n}", "text": "late fees"} for n in range(top_k)]

@server.tool()
def as_text(question: str) -> str:
    """Search, as JSON in text."""
    return json.dumps({"results": [{"id": question, "content": "late fees"}]})

@server.tool()
def as_prose(question: str) -> str:
    """Say something."""
    return "I found nothing"

if len(sys.argv) > 1:
    server.run("streamable-http", port=int(sys.argv[1]))
else:
    server.run()
'''
