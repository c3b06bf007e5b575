"""Hybrid retrieval: several retrievers asked the same, their lists fused by reciprocal rank.

A chunk's score is the sum over the lists of weight / (constant + rank) (Cormack, Clarke and
Buettcher, 2009, with weights); a chunk that a list does not have gets nothing from it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tophit.errors import UsageError
from tophit.records.places import Place
from tophit.retrieval.answers import found_of
from tophit.retrieval.bm25 import open_bm25
from tophit.retrieval.corpus import Corpus
from tophit.retrieval.dense import open_dense
from tophit.retrieval.protocol import Found, Live, Request

RRF = 60
CANDIDATES = 100


def open_hybrid(
    corpus: Corpus, *, weights: Any = "1,1", rrf: float = RRF, candidates: int = CANDIDATES,
    language: str = "english", **dense: Any,
) -> Live:  # fmt: skip
    """Search by `bm25` and `dense`, whose options are taken too, and fuse.

    `weights` are two numbers, for bm25 and dense. Errors: those of the parts, and of `hybrid_of`.
    """
    lexical = open_bm25(_within(corpus, "bm25"), language=language)
    semantic = open_dense(_within(corpus, "dense"), **dense)
    numbers = weights_of(weights)
    return hybrid_of([lexical, semantic], weights=numbers, constant=rrf, candidates=candidates)


def weights_of(written: Any) -> list[float]:
    """Weights as numbers, from a list or from text such as `1,2`. Errors: `UsageError`.

    >>> weights_of("1, 0.5"), weights_of([1, 2])
    ([1.0, 0.5], [1.0, 2.0])
    """
    parts = written.replace(":", ",").split(",") if isinstance(written, str) else written
    try:
        return [float(part) for part in parts]
    except (TypeError, ValueError):
        raise UsageError(f"weights: expected numbers such as 1,2; found {written!r}") from None


def _within(corpus: Corpus, part: str) -> Corpus:
    return corpus if corpus.folder is None else replace(corpus, folder=corpus.folder / part)


def fused(
    lists: Mapping[str, Sequence[Place]], *, weights: Mapping[str, float], constant: float
) -> list[Place]:
    """The places of several lists in one, by the sum of their reciprocal ranks.

    Equal sums go by id, descending, as in ranks.

    >>> both = {"bm25": [Place("a"), Place("b")], "dense": [Place("b"), Place("c")]}
    >>> [place.id for place in fused(both, weights={"bm25": 1, "dense": 1}, constant=60)]
    ['b', 'a', 'c']
    """
    scores: dict[str, float] = {}
    places: dict[str, Place] = {}
    for name, listed in lists.items():
        seen: set[str] = set()
        for rank, place in enumerate(listed, 1):
            chunk = str(place.id)
            if weights[name] and chunk not in seen:  # a place that repeats a chunk adds nothing
                seen.add(chunk)
                places.setdefault(chunk, place)
                scores[chunk] = scores.get(chunk, 0.0) + weights[name] / (constant + rank)
    by_id = sorted(scores, reverse=True)
    ordered = sorted(by_id, key=lambda chunk: -round(scores[chunk], 12))
    return [places[chunk]._replace(score=round(scores[chunk], 12)) for chunk in ordered]


def hybrid_of(
    parts: Sequence[Live],
    *,
    weights: Sequence[float] | None = None,
    constant: float = RRF,
    candidates: int = CANDIDATES,
) -> Live:
    """A retriever that asks every part for `candidates` places and fuses them; all are stages.

    Errors: `UsageError` for fewer than two parts, other numbers of weights, negative ones, a
    constant that is not above 0.
    """
    given = [1.0] * len(parts) if weights is None else list(weights)
    if len(parts) < 2:
        raise UsageError("a hybrid retriever needs at least two parts")
    if len(given) != len(parts) or min(given) < 0 or not any(given):
        raise UsageError(f"weights: expected {len(parts)} numbers from 0, not all 0; found {given}")
    if constant <= 0 or candidates < 1:
        raise UsageError(f"rrf must be above 0 and candidates at least 1: {constant}, {candidates}")
    weighed = {part.name: weight for part, weight in zip(parts, given, strict=True)}
    if len(weighed) != len(parts):
        raise UsageError(f"two parts are called the same: {', '.join(p.name for p in parts)}")

    def one(request: Request) -> Found:
        deep = replace(request, depth=max(request.depth, candidates))
        answers = {part.name: _ask(part, deep) for part in parts}
        lists = {name: found.places for name, found in answers.items()}
        times = [found.latency_ms for found in answers.values()]
        places = tuple(fused(lists, weights=weighed, constant=constant))[: request.depth]
        known = [time for time in times if time is not None]
        return Found(
            places=places,
            stages=lists,
            latency_ms=sum(known) if len(known) == len(times) else None,
        )

    def check() -> None:
        for part in parts:
            part.check()

    def close() -> None:
        for part in parts:
            part.close()

    said: Any = [part.identity for part in parts], given, constant, candidates
    return Live(
        name="hybrid", one=one, check=check, close=close,
        at_once=max(part.at_once for part in parts),
        index_bytes=lambda: sum(part.index_bytes() for part in parts if part.index_bytes),
        identity=json.dumps(["hybrid", said]),
    )  # fmt: skip


def _ask(part: Live, request: Request) -> Found:
    assert part.one is not None
    return found_of(part.one(request), depth=request.depth)
