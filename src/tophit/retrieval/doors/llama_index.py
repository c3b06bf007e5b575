"""LlamaIndex: indexes, retrievers and query engines."""

from __future__ import annotations

from typing import Any

from tophit.imports import is_of
from tophit.retrieval.protocol import Live, Request

_PACKAGE = "llama_index"


def recognises(given: Any) -> bool:
    """A retriever, a query engine or an index of LlamaIndex."""
    return is_of(given, _PACKAGE, "BaseRetriever", "BaseQueryEngine", "BaseIndex")


def open_llama_index(given: Any) -> Live:
    """Open it. An index is searched as deep as asked; a retriever as deep as it was set up.

    A query engine gives its source nodes, and its answer is recorded.
    """
    name = type(given).__name__
    if is_of(given, _PACKAGE, "BaseIndex"):
        return Live(name=name, identity=name, one=lambda request: _of_index(given, request))
    if is_of(given, _PACKAGE, "BaseRetriever"):
        return Live(
            name=name,
            identity=name,
            one=lambda request: given.retrieve(request.question),
            awaited=lambda request: given.aretrieve(request.question),
        )

    async def awaited(request: Request) -> Any:
        return _of_answer(await given.aquery(request.question))

    return Live(
        name=name,
        identity=name,
        one=lambda request: _of_answer(given.query(request.question)),
        awaited=awaited,
    )


def _of_index(index: Any, request: Request) -> Any:
    retriever = index.as_retriever(similarity_top_k=request.depth)
    return retriever.retrieve(request.question)


def _of_answer(response: Any) -> dict[str, Any]:
    said = getattr(response, "response", None)
    return {"retrieved": response.source_nodes, "answer": said if isinstance(said, str) else None}
