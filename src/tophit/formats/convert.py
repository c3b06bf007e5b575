"""From one format to another, with a count of everything that cannot be carried over."""

from __future__ import annotations

from pathlib import Path

from tophit.choices import ENDINGS
from tophit.errors import DataWarning, UsageError
from tophit.formats.definition import Format, Losses, Role
from tophit.formats.reading.files import STDIO, Source, StrPath, plain_name
from tophit.formats.table import FORMATS, find_format, recognise


def convert(
    source: StrPath,
    target: StrPath,
    *,
    source_format: str | None = None,
    target_format: str | None = None,
    role: Role | None = None,
    name: str | None = None,
) -> Losses:
    """Read `source` and write it as `target`; returns a warning for everything that is lost.

    The source's format is recognised by its content, the target's is `target_format`, else told
    by its ending (`.jsonl`, `.json` for json-dict, `.csv`, `.tsv` and `.parquet` for table,
    `.run`, `.qrels` and `.txt` for trec; `-` is jsonl). `role` says what to convert, where the
    file holds more than one thing: `questions`, `run` or `chunks`. A target that holds questions
    and run together gets both. `name` names the run.

    Errors: `InputError` with all faults of the source; `UsageError` for a target whose format
    cannot be told or does not hold what the source has, and for a source that holds several
    things when `role` does not say which.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "q.jsonl").write_text('{"id": 1, "question": "?", "expected": [{"id": "d"}]}')
    >>> [lost.message for lost in convert(folder / "q.jsonl", folder / "q.qrels")]
    ['trec cannot hold question of questions: 1 is not in the output']
    >>> (folder / "q.qrels").read_text()
    '1 0 d 1\\n'
    """
    opened = Source(source)
    reader = recognise(opened, role) if source_format is None else find_format(source_format)
    writer = format_of_target(target, target_format)
    held = (reader.recognise(opened) & reader.reads) or reader.reads
    holds_both = not reader.ambiguous and held >= {"questions", "run"}
    if role is None and writer.write_both is not None and holds_both:
        return _both(opened, reader, writer, target, name) + _left(held, {"questions", "run"})
    chosen = _choose(held, reader, writer, role)
    lost = _one(opened, reader, writer, target, chosen, name)
    return lost if reader.ambiguous else lost + _left(held, {chosen})


def format_of_target(path: StrPath, name: str | None = None) -> Format:
    """The format that a file is written in: `name`, else told by its ending; `-` is jsonl.

    Errors: `UsageError` for an unknown name or ending.

    >>> format_of_target("out/run.trec.gz").name, format_of_target("-").name
    ('trec', 'jsonl')
    """
    if name is not None:
        return find_format(name)
    suffix = Path(plain_name(Path(path))).suffix.lower()
    found = "jsonl" if str(path) == STDIO else ENDINGS.get(suffix)
    if found is None:
        known = ", ".join(sorted(ENDINGS))
        raise UsageError(
            f"cannot tell the format of {path} by its ending (known: {known}); name it "
            f"(known: {', '.join(n for n, entry in FORMATS.items() if entry.writes)})"
        )
    return FORMATS[found]


def _choose(held: frozenset[Role], reader: Format, writer: Format, role: Role | None) -> Role:
    if role is not None:
        if role not in reader.reads:
            raise UsageError(f"{reader.name} does not hold {role}")
        if role not in writer.writes:
            raise UsageError(f"{writer.name} cannot write {role}")
        return role
    possible = sorted(held & writer.writes)
    if not possible:
        has = " and ".join(sorted(held))
        raise UsageError(f"{writer.name} cannot write what {reader.name} holds: {has}")
    if len(possible) > 1:
        raise UsageError(f"the source can be read as {' or '.join(possible)}; say which (role)")
    return possible[0]


def _one(
    source: Source, reader: Format, writer: Format, target: StrPath, role: Role, name: str | None
) -> Losses:
    if role == "questions" and reader.read_questions and writer.write_questions:
        questions = reader.read_questions(source)
        return questions.warnings + writer.write_questions(questions, target)
    if role == "run" and reader.read_run and writer.write_run:
        run = reader.read_run(source, name)
        return run.warnings + writer.write_run(run, target)
    if role == "chunks" and reader.read_chunks and writer.write_chunks:
        return writer.write_chunks(reader.read_chunks(source), target)
    raise UsageError(f"{reader.name} cannot be converted to {writer.name} as {role}")


def _both(
    source: Source, reader: Format, writer: Format, target: StrPath, name: str | None
) -> Losses:
    if reader.read_questions is None or reader.read_run is None or writer.write_both is None:
        raise UsageError(f"{reader.name} cannot be converted to {writer.name}")
    questions, run = reader.read_questions(source), reader.read_run(source, name)
    return questions.warnings + run.warnings + writer.write_both(questions, run, target)


def _left(held: frozenset[Role], written: set[Role]) -> tuple[DataWarning, ...]:
    left = sorted(held - written)
    if not left:
        return ()
    message = f"the source holds {' and '.join(left)} too, which went nowhere"
    return (DataWarning(code="not_converted", count=len(left), message=message),)
