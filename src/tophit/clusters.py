"""Which questions belong together: a cluster label for each, from a tag or from the document."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from tophit.errors import Fault, InputError, unknown
from tophit.relations import DOC, ITEM, QUERY, TAG_PREFIX, Questions

DOCUMENT = "doc"
_SHOWN = 5


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
    missing = [name for name in ids if labels.get(name) in (None, "")]
    if missing:
        shown = ", ".join(missing[:_SHOWN])
        raise InputError(
            Fault(
                file=questions.source,
                field=field,
                expected="a cluster label on every question that counts",
                found=f"none on {len(missing):,} of {len(ids):,} ({shown}, ...)"
                if len(missing) > _SHOWN
                else f"none on {len(missing):,} of {len(ids):,} ({shown})",
            )
        )
    return [str(labels[name]) for name in ids]


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
        raise unknown("cluster field", field, [*tags, DOCUMENT])
    return dict(pairs.iter_rows())
