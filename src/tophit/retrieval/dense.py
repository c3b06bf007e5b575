"""Dense retrieval: the chunks whose vectors have the highest cosine with that of the question.

Cosines are rounded to six decimals, since the seventh depends on the order of a sum; what has the
same score then is in the order of ranks, as everywhere.
"""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tophit.errors import UsageError, import_extra, unknown
from tophit.records.places import Place
from tophit.relations import CHUNK, TEXT
from tophit.retrieval.corpus import Corpus
from tophit.retrieval.embedding.table import open_vectors
from tophit.retrieval.embedding.vectors import Prefixes, Vectors
from tophit.retrieval.kept import index_bytes, kept_folder
from tophit.retrieval.protocol import Found, Live, Request

INDEXES = ("auto", "exact", "usearch")
_DECIMALS = 6
# Beyond this the matrix takes gigabytes, and an index on disk is worth what it costs to build.
_EXACT_UP_TO = 1_000_000
_FILE = "vectors.usearch"


@dataclass(frozen=True)
class _Search:
    """An open index of vectors: the rows nearest to a question, and how many bytes it takes."""

    top: Callable[[np.ndarray, int], tuple[np.ndarray, np.ndarray]]
    size: int


def open_dense(
    corpus: Corpus,
    *,
    embedder: Any = "wordllama",
    model: str = "",
    key: str = "",
    threshold: float = 0.0,
    question_prefix: str = "",
    document_prefix: str = "",
    index: str = "auto",
) -> Live:
    """Search by cosine. `threshold` keeps scores of at least so much, as in Spring AI.

    `index`: exact compares with every vector, usearch keeps an approximate index (HNSW) on disk,
    auto takes the second beyond a million vectors.
    Errors: `UsageError` for an unknown embedder or index, a threshold outside [-1, 1]; those of
    the embedder.

    >>> import polars as pl
    >>> chunks = pl.DataFrame({"chunk_id": ["a", "b"], "text": ["x", "yy"]})
    >>> def lengths(texts):
    ...     return [[len(text), 1.0] for text in texts]
    >>> live = open_dense(Corpus(chunks=chunks), embedder=lengths)
    >>> [place.id for place in live.one(Request(question="??")).places]
    ['b', 'a']
    """
    if index not in INDEXES:
        raise unknown("index", index, INDEXES)
    if not -1 <= threshold <= 1:
        raise UsageError(f"the threshold of a cosine is from -1 to 1, not {threshold:g}")
    prefixes = Prefixes(question=question_prefix, document=document_prefix)
    vectors = open_vectors(embedder, model=model, key=key, cache=corpus.cache, prefixes=prefixes)
    ids: list[str] = corpus.ordered[CHUNK].to_list()
    kept = contextlib.ExitStack()
    kept.callback(vectors.close)
    opened: list[_Search] = []

    def ready() -> _Search:
        if not opened:
            opened.append(kept.enter_context(_searched(corpus, vectors, index)))
        return opened[0]

    def one(request: Request) -> Found:
        top = ready().top
        question, embedding_ms = vectors.timed(request.question)
        begun = time.perf_counter()
        rows, scores = top(question, min(request.depth, len(ids)))
        found = zip(rows.tolist(), scores.tolist(), strict=True)
        places = tuple(Place(ids[row], score) for row, score in found if score >= threshold)
        searching_ms = 1000 * (time.perf_counter() - begun)
        return Found(places=places, latency_ms=embedding_ms + searching_ms)

    def check() -> None:
        vectors.check()
        ready()

    name = vectors.embedder.name
    return Live(
        name="dense", one=one, check=check, close=kept.close, at_once=vectors.embedder.at_once,
        identity=f"dense {name} {vectors.embedder.identity} {threshold} {prefixes} {index}",
        index_bytes=lambda: ready().size,
    )  # fmt: skip


@contextlib.contextmanager
def _searched(corpus: Corpus, vectors: Vectors, index: str) -> Iterator[_Search]:
    approximate = index == "usearch" or (index == "auto" and corpus.chunks.height > _EXACT_UP_TO)
    texts = corpus.ordered[TEXT].to_list()
    if not approximate:
        matrix = vectors.of_documents(texts)
        yield _Search(partial(exact_top, matrix), matrix.nbytes)
        return
    package = import_extra("usearch.index", extra="usearch", purpose="An index of vectors on disk",
                           package="usearch")  # fmt: skip

    def build(folder: Path) -> None:
        matrix = vectors.of_documents(texts)
        made = package.Index(ndim=matrix.shape[1], metric="ip", dtype="f32")
        made.add(np.arange(len(matrix)), matrix)
        made.save(str(folder / _FILE))

    with contextlib.ExitStack() as stack:
        if corpus.folder is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tophit-")))
            build(folder)
        else:
            of = f"usearch {vectors.embedder.identity} {vectors.prefixes} {corpus.fingerprint}"
            folder = stack.enter_context(kept_folder(corpus.folder, of, build))
        held = package.Index.restore(str(folder / _FILE), view=True)
        yield _Search(partial(_approximate_top, held), index_bytes(folder))


def exact_top(matrix: np.ndarray, question: np.ndarray, depth: int) -> tuple[Any, Any]:
    """The rows of the highest scores and these; equal scores in the order of the rows.

    >>> matrix = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 0.0]])
    >>> rows, scores = exact_top(matrix, np.array([1, 0]), 2)
    >>> rows.tolist(), scores.tolist()
    ([1, 2], [1.0, 1.0])
    """
    scores = np.round((matrix @ question).astype(np.float64), _DECIMALS) + 0.0
    if depth < len(scores):
        least = np.partition(scores, len(scores) - depth)[len(scores) - depth]
        rows = np.flatnonzero(scores >= least)
    else:
        rows = np.arange(len(scores))
    rows = rows[np.argsort(-scores[rows], kind="stable")][:depth]
    return rows, scores[rows]


def _approximate_top(index: Any, question: np.ndarray, depth: int) -> tuple[Any, Any]:
    matches = index.search(question, depth)
    rows = np.asarray(matches.keys, dtype=np.int64)
    scores = np.round(1.0 - np.asarray(matches.distances, dtype=np.float64), _DECIMALS) + 0.0
    order = np.lexsort((rows, -scores))
    return rows[order], scores[order]
