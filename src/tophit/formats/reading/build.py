"""From what a list format says to the relations: names for items, ranks, faults, frames."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import polars as pl

from tophit.errors import DataWarning
from tophit.formats.reading.fields import Extras, Faults, Words, id_of, tag_of
from tophit.formats.reading.files import Source
from tophit.relations import (
    ABSTAINED,
    ANSWER,
    ANSWERS,
    CHUNK,
    CHUNKS,
    DOC,
    GRADE,
    ITEM,
    JUDGMENTS,
    QUERIES,
    QUERY,
    RANK,
    RETRIEVED,
    TAG_PREFIX,
    TEXT,
    Questions,
    Run,
    schema,
)


def _new_id(
    query_id: Any,
    taken: Mapping[str, int | None],
    faults: Faults,
    *,
    expected: str,
    line: int | None,
    field: str,
) -> str | None:
    """The id as text; None, and a fault, where there is none or it was taken in an earlier line."""
    key = id_of(query_id)
    if key is None:
        faults.add(expected="an id", value=query_id, line=line, field=field)
        return None
    if key in taken:
        before = taken[key]
        where = "" if before is None else f", as in line {before}"
        faults.add(expected=expected, value=Words(f"{key!r} again{where}"), line=line, field=field)
        return None
    return key


class Piece(NamedTuple):
    """One way to satisfy an item: an id, a text, a place in a document, or several of these."""

    id: str | None = None
    text: str | None = None
    doc: str | None = None
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True)
class Item:
    """Something a question should find; several pieces are alternatives of each other."""

    pieces: tuple[Piece, ...]
    grade: float = 1.0


class Place(NamedTuple):
    """One place of a ranked list."""

    id: str | None = None
    score: float | None = None
    text: str | None = None
    doc: str | None = None
    start: int | None = None
    end: int | None = None
    tokens: int | None = None


def frame(
    rows: Sequence[Sequence[Any]], relation: dict[str, str], *, always: Iterable[str]
) -> pl.DataFrame:
    """A relation from rows with all of its columns; empty optional columns are left out."""
    made = pl.DataFrame(rows, schema=schema(relation), orient="row")
    keep = [name for name in relation if name in always or made[name].null_count() < made.height]
    return made.select(keep)


def content_id(text: str) -> str:
    """The id of a chunk that has none: the same text has the same id in every file.

    >>> content_id("four chunks")
    'text-267a7306155e2631'
    """
    return "text-" + hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


class QuestionsBuilder:
    """Collects questions and what each should find, and their faults; `build` makes the frames.

    An item without an id is called `e1`, `e2`, ... by its position in the question. The same id,
    or the same text at the same place, listed twice in a question is one item. `chunk_id` is
    filled for every id, and left out where all items are plain ids, which are their own.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.faults = Faults(source.name)
        self.extras = Extras(self.faults)
        self._ids: dict[str, int | None] = {}
        self._questions: list[str | None] = []
        self._tags: list[dict[str, str | None]] = []
        self._rows: list[tuple[Any, ...]] = []

    def add(
        self,
        query_id: Any,
        items: Sequence[Item],
        *,
        question: Any = None,
        tags: Mapping[str, Any] | None = None,
        line: int | None = None,
        field: str = "id",
    ) -> None:
        """Add one question. `field` is how the format calls the question's id."""
        key = _new_id(
            query_id, self._ids, self.faults, expected="an id of its own", line=line, field=field
        )
        if key is None:
            return
        if question is not None and not isinstance(question, str):
            self.faults.add(expected="text", value=question, line=line, field="question")
            question = None
        self._ids[key] = line
        self._questions.append(question or None)
        self._tags.append({str(name): tag_of(value) for name, value in (tags or {}).items()})
        self._add_items(key, items, line)

    def _add_items(self, key: str, items: Sequence[Item], line: int | None) -> None:
        taken = {piece.id for item in items for piece in item.pieces if len(item.pieces) == 1}
        seen: set[tuple[Piece, ...]] = set()
        grades: dict[str, float] = {}
        for position, item in enumerate(items, start=1):
            pieces = tuple(dict.fromkeys(item.pieces))
            name = pieces[0].id if len(pieces) == 1 else None
            called = name or repr(pieces)
            if grades.setdefault(called, item.grade) != item.grade:
                found = Words(f"{grades[called]:g} and {item.grade:g}")
                expected = f"one grade for {name or pieces[0].text or pieces[0].doc!r}"
                self.faults.add(expected=expected, value=found, line=line, field=GRADE)
            if pieces in seen:
                continue
            seen.add(pieces)
            if name is None:
                name = f"e{position}"
                while name in taken:
                    name += "_"
            for piece in pieces:
                place = (piece.text, piece.doc, piece.start, piece.end)
                self._rows.append((key, name, item.grade, piece.id, *place))

    def build(self, *, warnings: tuple[DataWarning, ...] = ()) -> Questions:
        """Make the relations. Errors: `InputError` with every fault that was met."""
        self.faults.check()
        judgments = frame(self._rows, JUDGMENTS, always=(QUERY, ITEM, GRADE))
        if CHUNK in judgments.columns and not {TEXT, DOC} & set(judgments.columns):
            same = judgments[CHUNK].eq_missing(judgments[ITEM]).all()
            judgments = judgments.drop(CHUNK) if same else judgments
        return Questions(
            queries=self._queries(),
            judgments=judgments,
            source=self.source.name,
            warnings=warnings + self.extras.warnings(),
        )

    def _queries(self) -> pl.DataFrame:
        rows = list(zip(self._ids, self._questions, strict=True))
        queries = frame(rows, QUERIES, always=(QUERY,))
        names = dict.fromkeys(name for tags in self._tags for name in tags)
        return queries.with_columns(
            pl.Series(TAG_PREFIX + name, [tags.get(name) for tags in self._tags], pl.String)
            for name in names
        )


