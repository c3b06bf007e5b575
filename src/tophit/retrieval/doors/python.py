"""Any Python function or object: called by the names of its parameters.

def search(question): ...                     def search(question, depth, filter=None): ...
def search(request): ...                      async def search(question): ...
def search(questions): ...                    many at once: a list of lists comes back
class Search: def retrieve(self, request)     `retrieve_batch` and `aretrieve` too, if there
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from tophit.errors import UsageError
from tophit.imports import code_of
from tophit.retrieval.protocol import Live, Request

_REQUEST = ("request", "req")
_MANY: dict[str, Callable[[Request], Any]] = {
    "requests": lambda request: request,
    **dict.fromkeys(("questions", "queries"), lambda request: request.question),
}
# How a function calls what it takes beside the question.
_MORE: dict[str, Callable[[Request], Any]] = {
    **dict.fromkeys(("depth", "k", "top_k", "limit"), lambda request: request.depth),
    "history": lambda request: request.history,
    **dict.fromkeys(("filter", "filters"), lambda request: request.filter),
    "tags": lambda request: dict(request.tags),
    **dict.fromkeys(("id", "query_id"), lambda request: request.id),
}
_METHODS = ("retrieve", "search")


def recognises(given: Any) -> bool:
    """A function, or an object (or its class) with a method `retrieve` or `search`."""
    if any(callable(getattr(given, name, None)) for name in _METHODS):
        return True
    return callable(given) and not inspect.isclass(given)


def open_python(given: Any) -> Live:
    """Open a function or an object. Errors: `UsageError` for a parameter that nobody can give.

    >>> live = open_python(lambda question, depth: [question] * depth)
    >>> live.one(Request(question="a", depth=2))
    ['a', 'a']
    """
    name = getattr(given, "__name__", None) or type(given).__name__
    function = given if inspect.isroutine(given) else _method(given)
    batch = getattr(given, "retrieve_batch", None)
    awaited = getattr(given, "aretrieve", None)
    ways = _ways(function, name)
    if callable(batch):
        ways["many"] = lambda requests: batch(list(requests))
    if callable(awaited):
        ways["awaited"] = _single(awaited, name)
    return Live(name=name, identity=code_of(given), **ways)


def _method(given: Any) -> Callable[..., Any]:
    for name in _METHODS:
        if callable(method := getattr(given, name, None)):
            return method  # type: ignore[no-any-return]
    return given  # type: ignore[no-any-return]


def _ways(function: Callable[..., Any], name: str) -> dict[str, Any]:
    first = next(iter(_parameters(function)), None)
    if first is not None and first.name in _MANY:
        take = _MANY[first.name]

        def many(requests: Sequence[Request]) -> Any:
            more = _more(function, requests[0], name)
            return function([take(request) for request in requests], **more)

        return {"many": many}
    single = _single(function, name)
    kind: Any = type(function)
    called = function if inspect.isroutine(function) else kind.__call__
    if inspect.iscoroutinefunction(called):
        return {"awaited": single}
    return {"one": single}


def _single(function: Callable[..., Any], name: str) -> Callable[[Request], Any | Awaitable[Any]]:
    parameters = _parameters(function)
    whole = bool(parameters) and (
        parameters[0].name in _REQUEST or parameters[0].annotation in (Request, "Request")
    )
    _more(function, Request(question=""), name)  # what cannot be given is said before any work

    def call(request: Request) -> Any:
        return function(request if whole else request.question, **_more(function, request, name))

    return call


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # written in C: one argument, the question
        return []


def _more(function: Callable[..., Any], request: Request, name: str) -> dict[str, Any]:
    """What the function takes beside its first parameter, by name."""
    given = {}
    for parameter in _parameters(function)[1:]:
        if parameter.name in _MORE and parameter.kind is not parameter.POSITIONAL_ONLY:
            given[parameter.name] = _MORE[parameter.name](request)
        elif parameter.default is parameter.empty and parameter.kind not in (
            parameter.VAR_POSITIONAL,
            parameter.VAR_KEYWORD,
        ):
            raise UsageError(
                f"the retriever {name} wants a parameter {parameter.name!r}; it can be given: "
                f"the question (or a request) first, then any of {', '.join(_MORE)}"
            )
    return given
