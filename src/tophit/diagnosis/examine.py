"""One run against the index and the documents; what these hold is looked up once for all runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import polars as pl

from tophit.diagnosis.facts import facts_about, with_stands
from tophit.diagnosis.outcome_frame import known_items, with_outcomes
from tophit.diagnosis.sources import Sources
from tophit.documents import as_documents
from tophit.errors import DataWarning
from tophit.evaluation.relate import Related, relate
from tophit.frames import chunks_from, collected
from tophit.matching.ids import TARGET, wanted
from tophit.matching.index import foreign_chunks
from tophit.measures import parse_measures
from tophit.outcomes import FOUND_RANK, STANDS
from tophit.pairing import Inputs, inputs_from
from tophit.relations import CHUNK, GRADE, ITEM, QUERY, TEXT, Questions
from tophit.settings import Settings

_ITEM = [QUERY, ITEM]


@dataclass(frozen=True, kw_only=True)
class Examined:
    """What one run has of the items: a row an item in `told`, with its outcome and the facts.

    `items` has a row an alternative, `asked` a row a question.
    """

    told: pl.DataFrame
    inputs: Inputs
    items: pl.DataFrame
    asked: pl.DataFrame
    related: Related
    sources: Sources
    foreign: tuple[DataWarning, ...]
    remarks: tuple[DataWarning, ...]

    @property
    def warnings(self) -> tuple[DataWarning, ...]:
        """What to know about the data, and about an index that is not the run's."""
        return (*self.remarks, *self.foreign)


class Examiner:
    """Examines runs on the same questions."""

    def __init__(self, settings: Settings, *, chunks: Any = None, documents: Any = None) -> None:
        self._settings = settings
        self._chunks = None if chunks is None else collected(chunks_from(chunks))
        self._documents = None if documents is None else as_documents(documents)
        # by the way of matching: "auto" may decide otherwise for another run
        self._facts: dict[str, tuple[Sources, pl.DataFrame]] = {}

    def examine(self, questions: Any, run: Any) -> Examined:
        """Say what became of every relevant item in a run. Errors: as `diagnose`."""
        match = self._settings.match
        inputs = inputs_from(questions, run, match=match, chunks=self._chunks)
        measures = parse_measures("Hit", k=self._settings.k)
        related = relate(inputs, measures=measures, settings=self._settings)
        asked = asked_queries(questions, inputs)
        items = relevant_items(inputs, asked, min_grade=self._settings.min_grade)
        sources, facts = self._facts_about(items, related.match)
        known = known_items(
            items.select(_ITEM).unique(maintain_order=True),
            collected(related.hits),
            collected(related.of_run),
            facts,
        )
        if self._chunks is None and related.match == "text":
            known = _standing_in_run(known, items, related, sources)
        return Examined(
            told=with_outcomes(known, k=self._settings.k),
            inputs=inputs,
            items=items,
            asked=asked,
            related=related,
            sources=sources,
            remarks=(*inputs.warnings, *related.warnings),
            foreign=self._foreign(inputs, related.match),
        )

    def _facts_about(self, items: pl.DataFrame, match: str) -> tuple[Sources, pl.DataFrame]:
        if match not in self._facts:
            sources = Sources(
                match=match,
                chunks=self._chunks,
                documents=self._documents,
                folding=self._settings.folding,
            )
            self._facts[match] = sources, facts_about(items, sources)
        return self._facts[match]

    def _foreign(self, inputs: Inputs, match: str) -> tuple[DataWarning, ...]:
        """Say which retrieved chunks the index lacks: it is another index then."""
        if self._chunks is None:
            return ()
        retrieved = nw.from_native(collected(inputs.retrieved)).lazy()
        return foreign_chunks(retrieved, nw.from_native(self._chunks).lazy(), match=match)


def asked_queries(questions: Any, inputs: Inputs) -> pl.DataFrame:
    """Give the relation `queries`, with question and tags where they are known."""
    if isinstance(questions, Questions):
        return questions.queries
    return collected(inputs.queries).sort(QUERY)


def relevant_items(inputs: Inputs, asked: pl.DataFrame, *, min_grade: float) -> pl.DataFrame:
    """Give the relevant items, a row an alternative, in the order of the questions."""
    judgments = collected(inputs.judgments)
    targets = collected(wanted(inputs.judgments)).select(*_ITEM, TARGET).unique(_ITEM)
    relevant = judgments.filter(pl.col(GRADE) >= min_grade).join(
        targets, on=_ITEM, how="left", maintain_order="left"
    )
    places = asked.select(QUERY).with_row_index("_place")
    ordered = relevant.join(places, on=QUERY, how="inner", maintain_order="left")
    return ordered.sort("_place", maintain_order=True).drop("_place")


def _standing_in_run(
    known: pl.DataFrame, items: pl.DataFrame, related: Related, sources: Sources
) -> pl.DataFrame:
    """Without the index, say how the text of what was missed stands in what was retrieved."""
    missed = known.filter(pl.col(FOUND_RANK).is_null() & pl.col(STANDS).is_null()).select(QUERY)
    if related.places is None or missed.height == 0:
        return known
    places = collected(related.places.select(QUERY, CHUNK, TEXT)).drop_nulls(TEXT)
    held = places.join(missed.unique(), on=QUERY, how="semi").unique(TEXT, maintain_order=True)
    retrieved = sources.named(held[TEXT], held[CHUNK].to_list())
    texts = items.select(*_ITEM, TEXT).unique(_ITEM, keep="first")
    joined = known.join(texts, on=_ITEM, how="left", maintain_order="left")
    # what a retrieved chunk cuts may stand whole in another one
    return with_stands(joined, pl.col(FOUND_RANK).is_null(), retrieved, cut=False).drop(TEXT)
