"""Embedders that are objects of Python: told by their methods, so no package is imported.

SentenceTransformer   encode_query, encode_document, encode
LangChain             embed_query, embed_documents
LlamaIndex            get_query_embedding, get_text_embedding_batch
any function          from a list of texts to a list of vectors
"""

from __future__ import annotations

from typing import Any

from tophit.errors import UsageError
from tophit.imports import code_of
from tophit.retrieval.embedding.vectors import Embedder, Kind


def open_object(given: Any) -> Embedder:
    """An embedder of an object. Errors: `UsageError` where it has no method that embeds.

    >>> open_object(lambda texts: [[1.0] for _ in texts]).embed(["a", "b"], "document")
    [[1.0], [1.0]]
    """
    name = getattr(given, "__name__", None) or type(given).__name__
    return Embedder(name=name, identity=_identity(given, name), embed=_function(given))


def _function(given: Any) -> Any:
    if hasattr(given, "embed_documents") and hasattr(given, "embed_query"):
        return lambda texts, kind: (
            given.embed_documents(texts) if kind == "document" else _each(given.embed_query, texts)
        )
    if hasattr(given, "get_text_embedding_batch"):
        return lambda texts, kind: (
            given.get_text_embedding_batch(texts)
            if kind == "document"
            else _each(given.get_query_embedding, texts)
        )
    if hasattr(given, "encode"):
        return lambda texts, kind: _encoder(given, kind)(texts)
    if hasattr(given, "embed"):
        return lambda texts, kind: given.embed(texts)
    if callable(given):
        return lambda texts, kind: given(texts)
    raise UsageError(
        f"expected an embedder (a function from texts to vectors, or an object with encode, "
        f"embed_documents or get_text_embedding_batch), found {type(given).__name__}"
    )


def _encoder(model: Any, kind: Kind) -> Any:
    own = "encode_document" if kind == "document" else "encode_query"
    return getattr(model, own, None) or model.encode


def _each(embed: Any, texts: list[str]) -> list[Any]:
    return [embed(text) for text in texts]


def _identity(given: Any, name: str) -> str:
    """The name of the model where the object says it, and the text of its code."""
    said = [getattr(given, each, None) for each in ("model_name", "model", "model_name_or_path")]
    card = getattr(getattr(given, "model_card_data", None), "base_model", None)
    named = next((each for each in (*said, card) if isinstance(each, str)), "")
    return f"{name} {named} {code_of(given)}"
