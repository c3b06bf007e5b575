"""What a format cannot carry, counted and named, so that nothing is lost in silence."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import NamedTuple

import polars as pl

from tophit.errors import DataWarning, Fault, InputError, UsageError
from tophit.relations import (
    CHUNK,
    DOC,
    GRADE,
    ITEM,
    QUERY,
    RANK,
    SCORE,
    START,
    TEXT,
    Questions,
    Run,
)

_IDLESS = r"^e\d+_*$"


def not_carried(count: int, what: str, *, format: str) -> tuple[DataWarning, ...]:
    """A warning that `count` of something are not in the output; none if there are none.

    >>> not_carried(2, "question texts", format="trec")[0].message
    'trec cannot hold question texts: 2 are not in the output'
    """
    if not count:
        return ()
    message = (
        f"{format} cannot hold {what}: {count:,} {'is' if count == 1 else 'are'} not in the output"
    )
    return (DataWarning(code="not_carried", count=count, message=message),)


def columns_lost(
    frame: pl.DataFrame, *, kept: Iterable[str], format: str, of: str
) -> tuple[DataWarning, ...]:
    """A warning for every column with values that is not among `kept`."""
    keep = set(kept)
    lost = [name for name in frame.columns if name not in keep]
    return tuple(
        warning
        for name in lost
        for warning in not_carried(frame[name].count(), f"{name} of {of}", format=format)
    )


def match_ids(judgments: pl.DataFrame) -> pl.DataFrame:
    """The judgments with `chunk_id` filled where an item has an id, null where it has none.

    An item that has a text or a place, no `chunk_id`, and a name as the readers make them
    (`e1`, `e2`, ...) has no id of its own.
    """
    given = pl.lit(None, pl.String) if CHUNK not in judgments.columns else pl.col(CHUNK)
    evidence = [name for name in (TEXT, DOC, START) if name in judgments.columns]
    has_evidence = pl.any_horizontal(pl.lit(False), *(pl.col(c).is_not_null() for c in evidence))
    explicit = CHUNK in judgments.columns
    nameless = has_evidence & (pl.lit(explicit) | pl.col(ITEM).str.contains(_IDLESS))
    own = pl.when(nameless).then(None).otherwise(pl.col(ITEM))
    return judgments.with_columns(pl.coalesce(given, own).alias(CHUNK))


def without_grades(
    judgments: pl.DataFrame, *, format: str
) -> tuple[pl.DataFrame, tuple[DataWarning, ...]]:
    """The items that a format without grades may list as relevant, and what is lost.

    An item below the relevance level 1 would become relevant there, so it is left out.
    """
    below = judgments.filter(pl.col(GRADE) < 1).height
    above = judgments.filter(pl.col(GRADE) > 1).height
    lost = (
        *not_carried(below, "expected items with a grade below 1", format=format),
        *not_carried(above, "grades above 1 (the items are there)", format=format),
    )
    return judgments.filter(pl.col(GRADE) >= 1), lost


def alternatives_lost(judgments: pl.DataFrame, *, format: str) -> tuple[DataWarning, ...]:
    """The warning that alternatives of one item become items that are all wanted."""
    items = judgments.group_by(QUERY, ITEM).len().filter(pl.col("len") > 1).height
    return not_carried(items, "alternatives (all of them are wanted now)", format=format)


class OnlyIds(NamedTuple):
    """What a format of ids holds: (query, id, grade) rows, the queries left, and what is lost."""

    rows: pl.DataFrame
    queries: list[str]
    lost: tuple[DataWarning, ...]


def only_ids(
    questions: Questions,
    *,
    format: str,
    kept: Iterable[str] = (QUERY,),
    holds_unanswerable: bool = False,
) -> OnlyIds:
    """The judgments for a format that holds ids only; `kept` are the columns of `queries` it has.

    A question that loses all of its items is left out: it would become unanswerable.

    Errors: `UsageError` when no item has an id, since then nothing would be left.
    """
    judgments = match_ids(questions.judgments)
    held = judgments.filter(pl.col(CHUNK).is_not_null())
    if judgments.height and not held.height:
        raise UsageError(
            f"{format} holds ids only, and no expected item of {questions.source} has an id"
        )
    answerable, left = set(judgments[QUERY]), set(held[QUERY])
    queries = [query for query in questions.queries[QUERY] if query not in answerable - left]
    empty = sum(query not in answerable for query in queries)
    idless = judgments.height - held.height
    lost = (
        *columns_lost(questions.queries, kept=kept, format=format, of="questions"),
        *not_carried(idless, "expected items or alternatives without an id", format=format),
        *questions_lost(len(answerable - left), format=format),
        *alternatives_lost(held, format=format),
        *columns_lost(held, kept=(QUERY, ITEM, CHUNK, GRADE), format=format, of="expected items"),
        *not_carried(0 if holds_unanswerable else empty, "unanswerable questions", format=format),
    )
    rows = held.select(QUERY, pl.col(CHUNK).alias(ITEM), GRADE).unique(
        [QUERY, ITEM], keep="first", maintain_order=True
    )
    return OnlyIds(rows, queries, lost)


def refuse_nothing_left(left: int, emptied: int, questions: Questions, *, format: str) -> None:
    """Refuse to write a file from which the last question is left out.

    Errors: `UsageError`.
    """
    if emptied and not left:
        raise UsageError(
            f"{format} holds texts and ids only, and no expected item of {questions.source} has one"
        )


def questions_lost(count: int, *, format: str) -> tuple[DataWarning, ...]:
    """The warning that questions are left out with the last of their items."""
    return not_carried(count, "questions with none of their items left", format=format)


def ranked(run: Run) -> tuple[pl.DataFrame, int]:
    """The run's places in ranked order with `rank` and `score`, for formats that rank by score.

    Returns the places and for how many queries the scores were replaced by the place counted
    from the end, because their own scores would not give the order that the run has.
    """
    places = in_order(run.retrieved)
    if SCORE not in places.columns:
        places = places.with_columns(pl.lit(None, pl.Float64).alias(SCORE))
    places = places.with_columns(
        pl.int_range(1, pl.len() + 1).over(QUERY).alias("_at"),
        pl.len().over(QUERY).cast(pl.Int64).alias("_of"),
        pl.col(SCORE).shift(1).over(QUERY).alias("_score"),
        pl.col(CHUNK).shift(1).over(QUERY).alias("_id"),
    )
    falls = pl.col("_score") > pl.col(SCORE)
    ties = (pl.col("_score") == pl.col(SCORE)) & (pl.col("_id") >= pl.col(CHUNK))
    follows = ((pl.col("_at") == 1) | falls | ties) & pl.col(SCORE).is_not_null()
    places = places.with_columns(follows.fill_null(False).alias("_follows"))
    places = places.with_columns(pl.col("_follows").all().over(QUERY).alias("_agrees"))
    replaced = places.filter(~pl.col("_agrees"))[QUERY].n_unique()
    reverse = (pl.col("_of") - pl.col("_at") + 1).cast(pl.Float64)
    score = pl.when("_agrees").then(SCORE).otherwise(reverse).alias(SCORE)
    rank = pl.col(RANK) if RANK in places.columns else pl.col("_at")
    made = ("_at", "_of", "_score", "_id", "_follows", "_agrees")
    return places.with_columns(score, rank.alias(RANK)).drop(made), replaced


def in_order(retrieved: pl.DataFrame) -> pl.DataFrame:
    """The places of every query in ranked order; the queries in the order they first appear.

    By rank where there is one; else by score, then id, both descending.
    """
    queries = retrieved.select(QUERY).unique(maintain_order=True).with_row_index("_query")
    keys, descending = (
        ([RANK], [False]) if RANK in retrieved.columns else ([SCORE, CHUNK], [True, True])
    )
    return (
        retrieved.join(queries, on=QUERY, how="left", maintain_order="left")
        .sort(["_query", *keys], descending=[False, *descending], maintain_order=True)
        .drop("_query")
    )


def score_losses(replaced: int, run: Run, *, format: str) -> tuple[DataWarning, ...]:
    """The warning that a run's own scores were replaced so that its order holds."""
    if not replaced or SCORE not in run.retrieved.columns:
        return ()
    message = (
        f"{format} ranks by score: in {replaced:,} queries the scores were replaced, "
        "since they do not give the order of the run"
    )
    return (DataWarning(code="scores_replaced", count=replaced, message=message),)


