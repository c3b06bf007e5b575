"""`diagnose`: match once, ask the index and the documents, and name an outcome for every item."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any, Unpack

import polars as pl

from tophit.diagnosis.examine import Examined, Examiner
from tophit.diagnosis.excerpts import COLUMNS, excerpts
from tophit.diagnosis.facts import INDEX_CHUNK
from tophit.diagnosis.outcome_frame import OUTCOME, SHARE_RANK, question_outcomes
from tophit.diagnosis.result import Diagnosis
from tophit.diagnosis.sources import Sources
from tophit.frames import collected, read_once
from tophit.matching.levels import found_by_level, worth_naming
from tophit.relations import CHUNK, DOC, ITEM, QUERY, RANK, TEXT, Lazy, Run
from tophit.settings import RankOptions, Settings

_ITEM = [QUERY, ITEM]
# What another level of folding may find.
_OTHERWISE = ("altered", "absent")


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
    a frame), `documents` what was split (a folder, id to text, or a frame). The outcomes are
    `tophit.diagnosis.OUTCOMES`; without the chunks cut, unretrieved and unindexed are `missed`, and
    without the documents too, absent is. A question has the outcome
    of the item that got furthest. Frames of DuckDB and Spark are collected: a diagnosis is about
    single questions. `settings` and `options` (k, depth, match, match_exact, match_letters,
    strip_markup, min_grade) as in `evaluate`.

    Errors: as `evaluate`; `InputError` when the chunks lack what the match needs.

    >>> questions = {"q": ["c7"]}
    >>> found = diagnose(questions, {"q": ["c1", "c2"]}, chunks=[{"id": "c7", "text": ""}])
    >>> found.questions.select("outcome", "why").row(0)
    ('unretrieved', 'whole in the index, not among the 2 retrieved')
    """
    chosen = Settings.of(settings, options, takes=RankOptions)
    found = Examiner(chosen, chunks=chunks, documents=documents).examine(
        read_once(questions, "questions"), run
    )
    return diagnosis_of(
        found, settings=chosen, name=name or (run.name if isinstance(run, Run) else "run")
    )


def diagnosis_of(found: Examined, *, settings: Settings, name: str) -> Diagnosis:
    """The diagnosis of a run that was examined, with the best piece of every item in words."""
    shown = _with_excerpts(found)
    questions_told = question_outcomes(shown).join(
        found.asked, on=QUERY, how="left", maintain_order="left"
    )
    answerable = set(shown[QUERY])
    return Diagnosis(
        name=name,
        k=settings.k,
        match=found.related.match,
        questions=questions_told,
        items=shown,
        unanswerable=tuple(query for query in found.asked[QUERY] if query not in answerable),
        hint=_hint(shown, found),
        warnings=found.warnings,
        settings=replace(settings, match=found.related.match),
    )


def _hint(told: pl.DataFrame, found: Examined) -> str | None:
    """What to pass to know more, or the level of folding that would find what is altered."""
    outcomes = set(told[OUTCOME])
    if "missed" in outcomes:
        return (
            "pass all chunks of the index (chunks=, or --chunks FILE) to tell cut, unretrieved and "
            "absent apart"
        )
    if outcomes & set(_OTHERWISE) and (said := _level_said(told, found)):
        return said
    if "absent" in outcomes and found.sources.documents is None:
        return "pass the documents (documents=, or --docs DIR) to see if absent items stand in them"
    return None


def _level_said(told: pl.DataFrame, found: Examined) -> str | None:
    """The level of folding that makes most of what is altered or absent whole, in a sentence."""
    if TEXT not in found.items.columns:
        return None
    lost = told.filter(pl.col(OUTCOME).is_in(_OTHERWISE)).select(_ITEM)
    texts = found.items.join(lost, on=_ITEM, how="semi")[TEXT].drop_nulls().unique().to_list()
    searched = [*found.sources.index.corpus.texts, *found.sources.library.corpus.texts]
    levels = found_by_level(texts, searched, found.sources.folding)
    named = worth_naming(Counter(level for each in levels.values() for level in each))
    if not named:
        return None
    level, count = named[-1]
    which = f"{count:,} of the {len(texts):,} items that are {' or '.join(_OTHERWISE)}"
    return f"{which} {'is' if count == 1 else 'are'} whole if {level.says}: {level.use}"


# ------------------------------------------------------------------------------ excerpts


def _with_excerpts(found: Examined) -> pl.DataFrame:
    """Add the best piece of every item that is not whole anywhere, in words, and its document."""
    items = found.items
    documents = items.unique(_ITEM, keep="first").select(
        *_ITEM, DOC if DOC in items.columns else pl.lit(None, pl.String).alias(DOC)
    )
    told = found.told.join(documents, on=_ITEM, how="left", maintain_order="left")
    if found.sources.match == "text":
        pairs = _pairs(told, items, found.related.places, found.sources)
        words = _words(pairs, found.sources)
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
