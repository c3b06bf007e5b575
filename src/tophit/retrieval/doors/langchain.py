"""LangChain: retrievers, vector stores, and chains (anything that can be invoked)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tophit.errors import UsageError
from tophit.imports import is_of
from tophit.retrieval.doors.frameworks import documents_in
from tophit.retrieval.protocol import Live, Request
from tophit.retrieval.waiting import driven

# Where a chain may keep its documents, and what it calls its question.
_INPUTS = ("input", "question", "query")
_ANSWERS = ("answer", "result", "output")


def recognises(given: Any) -> bool:
    """A retriever, a vector store or another runnable of LangChain."""
    return is_of(given, "langchain_core", "Runnable", "VectorStore")


def open_langchain(given: Any, *, input_key: str = "", documents: str = "") -> Live:
    """Open it. A chain takes its question under `input_key` and gives `documents`: found or named.

    A vector store is searched as deep as asked and gives scores; so is a retriever over one, where
    more places do not change the first ones (similarity, without MMR). Any other retriever gives
    as many as it was set up for.
    """
    name = type(given).__name__
    if is_of(given, "langchain_core", "VectorStore"):
        return Live(name=name, one=lambda request: _searched(given, request), identity=name)
    if is_of(given, "langchain_core", "BaseRetriever"):
        return Live(name=name, identity=name, **_retriever(given))

    def chain(request: Request) -> Any:
        return _of_chain(given.invoke(_input(given, request, input_key)), documents)

    async def awaited(request: Request) -> Any:
        return _of_chain(await given.ainvoke(_input(given, request, input_key)), documents)

    return Live(name=name, one=chain, awaited=awaited, identity=name)


def _searched(store: Any, request: Request) -> Any:
    more = {} if request.filter is None else {"filter": request.filter}
    return store.similarity_search_with_score(request.question, k=request.depth, **more)


def _retriever(given: Any) -> dict[str, Any]:
    def more(request: Request) -> dict[str, Any]:
        deeper = getattr(given, "search_type", None) in ("similarity", "similarity_score_threshold")
        asked = {"k": request.depth} if deeper else {}
        return asked if request.filter is None else {**asked, "filter": request.filter}

    async def awaited(request: Request) -> Any:
        return await given.ainvoke(request.question, **more(request))

    def one(request: Request) -> Any:
        try:
            return given.invoke(request.question, **more(request))
        except NotImplementedError:  # it is async alone
            return driven(awaited(request))

    return {"one": one, "awaited": awaited}


def _input(chain: Any, request: Request, key: str) -> Any:
    """The question as the chain takes it: text, or a dict with the question under its name."""
    history = {} if request.history is None else {"chat_history": request.history}
    if key:
        return {key: request.question, **history}
    keys = getattr(chain, "input_keys", None)
    if not isinstance(keys, Iterable):
        try:
            schema = chain.get_input_jsonschema()
        except Exception:  # a chain that cannot say what it takes is given the text
            return request.question
        if schema.get("type") != "object" or not schema.get("properties"):
            return request.question
        keys = schema["properties"]
    names = list(keys)
    found = next((name for name in _INPUTS if name in names), names[0] if len(names) == 1 else None)
    if found is None:
        raise UsageError(
            f"the chain takes {', '.join(names)}; name the one that is the question: input_key=NAME"
        )
    return {found: request.question, **history}


def _of_chain(returned: Any, key: str) -> Any:
    if not isinstance(returned, Mapping):
        return returned
    answer = next(
        (returned[name] for name in _ANSWERS if isinstance(returned.get(name), str)), None
    )
    return {"retrieved": documents_in(returned, key, kind="the chain"), "answer": answer}
