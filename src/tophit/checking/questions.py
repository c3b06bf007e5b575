"""The questions themselves: asked twice, or with the answer in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from tophit.checking.codes import Finding
from tophit.checking.elements import Element, quoted
from tophit.matching.text.hits import longest_pieces
from tophit.matching.text.normalize import normalize
from tophit.relations import QUERY, QUESTION
from tophit.settings import DEFAULT_FOLDING, Folding


def check_questions(
    queries: pl.DataFrame, *, folding: Folding = DEFAULT_FOLDING
) -> Iterator[Finding]:
    """Ids and questions that occur several times; the first one is not reported.

    >>> asked = pl.DataFrame({"query_id": ["1", "2"], "question": ["Who?", "who ?"]})
    >>> list(check_questions(asked.with_columns(question=pl.lit("Who?"))))[0].message
    "'Who?' is asked by '1', too"
    """
    counts = queries[QUERY].value_counts(sort=True).filter(pl.col("count") > 1)
    for query, count in counts.iter_rows():
        message = f"the id {query!r} occurs {count} times"
        yield Finding(code="duplicate_id", query_id=query, message=message, count=count)
    if QUESTION not in queries.columns:
        return
    first: dict[str, str] = {}
    for query, question in queries.select(QUERY, QUESTION).iter_rows():
        form = normalize(question, folding=folding) if question else ""
        if form and form in first:
            message = f"{quoted(question)} is asked by {first[form]!r}, too"
            yield Finding(code="duplicate_question", query_id=query, message=message)
        elif form:
            first[form] = query


def check_answers(
    queries: pl.DataFrame, elements: Sequence[Element], *, folding: Folding
) -> Iterator[Finding]:
    """Elements that stand whole in their own question."""
    if QUESTION not in queries.columns:
        return
    asked = dict(queries.select(QUERY, QUESTION).filter(pl.col(QUESTION).is_not_null()).iter_rows())
    pairs = [e for e in elements if e.text and e.query_id in asked]
    numbers = np.arange(len(pairs))
    texts = [element.text or "" for element in pairs]
    questions = [asked[element.query_id] for element in pairs]
    shares = longest_pieces(texts, questions, numbers, numbers, folding=folding).share
    for element, share in zip(pairs, shares.tolist(), strict=True):
        if share >= 1.0:
            message = f"{quoted(element.text or '')} stands in {quoted(asked[element.query_id])}"
            yield element.finding("answer_in_question", message)
