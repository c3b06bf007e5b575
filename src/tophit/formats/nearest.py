"""What to say of a file of no known format: what was seen, what is nearest, what it lacks."""

from __future__ import annotations

from collections.abc import Iterable

from tophit.errors import Fault, InputError, counted
from tophit.formats.definition import ROLES, Format, Role
from tophit.formats.reading.files import Source
from tophit.formats.reading.sniff import Sample, sample
from tophit.records.columns import columns_of
from tophit.records.values import shown
from tophit.records.vocabulary import ANSWERS, PLACES, QUESTIONS, RUNS, plain
from tophit.relations import (
    CHUNK,
    CHUNKS,
    DOC,
    EXPECTED,
    EXPECTED_IDS,
    ITEM,
    JUDGMENTS,
    QUERIES,
    QUERY,
    QUESTION,
    RANK,
    RETRIEVED,
    RETRIEVED_IDS,
    RETRIEVED_LIST,
    SCORE,
    START,
    TEXT,
)

WHAT = {"questions": "questions", "run": "a run", "chunks": "chunks"}
_SHOWN = 12
_ASKED = ("an id or the question", (QUERY, QUESTION))
# What a record or a row must hold in each role, and the fields of which one must be there.
_NEEDS: dict[Role, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "questions": (
        _ASKED,
        (
            "what is expected: expected, text or item_id",
            (EXPECTED, EXPECTED_IDS, TEXT, ITEM, START),
        ),
    ),
    "run": (
        _ASKED,
        ("what was retrieved: retrieved", (RETRIEVED_LIST, RETRIEVED_IDS, CHUNK)),
    ),
    "chunks": (("an id: chunk_id or id", (CHUNK,)), ("the text: text", (TEXT, START))),
}
_OF_TABLES = {"questions": {**QUERIES, EXPECTED: "", EXPECTED_IDS: "", **JUDGMENTS},
              "run": {**QUERIES, RETRIEVED_LIST: "", RETRIEVED_IDS: "", **RETRIEVED},
              "chunks": CHUNKS}  # fmt: skip
_OF_RECORDS = {"questions": QUESTIONS, "run": RUNS, "chunks": PLACES}
_EVIDENCE = (
    "An answer is no evidence, its words need not stand in any chunk: give under expected the "
    "passage of the source that holds the answer, word for word"
)


def unrecognised(source: Source, role: Role | None, formats: Iterable[Format]) -> InputError:
    """The error for a file that none of `formats` recognises."""
    seen = sample(source)
    expected = WHAT[role] if role else "questions, a run or chunks"
    if seen.kind == "text":
        found, hint = _of_lines(seen, role)
        fault = Fault(file=source.name, line=1, expected=expected, found=found)
        return InputError(fault, hint=hint)
    found = "a folder" if source.is_folder else _described(seen)
    hint = _BEIR if source.is_folder else _of_fields(seen, role, formats)
    return InputError(Fault(file=source.name, expected=expected, found=found), hint=hint)


_BEIR = "nearest is beir: a folder with queries.jsonl and qrels/*.tsv, or corpus.jsonl"


def _described(seen: Sample) -> str:
    names = sorted(seen.fields) if seen.kind == "json" else [n for n in seen.header if n]
    names = names or sorted(seen.fields)
    listed = ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
    if seen.kind != "json":
        return f"a table with the columns {listed}"
    if names:
        return f"JSON objects with the keys {listed}"
    return f"JSON that holds no objects, but {shown(seen.first)}"


def _of_fields(seen: Sample, role: Role | None, formats: Iterable[Format]) -> str:
    """What the nearest format lacks: that of a tool by its own names, else tophit's own."""
    for entry in formats:
        missing = [names for names in entry.keys if not seen.has_any(*names)]
        if entry.keys and len(missing) == 1 and len(entry.keys) > 1 and _is_particular(entry, seen):
            return f"nearest is {entry.name}, which needs {' or '.join(missing[0])} too"
    name = "jsonl" if seen.kind == "json" else "table"
    lacks = {each: _lacks(seen, each) for each in ([role] if role else ROLES)}
    best = min(lacks, key=lambda each: len(lacks[each]))
    says = f"nearest is {name}; for {WHAT[best]} it lacks {'; and '.join(lacks[best])}"
    is_answered = any(plain(field) in ANSWERS for field in seen.fields)
    if len(lacks[best]) == len(_NEEDS[best]) and seen.kind == "table":
        says += " (or does its first line hold no names?)"
    return f"{says}. {_EVIDENCE}" if best == "questions" and is_answered else says


def _is_particular(entry: Format, seen: Sample) -> bool:
    """Whether a name was seen that only this format would bring about."""
    common = {"question", "query", "id", "input", "answer", "context"}
    return any(name in seen.fields for names in entry.keys for name in set(names) - common)


def _lacks(seen: Sample, role: Role) -> list[str]:
    if seen.kind == "json":
        held = set(_OF_RECORDS[role].keys(dict.fromkeys(seen.fields, True)))
    else:
        held = set(columns_of(seen.header or sorted(seen.fields), _OF_TABLES[role]))
    lacks = [says for says, fields in _NEEDS[role] if held.isdisjoint(fields)]
    ranked = {RETRIEVED_LIST, RETRIEVED_IDS, RANK, SCORE}
    if role == "run" and CHUNK in held and held.isdisjoint(ranked):
        lacks.append("the order: a column rank or score")
    if role == "questions" and DOC in held and not lacks:
        lacks.append("what is expected in the document: text, or start and end")
    return lacks or ["a form that can be told apart: name it (--format)"]


def _of_lines(seen: Sample, role: Role | None) -> tuple[str, str]:
    """What was found in lines that are neither a table nor TREC, and what they lack."""
    if not seen.lines:
        return "nothing but blank lines", "a file of data is needed"
    first = next((line for line in seen.lines if not line.startswith("#")), seen.lines[0])
    count = len(first.split())
    found = f"{counted(count, 'column')}, {shown(first)}"
    if any(mark in first for mark in ",;|") and count < 4:
        wanted = "query_id,chunk_id,rank" if role == "run" else "query_id,item_id,grade"
        return shown(first), f"nearest is table, which needs names in its first line: {wanted}"
    if role == "run" or (role is None and count > 4):
        return found, f"nearest is trec: {_RUN}{_MISSING_IN_RUNS.get(count, '')}"
    return found, f"nearest is trec: {_QRELS}{_MISSING_IN_QRELS.get(count, '')}"


_RUN = "six columns in each line, qid Q0 docno rank score tag"
_QRELS = "four columns in each line, qid iter docno rel"
_MISSING_IN_RUNS = {
    5: "; one of them is missing, the tag or Q0",
    4: "; two of them are missing",
    3: "; with qid docno score, give the file a first line of names",
}
_MISSING_IN_QRELS = {
    3: "; iter is missing: put a 0 between the first and the second",
    2: "; iter and rel are missing: put a 0 between the two, and a 1 at the end",
}
