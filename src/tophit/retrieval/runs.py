"""Chunks and questions to a `Run`, or questions alone where the retriever has its own index."""

from __future__ import annotations

import contextlib
import inspect
import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from tophit.errors import Fault, InputError, UnansweredError, UsageError, unknown
from tophit.imports import named_object
from tophit.relations import Run
from tophit.retrieval.asking import Patience, ask_all
from tophit.retrieval.corpus import Corpus, checked_chunks
from tophit.retrieval.doors.table import DOORS, is_named, is_retriever, open_retriever
from tophit.retrieval.journal import Journal, Kept
from tophit.retrieval.protocol import DEPTH, Found, Live, Request
from tophit.retrieval.requests import requests_of
from tophit.retrieval.rerank import RERANK_DEPTH, open_reranker, reranked
from tophit.retrieval.results import run_of
from tophit.retrieval.table import RETRIEVERS

Progress = Callable[[int, int], None]
_CORPUS = "chunks"


def retrieve(
    chunks: pl.DataFrame | None,
    queries: Any,
    *,
    retriever: Any = "bm25",
    depth: int = DEPTH,
    index_dir: str | os.PathLike[str] | None = None,
    cache: str | os.PathLike[str] | None = None,
    reranker: Any = None,
    rerank_depth: int = RERANK_DEPTH,
    name: str | None = None,
    progress: Progress | None = None,
    concurrency: int | None = None,
    time_limit: float | None = None,
    retries: int = 3,
    backoff: float = 0.5,
    journal: str | os.PathLike[str] | Kept | None = None,
    **options: Any,
) -> Run:
    """Retrieve the first `depth` chunks for every question.

    `chunks` is the relation `chunks`; None where the retriever has its own index. `queries` are
    `Questions`, a path, a frame of `query_id, question`, or id to question.

    `retriever` is a name of `RETRIEVERS` (an index of `chunks`), or whatever a door opens: a
    function or object (`package.module:name` or itself), a retriever, vector store or chain of
    LangChain, LlamaIndex or Haystack, an address, `command:...`, `mcp:...`, `run:FILE`; a function
    of `chunks` is called with them and gives the retriever. `options` are the retriever's own.
    `reranker` orders its first `rerank_depth` places again.

    `index_dir` keeps the index on disk, the file `cache` the embeddings. `concurrency`,
    `time_limit` (seconds), `retries` and `backoff` say how it is asked (`asking.Patience`).
    `journal` is a file in which answers are kept while others are waited for: the next call with
    it asks only the rest. `progress` is called with (questions done, in all).

    The run's `retrieved` has rank, score (null where there is none) and the chunk's text, doc_id,
    start, end, tokens; its `answers` has a row for every question, also where nothing was found;
    `stages` the lists on the way, `latency` how long each question took.
    Errors: `UsageError` for an unknown retriever or option, or a depth below 1; `InputError` for
    no chunks, chunks of one id, a question without text; `EndpointError` for a system that is not
    there; `UnansweredError` for a question that the retriever failed on.

    >>> chunks = pl.DataFrame({"chunk_id": ["a", "b"], "text": ["late fees", "taxes"]})
    >>> run = retrieve(chunks, {"q1": "Which fees?", "q2": "Who?"})
    >>> run.retrieved.select("query_id", "chunk_id", "rank", "text").rows()
    [('q1', 'a', 1, 'late fees')]
    >>> run.answers["query_id"].to_list()
    ['q1', 'q2']
    """
    if depth < 1:
        raise UsageError(f"depth must be at least 1, not {depth}")
    requests = requests_of(queries, depth=depth)
    index = None if chunks is None else checked_chunks(chunks)
    patience = Patience(
        concurrency=concurrency, time_limit=time_limit, retries=retries, backoff=backoff
    )
    corpus = None if index is None else corpus_of(index, index_dir, cache)
    with contextlib.ExitStack() as stack:
        live = stack.enter_context(opened(retriever, corpus, index_dir=index_dir, options=options))
        if reranker is not None:
            ordering = open_reranker(reranker)
            stack.callback(ordering.close)
            live = reranked(live, ordering, chunks=index, depth=rerank_depth)
        kept = _journal(journal, identity_of(live, corpus))
        answers = answers_of(live, requests, patience=patience, journal=kept, progress=progress)
    return run_of(answers, name=name or live.name, chunks=index)


