"""The data of the questions' list: every question, its items, and what each run brought for it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from tophit.choices import OUTCOMES
from tophit.diagnosis.outcome_frame import OUTCOME, WHY
from tophit.relations import (
    CHUNK,
    DOC,
    END,
    GRADE,
    ITEM,
    QUERY,
    QUESTION,
    RANK,
    SCORE,
    SHARE,
    START,
    TAG_PREFIX,
    TEXT,
    TOKENS,
)
from tophit.report.html.detail import PLACES_SHOWN, Detail
from tophit.report.html.held import SPANS
from tophit.report.html.packing import Texts, fitting, packed, utf16

UNANSWERABLE = "unanswerable"
MEGABYTE = 1_000_000
QUESTIONS_SHOWN = 20_000
_NAMES = (*OUTCOMES, UNANSWERABLE)


@dataclass(frozen=True, kw_only=True)
class Explorer:
    """The data for the page, and in sentences what is not in them.

    `rows` is what the list needs, `places` what an open question needs besides: the page shows the
    list before it unpacks the rest, which is most of it.
    """

    rows: Mapping[str, Any] = field(repr=False)
    places: Mapping[str, Any] = field(repr=False)
    left_out: tuple[str, ...] = ()


def explorer_of(details: Sequence[Detail], *, size: int, shell: int = 0) -> Explorer:
    """All runs on the same questions; `size` is how many bytes the page may have, 0 as many as it
    takes, `shell` how many of them are needed for the rest of it.

    Where the texts of the chunks do not fit, those of missed questions and of early ranks stay.
    """
    queries, notes = _asked(details)
    writer = _Writer()
    questions = _questions(queries, details[0], writer)
    runs = [_run(detail, queries, writer) for detail in details]
    rows = {
        "k": details[0].result.k,
        "match": details[0].result.match,
        "runs": [{"name": d.result.name, "measures": list(d.result.measures)} for d in details],
        "outcomes": list(_NAMES),
        "tags": writer.tags,
        "questions": questions,
        "docs": writer.docs.all,
        "texts": writer.texts.all,
        "answers": [[answer.row for answer in run] for run in runs],
    }
    places = {
        "chunks": writer.chunks,
        "answers": [[answer.places for answer in run] for run in runs],
    }
    if places_note := _places_note(details):
        notes.append(places_note)
    texts: list[str | None] = list(writer.passages.all)
    if size:
        room = size - shell - len(packed(rows)) - len(packed(places))
        order = _by_importance(writer, runs, details[0].result.k)
        kept = fitting(order, size=room)
        if len(kept) < len(texts):
            notes.append(_texts_note(len(texts) - len(kept), len(texts), size))
            texts = [text if text in kept else None for text in texts]
    return Explorer(rows=rows, places={**places, "texts": texts}, left_out=tuple(notes))


@dataclass(frozen=True)
class _Writer:
    """What questions and runs share, each once: `texts` of questions and elements, `passages` of
    chunks.
    """

    texts: Texts = field(default_factory=Texts)
    passages: Texts = field(default_factory=Texts)
    docs: Texts = field(default_factory=Texts)
    tags: list[dict[str, Any]] = field(default_factory=list)
    chunks: list[list[Any]] = field(default_factory=list)
    _numbers: dict[tuple[Any, ...], int] = field(default_factory=dict)

    def chunk(self, row: Mapping[str, Any]) -> int:
        """The number of a chunk."""
        entry = (
            row[CHUNK], self.passages.number(row[TEXT]), self.docs.number(row[DOC]),
            row[START], row[END], row[TOKENS],
        )  # fmt: skip
        number = self._numbers.setdefault(entry, len(self._numbers))
        if number == len(self.chunks):
            self.chunks.append(list(entry))
        return number


def _asked(details: Sequence[Detail]) -> tuple[pl.DataFrame, list[str]]:
    """The questions in their order; of very many those that were missed, then others."""
    queries = details[0].queries.unique(QUERY, keep="first", maintain_order=True)
    if queries.height <= QUESTIONS_SHOWN:
        return queries, []
    missed = {
        query
        for detail in details
        for query, outcome in detail.diagnosis.outcomes.items()
        if outcome != "found"
    }
    first = pl.col(QUERY).is_in(list(missed)).not_()
    chosen = queries.sort(first, maintain_order=True).head(QUESTIONS_SHOWN)
    kept = queries.join(chosen.select(QUERY), on=QUERY, how="semi", maintain_order="left")
    note = (
        f"{queries.height - QUESTIONS_SHOWN:,} of {queries.height:,} questions are not listed, "
        "found ones first. Evaluate a part of the questions to see them, or write all of them with "
        "--per-question FILE."
    )
    return kept, [note]


def _places_note(details: Sequence[Detail]) -> str | None:
    deepest = max((d.retrieved["n"].max() or 0 for d in details), default=0)
    shown = max(details[0].result.k, PLACES_SHOWN)
    if not isinstance(deepest, int) or deepest <= shown:
        return None
    return (
        f"Of each question the first {shown} places are listed, and further down those that hold "
        f"most of an expected element; the longest list has {deepest:,}."
    )


def _texts_note(missing: int, total: int, size: int) -> str:
    return (
        f"The texts of {missing:,} of {total:,} chunks are left out, so that this file stays below "
        f"{size / MEGABYTE:g} MB; missed questions and early ranks come first. For all of them: "
        "--html-size 0 (in Python: size=0)."
    )


# ------------------------------------------------------------------------------ questions


def _questions(queries: pl.DataFrame, detail: Detail, writer: _Writer) -> list[list[Any]]:
    tags = [name for name in queries.columns if name.startswith(TAG_PREFIX)]
    values = [Texts() for _ in tags]
    items = _items(detail.items, writer)
    rows = []
    for row in queries.iter_rows(named=True):
        told = [
            table.number(None if row[name] is None else str(row[name]))
            for name, table in zip(tags, values, strict=True)
        ]
        asked = row.get(QUESTION)
        rows.append([row[QUERY], writer.texts.number(asked), told, items.get(row[QUERY], [])])
    writer.tags.extend(
        {"name": name.removeprefix(TAG_PREFIX), "values": table.all}
        for name, table in zip(tags, values, strict=True)
    )
    return rows


def _items(items: pl.DataFrame, writer: _Writer) -> dict[str, list[list[Any]]]:
    """The items of each question: id, grade, and of each alternative text, document, offsets."""
    found: dict[str, dict[str, list[Any]]] = defaultdict(dict)
    for row in items.iter_rows(named=True):
        item = found[row[QUERY]].setdefault(row[ITEM], [row[ITEM], row[GRADE], []])
        item[2].append(
            [writer.texts.number(row[TEXT]), writer.docs.number(row[DOC]), row[START], row[END]]
        )
    return {query: list(of_query.values()) for query, of_query in found.items()}


# ------------------------------------------------------------------------------ runs


@dataclass(frozen=True)
class _Answer:
    """What a run brought for a question. `row`: outcome, why, rank of the first hit, number of
    places, values, share of the best piece; `places`: the places, what they hold, and of each item
    its outcome and why.
    """

    row: list[Any]
    places: list[list[Any]]


def _run(detail: Detail, queries: pl.DataFrame, writer: _Writer) -> list[_Answer]:
    """An answer a question."""
    told = {row[QUERY]: row for row in detail.diagnosis.questions.iter_rows(named=True)}
    first = dict(detail.ranks.select(QUERY, "first").iter_rows())
    count = dict(detail.retrieved.iter_rows())
    values = _values(detail)
    chunk_texts: dict[tuple[str, int], str | None] = {}
    places: dict[str, list[list[Any]]] = defaultdict(list)
    for row in detail.places.iter_rows(named=True):
        places[row[QUERY]].append([row[RANK], writer.chunk(row), row[SCORE]])
        chunk_texts[row[QUERY], row[RANK]] = row[TEXT]
    held = _held(detail, chunk_texts)
    items = _item_outcomes(detail)
    answers = []
    for query in queries[QUERY]:
        known = told.get(query)
        outcome = UNANSWERABLE if known is None else known[OUTCOME]
        why = "" if known is None else known[WHY]
        share = max((piece[3] for piece in held.get(query, ())), default=0)
        answers.append(
            _Answer(
                row=[
                    _NAMES.index(outcome), why, first.get(query), count.get(query, 0),
                    values.get(query), share,
                ],
                places=[places.get(query, []), held.get(query, []), items.get(query, [])],
            )
        )  # fmt: skip
    return answers


def _values(detail: Detail) -> dict[str, list[float]]:
    names = list(detail.result.measures)
    return {query: values for query, *values in detail.values.select(QUERY, *names).iter_rows()}


def _item_outcomes(detail: Detail) -> dict[str, list[list[Any]]]:
    found: dict[str, list[list[Any]]] = defaultdict(list)
    for row in detail.diagnosis.items.iter_rows(named=True):
        found[row[QUERY]].append([_NAMES.index(row[OUTCOME]), row[WHY]])
    return found


def _held(
    detail: Detail, chunk_texts: Mapping[tuple[str, int], str | None]
) -> dict[str, list[list[Any]]]:
    """What the places hold: number of the item, alternative, rank, share, and the four offsets."""
    texts: dict[tuple[str, str], list[str | None]] = defaultdict(list)
    numbers: dict[str, dict[str, int]] = defaultdict(dict)
    for query, item, element in detail.items.select(QUERY, ITEM, TEXT).iter_rows():
        texts[query, item].append(element)
        numbers[query].setdefault(item, len(numbers[query]))
    found: dict[str, list[list[Any]]] = defaultdict(list)
    for row in detail.held.iter_rows(named=True):
        query, item, rank = row[QUERY], row[ITEM], row[RANK]
        sides = (texts[query, item][row["alternative"]], chunk_texts.get((query, rank)))
        spans = [_offset(sides[place // 2], row[name]) for place, name in enumerate(SPANS)]
        found[query].append(
            [numbers[query][item], row["alternative"], rank, round(row[SHARE], 4), *spans]
        )
    return found


def _offset(text: str | None, offset: int | None) -> int | None:
    return offset if text is None or offset is None else utf16(text, offset)


# ------------------------------------------------------------------------------ texts


def _by_importance(writer: _Writer, runs: list[list[_Answer]], k: int) -> Iterator[str]:
    """The texts of the chunks, by first k, run, missed first, and rank."""
    texts = writer.passages.all
    found = _NAMES.index("found")
    wanted = sorted(
        (place[0] > k, number > 0, answer.row[0] == found, place[0], writer.chunks[place[1]][1])
        for number, run in enumerate(runs)
        for answer in run
        for place in answer.places[0]
    )
    yield from (texts[number] for *_, number in wanted if number >= 0)
