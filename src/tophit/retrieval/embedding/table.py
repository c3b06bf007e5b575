"""The table of embedders, and how one is written: a name, an address, `package:name`, an object."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tophit.errors import UsageError, import_extra, unknown
from tophit.imports import is_name, named_object
from tophit.retrieval.embedding.objects import open_object
from tophit.retrieval.embedding.vectors import Embedder, Prefixes, Vectors
from tophit.retrieval.embedding.wordllama import open_wordllama

_TRANSFORMERS = "sentence-transformers"
EMBEDDERS: dict[str, str] = {
    "wordllama": "static embeddings, offline, a model inside the package",
    "http://HOST/v1": "an endpoint that speaks OpenAI's protocol, such as Ollama; model=NAME",
    _TRANSFORMERS: "a model of sentence-transformers; model=NAME",
    "PACKAGE.MODULE:NAME": "an object that embeds, or a function from texts to vectors",
}
_AT_ONCE = 4


def open_embedder(given: Any, *, model: str = "", key: str = "") -> Embedder:
    """Open an embedder. Errors: `UsageError` for one that does not exist, `MissingExtraError`.

    >>> open_embedder(lambda texts: [[1.0] for _ in texts]).batch
    64
    """
    if isinstance(given, Embedder):
        return given
    if not isinstance(given, str):
        return open_object(given)
    if given.startswith(("http://", "https://")):
        return _endpoint(given, model, key)
    if is_name(given):
        return open_object(named_object(given))
    known: dict[str, Callable[[], Embedder]] = {
        "wordllama": open_wordllama,
        _TRANSFORMERS: lambda: _transformer(model),
    }
    if given not in known:
        raise unknown("embedder", given, list(EMBEDDERS))
    return known[given]()


def _endpoint(url: str, model: str, key: str) -> Embedder:
    from tophit.endpoints.embeddings import Embeddings

    if not model:
        raise UsageError(f"which model of {url}? Name it as model=NAME")
    endpoint = Embeddings(url, model=model, key=key)
    return Embedder(
        name=model,
        identity=f"{url} {model}",
        embed=lambda texts, kind: endpoint.vectors(texts),
        at_once=_AT_ONCE,
        check=endpoint.check,
        close=endpoint.close,
    )


def _transformer(model: str) -> Embedder:
    if not model:
        raise UsageError("which model of sentence-transformers? Name it as model=NAME")
    package = import_extra(
        "sentence_transformers", extra="sentence-transformers", purpose="Embedding",
        package=_TRANSFORMERS,
    )  # fmt: skip
    made = open_object(package.SentenceTransformer(model))
    return Embedder(name=model, identity=f"{_TRANSFORMERS} {model}", embed=made.embed)


def open_vectors(
    given: Any, *, model: str = "", key: str = "", cache: Path | None = None,
    prefixes: Prefixes | None = None,
) -> Vectors:  # fmt: skip
    """An embedder with its cache and the prefixes of its texts."""
    embedder = open_embedder(given, model=model, key=key)
    return Vectors.of(embedder, cache=cache, prefixes=prefixes)


def question_vectors(written: str) -> Vectors:
    """What a door needs to send a question as a vector: `NAME`, or `URL model`."""
    given, _, model = written.strip().partition(" ")
    return open_vectors(given, model=model.strip())