def _saying(error: UnansweredError | InputError, kept: str) -> Exception:
    if isinstance(error, InputError):
        return InputError(error.faults, hint="\n".join(filter(None, (error.hint, kept))))
    return UnansweredError(f"{error}\n{kept}")


def _journal(given: str | os.PathLike[str] | Kept | None, identity: str) -> Journal | None:
    if given is None:
        return None
    return given.journal(identity) if isinstance(given, Kept) else Journal(Path(given), identity)


def corpus_of(
    chunks: pl.DataFrame, folder: str | os.PathLike[str] | None,
    cache: str | os.PathLike[str] | None,
) -> Corpus:  # fmt: skip
    """The corpus, and where its index and its embeddings are kept."""
    return Corpus(
        chunks=chunks,
        folder=None if folder is None else Path(folder),
        cache=None if cache is None else Path(cache),
    )


@contextlib.contextmanager
def opened(
    retriever: Any, corpus: Corpus | None, *, index_dir: Any = None, options: dict[str, Any]
) -> Iterator[Live]:
    """Open a retriever over the corpus, or one that has its own index; closed at the end."""
    live = _open(retriever, corpus, index_dir, options)
    try:
        yield live
    finally:
        live.close()


def _open(retriever: Any, corpus: Corpus | None, index_dir: Any, options: dict[str, Any]) -> Live:
    if isinstance(retriever, str) and retriever in RETRIEVERS:
        if corpus is None:
            raise InputError(Fault(file="chunks", expected="at least one chunk", found="none"))
        return RETRIEVERS[retriever].opened(corpus, **options)
    if isinstance(retriever, str) and not is_retriever(retriever):
        known = [*RETRIEVERS, *dict.fromkeys(door.written for door in DOORS)]
        raise unknown("retriever", retriever, known)
    if index_dir is not None:
        raise UsageError("a retriever that has its own index keeps none here")
    if is_named(retriever):
        retriever = named_object(retriever)
    if wants_chunks(retriever):
        if corpus is None:
            raise UsageError(f"{retriever.__name__} makes a retriever of chunks: give them")
        made = retriever(corpus.chunks, **options)
        return open_retriever(made)
    return open_retriever(retriever, **options)


def wants_chunks(given: Any) -> bool:
    """Whether a function or class makes a retriever of chunks: its first parameter is `chunks`.

    >>> wants_chunks(lambda chunks: None), wants_chunks(lambda question: None)
    (True, False)
    """
    if not (inspect.isfunction(given) or inspect.isclass(given)):
        return False
    try:
        parameters = list(inspect.signature(given).parameters)
    except (TypeError, ValueError):
        return False
    return parameters[:1] == [_CORPUS]


def identity_of(live: Live, corpus: Corpus | None) -> str:
    """What answers are kept under: the system, and what it searches."""
    return json.dumps([live.name, live.identity, None if corpus is None else corpus.fingerprint])


def answers_of(
    live: Live,
    requests: Sequence[Request],
    *,
    patience: Patience,
    journal: Journal | None = None,
    progress: Progress | None = None,
) -> list[tuple[Request, Found]]:
    """Every request with its answer, in their order; the journal's are not asked again.

    Errors: as `retrieve`; what was answered stays in the journal.
    """
    found: dict[str, Found] = {} if journal is None else journal.kept(requests)
    rest = [request for request in requests if request.key not in found]

    def keep(request: Request, answer: Found) -> None:
        found[request.key] = answer
        if journal is not None:
            journal.add(request, answer)
        if progress:
            progress(len(found), len(requests))

    try:
        if rest:
            patience.check()
            live.check()
            ask_all(live, rest, patience=patience, keep=keep)
    except (UnansweredError, InputError) as error:
        if journal is not None:
            raise _saying(error, journal.says(len(found), len(requests))) from error.__cause__
        raise
    finally:
        if journal is not None:
            journal.close()
    return [(request, found[request.key]) for request in requests]
