"""Where each question stands in its file."""

from __future__ import annotations

from tophit.formats.reading import jsontext
from tophit.formats.reading.files import Source
from tophit.records.made import question_id
from tophit.records.values import id_of
from tophit.records.vocabulary import QUESTIONS
from tophit.relations import QUERY, QUESTION


def lines_of_records(source: Source) -> dict[str, int]:
    """The line of each record of JSON Lines, by its id, or by the one that its question gives."""
    lines: dict[str, int] = {}
    for line, record in jsontext.records(source):
        fields = record if isinstance(record, dict) else {}
        keys = QUESTIONS.keys(fields)
        if QUERY in keys and (key := id_of(fields[keys[QUERY]])) is not None:
            lines.setdefault(key, line)
        elif QUESTION in keys and isinstance(asked := fields[keys[QUESTION]], str):
            lines.setdefault(question_id(asked), line)
    return lines


def lines_of_first_fields(source: Source) -> dict[str, int]:
    """The first line that begins with each field, as a query's first judgment does."""
    lines: dict[str, int] = {}
    for number, line in enumerate(source.line_text.split("\n"), start=1):
        if fields := line.split(maxsplit=1):
            lines.setdefault(fields[0], number)
    return lines
