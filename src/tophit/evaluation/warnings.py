"""What a reader of the numbers should know, counted: the warnings of an evaluation."""

from __future__ import annotations

from collections.abc import Iterator

import narwhals as nw

from tophit.errors import DataWarning, Fault, InputError, counted
from tophit.evaluation.averages import Averages
from tophit.evaluation.float_ids import float_ids
from tophit.evaluation.relate import Related
from tophit.measures.credit import N_RELEVANT
from tophit.pairing import Inputs
from tophit.relations import CHUNK, GRADE, ITEM, N_RETRIEVED, QUERY, Lazy

_NAMED = 5


def data_warnings(
    inputs: Inputs, found: Related, scored: Lazy, averages: Averages
) -> Iterator[DataWarning]:
    """Yield the warnings of one evaluation, most grave first.

    Codes: no_answerable, float_ids, reindexed, without_results, not_asked, duplicates, tied_ranks,
    ties, and what the matching counted.
    """
    counts = averages.questions
    if counts.answerable == 0:
        yield DataWarning(
            code="no_answerable",
            count=counts.total,
            message="no question is answerable, so every value is 0.0 over n = 0",
        )
    yield from float_ids(inputs, match=found.match)
    yield from _reindexed(inputs, found, averages)
    if counts.without_results:
        yield _without_results(scored, counts.without_results)
    if counts.not_asked:
        yield DataWarning(
            code="not_asked",
            count=counts.not_asked,
            message=f"{counted(counts.not_asked, 'query')} of the run "
            f"{_not_asked(counts.not_asked)}",
        )
    yield from _repeats_and_ties(averages)
    yield from found.warnings


def _not_asked(count: int) -> str:
    return "was not asked and is ignored" if count == 1 else "were not asked and are ignored"


def _reindexed(inputs: Inputs, found: Related, averages: Averages) -> Iterator[DataWarning]:
    """No retrieved id of a question with results is known to any judgment: not a score of zero."""
    counts = averages.questions
    if found.match != "ids" or averages.hits or counts.answerable == counts.without_results:
        return
    targets = [name for name in (ITEM, CHUNK) if name in inputs.judgments.collect_schema().names()]
    ids = inputs.retrieved.filter(~nw.col(CHUNK).is_null()).select(CHUNK).unique()
    for target in targets:
        known = inputs.judgments.select(nw.col(target).alias(CHUNK)).unique()
        if _length(ids.join(known, on=CHUNK, how="inner")):
            return
    unknown = _length(ids)
    if unknown:
        yield DataWarning(
            code="reindexed",
            count=unknown,
            message=f"none of the {counted(unknown, 'id')} in the run is known to the judgments: "
            "was the corpus re-indexed? Match by text or spans, or judge again",
        )


def _length(frame: Lazy) -> int:
    return int(frame.select(nw.len()).collect().item())


def _without_results(scored: Lazy, count: int) -> DataWarning:
    missing = scored.filter((nw.col(N_RELEVANT) > 0) & (nw.col(N_RETRIEVED) == 0)).select(QUERY)
    names = missing.sort(QUERY).head(_NAMED).collect()[QUERY].to_list()
    more = ", ..." if count > len(names) else ""
    return DataWarning(
        code="without_results",
        count=count,
        message=f"{counted(count, 'answerable question')} without results, "
        f"counted as 0: {', '.join(names)}{more}",
    )


def _repeats_and_ties(averages: Averages) -> Iterator[DataWarning]:
    if averages.repeated:
        yield DataWarning(
            code="duplicates",
            count=averages.repeated,
            message=f"{counted(averages.repeated, 'place')} repeat a chunk of the same query: they "
            "take a place, the first one counts",
        )
    if averages.tied:
        yield DataWarning(
            code="tied_ranks",
            count=averages.tied,
            message=f"{counted(averages.tied, 'place')} share their given rank with another one of "
            "the same query: they are ranked one after the other, by id, descending",
        )
    if averages.ties_at_cutoff:
        yield DataWarning(
            code="ties",
            count=averages.ties_at_cutoff,
            message=f"{counted(averages.ties_at_cutoff, 'query')} where a tie at a cutoff decides "
            "if a relevant chunk is in; ties go by id, descending",
        )


def check_grades(inputs: Inputs, averages: Averages) -> None:
    """Errors: `InputError` for items with two different grades, since either would be a guess."""
    if not averages.disputed:
        return
    grades = inputs.judgments.group_by(QUERY, ITEM).agg(
        nw.col(GRADE).min().alias("lowest"), nw.col(GRADE).max().alias("highest")
    )
    disputed = grades.filter(nw.col("lowest") < nw.col("highest")).sort(QUERY, ITEM).head(20)
    raise InputError(
        Fault(
            file="questions",
            field=GRADE,
            expected=f"one grade for {row[ITEM]!r} in query {row[QUERY]!r}",
            found=f"{row['lowest']:g} and {row['highest']:g}",
        )
        for row in disputed.collect().rows(named=True)
    )
