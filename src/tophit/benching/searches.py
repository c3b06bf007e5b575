"""Retrievers over one set of chunks: each part is opened once, and asked each question once.

A hybrid retriever asks the same parts that stand alone in the grid, and a value that is tuned (a
weight, a constant, a depth of reranking) changes only what is made of their answers.
"""

from __future__ import annotations

import contextlib
import json
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from tophit.benching.specs import Retrieving
from tophit.retrieval.answers import found_of
from tophit.retrieval.corpus import Corpus, checked_chunks
from tophit.retrieval.hybrid import CANDIDATES, RRF, hybrid_of, weights_of
from tophit.retrieval.protocol import Found, Live, Request
from tophit.retrieval.rerank import Reranker, open_reranker, reranked
from tophit.retrieval.runs import opened
from tophit.retrieval.table import RETRIEVERS


class Searches:
    """The retrievers of a sweep over one set of chunks (None: those with an index of their own).

    A context: what was opened is closed at its end. `cache` keeps embeddings.
    """

    def __init__(self, chunks: pl.DataFrame | None, *, cache: Path | None) -> None:
        self.chunks = None if chunks is None else checked_chunks(chunks)
        self._cache = cache
        self._stack = contextlib.ExitStack()
        self._parts: dict[str, Live] = {}
        self._rerankers: dict[int, Reranker] = {}

    def __enter__(self) -> Searches:
        self._folder = Path(
            self._stack.enter_context(
                tempfile.TemporaryDirectory(prefix="tophit-", ignore_cleanup_errors=True)
            )
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def live(self, retrieving: Retrieving, chosen: Mapping[str, Any] | None = None) -> Live:
        """The retriever, with the values `chosen` in place of its options."""
        options = {**retrieving.options, **(chosen or {})}
        rerank_depth = options.pop("rerank_depth", retrieving.rerank_depth)
        if retrieving.what == "hybrid":
            live = self._hybrid(options)
        else:
            live = self._part(retrieving.what, options)
        if retrieving.reranker is None:
            return live
        reranker = self._reranker(retrieving.reranker)
        return reranked(live, reranker, chunks=self.chunks, depth=int(rerank_depth))

    def _hybrid(self, options: Mapping[str, Any]) -> Live:
        parts = []
        for name in ("bm25", "dense"):
            own = {key: value for key, value in options.items() if key in RETRIEVERS[name].options}
            parts.append(self._part(name, own))
        made = hybrid_of(
            parts,
            weights=weights_of(options.get("weights", "1,1")),
            constant=float(options.get("rrf", RRF)),
            candidates=int(options.get("candidates", CANDIDATES)),
        )
        return replace(made, close=lambda: None)

    def _part(self, what: Any, options: Mapping[str, Any]) -> Live:
        key = f"{what if isinstance(what, str) else id(what)} {_text(options)}"
        if key not in self._parts:
            corpus = None
            if self.chunks is not None:
                folder = self._folder / str(len(self._parts))
                corpus = Corpus(chunks=self.chunks, folder=folder, cache=self._cache)
            live = self._stack.enter_context(opened(what, corpus, options=dict(options)))
            indexed = isinstance(what, str) and what in RETRIEVERS
            self._parts[key] = remembered(live) if indexed else live
        return self._parts[key]

    def _reranker(self, given: Any) -> Reranker:
        if id(given) not in self._rerankers:
            reranker = open_reranker(given)
            self._stack.callback(reranker.close)
            self._rerankers[id(given)] = remembering(reranker)
        return self._rerankers[id(given)]


def remembered(live: Live, *, depth: int = CANDIDATES) -> Live:
    """An index that is asked each question once, `depth` deep at least; less is its beginning."""
    known: dict[str, tuple[int, Found]] = {}
    ask = live.one

    def one(request: Request) -> Found:
        assert ask is not None
        key = replace(request, depth=0).key
        deep, found = known.get(key, (0, Found()))
        if deep < request.depth:
            deep = max(request.depth, depth)
            begun = time.perf_counter()
            found = found_of(ask(replace(request, depth=deep)), depth=deep)
            if found.latency_ms is None:
                found = replace(found, latency_ms=1000 * (time.perf_counter() - begun))
            known[key] = deep, found
        return replace(found, places=found.places[: request.depth])

    return replace(live, one=one)


def remembering(reranker: Reranker) -> Reranker:
    """A reranker that is given each pair of a question and a text once."""
    known: dict[tuple[str, str], float] = {}

    def scores(question: str, texts: list[str]) -> list[float]:
        missing = list(dict.fromkeys(text for text in texts if (question, text) not in known))
        if missing:
            given = list(reranker.scores(question, missing))
            if len(given) != len(missing):
                return given  # what is wrong with it is said where scores are checked
            known.update(
                {(question, text): each for text, each in zip(missing, given, strict=True)}
            )
        return [known[question, text] for text in texts]

    return replace(reranker, scores=scores)


def _text(options: Mapping[str, Any]) -> str:
    default: Callable[[Any], str] = lambda value: str(id(value))  # noqa: E731
    return json.dumps(options, sort_keys=True, default=default)
