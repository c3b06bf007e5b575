"""Records put together as the relations: ids that are missing, ranks, faults, frames."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Protocol

import polars as pl

from tophit.errors import DataWarning, Fault, InputError
from tophit.records.lists import holds_texts, places_in
from tophit.records.made import made_id, question_id
from tophit.records.objects import record_of
from tophit.records.places import Place
from tophit.records.plain_places import plain_places
from tophit.records.questions import Item, question_from
from tophit.records.stages import stage_rows, stages_frame
from tophit.records.values import Description, Extras, Faults, Values, id_of, tag_of
from tophit.records.vocabulary import RUNS
from tophit.relations import (
    ABSTAINED,
    ANSWER,
    ANSWERS,
    CHUNK,
    DOC,
    FILTER,
    GRADE,
    HISTORY,
    ITEM,
    JUDGMENTS,
    LATENCIES,
    LATENCY,
    QUERIES,
    QUERY,
    QUESTION,
    RANK,
    RETRIEVED,
    RETRIEVED_LIST,
    STAGES_LIST,
    TAG_PREFIX,
    TEXT,
    Questions,
    Run,
    schema,
)


class Origin(Protocol):
    """Where records come from: what messages call it, and what a run of it is called."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def stem(self) -> str: ...  # noqa: D102


@dataclass(frozen=True)
class Given:
    """Records that were handed in as Python objects.

    >>> Given("questions").stem
    'questions'
    """

    name: str

    @property
    def stem(self) -> str:
        """What a run of it is called."""
        return self.name


class _Ids:
    """The ids of the records of one file: each once; one without is called by its question."""

    def __init__(self, faults: Faults, *, expected: str) -> None:
        self.lines: dict[str, int | None] = {}
        self.repeated = 0
        self._faults, self._expected = faults, expected

    def new(self, given: Any, question: Any, *, line: int | None, field: str) -> str | None:
        """The id as text; None, and a fault, where there is none or it was taken before."""
        key: str | None = None
        if given is None and question is not None and not isinstance(question, str):
            self._faults.add(expected="text", value=question, line=line, field=QUESTION)
        elif given is None and question and question.strip():
            key = self._told_apart(question_id(question))
        elif (key := id_of(given)) is None:
            found = Description("nothing, and no question") if given is None else given
            self._faults.add(expected="an id", value=found, line=line, field=field)
        elif key in self.lines:
            before = self.lines[key]
            where = "" if before is None else f", as in line {before}"
            found = Description(f"{key!r} again{where}")
            self._faults.add(expected=self._expected, value=found, line=line, field=field)
            return None
        if key is not None:
            self.lines[key] = line
        return key

    def _told_apart(self, key: str) -> str:
        if key not in self.lines:
            return key
        self.repeated += 1
        number = 2
        while f"{key}~{number}" in self.lines:
            number += 1
        return f"{key}~{number}"

    def warnings(self) -> tuple[DataWarning, ...]:
        """One warning for the questions that are told apart by a number alone."""
        if not self.repeated:
            return ()
        message = (
            f"{self.repeated:,} without an id and with the question of an earlier one: told apart "
            "by a number at the end of the id, in the order of the file"
        )
        return (DataWarning(code="same_question", count=self.repeated, message=message),)


def frame(
    rows: Sequence[Sequence[Any]], relation: dict[str, str], *, always: Iterable[str]
) -> pl.DataFrame:
    """A relation from rows with all of its columns; empty optional columns are left out."""
    try:
        made = pl.DataFrame(rows, schema=schema(relation), orient="row")
    except UnicodeEncodeError as error:
        found = ascii(error.object)[:80]
        raise InputError(Fault(expected="Unicode", found=found)) from None
    keep = [name for name in relation if name in always or made[name].null_count() < made.height]
    return made.select(keep)


