"""The reranker's slot: the first places of a retriever, ordered again by another model.

A reranker is a function from a question and texts to scores, an object of sentence-transformers
(`predict` of pairs), or an endpoint that speaks as Cohere's, Jina's and llama.cpp's `/rerank`.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from tophit.endpoints.http import Client
from tophit.endpoints.keys import headers_of
from tophit.errors import Fault, InputError, UsageError
from tophit.imports import code_of, is_name, named_object
from tophit.records.places import Place
from tophit.relations import CHUNK, TEXT
from tophit.retrieval.answers import found_of
from tophit.retrieval.protocol import Found, Live, Request

RERANK_DEPTH = 50
FUSED = "fused"


@dataclass(frozen=True, kw_only=True)
class Reranker:
    """`scores(question, texts)` gives a number a text, the higher the better."""

    name: str
    identity: str
    scores: Callable[[str, list[str]], Any]
    check: Callable[[], None] = lambda: None
    close: Callable[[], None] = lambda: None


def open_reranker(given: Any, *, model: str = "", header: str = "") -> Reranker:
    """Open it. Errors: `UsageError` for what is none.

    >>> open_reranker(lambda question, texts: [1, 2]).scores("?", ["a", "bb"])
    [1, 2]
    """
    if isinstance(given, Reranker):
        return given
    if isinstance(given, str) and given.startswith(("http://", "https://")):
        return _endpoint(given, model, header)
    if isinstance(given, str):
        if not is_name(given):
            raise UsageError(f"{given!r} is no reranker: an address, or PACKAGE.MODULE:NAME")
        given = named_object(given)
    name = getattr(given, "__name__", None) or type(given).__name__
    if hasattr(given, "predict"):
        pairs = given.predict
        return Reranker(
            name=name,
            identity=code_of(given),
            scores=lambda question, texts: pairs([(question, text) for text in texts]),
        )
    if not callable(given):
        raise UsageError(f"expected a reranker (a function, or an object with predict): {name}")
    return Reranker(name=name, identity=code_of(given), scores=given)


def reranked(
    live: Live, reranker: Reranker, *, chunks: pl.DataFrame | None, depth: int = RERANK_DEPTH
) -> Live:
    """A retriever whose first `depth` places are ordered by the reranker; the rest follows.

    The list before is a stage: `fused` of a hybrid, else by the retriever's name.
    Errors: `UsageError` for a depth below 1 or a retriever that is async alone; `InputError` for a
    place without text, or scores that are not a number a text.
    """
    if depth < 1:
        raise UsageError(f"the depth of reranking must be at least 1, not {depth}")
    if live.one is None:
        raise UsageError(f"the retriever {live.name} cannot be reranked: it answers many at once")
    texts = {} if chunks is None else dict(chunks.select(CHUNK, TEXT).iter_rows())
    ask = live.one

    def one(request: Request) -> Found:
        deep = max(request.depth, depth)
        before = found_of(ask(replace(request, depth=deep)), depth=deep)
        begun = time.perf_counter()
        places = _ordered(before.places, reranker, request.question, texts, depth)
        ms = 1000 * (time.perf_counter() - begun)
        return replace(
            before,
            places=places[: request.depth],
            stages={**before.stages, FUSED if before.stages else live.name: before.places},
            latency_ms=None if before.latency_ms is None else before.latency_ms + ms,
        )

    def check() -> None:
        live.check()
        reranker.check()

    def close() -> None:
        live.close()
        reranker.close()

    said = json.dumps([live.identity, reranker.identity, depth])
    return replace(live, one=one, many=None, awaited=None, check=check, close=close, identity=said)


def _ordered(
    places: Sequence[Place], reranker: Reranker, question: str, texts: Mapping[str, str], depth: int
) -> tuple[Place, ...]:
    first, rest = places[:depth], places[depth:]
    read = [texts.get(str(p.id)) if p.text is None else p.text for p in first]
    if None in read:
        place = first[read.index(None)]
        raise InputError(Fault(file="reranker", expected=f"text of {place.id!r}", found="nothing"))
    given = reranker.scores(question, [str(text) for text in read]) if read else []
    scores = _numbers(given, len(read), reranker.name)
    order = sorted(range(len(first)), key=lambda at: -scores[at])
    lowest = min(scores, default=0.0)
    # What was not reranked follows, and its scores are no longer on the same scale.
    after = [place._replace(score=lowest) for place in rest]
    return (*(first[at]._replace(score=scores[at]) for at in order), *after)


def _numbers(given: Any, count: int, name: str) -> list[float]:
    try:
        scores = [float(score) for score in given]
    except (TypeError, ValueError):
        scores = []
    if len(scores) != count or any(math.isnan(score) for score in scores):
        found = repr(given)[:80]
        expected = f"{count:,} scores for as many texts"
        raise InputError(Fault(file=f"reranker {name}", expected=expected, found=found))
    return scores


def _endpoint(url: str, model: str, header: str) -> Reranker:
    client = Client(url, headers=headers_of(header))

    def scores(question: str, texts: list[str]) -> list[float]:
        body = {"query": question, "documents": texts, "top_n": len(texts)}
        returned = client.ask("POST", url, {**({"model": model} if model else {}), **body})
        results: Any = returned.get("results") if isinstance(returned, Mapping) else returned
        try:
            by_index = {each["index"]: _score(each) for each in results}
            return [by_index[at] for at in range(len(texts))]
        except (KeyError, TypeError):
            fault = Fault(file=client.origin, expected="a score a text, as Cohere's rerank gives",
                          found=repr(returned)[:80])  # fmt: skip
            raise InputError(fault) from None

    return Reranker(
        name=model or client.origin, identity=f"{url} {model}", scores=scores,
        check=client.check, close=client.close,
    )  # fmt: skip


def _score(result: Mapping[str, Any]) -> float:
    return float(result["relevance_score"] if "relevance_score" in result else result["score"])
