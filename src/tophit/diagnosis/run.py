"""`diagnose`: match once, ask the index and the documents, and name an outcome for every item."""

from __future__ import annotations

from typing import Any, Unpack

import narwhals as nw
import polars as pl

from tophit.diagnosis.excerpts import COLUMNS, excerpts
from tophit.diagnosis.facts import INDEX_CHUNK, Sources, facts_about
from tophit.diagnosis.outcome_frame import (
    OUTCOME,
    SHARE_RANK,
    item_outcomes,
    question_outcomes,
    with_reasons,
)
from tophit.diagnosis.result import Diagnosis
from tophit.documents import as_documents
from tophit.errors import DataWarning
from tophit.evaluation.relate import Related, relate
from tophit.frames import Inputs, chunks_from, collected, inputs_from, opened
from tophit.matching.ids import TARGET, wanted
from tophit.matching.index import foreign_chunks
from tophit.measures import parse_measures
from tophit.relations import CHUNK, DOC, GRADE, ITEM, QUERY, RANK, TEXT, Lazy, Questions, Run
from tophit.settings import RankOptions, Settings

_ITEM = [QUERY, ITEM]


def diagnose(
    questions: Any,
    run: Any,
    *,
    chunks: Any = None,
    documents: Any = None,
    name: str | None = None,
    settings: Settings | None = None,
    **options: Unpack[RankOptions],
) -> Diagnosis:
    """Say of every answerable question why it was found or missed at k.

    `questions` and `run` are what `evaluate` takes. `chunks` are all chunks of the index (a path or
    a frame), `documents` what was split (a folder, id to text, or a frame). Outcomes: found, late,
    cut, unretrieved, absent, empty (`tophit.diagnosis.OUTCOMES`); without the chunks cut and
    unretrieved are `missed`, and without the documents too, absent is. A question has the outcome
    of the item that got furthest. Frames of DuckDB and Spark are collected: a diagnosis is about
    single questions. `settings` and `options` (k, depth, match, match_exact, strip_markup,
    min_grade) as in `evaluate`.

    Errors: as `evaluate`; `InputError` when the chunks lack what the match needs.

    >>> questions = {"q": ["c7"]}
    >>> found = diagnose(questions, {"q": ["c1", "c2"]}, chunks=[{"id": "c7", "text": ""}])
    >>> found.questions.select("outcome", "why").row(0)
    ('unretrieved', 'whole in the index, not among the 2 retrieved')
    """
    chosen = Settings.of(settings, options, takes=RankOptions)
    measures = parse_measures("Hit", k=chosen.k)
    questions = opened(questions, "questions")
    inputs = inputs_from(questions, run)
    related = relate(inputs, measures=measures, settings=chosen)
    index = None if chunks is None else collected(chunks_from(chunks))
    sources = Sources(
        match=related.match,
        chunks=index,
        documents=None if documents is None else as_documents(documents),
        folding=chosen.folding,
    )
    asked = asked_queries(questions, inputs)
    items = relevant_items(inputs, asked, min_grade=chosen.min_grade)
    told = item_outcomes(
        items.select(_ITEM).unique(maintain_order=True),
        collected(related.hits),
        collected(related.of_run),
        facts_about(items, sources),
        k=chosen.k,
    )
    shown = _with_excerpts(with_reasons(told, k=chosen.k), items, related, sources)
    answerable = set(shown[QUERY])
    return Diagnosis(
        name=name or (run.name if isinstance(run, Run) else "run"),
        k=chosen.k,
        match=related.match,
        questions=question_outcomes(shown).join(asked, on=QUERY, how="left", maintain_order="left"),
        items=shown,
        unanswerable=tuple(query for query in asked[QUERY] if query not in answerable),
        hint=_hint(shown, sources),
        warnings=(
            *inputs.warnings,
            *related.warnings,
            *foreign_warnings(inputs, index, related.match),
        ),
    )


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


