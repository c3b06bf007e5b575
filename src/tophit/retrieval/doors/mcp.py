"""`mcp:`: a tool of an MCP server, by the official SDK. The server is a command or an address."""

from __future__ import annotations

import contextlib
import json
import shlex
import threading
from collections.abc import Mapping
from typing import Any

from tophit.endpoints.http import TIME_LIMIT
from tophit.errors import EndpointError, Fault, InputError, UsageError, import_extra, unknown
from tophit.records.values import shown
from tophit.retrieval.doors.records import places_in
from tophit.retrieval.protocol import Live, Request

_QUESTIONS = ("question", "query", "text", "q", "input", "search_query")
_DEPTHS = ("depth", "k", "top_k", "topK", "limit", "n_results", "max_results")


def open_mcp(
    written: str,
    *,
    tool: str = "",
    argument: str = "",
    depth_argument: str = "",
    documents: str = "",
    time_limit: float = TIME_LIMIT,
) -> Live:
    """Open a tool. `tool` and `argument` (where the question goes) are named, or found if clear.

    The result is the tool's structured content, else the JSON in its text; `documents` is the path
    of the list in it. Errors: `MissingExtraError` without the SDK, `UsageError` for a tool or an
    argument that is not there, `EndpointError` for a server that cannot be started.
    """
    import_extra("mcp", extra="mcp", purpose="Asking an MCP server")
    session = _Session(written, time_limit)
    said = {"tool": tool, "argument": argument, "depth": depth_argument}

    def one(request: Request) -> Any:
        found = session.tool(**said)
        arguments: dict[str, Any] = {found["argument"]: request.question}
        if found["depth"]:
            arguments[found["depth"]] = request.depth
        result = session.call(found["tool"], arguments)
        return places_in(_content(result), documents, {}, source=f"the tool {found['tool']!r}")

    return Live(
        name=tool or "mcp",
        one=one,
        check=lambda: session.check(**said),
        close=session.close,
        time_limit=2 * time_limit,
        identity=json.dumps(["mcp", written, said, documents]),
    )


class _Session:
    """One session with a server, in an event loop of its own thread."""

    def __init__(self, written: str, time_limit: float) -> None:
        self._written, self._limit = written, time_limit
        self._lock = threading.Lock()
        self._stack = contextlib.ExitStack()
        self._portal: Any = None
        self._client: Any = None
        self._found: dict[str, str] | None = None

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        self._open()
        try:
            result = self._portal.call(self._client.call_tool, tool, dict(arguments), self._limit)
        except Exception as error:
            self.close()
            raise EndpointError(f"the MCP server {self._written}: {error}", passing=True) from error
        if result.is_error:
            text = " ".join(getattr(part, "text", "") for part in result.content).strip()
            raise EndpointError(f"the tool {tool!r} says: {text or 'an error'}")
        return result

    def check(self, **said: str) -> None:
        self.tool(**said)

    def tool(self, *, tool: str, argument: str, depth: str) -> dict[str, str]:
        """The tool, its argument for the question, and that for the depth if it has one."""
        with self._lock:
            if self._found is None:
                self._open()
                tools = self._portal.call(self._client.list_tools).tools
                self._found = _chosen({each.name: each for each in tools}, tool, argument, depth)
        return self._found

    def close(self) -> None:
        self._client = None
        with contextlib.suppress(Exception):  # a server that went away cannot say goodbye
            self._stack.close()

    def _open(self) -> None:
        if self._client is not None:
            return
        from anyio.from_thread import start_blocking_portal

        try:
            self._portal = self._stack.enter_context(start_blocking_portal())
            client = self._portal.call(_client, self._written, self._limit)
            self._client = self._stack.enter_context(
                self._portal.wrap_async_context_manager(client)
            )
        except Exception as error:
            self.close()
            said = str(error) or type(error).__name__
            raise EndpointError(f"the MCP server {self._written} does not start: {said}") from error


async def _client(written: str, time_limit: float) -> Any:
    import mcp

    if written.startswith(("http://", "https://")):
        return mcp.Client(written, read_timeout_seconds=time_limit)
    command, *arguments = shlex.split(written)
    server = mcp.StdioServerParameters(command=command, args=arguments)
    return mcp.Client(server, read_timeout_seconds=time_limit)


def _chosen(
    tools: Mapping[str, Any], tool: str, argument: str, depth: str
) -> dict[str, str]:  # fmt: skip
    if tool and tool not in tools:
        raise unknown("tool", tool, list(tools))
    if not tool and len(tools) != 1:
        named = ", ".join(tools) or "none"
        raise UsageError(f"the server has several tools, name one as tool=NAME: {named}")
    name = tool or next(iter(tools))
    schema = tools[name].input_schema
    fields = list(schema.get("properties") or {})
    for given in filter(None, (argument, depth)):
        if given not in fields:
            raise unknown(f"argument of the tool {name!r}", given, fields)
    required = schema.get("required") or fields
    question = argument or next((each for each in _QUESTIONS if each in fields), "")
    if not question and len(required) == 1:
        (question,) = required
    if not question:
        raise UsageError(
            f"the tool {name!r} takes {', '.join(fields)}; name the one that is the question: "
            "argument=NAME"
        )
    found = depth or next((each for each in _DEPTHS if each in fields), "")
    return {"tool": name, "argument": question, "depth": found}


def _content(result: Any) -> Any:
    """The structured content, which the SDK wraps in `result` where it is no object; else JSON."""
    found = result.structured_content
    if isinstance(found, Mapping) and list(found) == ["result"]:
        found = found["result"]
    if found is not None and not isinstance(found, str):
        return found
    texts = [part.text for part in result.content if getattr(part, "text", None)]
    try:
        values = [json.loads(text) for text in texts]
    except ValueError as error:
        said = shown(" ".join(texts))
        fault = Fault(file="mcp", expected="JSON in the tool's text", found=said)
        raise InputError(fault) from error
    return values[0] if len(values) == 1 else values
