"""Slices: the same means over the questions that share a tag, or are of one kind.

A mean can hold while the questions of one topic are lost. A slice is what `average` gives for its
questions alone, with an interval that says how few they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import narwhals as nw
import polars as pl

from tophit.errors import UsageError, unknown
from tophit.evaluation.kinds import ELEMENTS, KINDS, LABEL, NO_LABEL
from tophit.evaluation.result import Slice
from tophit.frames import to_engine
from tophit.frames.engines import on_engine
from tophit.frames.native import relation_of, typed
from tophit.measures import Measure, parse_measures
from tophit.relations import JUDGMENTS, QUERY, TAG_PREFIX, Lazy, Questions

FEW = 20  # a slice of fewer questions is said to be small


def fields_of(by: str | Iterable[str] | None) -> tuple[str, ...]:
    """The fields to slice by, each once: `"topic"`, `"topic,overlap"` or a list.

    >>> fields_of("topic, overlap"), fields_of(None), fields_of(["topic", "topic"])
    (('topic', 'overlap'), (), ('topic',))
    """
    given = [by] if isinstance(by, str) else list(by or ())
    parts = (part.strip() for each in given for part in str(each).split(","))
    return tuple(dict.fromkeys(part for part in parts if part))


def with_all_beside(
    measures: Sequence[Measure], fields: Sequence[str], *, k: int
) -> Sequence[Measure]:
    """The measures, and All@k where slices by elements are asked for: any-hit hides a second miss.

    >>> [m.name for m in with_all_beside(parse_measures("Hit@4"), ["elements"], k=4)]
    ['Hit@4', 'All@4']
    """
    if ELEMENTS not in fields or any(each.definition.name == "All" for each in measures):
        return measures
    return [*measures, *parse_measures("All", k=k)]


def labels_of(questions: Any, field: str, *, leader: Lazy) -> Lazy:
    """The relation query_id, label on the engine of `leader`; a question may have several labels.

    `field` is a tag of the questions, else one of `KINDS`.
    Errors: `UsageError` for a field that the questions do not have.

    >>> judged = pl.DataFrame({"query_id": ["q1"], "item_id": ["a"], "topic": ["billing"]})
    >>> labels_of(judged, "topic", leader=nw.from_native(judged.lazy())).collect().rows()
    [('q1', 'billing')]
    """
    if isinstance(questions, Questions):
        return to_engine(_of_questions(questions, field), leader)
    return on_engine(_of_frame(questions, field), leader)


def _of_questions(questions: Questions, field: str) -> pl.DataFrame:
    column = field if field.startswith(TAG_PREFIX) else TAG_PREFIX + field
    if column in questions.queries.columns:
        found = questions.queries.select(QUERY, pl.col(column).cast(pl.String).alias(LABEL))
        return found.filter(pl.col(LABEL) != "")
    if field in KINDS:
        return KINDS[field].labels(questions)
    tags = [name.removeprefix(TAG_PREFIX) for name in questions.queries.columns if "tag." in name]
    raise unknown("field to slice by", field, [*tags, *KINDS])


def _of_frame(questions: Any, field: str) -> Any:
    """The tag of a frame of judgments, one row a question; such a frame has no kinds."""
    wanted = {TAG_PREFIX + field: "String", field: "String"}
    given = relation_of(questions, {**JUDGMENTS, **wanted}, required=(QUERY,), kind="questions")
    columns = given.collect_schema().names()
    names = [name for name in wanted if name in columns]
    if not names:
        raise UsageError(
            f"slices by {field!r} need a column {field!r} in the frame of questions "
            f"(has: {', '.join(columns)})"
        )
    pairs = typed(
        given.select(nw.col(QUERY), nw.col(names[0]).alias(LABEL)),
        {QUERY: "String", LABEL: "String"},
        kind="questions",
    )
    return pairs.filter(~nw.col(LABEL).is_null()).unique()


def labelled(counted: Lazy, labels: Lazy) -> Lazy:
    """The rows of the queries that count, with each of their labels; without one, `(none)`.

    >>> scored = nw.from_native(pl.LazyFrame({"query_id": ["q1", "q2"]}))
    >>> labels = nw.from_native(pl.LazyFrame({"query_id": ["q1"], "label": ["billing"]}))
    >>> labelled(scored, labels).sort("query_id").collect().rows()
    [('q1', 'billing'), ('q2', '(none)')]
    """
    joined = counted.join(labels, on=QUERY, how="left")
    return joined.with_columns(nw.col(LABEL).fill_null(NO_LABEL))


def small(slices: Sequence[Slice]) -> list[str]:
    """The names of the slices that have so few questions that a difference shows little.

    >>> small([Slice(field="topic", label="billing", measures={})])
    ['topic=billing']
    """
    return [each.name for each in slices if each.n < FEW]
