"""Where each question stands in its file."""

from __future__ import annotations

from tophit.formats.reading import jsontext
from tophit.formats.reading.fields import id_of
from tophit.formats.reading.files import Source


def lines_of_records(source: Source) -> dict[str, int]:
    """The line of each record of JSON Lines, by its id."""
    lines: dict[str, int] = {}
    for line, record in jsontext.records(source):
        key = id_of(record.get("id")) if isinstance(record, dict) else None
        if key is not None:
            lines.setdefault(key, line)
    return lines


def lines_of_first_fields(source: Source) -> dict[str, int]:
    """The first line that begins with each field, as a query's first judgment does."""
    lines: dict[str, int] = {}
    for number, line in enumerate(source.text.split("\n"), start=1):
        if fields := line.split(maxsplit=1):
            lines.setdefault(fields[0], number)
    return lines
