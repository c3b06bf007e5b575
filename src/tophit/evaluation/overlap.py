"""How much of a question stands in its evidence: what keyword search lives on.

A question that was written from its own passage repeats its words, and then any keyword search
finds it. Real users do not know the passage.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from importlib import resources

import polars as pl

from tophit.relations import QUERY, QUESTION, TEXT, Questions
from tophit.retrieval.words import words

OVERLAP = "overlap"
_WORDS = "function_words.txt"


def overlap(question: str, evidence: Iterable[str]) -> float | None:
    """The share of the question's content words that stand in its evidence, in [0, 1].

    Words are those that BM25 counts, each once; content words are those that are no function words
    ("the", "welche"; a list of ten languages). None for a question without content words.

    >>> overlap("How long is the warranty?", ["The warranty lasts two years."])
    0.5
    """
    asked = content_words(question)
    if not asked:
        return None
    held = {word for text in evidence for word in words(text)}
    return len(asked & held) / len(asked)


def content_words(text: str) -> frozenset[str]:
    """The words of a text that say what it is about.

    >>> sorted(content_words("How long is the warranty?"))
    ['long', 'warranty']
    """
    return frozenset(words(text)) - _function_words()


def overlaps(questions: Questions) -> pl.DataFrame:
    """The overlap of every question with its texts: query_id, overlap.

    Questions without a text of their own, without expected texts or content words have no row.

    >>> from tophit.frames import as_questions
    >>> overlaps(as_questions([{"question": "Which fee?", "expected": ["a fee of 8 euros"]}]))[
    ...     "overlap"].to_list()
    [1.0]
    """
    queries, judgments = questions.queries, questions.judgments
    rows: list[tuple[str, float]] = []
    if QUESTION in queries.columns and TEXT in judgments.columns:
        held = judgments.drop_nulls(TEXT).group_by(QUERY).agg(TEXT)
        asked = queries.select(QUERY, QUESTION).drop_nulls().join(held, on=QUERY)
        found = ((name, overlap(text, texts)) for name, text, texts in asked.iter_rows())
        rows = [(name, value) for name, value in found if value is not None]
    return pl.DataFrame(rows, schema={QUERY: pl.String, OVERLAP: pl.Float64}, orient="row")


@functools.cache
def _function_words() -> frozenset[str]:
    text = resources.files("tophit.evaluation").joinpath(_WORDS).read_text(encoding="utf-8")
    listed = (line.partition("\t")[2].split() for line in text.splitlines())
    return frozenset(word for line in listed for word in line)
