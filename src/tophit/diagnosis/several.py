"""The outcomes of several runs on the same questions; the index is asked once for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

import polars as pl

from tophit.diagnosis.facts import Sources, facts_about
from tophit.diagnosis.outcome_frame import OUTCOME, item_outcomes, question_outcomes
from tophit.diagnosis.run import asked_queries, foreign_warnings, relevant_items
from tophit.documents import as_documents
from tophit.errors import DataWarning
from tophit.evaluation.relate import relate
from tophit.frames import chunks_from, collected, inputs_from
from tophit.measures import parse_measures
from tophit.relations import ITEM, QUERY
from tophit.settings import RankOptions, Settings


def outcomes_of_runs(
    questions: Any,
    runs: Mapping[str, Any],
    *,
    chunks: Any = None,
    documents: Any = None,
    settings: Settings | None = None,
    **options: Unpack[RankOptions],
) -> tuple[dict[str, dict[str, str]], tuple[DataWarning, ...]]:
    """Give run -> answerable question -> outcome, as `diagnose` finds it, and warnings.

    Errors: as `diagnose`.

    >>> outcomes_of_runs({"q": ["a"]}, {"old": {"q": ["b"]}, "new": {"q": ["a"]}})[0]
    {'old': {'q': 'missed'}, 'new': {'q': 'found'}}
    """
    index = None if chunks is None else collected(chunks_from(chunks))
    texts = None if documents is None else as_documents(documents)
    chosen = Settings.of(settings, options, takes=RankOptions)
    # by the way of matching: "auto" may decide otherwise for another run
    facts: dict[str, pl.DataFrame] = {}
    outcomes: dict[str, dict[str, str]] = {}
    warnings: dict[DataWarning, None] = {}
    for name, run in runs.items():
        inputs = inputs_from(questions, run)
        related = relate(inputs, measures=parse_measures("Hit", k=chosen.k), settings=chosen)
        items = relevant_items(inputs, asked_queries(questions, inputs), min_grade=chosen.min_grade)
        if related.match not in facts:
            sources = Sources(
                match=related.match, chunks=index, documents=texts, folding=chosen.folding,
            )  # fmt: skip
            facts[related.match] = facts_about(items, sources)
        told = item_outcomes(
            items.select(QUERY, ITEM).unique(maintain_order=True),
            collected(related.hits),
            collected(related.of_run),
            facts[related.match],
            k=chosen.k,
        )
        found = question_outcomes(told)
        outcomes[name] = dict(zip(found[QUERY], found[OUTCOME], strict=True))
        warnings |= dict.fromkeys(foreign_warnings(inputs, index, related.match))
    return outcomes, tuple(warnings)
