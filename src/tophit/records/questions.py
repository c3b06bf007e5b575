"""One question and what it should find, from whatever stands for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tophit.records.cells import listed
from tophit.records.objects import record_of
from tophit.records.values import Description, Extras, Faults, Values, id_of, number_of
from tophit.records.vocabulary import ANSWERS, ITEMS, OF_DOCUMENTS, QUESTIONS, TAGS, plain
from tophit.relations import (
    DOC,
    END,
    EXPECTED,
    EXPECTED_IDS,
    FILTER,
    GRADE,
    HISTORY,
    ITEM,
    QUERY,
    QUESTION,
    START,
    TEXT,
)

_ITEM = 'a text, or an object with "id", "text", or "doc", "start" and "end"'
_ANY_OF = "any_of"


class Alternative(NamedTuple):
    """One way to satisfy an item: an id, a text, a place in a document, or several of these."""

    id: str | None = None
    text: str | None = None
    doc: str | None = None
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True)
class Item:
    """Something a question should find; several pieces are alternatives of each other."""

    pieces: tuple[Alternative, ...]
    grade: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question, its items, and its tags; `id` as it was given, None where none was.

    `history` and `filter` are for a retriever that wants them.

    `id_field` is what the record calls it.
    """

    id: Any = None
    question: Any = None
    items: tuple[Item, ...] = ()
    tags: Mapping[str, Any] = field(default_factory=dict)
    history: Any = None
    filter: Any = None
    id_field: str = "id"


@dataclass(frozen=True)
class _At:
    """Where the reading stands, and where its faults go."""

    faults: Faults
    line: int | None
    field: str
    extras: Extras | None = None

    def wrong(self, expected: str, value: Any, name: str = "") -> None:
        self.faults.add(expected=expected, value=value, line=self.line, field=f"{self.field}{name}")

    def below(self, name: str) -> _At:
        return _At(self.faults, self.line, f"{self.field}{name}", self.extras)


def question_from(
    record: Any, faults: Faults, *, line: int | None = None, extras: Extras | None = None
) -> Question:
    """The question that a record stands for; what is wrong goes to `faults`.

    A record is an object with the fields of `vocabulary.QUESTIONS`, by any of their names, a
    dataclass or a named tuple. What is expected is a list, or one element: a text (an id, where the
    field's name says ids), a number (an id), an object with the fields of `vocabulary.ITEMS`, a
    document of a framework, or `{"any_of": [...]}` of these.

    >>> record = {"query": "Which fees?", "relevant_doc_ids": ["a.md"]}
    >>> found = question_from(record, Faults("questions"))
    >>> found.question, found.items[0].pieces[0].id
    ('Which fees?', 'a.md')
    """
    given = record_of(record)
    if given is None:
        faults.add(expected="an object", value=record, line=line)
        return Question()
    keys = QUESTIONS.keys(given)
    if EXPECTED in keys and EXPECTED_IDS in keys:
        # Evidence says more than ids; what is not read is counted.
        del keys[EXPECTED if _is_empty(given[keys[EXPECTED]]) else EXPECTED_IDS]
    if extras is not None:
        known = (*QUESTIONS.own, *keys.values())
        extras.see(given, known=known, line=line, is_synonym=_is_known)
    if QUESTION not in keys and EXPECTED in keys and isinstance(given.get(TEXT), str):
        keys[QUESTION] = TEXT  # beside what is expected, a text is what was asked
    return Question(
        id=given[keys[QUERY]] if QUERY in keys else None,
        question=given[keys[QUESTION]] if QUESTION in keys else None,
        history=given.get(keys.get(HISTORY)),
        filter=given.get(keys.get(FILTER)),
        items=_items(given, keys, _At(faults, line, "", extras), as_id=EXPECTED_IDS in keys),
        tags=tags_of(given.get(keys.get(TAGS)), faults, line=line, field=str(keys.get(TAGS))),
        id_field=str(keys.get(QUERY, "id")),
    )


def _items(
    record: Mapping[Any, Any], keys: Mapping[str, Any], at: _At, *, as_id: bool
) -> tuple[Item, ...]:
    name = EXPECTED if EXPECTED in keys else EXPECTED_IDS
    if name not in keys:
        # Left out by mistake, it would make an unanswerable question of any other.
        at.wrong("a list", _instead(record), EXPECTED)
        return ()
    key, value = str(keys[name]), record[keys[name]]
    if isinstance(value, str):
        found = listed(value, at.faults, line=at.line, field=key, words=as_id)
        value = value if found is None else found
    if isinstance(value, Mapping) and isinstance(spans := value.get("spans"), list):
        value = [{_ANY_OF: spans}] if _is_enough(value) else spans
    if (entries := listed_items(value)) is None:
        at.wrong("a list", value, key)
        return ()
    items = [
        _item(entry, at.below(key if entries is not value else f"{key}[{n}]"), as_id=as_id)
        for n, entry in enumerate(entries)
    ]
    return tuple(item for item in items if item is not None)


def items_from(entries: Any, faults: Faults, *, field: str, as_id: bool) -> tuple[Item, ...]:
    """The items that a list holds, or one element alone; a bare string is an id with `as_id`.

    >>> items_from(["late fees", {"id": "c7"}], Faults("questions"), field="q", as_id=False)[1]
    Item(pieces=(Alternative(id='c7', text=None, doc=None, start=None, end=None),), grade=1.0)
    """
    return _items({field: entries}, {EXPECTED: field}, _At(faults, None, ""), as_id=as_id)


def _is_enough(value: Mapping[Any, Any]) -> bool:
    """Whether one of an object's spans is enough, as its requirement says."""
    requirement = value.get("requirement")
    kind = requirement.get("kind") if isinstance(requirement, Mapping) else requirement
    return str(kind).lower() in ("any", _ANY_OF)


