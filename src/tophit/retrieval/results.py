"""From what came back for every request to a `Run`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import polars as pl

from tophit.errors import DataWarning, counted
from tophit.records.made import made_id
from tophit.records.places import Place
from tophit.relations import (
    ANSWERS,
    CHUNK,
    CHUNKS,
    LATENCIES,
    LATENCY,
    QUERIES,
    RETRIEVED,
    STAGES,
    Run,
    schema,
)
from tophit.retrieval.protocol import Found, Request

_CARRIED = [name for name in CHUNKS if name != CHUNK]
_NAMED = 5


def run_of(
    asked: Sequence[tuple[Request, Found]], *, name: str, chunks: pl.DataFrame | None
) -> Run:
    """The run of all requests in their order; what a place does not say is taken from `chunks`.

    `answers` has a row for every question, also where nothing was found. `latency` is there where
    every question was timed.
    """
    places = [
        (request.id, place_row) for request, found in asked for place_row in _rows(found.places)
    ]
    retrieved = pl.DataFrame(
        [(query, *row) for query, row in places], schema=schema(RETRIEVED), orient="row"
    )
    staged = [
        (request.id, stage, *row)
        for request, found in asked
        for stage, listed in found.stages.items()
        for row in _rows(listed)
    ]
    stages = pl.DataFrame(staged, schema=schema(STAGES), orient="row") if staged else None
    answers = [(request.id, found.answer, found.abstained) for request, found in asked]
    return Run(
        retrieved=_with_chunks(retrieved, chunks),
        name=name,
        answers=pl.DataFrame(answers, schema=schema(ANSWERS), orient="row"),
        queries=pl.DataFrame(
            [(request.id, request.question) for request, _ in asked],
            schema=schema(QUERIES),
            orient="row",
        ),
        source=name,
        warnings=tuple(_warnings(asked)),
        stages=None if stages is None else _with_chunks(stages, chunks),
        latency=_latency(asked),
    )


def _rows(places: Iterable[Place]) -> Iterator[tuple[object, ...]]:
    for rank, place in enumerate(places, 1):
        key, score, *rest = place
        yield (made_id(place.text or "") if key is None else key, rank, score, *rest)


def _with_chunks(retrieved: pl.DataFrame, chunks: pl.DataFrame | None) -> pl.DataFrame:
    if chunks is None:
        return retrieved
    joined = retrieved.join(chunks, on=CHUNK, how="left", maintain_order="left", suffix=":index")
    filled = [pl.coalesce(column, f"{column}:index").alias(column) for column in _CARRIED]
    return joined.with_columns(filled).select(retrieved.columns)


def _latency(asked: Sequence[tuple[Request, Found]]) -> pl.DataFrame | None:
    times = [(request.id, found.latency_ms) for request, found in asked]
    if not times or any(time is None for _, time in times):
        return None
    return pl.DataFrame(times, schema=schema(LATENCIES), orient="row")


def _warnings(asked: Sequence[tuple[Request, Found]]) -> Iterator[DataWarning]:
    longer = [request for request, found in asked if found.too_many]
    if longer:
        yield DataWarning(
            code="more_than_asked",
            count=len(longer),
            message=f"{_questions(longer)} got more than {longer[0].depth:,} places; "
            "the further ones are left out",
        )
    unsorted = [request for request, found in asked if _is_unsorted(found.places)]
    if unsorted:
        yield DataWarning(
            code="unsorted_scores",
            count=len(unsorted),
            message=f"{_questions(unsorted)} got places whose scores go up and down; the order in "
            "which they came counts",
        )


def _is_unsorted(places: Sequence[Place]) -> bool:
    """Scores that only rise are distances."""
    scores = [place.score for place in places if place.score is not None]
    rises = any(a < b for a, b in pairwise(scores))
    return rises and any(a > b for a, b in pairwise(scores))


def _questions(requests: Sequence[Request]) -> str:
    count = len(requests)
    named = ", ".join(request.id for request in requests[:_NAMED])
    more = ", ..." if count > _NAMED else ""
    return f"{counted(count, 'question')} ({named}{more})"


def latency_percentiles(latency: pl.DataFrame) -> dict[str, float]:
    """p50, p95 and p99 of the questions' milliseconds (nearest rank).

    >>> times = pl.DataFrame({"query_id": list("abcd"), "latency_ms": [1.0, 2.0, 3.0, 40.0]})
    >>> latency_percentiles(times)
    {'p50': 2.0, 'p95': 40.0, 'p99': 40.0}
    """
    times = latency[LATENCY].drop_nulls().sort().to_list()
    places = {name: -(-len(times) * share // 100) for name, share in _PERCENTILES.items()}
    return {name: times[max(place, 1) - 1] for name, place in places.items()} if times else {}


_PERCENTILES = {"p50": 50, "p95": 95, "p99": 99}
