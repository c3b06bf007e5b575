"""A tool of an MCP server, started as a program."""

import sys
from pathlib import Path

from tophit.retrieval import retrieve

Path("server.py").write_text(
    "from mcp.server import MCPServer\n"
    "server = MCPServer('shop')\n"
    "@server.tool()\n"
    "def search(question: str) -> list[dict[str, str]]:\n"
    "    return [{'id': 'a', 'text': 'A loan lasts three weeks.'}]\n"
    "server.run()\n"
)
run = retrieve(None, {"q1": "How long is a loan?"}, retriever=f"mcp:{sys.executable} server.py")
assert run.retrieved["chunk_id"].to_list() == ["a"], run.retrieved