def tags_of(
    value: Any, faults: Faults, *, line: int | None, field: str = TAGS
) -> Mapping[str, Any]:
    """Tags as an object: of a list, `doc:policy` is the tag `doc`, and the others are `tags`.

    >>> tags_of(["doc:policy", "legal", "critical"], Faults("q.yaml"), line=None)
    {'doc': 'policy', 'tags': 'legal, critical'}
    """
    if value is None or isinstance(value, Mapping):
        return value or {}
    if not isinstance(value, list | tuple):
        faults.add(expected="an object, or a list", value=value, line=line, field=field)
        return {}
    tags: dict[str, str] = {}
    plain_ones = []
    for entry in value:
        name, colon, rest = str(entry).partition(":")
        if colon and name and rest and name not in tags:
            tags[name] = rest
        else:
            plain_ones.append(str(entry))
    return {**tags, TAGS: ", ".join(plain_ones)} if plain_ones else tags


def _is_known(key: Any) -> bool:
    return QUESTIONS.name_one(key) or plain(str(key)) in ANSWERS


def _is_empty(value: Any) -> bool:
    return isinstance(value, list | tuple | set | frozenset) and not value


def listed_items(value: Any) -> list[Any] | None:
    """What is expected as a list: a list, a tuple, a set, a column's array, or one element alone.

    >>> listed_items(("a", "b")), listed_items("one text"), listed_items(None)
    (['a', 'b'], ['one text'], None)
    """
    if isinstance(value, list):
        return value
    if isinstance(value, tuple | set | frozenset) and not hasattr(value, "_fields"):
        return sorted(value, key=str) if isinstance(value, set | frozenset) else list(value)
    if hasattr(value, "tolist") and not isinstance(made := value.tolist(), str | int | float):
        return list(made)
    is_one = id_of(value) is not None or isinstance(value, str) or record_of(value) is not None
    return [value] if is_one else None


def _instead(record: Mapping[Any, Any]) -> Any:
    """What a record without `expected` has in its place."""
    answers = [str(key) for key in record if plain(str(key)) in ANSWERS]
    if not answers:
        return None
    return Description(
        f"{answers[0]}: an answer is no evidence, its words need not stand in any chunk; give "
        "under expected the passage of the source that holds the answer, word for word"
    )


def _item(entry: Any, at: _At, *, as_id: bool) -> Item | None:
    """One expected item."""
    record = None if isinstance(entry, str) else record_of(entry)
    if record is None or _ANY_OF not in record:
        piece = _piece(entry, at, as_id=as_id)
        grade = _grade(record, at)
        return None if piece is None or grade is None else Item((piece,), grade)
    _see(record, at, known=(_ANY_OF, GRADE))
    grade, options = _grade(record, at), record[_ANY_OF]
    if not isinstance(options, list | tuple) or not options:
        at.wrong("a list of alternatives", options, f".{_ANY_OF}")
        return None
    found = [
        _piece(option, at.below(f".{_ANY_OF}[{n}]"), as_id=as_id, graded=False)
        for n, option in enumerate(options)
    ]
    pieces = tuple(piece for piece in found if piece is not None)
    return None if grade is None or len(pieces) < len(found) else Item(pieces, grade)


def _see(record: Mapping[Any, Any], at: _At, *, known: tuple[str, ...]) -> None:
    if at.extras is not None:
        at.extras.see(
            record, known=known, line=at.line, field=f"{at.field}.", is_synonym=ITEMS.name_one
        )


def _grade(record: Mapping[Any, Any] | None, at: _At) -> float | None:
    key = None if record is None else ITEMS.keys(record).get(GRADE)
    if record is None or key is None:
        return 1.0
    grade = number_of(record[key])
    if grade is None:
        at.wrong("a number", record[key], f".{key}")
    return grade


def _piece(entry: Any, at: _At, *, as_id: bool, graded: bool = True) -> Alternative | None:
    if isinstance(entry, str) and not as_id:
        if not entry or entry.isspace():
            at.wrong("a text that is not empty", entry, ".text")
        return Alternative(text=entry)
    if (key := id_of(entry)) is not None:
        return Alternative(key)
    record = record_of(entry)
    keys = {} if record is None else ITEMS.keys(record)
    if DOC in keys and {ITEM, TEXT, START}.isdisjoint(keys) and _names_a_document(keys[DOC]):
        keys[ITEM] = keys.pop(DOC)
    if record is None or {ITEM, TEXT, DOC}.isdisjoint(keys):
        at.wrong(_ITEM, entry)
        return None
    if isinstance(entry, Mapping):
        own = ITEMS.own if graded else tuple(name for name in ITEMS.own if name != GRADE)
        read = tuple(key for name, key in keys.items() if graded or name != GRADE)
        _see(record, at, known=(*own, *read))
    values = Values(record, at.faults, line=at.line, field=f"{at.field}.")
    piece = Alternative(
        values.id(keys[ITEM]) if ITEM in keys else None,
        values.filled_text(keys[TEXT]) if TEXT in keys else None,
        values.id(keys[DOC]) if DOC in keys else None,
        *values.span(keys.get(START, "start"), keys.get(END, "end"), filled=True),
    )
    if piece.start is not None and piece.doc is None:
        at.wrong("the document of the offsets", None, ".doc")
    if piece.doc and piece.id is None and piece.text is None and piece.start is None:
        at.wrong('"start" and "end", or "text"', None)
    return piece


def _names_a_document(key: Any) -> bool:
    return plain(str(key)) in OF_DOCUMENTS
