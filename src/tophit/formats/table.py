"""The table of formats, and finding one by name or by content."""

from __future__ import annotations

from importlib import import_module

from tophit.choices import FORMAT_NAMES
from tophit.errors import unknown
from tophit.formats.definition import Format, Role
from tophit.formats.nearest import WHAT, unrecognised
from tophit.formats.reading.files import Source, StrPath
from tophit.formats.reading.jsontext import records
from tophit.formats.reading.sniff import sample


def _load(name: str) -> Format:
    found: Format = import_module(f"tophit.formats.known.{name.replace('-', '_')}").FORMAT
    return found


FORMATS: dict[str, Format] = {name: _load(name) for name in FORMAT_NAMES}


def find_format(name: str) -> Format:
    """The format of this name. Errors: `UsageError` that lists the nearest names.

    >>> find_format("trec").description
    'TREC qrels and runs, as trec_eval reads them'
    """
    if name not in FORMATS:
        raise unknown("format", name, list(FORMATS))
    return FORMATS[name]


def recognise(source: Source | StrPath, role: Role | None = None) -> Format:
    """The format of a file, by its content; with `role`, one that can be read as this.

    Errors: `InputError` when no format fits, or the file holds something else than `role`.
    """
    source = source if isinstance(source, Source) else Source(source)
    fitting = [(entry, entry.recognise(source) & entry.reads) for entry in FORMATS.values()]
    for entry, found in fitting:
        if found and (role is None or role in found):
            return entry
    if sample(source).kind == "json":
        records(source)  # JSON that is broken has faults of its own to show
    others = [(entry.name, sorted(found)) for entry, found in fitting if found]
    # Three columns are a run of MS MARCO, or qrels that lack one.
    if others and not (role == "questions" and others[0][0] == "msmarco"):
        name, held = others[0]
        expected = WHAT[role] if role else "questions, a run or chunks"
        raise source.error(expected, f"{' or '.join(held)} ({name})")
    raise unrecognised(source, role, FORMATS.values())