class QuestionsBuilder:
    """Collects questions and what each should find, and their faults; `build` makes the frames.

    A question without an id is called by its text (made.py). An item without an id is called
    `e1`, `e2`, ... by its position in the question, and its `chunk_id` is null: that name matches
    nothing. The same id, or the same text at the same place, listed twice in a question is one
    item. `chunk_id` is left out where all items are plain ids, which are their own.
    """

    def __init__(self, source: Origin) -> None:
        self.source = source
        self.faults = Faults(source.name)
        self.extras = Extras(self.faults)
        self._ids = _Ids(self.faults, expected="an id of its own")
        self._questions: list[str | None] = []
        self._tags: list[dict[str, str | None]] = []
        self._beside: dict[str, list[str | None]] = {HISTORY: [], FILTER: []}
        self._rows: list[tuple[Any, ...]] = []

    def add(
        self,
        query_id: Any,
        items: Sequence[Item],
        *,
        question: Any = None,
        tags: Mapping[str, Any] | None = None,
        beside: Mapping[str, Any] | None = None,
        line: int | None = None,
        field: str = "id",
    ) -> None:
        """Add one question. `field` is how the format calls the question's id.

        `beside` is what a retriever may want with it: history, filter.
        """
        key = self._ids.new(query_id, question, line=line, field=field)
        if key is None:
            return
        self._questions.append(_question(question, self.faults, line))
        self._tags.append({str(name): tag_of(value) for name, value in (tags or {}).items()})
        for name, values in self._beside.items():
            value = (beside or {}).get(name)
            values.append(None if value is None else json.dumps(value, ensure_ascii=False))
        self._add_items(key, items, line)

    def add_record(self, record: Any, *, line: int | None = None) -> None:
        """Add the question that a record stands for."""
        found = question_from(record, self.faults, line=line, extras=self.extras)
        self.add(
            found.id, found.items, question=found.question, tags=found.tags, line=line,
            beside={HISTORY: found.history, FILTER: found.filter}, field=found.id_field,
        )  # fmt: skip

    def _add_items(self, key: str, items: Sequence[Item], line: int | None) -> None:
        taken = {piece.id for item in items for piece in item.pieces if len(item.pieces) == 1}
        seen: set[Any] = set()
        grades: dict[str, float] = {}
        for position, item in enumerate(items, start=1):
            pieces = tuple(dict.fromkeys(item.pieces))
            name = pieces[0].id if len(pieces) == 1 else None
            called = name or repr(pieces)
            if grades.setdefault(called, item.grade) != item.grade:
                found = Description(f"{grades[called]:g} and {item.grade:g}")
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
        always = (QUERY, ITEM, GRADE, *([CHUNK] if self._rows else []))
        judgments = frame(self._rows, JUDGMENTS, always=always)
        if CHUNK in judgments.columns and not {TEXT, DOC} & set(judgments.columns):
            same = judgments[CHUNK].eq_missing(judgments[ITEM]).all()
            judgments = judgments.drop(CHUNK) if same else judgments
        return Questions(
            queries=self._queries(),
            judgments=judgments,
            source=self.source.name,
            warnings=warnings + self.extras.warnings() + self._ids.warnings(),
        )

    def _queries(self) -> pl.DataFrame:
        rows = list(zip(self._ids.lines, self._questions, strict=True))
        queries = frame(rows, QUERIES, always=(QUERY,))
        names = dict.fromkeys(name for tags in self._tags for name in tags)
        return queries.with_columns(
            *(
                pl.Series(TAG_PREFIX + name, [tags.get(name) for tags in self._tags], pl.String)
                for name in names
            ),
            *(
                pl.Series(name, values, pl.String)
                for name, values in self._beside.items()
                if any(value is not None for value in values)
            ),
        )


