"""The table of doors. A new kind of retriever is a small module here and an entry below.

A door opens what is written on the command line (`http://...`, `command:...`, `package:name`) or
what is handed in as an object, whichever it recognises; its keyword parameters are its options.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from os import PathLike
from typing import Any

from tophit.errors import UsageError, unknown
from tophit.imports import is_name, named_object
from tophit.retrieval.protocol import Live


@dataclass(frozen=True, kw_only=True)
class Door:
    """One kind of retriever: how it is written, what it is, and the function that opens it.

    `module` is that of the function `open_...`, loaded when it is needed. `prefixes` are those of
    the text that it opens, the ones that are not part of the address cut off. An object is taken
    by `recognises` of the module.
    """

    name: str
    written: str
    summary: str
    options: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    objects: bool = False

    @cached_property
    def _module(self) -> Any:
        return import_module(f"tophit.retrieval.doors.{self.name}")

    def recognises(self, given: Any) -> bool:
        """Whether the object is of this kind."""
        return self.objects and bool(self._module.recognises(given))

    def opened(self, given: Any, options: dict[str, Any]) -> Live:
        """Open it. Errors: `UsageError` for an option that it does not have."""
        for option in options:
            if option not in self.options:
                raise unknown(f"option of a retriever by {self.name}", option, list(self.options))
        function: Callable[..., Live] = getattr(self._module, f"open_{self.name}")
        return function(given, **options)


DOORS: tuple[Door, ...] = (
    Door(
        name="http",
        written="http://HOST/PATH",
        summary="a search endpoint; presets: list, spring-ai, elasticsearch, opensearch, qdrant",
        options=(
            "preset", "method", "body", "documents", "header", "field", "text", "id", "score",
            "embedder", "time_limit",
        ),
        prefixes=("http://", "https://"),
        kept=("http://", "https://"),
    ),
    Door(
        name="command",
        written="command:PROGRAM ARGUMENTS",
        summary="a program: a request a line as JSON in, an answer a line out",
        options=("documents", "time_limit"),
        prefixes=("command:",),
    ),
    Door(
        name="mcp",
        written="mcp:PROGRAM or mcp:http://HOST",
        summary="a tool of an MCP server",
        options=("tool", "argument", "depth_argument", "documents", "time_limit"),
        prefixes=("mcp:",),
    ),
    Door(
        name="prepared",
        written="run:FILE",
        summary="a run that was made before, in any format",
        prefixes=("run:",),
        objects=True,
    ),
    Door(
        name="langchain",
        written="PACKAGE.MODULE:NAME",
        summary="a retriever, vector store or chain of LangChain",
        options=("input_key", "documents"),
        objects=True,
    ),
    Door(
        name="llama_index",
        written="PACKAGE.MODULE:NAME",
        summary="a retriever, query engine or index of LlamaIndex",
        objects=True,
    ),
    Door(
        name="haystack",
        written="PACKAGE.MODULE:NAME",
        summary="a pipeline or retriever of Haystack",
        options=("component",),
        objects=True,
    ),
    Door(
        name="python",
        written="PACKAGE.MODULE:NAME",
        summary="any function or object of Python",
        objects=True,
    ),
)  # fmt: skip


def is_retriever(given: Any) -> bool:
    """Whether an object can be asked, or a text says how: frames, dicts and paths cannot.

    >>> is_retriever(lambda question: []), is_retriever("http://localhost/search")
    (True, True)
    >>> is_retriever("run.jsonl"), is_retriever({"q1": ["a"]})
    (False, False)
    """
    if isinstance(given, str):
        return _door_of_text(given) is not None or is_named(given)
    if isinstance(given, PathLike):
        return False
    return isinstance(given, Live) or _door_of_object(given) is not None


def is_named(given: Any) -> bool:
    """Whether it is text of the form PACKAGE.MODULE:NAME that no other door opens.

    >>> is_named("shop.search:find"), is_named("command:search")
    (True, False)
    """
    return isinstance(given, str) and _door_of_text(given) is None and is_name(given)


def open_retriever(given: Any, **options: Any) -> Live:
    """Open whatever retrieves. Errors: `UsageError` for what no door opens, or an unknown option.

    >>> open_retriever(len).name
    'len'
    """
    if isinstance(given, Live):
        return given
    if isinstance(given, str):
        door = _door_of_text(given)
        if door is not None:
            return door.opened(_without_prefix(given, door), options)
        if not is_name(given):
            ways = ", ".join(dict.fromkeys(each.written for each in DOORS))
            raise UsageError(f"{given!r} is not how a retriever is written: {ways}")
        given = named_object(given)
    if inspect.isclass(given):
        given = _made(given)
    door = _door_of_object(given)
    if door is None:
        raise UsageError(
            f"expected a retriever (a function, an object with retrieve, or one of LangChain, "
            f"LlamaIndex or Haystack), found {type(given).__name__}"
        )
    return door.opened(given, options)


def _made(kind: type) -> Any:
    try:
        return kind()
    except TypeError as error:
        raise UsageError(f"{kind.__name__} cannot be made without arguments: {error}") from error


def _door_of_text(written: str) -> Door | None:
    return next((door for door in DOORS if written.startswith(door.prefixes or ("\0",))), None)


def _without_prefix(written: str, door: Door) -> str:
    for prefix in door.prefixes:
        if written.startswith(prefix) and prefix not in door.kept:
            return written[len(prefix) :].strip()
    return written


def _door_of_object(given: Any) -> Door | None:
    return next((door for door in DOORS if door.recognises(given)), None)