def run_losses(
    run: Run, *, kept: Iterable[str], format: str, answers: bool = False, silent: bool = False
) -> tuple[DataWarning, ...]:
    """What of a run is lost in a format that keeps the columns `kept`.

    `answers`: it keeps what was answered too. `silent`: it keeps queries whose list is empty.
    """
    lost = columns_lost(run.retrieved, kept=kept, format=format, of="the run")
    if answers:
        return lost
    if run.answers is not None:
        lost += columns_lost(run.answers, kept=(QUERY,), format=format, of="the run")
    if run.queries is not None:
        lost += columns_lost(run.queries, kept=(QUERY,), format=format, of="the run")
    return lost + not_carried(0 if silent else len(silent_queries(run)), _SILENT, format=format)


_SILENT = "queries without results"


def silent_queries(run: Run) -> list[str]:
    """The queries of a run whose list is empty.

    >>> retrieved = pl.DataFrame({"query_id": ["q1"], "chunk_id": ["c"], "rank": [1]})
    >>> silent_queries(Run(retrieved=retrieved, queries=pl.DataFrame({"query_id": ["q1", "q2"]})))
    ['q2']
    """
    known = [frame[QUERY] for frame in (run.queries, run.answers) if frame is not None]
    found = set(run.retrieved[QUERY])
    return [query for query in dict.fromkeys(chain.from_iterable(known)) if query not in found]


def refuse_blanks(ids: pl.Series, *, field: str, target: str, format: str) -> None:
    """Refuse ids that a format of columns between blanks would tear apart.

    Errors: `InputError` naming the ids.
    """
    bad = ids.filter(ids.str.contains("[ \\t\\r\\n\\f\\v]|^#")).unique(maintain_order=True)
    if bad.len():
        expected = "an id without blanks that does not begin with #"
        raise InputError(
            [
                Fault(file=target, field=field, expected=expected, found=repr(value))
                for value in bad
            ],
            hint=f"{format} separates its columns by blanks; write jsonl, json-dict or table",
        )