class RunBuilder:
    """Collects ranked lists in their given order, answers and faults; `build` makes the frames.

    `rank` is the position in the list, from 1. A place with a text and no id gets an id made
    from the text.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.faults = Faults(source.name)
        self.extras = Extras(self.faults)
        self._ids: dict[str, int | None] = {}
        self._rows: list[tuple[Any, ...]] = []
        self._answers: list[tuple[str, str | None, bool | None]] = []
        self._with_answers = False

    def add(
        self,
        query_id: Any,
        places: Sequence[Place],
        *,
        line: int | None = None,
        field: str = "id",
        answer: Any = None,
        abstained: Any = None,
        has_answer: bool = False,
    ) -> None:
        """Add the ranked list of one query, and what the system answered.

        `has_answer` says that the record knows of answers, even where this one is empty.
        """
        key = _new_id(
            query_id,
            self._ids,
            self.faults,
            expected="one list for each query",
            line=line,
            field=field,
        )
        if key is None:
            return
        self._ids[key] = line
        for rank, place in enumerate(places, start=1):
            chunk_id, score, text, *rest = place
            if chunk_id is None:
                chunk_id = content_id(text or "")
            self._rows.append((key, chunk_id, rank, score, text, *rest))
        self._add_answer(key, answer, abstained, line)
        self._with_answers |= has_answer or answer is not None or abstained is not None

    def _add_answer(self, key: str, answer: Any, abstained: Any, line: int | None) -> None:
        if answer is not None and not isinstance(answer, str):
            self.faults.add(expected="text", value=answer, line=line, field=ANSWER)
        if abstained is not None and not isinstance(abstained, bool):
            self.faults.add(expected="true or false", value=abstained, line=line, field=ABSTAINED)
        self._answers.append((key, answer, abstained))

    def build(
        self,
        *,
        name: str | None = None,
        warnings: tuple[DataWarning, ...] = (),
        places: pl.DataFrame | None = None,
    ) -> Run:
        """Make the relations; `places` instead of those that were added.

        Errors: `InputError` with every fault that was met.
        """
        self.faults.check()
        if places is None:
            places = frame(self._rows, RETRIEVED, always=(QUERY, CHUNK, RANK))
        answers = None
        if self._with_answers:
            answers = frame(self._answers, ANSWERS, always=(QUERY,))
        return Run(
            retrieved=places,
            name=name or self.source.stem,
            answers=answers,
            source=self.source.name,
            warnings=warnings + self.extras.warnings(),
        )


def chunks_frame(rows: Sequence[Sequence[Any]]) -> pl.DataFrame:
    """The relation `chunks` from rows with all of its columns; `text` goes where none has one."""
    return frame(rows, CHUNKS, always=(CHUNK,) if rows else (CHUNK, TEXT))
