"""What an embedder gave, checked, as unit vectors; and every text embedded once."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from tophit.errors import Fault, InputError
from tophit.retrieval.embedding.cache import VectorCache

Kind = Literal["document", "question"]


def _nothing() -> None:
    """What an embedder does that has nothing to look after."""


@dataclass(frozen=True, kw_only=True)
class Embedder:
    """A model: `embed(texts, kind)` gives a vector a text. `identity` tells one model from another.

    `batch` is how many texts it takes at once, `at_once` how many questions it may be asked in
    parallel. `check` raises before any work where it is not there.
    """

    name: str
    identity: str
    embed: Callable[[list[str], Kind], Any]
    batch: int = 64
    at_once: int = 1
    check: Callable[[], None] = _nothing
    close: Callable[[], None] = _nothing


@dataclass(frozen=True, kw_only=True)
class Prefixes:
    """What a model wants before its texts, such as "query: " and "passage: "."""

    question: str = ""
    document: str = ""


@dataclass(frozen=True, kw_only=True)
class Vectors:
    """The vectors of texts by one embedder, from the cache where they are in it."""

    embedder: Embedder
    cache: VectorCache
    prefixes: Prefixes = field(default_factory=Prefixes)

    @classmethod
    def of(
        cls, embedder: Embedder, *, cache: Path | None, prefixes: Prefixes | None = None
    ) -> Vectors:  # fmt: skip
        """With a cache in a file, or in memory."""
        return cls(
            embedder=embedder,
            cache=VectorCache(cache, embedder.identity),
            prefixes=prefixes or Prefixes(),
        )

    def of_documents(
        self, texts: Sequence[str], progress: Callable[[int, int], None] | None = None
    ) -> np.ndarray:
        """A row a text, each of length 1. Errors: those of the embedder, `InputError`.

        The batches are those of the whole list, so that a second start makes the same ones.
        """
        rows: list[np.ndarray] = []
        for first in range(0, len(texts), self.embedder.batch):
            part = [self.prefixes.document + t for t in texts[first : first + self.embedder.batch]]
            rows += [vector for vector, _ in self._of(part, "document")]
            if progress:
                progress(min(first + self.embedder.batch, len(texts)), len(texts))
        return _matrix(rows)

    def of_question(self, text: str) -> np.ndarray:
        """The unit vector of a question."""
        return self.timed(text)[0]

    def timed(self, text: str) -> tuple[np.ndarray, float]:
        """The unit vector of a question, and how many milliseconds it took when it was made."""
        (found,) = self._of([self.prefixes.question + text], "question")
        return found

    def check(self) -> None:
        """Errors: `EndpointError` and the like, before any work."""
        self.embedder.check()

    def close(self) -> None:
        """Close the cache and the embedder."""
        self.cache.close()
        self.embedder.close()

    def _of(self, texts: list[str], kind: Kind) -> list[tuple[np.ndarray, float]]:
        keys = [self.cache.key(f"{kind}\0{text}") for text in texts]
        found = self.cache.vectors(set(keys))
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            begun = time.perf_counter()
            given = self.embedder.embed(list(missing.values()), kind)
            ms = 1000 * (time.perf_counter() - begun) / len(missing)
            made = unit_vectors(given, list(missing.values()), name=self.embedder.name)
            vectors = dict(zip(missing, made, strict=True))
            self.cache.add(vectors, ms=ms)
            found |= {key: (vector, ms) for key, vector in vectors.items()}
        return [found[key] for key in keys]


def _matrix(rows: list[np.ndarray]) -> np.ndarray:
    if lengths := {len(row) for row in rows} - {len(rows[0])} if rows else set():
        raise InputError(
            Fault(file="embeddings", expected=f"vectors of length {len(rows[0])}",
                  found=f"some of length {min(lengths)}")
        )  # fmt: skip
    return np.stack(rows) if rows else np.zeros((0, 1), dtype=np.float32)


def unit_vectors(given: Any, texts: Sequence[str], *, name: str) -> np.ndarray:
    """Vectors of length 1, a row a text. A vector of zeros stays one.

    Errors: `InputError` for another number of vectors, or values that are no finite numbers.

    >>> unit_vectors([[3.0, 4.0]], ["late fees"], name="mine").tolist()
    [[0.6000000238418579, 0.800000011920929]]
    """
    try:
        vectors = np.asarray(given, dtype=np.float32)
    except (TypeError, ValueError):
        vectors = np.zeros(0, dtype=np.float32)
    shape = (len(texts), vectors.shape[1] if vectors.ndim == 2 else 0)
    if vectors.ndim != 2 or vectors.shape != shape or not shape[1]:
        expected = f"{len(texts):,} vectors of one length for as many texts"
        found = f"an array of shape {vectors.shape}" if vectors.size else repr(given)[:80]
        raise InputError(Fault(file=f"embedder {name}", expected=expected, found=found))
    wrong = ~np.isfinite(vectors).all(axis=1)
    if wrong.any():
        text = texts[int(np.argmax(wrong))]
        raise InputError(
            Fault(file=f"embedder {name}", expected="finite numbers",
                  found=f"others for the text {text[:60]!r}")
        )  # fmt: skip
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths == 0, 1, lengths)
