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

from tophit.errors import DataWarning, import_extra
from tophit.formats.definition import Format, Role, roles
from tophit.formats.reading.files import Source
from tophit.formats.reading.samples import tags_of
from tophit.formats.reading.sniff import sample
from tophit.records.build import QuestionsBuilder
from tophit.records.questions import Item, Piece
from tophit.records.values import Faults, id_of
from tophit.relations import Questions

_MODES = ("id", "text", "semantic")


def recognise(source: Source) -> frozenset[Role]:
    """By `questions` at the margin and `required_chunks` below; PyYAML is not needed for this."""
    seen = sample(source)
    if seen.kind == "json":
        questions = seen.first.get("questions") if isinstance(seen.first, dict) else None
        first = questions[0] if isinstance(questions, list) and questions else None
        is_one = isinstance(first, dict) and "required_chunks" in first
        return roles("questions") if is_one else roles()
    if seen.kind == "folder" or not seen.lines:
        return roles()
    head = source.head.decode("utf-8", errors="replace")
    has_questions = any(line.startswith("questions:") for line in seen.lines)
    return roles("questions") if has_questions and "required_chunks" in head else roles()


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


def _items(value: Any, mode: str, faults: Faults, line: int) -> list[Item]:
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
            items.append(Item((Piece(id=key) if mode == "id" else Piece(text=key),)))
    return items


def _semantic(count: int) -> tuple[DataWarning, ...]:
    if not count:
        return ()
    message = (
        f"{count:,} questions are matched by meaning in LongProbe; here their chunks are looked "
        "for as text"
    )
    return (DataWarning(code="semantic_as_text", count=count, message=message),)


def _questions(source: Source, faults: Faults) -> Iterator[tuple[int, dict[str, Any]]]:
    """Every question and its line. All scalars stay the text that they are in the file."""
    yaml = import_extra(
        "yaml", extra="yaml", package="pyyaml", purpose="reading the golden sets of LongProbe"
    )
    loader = None
    try:
        # Only this loader keeps `007`, `1_000`, `no` and dates as they stand there.
        loader = yaml.BaseLoader(source.text)
        whole = loader.get_single_node()
        entries = _entries(whole)
        if entries is None:
            raise source.error('an object with a list "questions"', "something else")
        for node in entries:
            line = node.start_mark.line + 1
            record = loader.construct_object(node, deep=True)
            if isinstance(record, dict):
                yield line, record
            else:
                faults.add(expected="an object", value=record, line=line)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = None if mark is None else mark.line + 1
        problem = getattr(error, "problem", None) or str(error).split("\n")[0]
        raise source.error("YAML", str(problem), line=line) from None
    finally:
        if loader is not None:
            loader.dispose()


def _entries(whole: Any) -> list[Any] | None:
    if whole is None or whole.id != "mapping":
        return None
    for key, value in whole.value:
        if key.value == "questions" and value.id == "sequence":
            return list(value.value)
    return None


FORMAT = Format(
    name="longprobe",
    description="golden sets of LongProbe, in YAML",
    recognise=recognise,
    read_questions=read_questions,
)
