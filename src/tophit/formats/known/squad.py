"""`squad`: SQuAD 1.1 and 2.0.

    {"data": [{"title", "paragraphs": [{"context", "qas": [
        {"id", "question", "answers": [{"text", "answer_start"}], "is_impossible"}]}]}]}

The answers of a question are alternatives of one item. Every paragraph is a chunk and a document
of its own, called `TITLE#N` (`aM#N` where the article has no title), to which the offsets of its
answers belong; they are read as code points, and left out where the text does not stand there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import polars as pl

from tophit.errors import DataWarning
from tophit.formats.definition import Format, Role, roles
from tophit.formats.reading import jsontext
from tophit.formats.reading.files import Source
from tophit.formats.reading.sniff import sample
from tophit.records.build import QuestionsBuilder
from tophit.records.chunks import chunks_frame
from tophit.records.questions import Alternative, Item
from tophit.records.values import Faults, Values
from tophit.relations import Questions


class _Paragraph(NamedTuple):
    doc: str
    title: str | None
    context: str
    questions: list[Any]
    where: str


def recognise(source: Source) -> frozenset[Role]:
    """One object with `data`, whose articles have `paragraphs`."""
    if not sample(source).has("data"):
        return roles()
    whole = jsontext.document(source)
    data = whole.get("data") if isinstance(whole, dict) else None
    first = data[0] if isinstance(data, list) and data else None
    is_one = isinstance(first, dict) and "paragraphs" in first
    return roles("questions", "chunks") if is_one else roles()


def _paragraphs(source: Source, faults: Faults) -> Iterator[_Paragraph]:
    whole = jsontext.document(source)
    if not isinstance(whole, dict) or not isinstance(whole.get("data"), list):
        jsontext.records(source)
        raise source.error('one object with a list "data"', "another JSON value")
    titles: set[str] = set()
    for at, article in enumerate(whole["data"]):
        paragraphs = article.get("paragraphs") if isinstance(article, dict) else None
        if not isinstance(paragraphs, list):
            faults.add(expected="a list", value=paragraphs, field=f"data[{at}].paragraphs")
            continue
        title = article.get("title")
        name = title if isinstance(title, str) and title and title not in titles else f"a{at + 1}"
        titles.add(name)
        for number, paragraph in enumerate(paragraphs):
            where = f"data[{at}].paragraphs[{number}]."
            context = paragraph.get("context") if isinstance(paragraph, dict) else None
            questions = paragraph.get("qas", []) if isinstance(paragraph, dict) else None
            if not isinstance(context, str) or not isinstance(questions, list):
                faults.add(expected='a "context" and "qas"', value=paragraph, field=where[:-1])
                continue
            yield _Paragraph(f"{name}#{number + 1}", title, context, questions, where)


def read_questions(source: Source) -> Questions:
    """Read the questions. Errors: `InputError` with the place of every fault."""
    builder = QuestionsBuilder(source)
    astray = 0
    for paragraph in _paragraphs(source, builder.faults):
        for at, entry in enumerate(paragraph.questions):
            where = f"{paragraph.where}qas[{at}]"
            if not isinstance(entry, dict):
                builder.faults.add(expected="a JSON object", value=entry, field=where)
                continue
            pieces = _pieces(entry, paragraph, builder.faults, where)
            astray += sum(piece.start is None for piece in pieces)
            builder.add(
                entry.get("id"), [Item(tuple(pieces))] if pieces else [],
                question=entry.get("question"), tags={"title": paragraph.title},
                field=f"{where}.id",
            )  # fmt: skip
    return builder.build(warnings=_astray(astray))


def _pieces(
    entry: Mapping[str, Any], paragraph: _Paragraph, faults: Faults, where: str
) -> list[Alternative]:
    if entry.get("is_impossible") is True:
        return []
    answers = entry.get("answers")
    if not isinstance(answers, list):
        faults.add(expected="a list", value=answers, field=f"{where}.answers")
        return []
    pieces = []
    for at, answer in enumerate(answers):
        field = f"{where}.answers[{at}]"
        if not isinstance(answer, dict) or answer.get("text") is None:
            faults.add(expected='an object with "text"', value=answer, field=field)
            continue
        values = Values(answer, faults, line=None, field=f"{field}.")
        text, start = values.filled_text("text"), values.count("answer_start")
        if text is None or start is None or not paragraph.context.startswith(text, start):
            pieces.append(Alternative(text=text))
        else:
            pieces.append(Alternative(None, text, paragraph.doc, start, start + len(text)))
    return pieces


def _astray(count: int) -> tuple[DataWarning, ...]:
    if not count:
        return ()
    message = f"{count:,} answers do not stand at their answer_start; their offsets are left out"
    return (DataWarning(code="offsets_disagree", count=count, message=message),)


def read_chunks(source: Source) -> pl.DataFrame:
    """Read every paragraph as a chunk. Errors: `InputError` with the place of every fault."""
    faults = Faults(source.name)
    rows = [
        (paragraph.doc, paragraph.context, paragraph.doc, 0, len(paragraph.context), None)
        for paragraph in _paragraphs(source, faults)
    ]
    faults.check()
    return chunks_frame(rows)


FORMAT = Format(
    name="squad",
    description="SQuAD 1.1 and 2.0: questions, answers with offsets, paragraphs",
    recognise=recognise,
    read_questions=read_questions,
    read_chunks=read_chunks,
)
