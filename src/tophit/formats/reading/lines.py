"""Where each question stands in its file."""

from __future__ import annotations

from tophit.formats.reading import jsontext
from tophit.formats.reading.fields import id_of
from tophit.formats.reading.files import Source, StrPath
from tophit.formats.table import find_format, recognise


def question_lines(path: StrPath, *, format: str | None = None) -> dict[str, int]:
    """The line, from 1, where each question begins; empty for a format without lines of its own.

    Own JSON Lines and TREC qrels (the first judgment of a query) have them; a table, a folder and
    standard input do not.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "q.jsonl"
    >>> _ = path.write_text('{"id": 1, "expected": []}\\n\\n{"id": "b", "expected": []}\\n')
    >>> question_lines(path)
    {'1': 1, 'b': 3}
    """
    source = Source(path)
    if source.is_stdin or source.is_folder:
        return {}
    entry = recognise(source, "questions") if format is None else find_format(format)
    if entry.name == "jsonl":
        return _of_records(source)
    return _of_qrels(source) if entry.name == "trec" else {}


def _of_records(source: Source) -> dict[str, int]:
    lines: dict[str, int] = {}
    for line, record in jsontext.records(source):
        key = id_of(record.get("id")) if isinstance(record, dict) else None
        if key is not None:
            lines.setdefault(key, line)
    return lines


def _of_qrels(source: Source) -> dict[str, int]:
    lines: dict[str, int] = {}
    for number, line in enumerate(source.text.split("\n"), start=1):
        if fields := line.split(maxsplit=1):
            lines.setdefault(fields[0], number)
    return lines
