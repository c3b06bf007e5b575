"""Haystack: pipelines, and a retriever component alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tophit.errors import UsageError, unknown
from tophit.imports import is_of
from tophit.retrieval.protocol import Live, Request

_QUESTIONS = ("query", "text", "question")
_DOCUMENTS = "documents"


def recognises(given: Any) -> bool:
    """A pipeline, or a component that gives documents."""
    return is_of(given, "haystack", "PipelineBase") or _is_component(given)


def _is_component(given: Any) -> bool:
    outputs = getattr(given, "__haystack_output__", None)
    return outputs is not None and hasattr(outputs, "_sockets_dict") and hasattr(given, "run")


def open_haystack(given: Any, *, component: str = "") -> Live:
    """Open it. `component` is the one whose documents count: named, or the last that gives some.

    The documents of the components before it are the stages. The question goes to every input
    that is called query, text or question and is not connected.
    Errors: `UsageError` for a pipeline without documents or without a question.
    """
    name = type(given).__name__
    if not is_of(given, "haystack", "PipelineBase"):
        return Live(name=name, identity=name, one=lambda request: _of_component(given, request))
    givers = _givers(given)
    if component and component not in givers:
        raise unknown("component with documents", component, givers)
    last = component or givers[-1]
    questions = _questions(given)
    kept = set(givers[: givers.index(last) + 1])

    def data(request: Request) -> dict[str, dict[str, str]]:
        return {part: dict.fromkeys(names, request.question) for part, names in questions.items()}

    def one(request: Request) -> Any:
        return _of_pipeline(given.run(data(request), include_outputs_from=kept), last, kept)

    run_async = getattr(given, "run_async", None)
    if run_async is None:
        return Live(name=name, identity=name, one=one)

    async def awaited(request: Request) -> Any:
        found = await run_async(data(request), include_outputs_from=kept)
        return _of_pipeline(found, last, kept)

    return Live(name=name, identity=name, one=one, awaited=awaited)


def _of_component(component: Any, request: Request) -> Any:
    inputs = component.__haystack_input__._sockets_dict
    name = next((each for each in _QUESTIONS if each in inputs), None)
    if name is None:
        raise UsageError(f"{type(component).__name__} takes no question (query, text, question)")
    more = {"top_k": request.depth} if "top_k" in inputs else {}
    if request.filter is not None and "filters" in inputs:
        more["filters"] = request.filter
    return component.run(**{name: request.question}, **more)[_DOCUMENTS]


def _givers(pipeline: Any) -> list[str]:
    """The components that give documents, in the order of the flow."""
    outputs = pipeline.outputs(include_components_with_connected_outputs=True)
    order = {name: at for at, name in enumerate(_flow(pipeline))}
    found = [name for name, sockets in outputs.items() if _DOCUMENTS in sockets]
    if not found:
        raise UsageError(f"no component of the pipeline gives documents: {', '.join(outputs)}")
    return sorted(found, key=lambda name: order[name])


def _flow(pipeline: Any) -> list[str]:
    """The components, each after those that it takes from; cycles in the order of the graph."""
    graph = pipeline.graph
    left = {name: {a for a, _ in graph.in_edges(name)} for name in graph.nodes}
    ordered: list[str] = []
    while left:
        ready = [name for name, before in left.items() if not before & set(left)]
        for name in ready or list(left)[:1]:
            ordered.append(name)
            del left[name]
    return ordered


def _questions(pipeline: Any) -> dict[str, list[str]]:
    """The inputs that want the question, by component."""
    found: dict[str, list[str]] = {}
    for part, sockets in pipeline.inputs().items():
        names = [name for name in _QUESTIONS if name in sockets]
        if names:
            found[part] = names[:1]
    if not found:
        raise UsageError("no component of the pipeline takes a question (query, text, question)")
    return found


def _of_pipeline(found: Mapping[str, Any], last: str, kept: set[str]) -> dict[str, Any]:
    lists = {name: found[name][_DOCUMENTS] for name in kept if _DOCUMENTS in found.get(name, {})}
    if last not in lists:
        raise UsageError(f"the component {last!r} gave no documents; the pipeline ended before it")
    replies = [each for part in found.values() for each in part.get("replies") or ()]
    return {
        "retrieved": lists[last],
        "stages": lists if len(lists) > 1 else {},
        "answer": _text(replies[0]) if replies else None,
    }


def _text(reply: Any) -> str | None:
    said = reply if isinstance(reply, str) else getattr(reply, "text", None)
    return said if isinstance(said, str) else None
