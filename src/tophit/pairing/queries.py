"""Which list of a run is for which question: by the id that both have, else by the question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tophit.errors import DataWarning, Fault, InputError
from tophit.records.made import is_made, looks_like_text

_SHOWN = 5
_HINT = "give both files the same ids, or both the text of every question"


class Query(NamedTuple):
    """A question of one side: its id, and its text where that is known."""

    id: str
    text: str | None = None

    @property
    def key(self) -> str:
        """The text as it is compared; an id may be the question itself."""
        from tophit.matching.text.normalize import normalize

        return normalize(self.id if self.text is None else self.text)


@dataclass(frozen=True)
class Pairs:
    """The id of the run's query and that of its question, where they differ; and what to say."""

    renamed: Sequence[tuple[str, str]] = ()
    warnings: tuple[DataWarning, ...] = field(default=())


def pair(asked: Sequence[Query], found: Sequence[Query]) -> Pairs:
    """Pair the queries of a run with the questions.

    An id that both sides have pairs; the same id with another question is an error. What is left
    pairs by the text of the question, normalised as text is when it is matched. Ids that were made
    up come from the text, so they say no more than it does.

    Errors: `InputError` for one id with two questions, two lists for one question, and queries that
    could be each other's and have nothing in common to tell by.

    >>> asked = [Query("hr-1", "Which fees?"), Query("hr-2", "Who may borrow?")]
    >>> pair(asked, [Query("1", "which  fees?")]).renamed
    [('1', 'hr-1')]
    """
    texts = {query.id: query.text for query in asked}
    _refuse_other_questions(texts, found)
    by_id = {query.id for query in found if query.id in texts}
    left = [query for query in found if query.id not in by_id]
    if not left:
        return Pairs()
    open_ = [query for query in asked if query.id not in by_id]
    renamed, repeated = _by_text(open_, left)
    taken = {new for _, new in renamed}
    _refuse_untold(
        [query for query in open_ if query.id not in taken],
        [query for query in left if query.id not in {old for old, _ in renamed}],
        paired=len(by_id) + len(renamed),
    )
    return Pairs(renamed, tuple(_remarks(renamed, repeated)))


def _refuse_other_questions(texts: Mapping[str, str | None], found: Iterable[Query]) -> None:
    faults = []
    for query in found:
        asked = texts.get(query.id)
        if asked is None or query.text is None or asked == query.text:
            continue
        if Query(query.id, asked).key != query.key:
            expected = f"the question of {query.id!r}, {asked!r}"
            faults.append(
                Fault(file="run", field="question", expected=expected, found=repr(query.text))
            )
    if faults:
        raise InputError(faults, hint="the ids of the two files name different questions")


def _by_text(asked: Sequence[Query], found: Sequence[Query]) -> tuple[list[tuple[str, str]], int]:
    """The pairs, and how many questions are there more than once."""
    wanted, given = _grouped(asked), _grouped(found)
    renamed: list[tuple[str, str]] = []
    faults, repeated = [], 0
    for key, ids in given.items():
        questions = wanted.get(key, [])
        if len(ids) > 1 and questions and len(ids) != len(questions):
            expected = f"one list for the question of {' and '.join(questions[:_SHOWN])}"
            told = f"{len(ids)}: {', '.join(ids[:_SHOWN])}"
            faults.append(Fault(file="run", field="question", expected=expected, found=told))
            continue
        repeated += len(questions) if len(questions) > 1 else 0
        lists = ids if len(ids) == len(questions) else ids * len(questions)
        renamed += zip(lists, questions, strict=True)
    if faults:
        raise InputError(faults)
    return renamed, repeated


def _grouped(queries: Iterable[Query]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for query in queries:
        groups.setdefault(query.key, []).append(query.id)
    return groups


def _refuse_untold(asked: Sequence[Query], found: Sequence[Query], *, paired: int) -> None:
    """Refuse queries of both sides that may be the same and hold nothing to tell it by."""
    idless = [query for query in asked if is_made(query.id)]
    nameless = [query for query in found if is_made(query.id)]
    textless = [query for query in found if query.text is None and not _is_text(query)]
    unsaid = [query for query in asked if query.text is None and not _is_text(query)]
    if idless and textless:
        told = f"{len(idless):,} without ids, and a run without their text: {_names(textless)}"
        raise _untold("questions", "ids that the run has, too", told)
    if nameless and unsaid:
        told = f"{len(nameless):,} lists without ids, and questions without text: {_names(unsaid)}"
        raise _untold("run", "ids of the questions", told)
    if not paired and (idless or nameless) and asked:
        told = f"{found[0].text or found[0].id!r}, for one"
        raise _untold("run", f"questions that were asked, such as {asked[0].text!r}", told)


def _is_text(query: Query) -> bool:
    return not is_made(query.id) and looks_like_text(query.id)


def _names(queries: Sequence[Query]) -> str:
    names = ", ".join(query.id for query in queries[:_SHOWN])
    return f"{names}, ..." if len(queries) > _SHOWN else names


def _untold(file: str, expected: str, found: str) -> InputError:
    return InputError(Fault(file=file, field="id", expected=expected, found=found), hint=_HINT)


def _remarks(renamed: Sequence[tuple[str, str]], repeated: int) -> Iterable[DataWarning]:
    """Say what a reader would not expect: other ids, and questions that are there twice."""
    other = [old for old, new in renamed if not is_made(old) and not is_made(new)]
    other = [key for key in other if not looks_like_text(key)]
    if other:
        message = (
            f"paired by the text of the question, since the run calls it otherwise: {len(other):,}"
        )
        yield DataWarning(code="paired_by_question", count=len(other), message=message)
    if repeated:
        message = f"questions with the text of another one, paired in their order: {repeated:,}"
        yield DataWarning(code="same_question", count=repeated, message=message)