class RunBuilder:
    """Collects ranked lists in their given order, answers and faults; `build` makes the frames.

    `rank` is the position in the list, from 1. A list without an id is called by its question.
    """

    def __init__(self, source: Origin) -> None:
        self.source = source
        self.faults = Faults(source.name)
        self.extras = Extras(self.faults)
        self._ids = _Ids(self.faults, expected="one list for each query")
        self._questions: list[str | None] = []
        self._rows: list[tuple[Any, ...]] = []
        self._answers: list[tuple[str, str | None, bool | None]] = []
        self._with_answers = False
        self._stages: list[tuple[Any, ...]] = []
        self._times: list[tuple[str, float | None]] = []
        self._plain: pl.DataFrame | None = None
        self._lengths: Sequence[int] = ()

    def add(
        self,
        query_id: Any,
        places: Sequence[Place],
        *,
        question: Any = None,
        line: int | None = None,
        field: str = "id",
        answer: Any = None,
        abstained: Any = None,
        has_answer: bool = False,
        stages: Any = None,
        latency: float | None = None,
    ) -> None:
        """Add the ranked list of one query, and what the system answered.

        `has_answer` says that the record knows of answers, even where this one is empty. `stages`
        are the lists on the way as the record has them, `latency` is in milliseconds.
        """
        key = self._ids.new(query_id, question, line=line, field=field)
        if key is None:
            return
        self._questions.append(_question(question, self.faults, line))
        for rank, place in enumerate(places, start=1):
            chunk_id, score, text, *rest = place
            if chunk_id is None:
                chunk_id = made_id(text or "")
            self._rows.append((key, chunk_id, rank, score, text, *rest))
        self._add_answer(key, answer, abstained, line)
        self._with_answers |= has_answer or answer is not None or abstained is not None
        self._stages += stage_rows(stages, key, self.faults, line=line)
        self._times.append((key, latency))

    def add_records(self, records: Iterable[tuple[int | None, Any]]) -> None:
        """Add the lists that records stand for, each record with its line; plain ones at once."""
        given = [(line, record, record_of(record)) for line, record in records]
        keys = [{} if fields is None else RUNS.keys(fields) for _, _, fields in given]
        lists = [
            None if fields is None else fields.get(found.get(RETRIEVED_LIST))
            for (_, _, fields), found in zip(given, keys, strict=True)
        ]
        self._plain = None if any(map(holds_texts, keys)) else plain_places(lists)
        self._lengths = [] if self._plain is None else [len(found or ()) for found in lists]
        for (line, record, fields), found in zip(given, keys, strict=True):
            if fields is None:
                self.faults.add(expected="an object", value=record, line=line)
            else:
                self._add_fields(fields, found, line=line)

    def _add_fields(
        self, fields: Mapping[Any, Any], keys: Mapping[str, Any], *, line: int | None
    ) -> None:
        known = (*RUNS.own, *keys.values())
        self.extras.see(fields, known=known, line=line, is_synonym=RUNS.name_one)
        places: list[Place] = []
        if self._plain is None:
            places = places_in(fields, keys, self.faults, line=line, extras=self.extras)
        self.add(
            fields.get(keys.get(QUERY)),
            places,
            question=fields.get(keys.get(QUESTION)),
            line=line,
            field=str(keys.get(QUERY, "id")),
            answer=fields.get(keys.get(ANSWER)),
            abstained=fields.get(keys.get(ABSTAINED)),
            has_answer=ANSWER in fields or ABSTAINED in fields,
            stages=fields.get(keys.get(STAGES_LIST)),
            latency=Values(fields, self.faults, line=line).number(str(keys.get(LATENCY, LATENCY))),
        )

    def _add_answer(self, key: str, answer: Any, abstained: Any, line: int | None) -> None:
        if answer is not None and not isinstance(answer, str):
            self.faults.add(expected="text", value=answer, line=line, field=ANSWER)
        if abstained is not None and not isinstance(abstained, bool):
            self.faults.add(expected="true or false", value=abstained, line=line, field=ABSTAINED)
        self._answers.append((key, answer, abstained))

    def build(self, *, name: str | None = None, warnings: tuple[DataWarning, ...] = ()) -> Run:
        """Make the relations. Errors: `InputError` with every fault that was met."""
        self.faults.check()
        if self._plain is None:
            places = frame(self._rows, RETRIEVED, always=(QUERY, CHUNK, RANK))
        else:
            pairs = zip(self._ids.lines, self._lengths, strict=True)
            queries = list(chain.from_iterable([key] * count for key, count in pairs))
            owners = pl.Series(QUERY, queries, pl.String)
            places = self._plain.select(owners, pl.all())
        answers = None
        if self._with_answers:
            answers = frame(self._answers, ANSWERS, always=(QUERY,))
        asked = list(zip(self._ids.lines, self._questions, strict=True))
        return Run(
            retrieved=places,
            name=name or self.source.stem,
            answers=answers,
            queries=frame(asked, QUERIES, always=(QUERY,)),
            source=self.source.name,
            warnings=warnings + self.extras.warnings() + self._ids.warnings(),
            stages=stages_frame(self._stages, places),
            latency=self._latency(),
        )

    def _latency(self) -> pl.DataFrame | None:
        if all(latency is None for _, latency in self._times):
            return None
        return pl.DataFrame(self._times, schema=schema(LATENCIES), orient="row")


def _question(question: Any, faults: Faults, line: int | None) -> str | None:
    """The question's text, or None and a fault; where it is the id, too, it is named once."""
    if question is not None and not isinstance(question, str):
        faults.add(expected="text", value=question, line=line, field=QUESTION)
        return None
    return question or None


def refuse_two_questions(rows: pl.DataFrame, *, source: str) -> None:
    """Refuse rows of one query with two question texts.

    Errors: `InputError` with every such query.
    """
    texts = rows.filter(pl.col(QUESTION).is_not_null()).select(QUERY, QUESTION)
    texts = texts.unique(maintain_order=True)
    again = texts.filter(pl.col(QUERY).is_duplicated()).group_by(QUERY, maintain_order=True)
    faults = Faults(source)
    for (key,), group in again:
        first, other = group[QUESTION].head(2)
        expected = f"one question for the id {key!r}, {first!r}"
        faults.add(expected=expected, value=other, field=QUESTION)
    faults.check()
