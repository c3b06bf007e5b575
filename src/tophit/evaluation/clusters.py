"""Which questions belong together: a cluster label for each, from a tag or from the document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import polars as pl

from tophit.errors import Fault, InputError, UsageError, unknown
from tophit.frames import to_engine
from tophit.frames.engines import on_engine
from tophit.frames.native import relation_of, typed
from tophit.relations import DOC, ITEM, JUDGMENTS, QUERY, TAG_PREFIX, Lazy, Questions

DOCUMENT = "doc"
CLUSTER = "cluster"
_SHOWN = 5


@dataclass(frozen=True, kw_only=True)
class Clusters:
    """The relation `labels` (query_id, cluster), the field it is from, and the questions' name."""

    field: str
    labels: Lazy
    source: str = "questions"


def clusters_of(questions: Any, field: str, *, leader: Lazy) -> Clusters:
    """The cluster of each question, on the engine of `leader`.

    `questions` is a `Questions`, or a frame of judgments with a column `tag.FIELD` or FIELD; `doc`
    is the document expected. A question with several labels gets the first in order of name.

    Errors: `UsageError` for questions that have no such field.

    >>> judged = pl.DataFrame({"query_id": ["q1"], "item_id": ["a"], "topic": ["billing"]})
    >>> clusters_of(judged, "topic", leader=nw.from_native(judged.lazy())).labels.collect().rows()
    [('q1', 'billing')]
    """
    if isinstance(questions, Questions):
        labels = {QUERY: pl.String, CLUSTER: pl.String}
        pairs = pl.DataFrame(list(_labels(questions, field).items()), schema=labels, orient="row")
        return Clusters(field=field, labels=to_engine(pairs, leader), source=questions.source)
    return Clusters(field=field, labels=on_engine(_of_frame(questions, field), leader))


def cluster_labels(questions: Questions, field: str, ids: Sequence[str]) -> list[str]:
    """The label of each question in `ids`: the tag `field`, or with `doc` the document expected.

    With `doc`, a question that expects pieces of several documents gets the first in order of name.

    Errors: `UsageError` for a field that no question has, `InputError` naming the questions without
    a label.

    >>> queries = pl.DataFrame({"query_id": ["q1", "q2"], "tag.topic": ["billing", "login"]})
    >>> judgments = pl.DataFrame({"query_id": [], "item_id": []})
    >>> cluster_labels(Questions(queries=queries, judgments=judgments), "topic", ["q2", "q1"])
    ['login', 'billing']
    """
    labels = _labels(questions, field)
    if missing := [name for name in ids if labels.get(name) in (None, "")]:
        raise without_label(
            missing[:_SHOWN], field=field, source=questions.source, count=len(missing), n=len(ids)
        )
    return [str(labels[name]) for name in ids]


def without_label(
    shown: Sequence[str], *, field: str, source: str, count: int, n: int
) -> InputError:
    """The error for `count` of `n` questions without a label, some of them by id.

    >>> error = without_label(["q1"], field="topic", source="q.jsonl", count=2, n=4)
    >>> error.faults[0].found
    'none on 2 of 4 (q1, ...)'
    """
    listed = ", ".join([*shown, "..."] if len(shown) < count else shown)
    return InputError(
        Fault(
            file=source,
            field=field,
            expected="a cluster label on every question that counts",
            found=f"none on {count:,} of {n:,} ({listed})",
        )
    )


def _labels(questions: Questions, field: str) -> dict[str, str | None]:
    queries, judgments = questions.queries, questions.judgments
    column = field if field.startswith(TAG_PREFIX) else TAG_PREFIX + field
    if column in queries.columns:
        pairs = queries.select(QUERY, pl.col(column).cast(pl.String))
    elif field == DOCUMENT and DOC in judgments.columns:
        of_query = judgments.select(QUERY, ITEM, DOC).drop_nulls(DOC)
        pairs = of_query.group_by(QUERY).agg(pl.col(DOC).min())
    else:
        tags = [name.removeprefix(TAG_PREFIX) for name in queries.columns if "tag." in name]
        if not tags and DOC not in judgments.columns:
            raise UsageError(
                f"cluster {field!r} needs questions with tags: a file or records with them, or a "
                f"frame with a column {field!r}"
            )
        raise unknown("cluster field", field, [*tags, DOCUMENT])
    return dict(pairs.iter_rows())


def _of_frame(questions: Any, field: str) -> Any:
    """The relation query_id, cluster of a frame of judgments, one row a question."""
    wanted = {TAG_PREFIX + field: "String", field: "String"}
    given = relation_of(questions, {**JUDGMENTS, **wanted}, required=(QUERY,), kind="questions")
    columns = given.collect_schema().names()
    names = [name for name in (*wanted, *([DOC] if field == DOCUMENT else [])) if name in columns]
    if not names:
        raise UsageError(
            f"cluster {field!r} needs a column {field!r} in the frame of questions "
            f"(has: {', '.join(columns)})"
        )
    pairs = typed(
        given.select(nw.col(QUERY), nw.col(names[0]).alias(CLUSTER)),
        {QUERY: "String", CLUSTER: "String"},
        kind="questions",
    )
    return pairs.group_by(QUERY).agg(nw.col(CLUSTER).min())
