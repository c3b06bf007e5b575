"""`longprobe`: golden sets of LongProbe, in YAML or JSON.

    questions:
      - id: q1
        question: ...
        match_mode: id          # or text, or semantic
        required_chunks: [...]
        tags: ["doc:policy", "legal"]

`required_chunks` are ids where `match_mode` is `id` (which it is when left out), else texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tophit.errors import DataWarning
from tophit.formats.definition import Format, Role, roles
from tophit.formats.reading import jsontext
from tophit.formats.reading.files import Source
from tophit.formats.reading.sniff import sample
from tophit.records.build import QuestionsBuilder
from tophit.records.questions import Alternative, Item, tags_of
from tophit.records.values import Faults, id_of
from tophit.relations import Questions

_MODES = ("id", "text", "semantic")


def recognise(source: Source) -> frozenset[Role]:
    """One object with `questions`, which have `required_chunks`."""
    questions = _entries(source)
    first = questions[0] if questions else None
    is_one = isinstance(first, dict) and "required_chunks" in first
    return roles("questions") if is_one else roles()


def _entries(source: Source) -> list[Any] | None:
    whole = sample(source).first if sample(source).kind == "json" else None
    questions = whole.get("questions") if isinstance(whole, dict) else None
    return questions if isinstance(questions, list) else None


def read_questions(source: Source) -> Questions:
    """Read the questions.

    Errors: `InputError` with the line and field of every fault, `MissingExtraError` without
    PyYAML.
    """
    builder = QuestionsBuilder(source)
    semantic = 0
    for line, record in _questions(source, builder.faults):
        mode = str(record.get("match_mode") or "id").strip().lower()
        if mode not in _MODES:
            expected = ", ".join(_MODES)
            builder.faults.add(expected=expected, value=mode, line=line, field="match_mode")
        semantic += mode == "semantic"
        items = _items(record.get("required_chunks"), mode, builder.faults, line)
        tags = tags_of(record.get("tags") or [], builder.faults, line=line)
        builder.add(record.get("id"), items, question=record.get("question"), tags=tags, line=line)
    return builder.build(warnings=_semantic(semantic))


def _items(value: Any, mode: str, faults: Faults, line: int | None) -> list[Item]:
    if not isinstance(value, list):
        faults.add(expected="a list", value=value, line=line, field="required_chunks")
        return []
    items = []
    for at, entry in enumerate(value):
        key = id_of(entry)
        if key is None:
            expected = "an id" if mode == "id" else "a text that is not empty"
            field = f"required_chunks[{at}]"
            faults.add(expected=expected, value=entry, line=line, field=field)
        else:
            items.append(Item((Alternative(id=key) if mode == "id" else Alternative(text=key),)))
    return items


def _semantic(count: int) -> tuple[DataWarning, ...]:
    if not count:
        return ()
    message = (
        f"{count:,} questions are matched by meaning in LongProbe; here their chunks are looked "
        "for as text"
    )
    return (DataWarning(code="semantic_as_text", count=count, message=message),)


def _questions(source: Source, faults: Faults) -> Iterator[tuple[int | None, dict[str, Any]]]:
    """Every question, and its line in YAML."""
    entries = _entries(source)
    if entries is None:
        jsontext.records(source)
        raise source.error('an object with a list "questions"', "something else")
    for at, entry in enumerate(entries):
        if isinstance(entry, dict):
            yield getattr(entry, "line", None), entry
        else:
            faults.add(expected="an object", value=entry, field=f"questions[{at}]")


FORMAT = Format(
    name="longprobe",
    description="golden sets of LongProbe, in YAML",
    recognise=recognise,
    keys=(("questions",), ("required_chunks",)),
    read_questions=read_questions,
)
