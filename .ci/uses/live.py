"""A search endpoint over HTTP, served here, asked by its address."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

from tophit.retrieval import retrieve


class Search(BaseHTTPRequestHandler):
    """Answers every question with one place."""

    def do_POST(self) -> None:
        """Read the request, send the list."""
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = json.dumps([{"id": "a", "text": "A loan lasts three weeks."}]).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST  # noqa: N815

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


server = HTTPServer(("127.0.0.1", 0), Search)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_port}/search"
run = retrieve(None, {"q1": "How long is a loan?"}, retriever=address)
assert run.retrieved["chunk_id"].to_list() == ["a"], run.retrieved
server.shutdown()
