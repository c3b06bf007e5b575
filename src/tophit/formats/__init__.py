"""Reading and writing the formats that people already have.

Every function takes a path (`-` is standard input or output); `.gz` and `.zst` are opened and
written by all. A format is recognised by its content; `format` names it instead. Adding one is a
module of `formats/known` with a record `FORMAT`, and its name in `choices.FORMAT_NAMES`.
"""

from __future__ import annotations

import polars as pl

from tophit.errors import UsageError
from tophit.formats.convert import convert
from tophit.formats.definition import Format, Losses, Role
from tophit.formats.reading.files import Source, StrPath, atomic_write, check_writable, run_name
from tophit.formats.table import FORMATS, find_format, recognise
from tophit.relations import Questions, Run

__all__ = [
    "FORMATS",
    "Format",
    "atomic_write",
    "check_writable",
    "convert",
    "find_format",
    "question_lines",
    "read_chunks",
    "read_questions",
    "read_questions_and_run",
    "read_run",
    "recognise",
    "run_name",
    "write_chunks",
    "write_questions",
    "write_questions_and_run",
    "write_run",
]


def _format_for(source: Source, name: str | None, role: Role) -> Format:
    if name is None:
        return recognise(source, role)
    entry = find_format(name)
    if role not in entry.reads:
        raise _cannot(entry, "read", role)
    return entry


def _cannot(entry: Format, verb: str, role: Role) -> UsageError:
    able = [name for name, other in FORMATS.items() if role in getattr(other, f"{verb}s")]
    return UsageError(f"{entry.name} cannot {verb} {role}; formats that can: {', '.join(able)}")


def read_questions(path: StrPath, *, format: str | None = None) -> Questions:
    """Read questions and what each should find.

    `queries` has a row for every question, `judgments` one for every item (or alternative).

    Errors: `InputError` with all faults of the file, `UsageError` for an unknown format.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> _ = path.write_text("q1 0 d1 1\\nq1 0 d2 0\\n")
    >>> read_questions(path).judgments.rows()
    [('q1', 'd1', 1.0), ('q1', 'd2', 0.0)]
    """
    source = Source(path)
    reader = _format_for(source, format, "questions").read_questions
    assert reader is not None
    return reader(source)


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
    lines_of = _format_for(source, format, "questions").question_lines
    return {} if lines_of is None else lines_of(source)


def read_run(path: StrPath, *, format: str | None = None, name: str | None = None) -> Run:
    """Read what a system retrieved.

    Lists give `rank`, from 1; TREC runs, dicts of scores and tables without a rank give `score`
    alone. The run is called `name`, else by the tag of a TREC file, else by the file's name.

    Errors: `InputError` with all faults of the file, `UsageError` for an unknown format.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "bm25.json"
    >>> _ = path.write_text('{"q1": ["d2", "d1"]}')
    >>> run = read_run(path)
    >>> run.name, run.retrieved.rows()
    ('bm25', [('q1', 'd2', 1), ('q1', 'd1', 2)])
    """
    source = Source(path)
    reader = _format_for(source, format, "run").read_run
    assert reader is not None
    return reader(source, name)


def read_questions_and_run(
    path: StrPath, *, format: str | None = None, name: str | None = None
) -> tuple[Questions, Run]:
    """Read a file that holds both the questions and what was retrieved for them.

    Errors: `InputError` with all faults of the file, `UsageError` for a format without one of
    the two.
    """
    source = Source(path)
    entry = _of_both(source) if format is None else find_format(format)
    if entry.read_questions is None:
        raise _cannot(entry, "read", "questions")
    if entry.read_run is None:
        raise _cannot(entry, "read", "run")
    return entry.read_questions(source), entry.read_run(source, name)


def _of_both(source: Source) -> Format:
    for entry in FORMATS.values():
        if not entry.ambiguous and entry.recognise(source) >= {"questions", "run"}:
            return entry
    found = recognise(source)
    held = " or ".join(sorted(found.recognise(source)))
    raise source.error("questions and a run in one file", f"{held} ({found.name})")


def read_chunks(path: StrPath, *, format: str | None = None) -> pl.DataFrame:
    """Read all chunks of an index: the relation `chunks`, a row a chunk.

    Errors: `InputError` with all faults of the file, `UsageError` for an unknown format.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "chunks.jsonl"
    >>> _ = path.write_text('{"id": 7, "text": "four chunks", "doc": "a.md"}')
    >>> read_chunks(path).rows()
    [('7', 'four chunks', 'a.md')]
    """
    source = Source(path)
    reader = _format_for(source, format, "chunks").read_chunks
    assert reader is not None
    return reader(source)


def write_questions(questions: Questions, path: StrPath, *, format: str = "jsonl") -> Losses:
    """Write questions; returns a warning for everything that the format cannot carry.

    Errors: `UsageError` for a format that is unknown or does not hold questions, `OutputError`
    where the file cannot be written.
    """
    entry = find_format(format)
    if entry.write_questions is None:
        raise _cannot(entry, "write", "questions")
    return entry.write_questions(questions, path)


def write_run(run: Run, path: StrPath, *, format: str = "jsonl") -> Losses:
    """Write a run; returns a warning for everything that the format cannot carry.

    Errors: as `write_questions`.
    """
    entry = find_format(format)
    if entry.write_run is None:
        raise _cannot(entry, "write", "run")
    return entry.write_run(run, path)


def write_chunks(chunks: pl.DataFrame, path: StrPath, *, format: str = "jsonl") -> Losses:
    """Write chunks; returns a warning for everything that the format cannot carry.

    Errors: as `write_questions`.
    """
    entry = find_format(format)
    if entry.write_chunks is None:
        raise _cannot(entry, "write", "chunks")
    return entry.write_chunks(chunks, path)


def write_questions_and_run(
    questions: Questions, run: Run, path: StrPath, *, format: str = "ragas"
) -> Losses:
    """Write questions and what was retrieved for them into one file.

    Returns a warning for everything that the format cannot carry. Errors: as `write_questions`.
    """
    entry = find_format(format)
    if entry.write_both is None:
        able = ", ".join(name for name, other in FORMATS.items() if other.write_both)
        raise UsageError(f"{entry.name} cannot write questions and run together; {able} can")
    return entry.write_both(questions, run, path)