def foreign_warnings(
    inputs: Inputs, index: pl.DataFrame | None, match: str
) -> tuple[DataWarning, ...]:
    """Say which retrieved chunks the index lacks: it is another index then."""
    if index is None:
        return ()
    retrieved = nw.from_native(collected(inputs.retrieved)).lazy()
    return foreign_chunks(retrieved, nw.from_native(index).lazy(), match=match)


def _hint(items: pl.DataFrame, sources: Sources) -> str | None:
    if "missed" in items[OUTCOME]:
        return (
            "pass all chunks of the index (chunks=, or --chunks FILE) to tell cut, unretrieved and "
            "absent apart"
        )
    if "absent" in items[OUTCOME] and sources.documents is None:
        return "pass the documents (documents=, or --docs DIR) to see if absent items stand in them"
    return None


# ------------------------------------------------------------------------------ excerpts


def _with_excerpts(
    told: pl.DataFrame, items: pl.DataFrame, related: Related, sources: Sources
) -> pl.DataFrame:
    """Add the best piece of every item that is not whole anywhere, in words, and its document."""
    documents = items.unique(_ITEM, keep="first").select(
        *_ITEM, DOC if DOC in items.columns else pl.lit(None, pl.String).alias(DOC)
    )
    told = told.join(documents, on=_ITEM, how="left", maintain_order="left")
    if sources.match == "text":
        pairs = _pairs(told, items, related.places, sources)
        words = _words(pairs, sources)
        return told.join(words, on=_ITEM, how="left", maintain_order="left")
    return told.with_columns([pl.lit(None, kind).alias(name) for name, kind in COLUMNS.items()])


def _pairs(
    told: pl.DataFrame, items: pl.DataFrame, places: Lazy | None, sources: Sources
) -> pl.DataFrame:
    """Each item that is not whole with the best chunk's text: of the run, else of the index."""
    open_ = told.filter(pl.col("rank").is_null() & (pl.col("index_share").fill_null(0.0) < 1.0))
    texts: list[pl.DataFrame] = []
    if places is not None:
        retrieved = collected(places.select(QUERY, RANK, TEXT))
        best = open_.filter(pl.col(SHARE_RANK).is_not_null())
        texts.append(
            best.join(retrieved, left_on=[QUERY, SHARE_RANK], right_on=[QUERY, RANK], how="inner")
            .select(*_ITEM, pl.col(TEXT).alias("_chunk"))
        )  # fmt: skip
    if sources.chunks is not None:
        index = sources.chunks.select(CHUNK, pl.col(TEXT).alias("_chunk")).unique(CHUNK)
        texts.append(
            open_.join(index, left_on=INDEX_CHUNK, right_on=CHUNK).select(*_ITEM, "_chunk")
        )
    if not texts:
        return pl.DataFrame(schema={QUERY: pl.String, ITEM: pl.String, "_chunk": pl.String})
    return pl.concat(texts).unique(_ITEM, keep="first", maintain_order=True).join(
        items.select(*_ITEM, TEXT).filter(pl.col(TEXT).is_not_null()), on=_ITEM
    )  # fmt: skip


def _words(pairs: pl.DataFrame, sources: Sources) -> pl.DataFrame:
    columns = {QUERY: pl.String, ITEM: pl.String, **COLUMNS}
    if pairs.height == 0:
        return pl.DataFrame(schema=columns)
    found = excerpts(
        pairs[TEXT].to_list(),
        pairs["_chunk"].to_list(),
        folding=sources.folding,
    )
    keys = pairs.select(_ITEM).iter_rows()
    rows = [(*key, *excerpt.row) for key, excerpt in zip(keys, found, strict=True)]
    frame = pl.DataFrame(rows, schema=columns, orient="row")
    # of an item's alternatives, the one whose piece is longest
    size = pl.col("piece").str.len_chars()
    return frame.sort(size, descending=True, maintain_order=True).unique(_ITEM, keep="first")
