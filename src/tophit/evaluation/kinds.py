"""The table of what questions can be sliced by without tags: document, language, elements, overlap.

A new kind is a function that gives the relation query_id, label, and an entry here.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from tophit.evaluation.overlap import OVERLAP, overlaps
from tophit.relations import DOC, GRADE, ITEM, QUERY, QUESTION, Questions

LABEL = "label"
ELEMENTS = "elements"
NO_LABEL = "(none)"
ONE, SEVERAL = "one", "several"
_BANDS = (0.2, 0.4, 0.6, 0.8)
_SCRIPTS = {"Cjk": "Chinese", "Hiragana": "Japanese", "Katakana": "Japanese", "Hangul": "Korean"}


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One way to slice: its name, what its labels say, and the function that gives them."""

    name: str
    summary: str
    labels: Callable[[Questions], pl.DataFrame]


def _documents(questions: Questions) -> pl.DataFrame:
    """A row for every document in which a question's evidence stands: it is in each slice."""
    if DOC not in questions.judgments.columns:
        return _pairs([])
    found = questions.judgments.select(QUERY, pl.col(DOC).alias(LABEL))
    return found.drop_nulls().unique(maintain_order=True)


def _languages(questions: Questions) -> pl.DataFrame:
    if QUESTION not in questions.queries.columns:
        return _pairs([])
    asked = questions.queries.select(QUERY, QUESTION).drop_nulls().iter_rows()
    return _pairs([(name, script_of(text)) for name, text in asked])


def _elements(questions: Questions) -> pl.DataFrame:
    relevant = questions.judgments.filter(pl.col(GRADE) > 0)
    count = pl.col(ITEM).n_unique()
    label = pl.when(count > 1).then(pl.lit(SEVERAL)).otherwise(pl.lit(ONE)).alias(LABEL)
    return relevant.group_by(QUERY, maintain_order=True).agg(label)


def _overlap_bands(questions: Questions) -> pl.DataFrame:
    return _pairs([(name, band_of(value)) for name, value in overlaps(questions).iter_rows()])


def _pairs(rows: list[tuple[str, str]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={QUERY: pl.String, LABEL: pl.String}, orient="row")


def script_of(text: str) -> str:
    """The script of most of its letters, as Unicode names it; Japanese where it has any kana.

    >>> [script_of(text) for text in ("Which fee?", "Какой?", "何ですか", "谁", "42")]
    ['Latin', 'Cyrillic', 'Japanese', 'Chinese', 'none']
    """
    scripts = [unicodedata.name(each, "none").split()[0].title() for each in text if each.isalpha()]
    named = Counter(_SCRIPTS.get(each, each) for each in scripts)
    if named["Japanese"]:
        return "Japanese"
    return named.most_common(1)[0][0] if scripts else "none"


def band_of(value: float) -> str:
    """The fifth that an overlap lies in.

    >>> band_of(0.0), band_of(0.4), band_of(1.0)
    ('0 to 20 %', '40 to 60 %', '80 to 100 %')
    """
    low = max((edge for edge in _BANDS if value >= edge), default=0.0)
    return f"{100 * low:.0f} to {100 * low + 20:.0f} %"


KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(name="document", summary="the document expected", labels=_documents),
        Kind(name="language", summary="the script of the question", labels=_languages),
        Kind(name=ELEMENTS, summary="one element expected, or several", labels=_elements),
        Kind(
            name=OVERLAP,
            summary="the share of the question's content words that stand in its evidence",
            labels=_overlap_bands,
        ),
    )
}
