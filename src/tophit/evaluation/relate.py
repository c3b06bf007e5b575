"""From questions and a run to the relations that measures read: rank, match, count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw

from tophit.errors import DataWarning, UsageError
from tophit.evaluation.budgets import budgets, with_tokens, with_tokens_through
from tophit.evaluation.ranking import per_query, ranked
from tophit.frames import chunks_from, materialised, to_engine
from tophit.matching import choose_match, hits_by
from tophit.matching.ids import wanted
from tophit.matching.memory.judged import judged_places
from tophit.matching.named import named_alike
from tophit.matching.remarks import matching_remarks
from tophit.matching.ways import WAYS
from tophit.measures import Measure
from tophit.measures.credit import within
from tophit.pairing import Inputs
from tophit.records.offsets import refuse_offsets
from tophit.relations import CHUNK, DOC, QUERY, RANK, SCORE, TEXT, TOKENS, Lazy
from tophit.settings import Settings


@dataclass(frozen=True, kw_only=True)
class Related:
    """What scoring reads: `hits`, `of_run` (ranking.per_query), and what some measures need.

    `match` says how relevance was decided. `places` is None where no measure reads them.
    """

    hits: Lazy
    of_run: Lazy
    judgments: Lazy
    match: str
    places: Lazy | None = None
    pieces: Lazy | None = None
    index: Lazy | None = None
    warnings: tuple[DataWarning, ...] = ()


def relate(
    inputs: Inputs,
    *,
    measures: Sequence[Measure],
    settings: Settings,
    chunks: Any = None,
) -> Related:
    """Rank the run, match it with the judgments, and make the relations that the measures read.

    A run in memory that is matched by ids is read without ranking all of it
    (matching/memory/judged.py).

    Errors: `UsageError` when a relation cannot be had: Ceiling without chunks, Covered by ids;
    as `choose_match` and `hits_by`.
    """
    match = choose_match(settings.match, inputs.judgments, inputs.retrieved)
    chosen = replace(settings, match=match)
    doubts: tuple[DataWarning, ...] = ()
    if match == "spans":
        inputs = replace(inputs, judgments=named_alike(inputs.judgments, inputs.retrieved))
        doubts = _check_offsets(inputs)
    index, foreign = _index(inputs, measures, chosen, chunks)
    _check_pieces(measures, match)
    related = _relate_run(inputs, measures, chosen)
    return replace(related, index=index, warnings=(*related.warnings, *foreign, *doubts))


def _check_offsets(inputs: Inputs) -> tuple[DataWarning, ...]:
    """Errors: `InputError` for offsets that surely count something else than characters."""
    if not inputs.in_process:
        return ()
    sides = {"questions": inputs.judgments, "run": inputs.retrieved}
    return tuple(
        warning
        for name, side in sides.items()
        for warning in refuse_offsets(side.collect().to_polars(), name=name)
    )


def _relate_run(inputs: Inputs, measures: Sequence[Measure], settings: Settings) -> Related:
    if settings.match == "ids" and inputs.in_process and not budgets(measures):
        found = judged_places(
            inputs.retrieved.collect().to_polars(),
            wanted(inputs.judgments).collect().to_polars(),
            depth=settings.depth,
        )
        if found is not None:
            return Related(
                hits=nw.from_native(found.hits).lazy(),
                of_run=nw.from_native(found.per_query).lazy(),
                judgments=inputs.judgments,
                match=settings.match,
            )
    return _relate_places(inputs, measures, settings)


def _relate_places(inputs: Inputs, measures: Sequence[Measure], settings: Settings) -> Related:
    match, depth = settings.match, settings.depth
    retrieved = _pruned(inputs.retrieved, match=match, counts_tokens=bool(budgets(measures)))
    of_pieces = [m for m in measures if m.definition.reads == "pieces"]
    pieces_of = WAYS[match].pieces
    all_places = ranked(retrieved)
    if of_pieces and inputs.in_process:
        all_places = materialised(all_places)  # read more than once, and ranking is most of it
    given = RANK in retrieved.collect_schema().names()
    of_run = per_query(all_places, depth=depth, given=given)
    places = all_places if depth is None else all_places.filter(nw.col(RANK) <= depth)
    if budgets(measures):
        places = with_tokens_through(with_tokens(places, tokenizer=settings.tokenizer))
    matching = hits_by(match, inputs.judgments, places, folding=settings.folding)
    hits = matching.hits
    if hits.implementation != places.implementation:
        hits = to_engine(hits.collect().to_polars(), places)
    judgments, pieces = inputs.judgments, None
    if of_pieces and pieces_of is not None:
        hits = materialised(hits)
        reached = nw.any_horizontal(*[within(m) for m in of_pieces], ignore_nulls=True)
        found = pieces_of(hits, judgments, places, reached, settings.folding)
        judgments, places, pieces = found.judgments, found.places, found.pieces
    return Related(
        hits=hits,
        of_run=of_run,
        judgments=judgments,
        match=match,
        places=places,
        pieces=pieces,
        warnings=(
            *matching.warnings,
            *matching_remarks(hits, inputs.judgments, places, match=match),
        ),
    )


def _pruned(retrieved: Lazy, *, match: str, counts_tokens: bool) -> Lazy:
    """Drop what neither the ranking nor the match reads, so that no engine carries it along."""
    columns = retrieved.collect_schema().names()
    unread = {SCORE} if RANK in columns else set()
    if match == "ids":
        unread |= set(columns) - {QUERY, CHUNK, RANK, SCORE, DOC}
        if counts_tokens:
            unread -= {TOKENS, TEXT}
    return retrieved.select(name for name in columns if name not in unread)


def _index(
    inputs: Inputs, measures: Sequence[Measure], settings: Settings, chunks: Any
) -> tuple[Lazy | None, tuple[DataWarning, ...]]:
    """The hits of the index, and what does not fit between it and the run."""
    of_index = [m.name for m in measures if m.definition.reads == "index"]
    if not of_index:
        return None, ()
    from tophit.matching.index import foreign_chunks, index_hits

    if chunks is None:
        raise UsageError(
            f"{of_index[0]} is about the whole index: pass all of its chunks "
            "(chunks=, or --chunks FILE)"
        )
    whole = chunks_from(chunks, leader=inputs.retrieved)
    hits = index_hits(inputs.judgments, whole, match=settings.match, folding=settings.folding)
    return hits, foreign_chunks(inputs.retrieved, whole, match=settings.match)


def _check_pieces(measures: Sequence[Measure], match: str) -> None:
    of_pieces = [m.name for m in measures if m.definition.reads == "pieces"]
    if of_pieces and WAYS[match].pieces is None:
        raise UsageError(
            f"{of_pieces[0]} needs to know which part of an item a chunk holds, and ids "
            "do not say: questions and run need texts, or documents with start and end"
        )
