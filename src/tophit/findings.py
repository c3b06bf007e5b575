"""What a reader of the numbers should know, counted: the warnings of an evaluation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import narwhals as nw

from tophit.errors import DataWarning
from tophit.frames import Inputs
from tophit.matching import Matching
from tophit.measures import Measure
from tophit.measures.credit import N_RELEVANT, N_RETRIEVED
from tophit.ranking import RANK_BEST, RANK_WORST
from tophit.relations import CHUNK, GRADE, ITEM, QUERY, Lazy
from tophit.result import QuestionCounts

_NAMED = 5


def data_warnings(
    inputs: Inputs,
    places: Lazy,
    asked: Lazy,
    matching: Matching,
    *,
    counts: QuestionCounts,
    measures: Sequence[Measure],
    min_grade: float,
) -> Iterator[DataWarning]:
    """Yield the warnings of one evaluation, most grave first.

    Codes: no_answerable, reindexed, without_results, not_asked, duplicates, ties, and what the
    matching counted.
    """
    if counts.answerable == 0:
        yield DataWarning(
            code="no_answerable",
            count=counts.total,
            message="no question is answerable, so every value is 0.0 over n = 0",
        )
    yield from _reindexed(inputs, places, matching, counts)
    if counts.without_results:
        yield _without_results(asked, counts)
    if counts.not_asked:
        yield DataWarning(
            code="not_asked",
            count=counts.not_asked,
            message=f"{_n(counts.not_asked, 'query')} of the run were not asked and are ignored",
        )
    yield from _duplicates(places)
    yield from _ties(matching.hits, measures, min_grade=min_grade)
    yield from matching.warnings


def _n(count: int, noun: str) -> str:
    plural = {"query": "queries"}.get(noun, f"{noun}s")
    return f"{count:,} {noun if count == 1 else plural}"


def _reindexed(
    inputs: Inputs, places: Lazy, matching: Matching, counts: QuestionCounts
) -> Iterator[DataWarning]:
    """No retrieved id of a question with results is known to any judgment: not a score of zero."""
    if matching.match != "ids" or counts.answerable == counts.without_results:
        return
    if int(matching.hits.select(nw.len()).collect().item()) > 0:
        return
    known = inputs.judgments.select(nw.col(ITEM).alias(CHUNK)).unique()
    shared = places.select(CHUNK).unique().join(known, on=CHUNK, how="inner")
    if int(shared.select(nw.len()).collect().item()) == 0:
        unknown = int(places.select(nw.col(CHUNK).n_unique()).collect().item())
        yield DataWarning(
            code="reindexed",
            count=unknown,
            message=f"none of the {_n(unknown, 'id')} in the run is known to the judgments: "
            "was the corpus re-indexed? Match by text or spans, or judge again",
        )


def _without_results(asked: Lazy, counts: QuestionCounts) -> DataWarning:
    missing = asked.filter((nw.col(N_RELEVANT) > 0) & (nw.col(N_RETRIEVED) == 0)).select(QUERY)
    names = missing.sort(QUERY).head(_NAMED).collect()[QUERY].to_list()
    more = ", ..." if counts.without_results > len(names) else ""
    return DataWarning(
        code="without_results",
        count=counts.without_results,
        message=f"{_n(counts.without_results, 'answerable question')} without results, "
        f"counted as 0: {', '.join(names)}{more}",
    )


def _duplicates(places: Lazy) -> Iterator[DataWarning]:
    count = duplicate_count(places)
    if count:
        yield DataWarning(
            code="duplicates",
            count=count,
            message=f"{_n(count, 'place')} repeat a chunk of the same query: they take a place, "
            "the first one counts",
        )


def duplicate_count(places: Lazy) -> int:
    """Count the places whose chunk already stands in the same query's list.

    >>> import polars as pl
    >>> run = pl.LazyFrame({"query_id": ["q", "q"], "chunk_id": ["d", "d"]})
    >>> duplicate_count(nw.from_native(run))
    1
    """
    if places.implementation.is_polars():
        # a hash first: different hashes prove different rows, at a tenth of the cost
        import polars as pl

        frame = places.select(QUERY, CHUNK).collect().to_polars()
        hashes = frame[QUERY].hash(1) ^ frame[CHUNK].hash(2)
        if hashes.n_unique() == len(frame):
            return 0
        present = frame.filter(pl.col(CHUNK).is_not_null())
        return len(present) - present.n_unique()
    row = places.filter(~nw.col(CHUNK).is_null()).group_by(QUERY, CHUNK).agg(nw.len().alias("n"))
    return int(row.select((nw.col("n") - 1).sum().alias("n")).collect().item() or 0)


def _ties(hits: Lazy, measures: Sequence[Measure], *, min_grade: float) -> Iterator[DataWarning]:
    """Queries where a relevant chunk stands in or out of a cutoff by the tie rule alone."""
    if RANK_BEST not in hits.collect_schema().names():
        return
    cuts = {m.cutoff.value for m in measures if m.cutoff and m.cutoff.unit == "places"}
    across = [(nw.col(RANK_BEST) <= cut) & (nw.col(RANK_WORST) > cut) for cut in sorted(cuts)]
    if not across:
        return
    tied = hits.filter((nw.col(GRADE) >= min_grade) & nw.any_horizontal(*across, ignore_nulls=True))
    count = int(tied.select(nw.col(QUERY).n_unique()).collect().item() or 0)
    if count:
        yield DataWarning(
            code="ties",
            count=count,
            message=f"{_n(count, 'query')} where equal scores at a cutoff decide if a relevant "
            "chunk is in; ties go by id, descending",
        )
