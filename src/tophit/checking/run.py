"""`check`: every test of a question set that the given documents and chunks allow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Unpack

import narwhals as nw
import polars as pl

from tophit.checking.chunk_offsets import check_chunk_offsets
from tophit.checking.codes import Finding
from tophit.checking.elements import Element, check_documents, check_forms
from tophit.checking.index import check_index, check_size
from tophit.checking.places import Library
from tophit.checking.questions import check_answers, check_questions
from tophit.checking.report import CheckReport, in_order
from tophit.checking.standing import Looked, looked_up
from tophit.diagnosis.sources import Sources
from tophit.documents import Documents, as_documents
from tophit.frames import chunks_from, collected, questions_in_memory
from tophit.matching.ways import WAYS, decided
from tophit.relations import CHUNK, DOC, END, ITEM, QUERY, START, TEXT, Questions
from tophit.settings import Folding, MatchOptions, Settings
from tophit.tokens import CL100K


def check(
    questions: Any,
    *,
    documents: Any = None,
    chunks: Any = None,
    size: int | None = None,
    tokenizer: str = CL100K,
    settings: Settings | None = None,
    **options: Unpack[MatchOptions],
) -> CheckReport:
    """Look for the faults of a question set before it costs anybody a day.

    `questions` as for `evaluate`; `documents` (a folder, id to text, or a frame) to see if the
    elements stand in them; `chunks`, the index, to see if it holds them whole; `size`, of a chunk
    in tokens, to see without an index which elements are too long. `settings` and `options`
    (match, match_exact, match_letters, strip_markup) as for `evaluate`: an element that lacks what
    the match needs is an error. The kinds of faults are `tophit.checking.CODES`.

    Errors: `InputError` for a file that cannot be read as questions (with all faults of its form).

    >>> questions = {"q1": ["c1"]}
    >>> check(questions, chunks=[{"id": "c1", "text": "a"}]).ok
    True
    """
    asked = questions_in_memory(questions)
    elements = [
        Element(row, *values) for row, values in enumerate(_columns(asked.judgments).iter_rows())
    ]
    library = None if documents is None else as_documents(documents)
    index = None if chunks is None else collected(chunks_from(chunks))
    chosen = Settings.of(settings, options, takes=MatchOptions)
    mode = _mode(chosen.match, asked.judgments, index)
    looked = None if library is None else _looked_up(elements, library, folding=chosen.folding)
    findings = [
        *_check_questions(asked, elements, mode, folding=chosen.folding),
        *_check_sources(elements, mode, library, looked, index, folding=chosen.folding),
        *(check_size(elements, size=size, tokenizer=tokenizer) if size and index is None else ()),
    ]
    return CheckReport(
        questions=asked,
        findings=in_order(findings, asked.queries[QUERY]),
        match=mode,
        total=asked.queries.height,
        answerable=len({element.query_id for element in elements}),
        elements=len(elements),
        documents=None if library is None else len(library),
        chunks=None if index is None else index.height,
        levels=() if looked is None else looked.counts([element.text for element in elements]),
        not_checked=_not_checked(mode, library, index, size),
        warnings=(*asked.warnings, *(library.warnings if library else ())),
    )


def _columns(judgments: pl.DataFrame) -> pl.DataFrame:
    """The columns of an `Element`, in order; those that are not there as nulls."""
    return judgments.select(
        name if name in judgments.columns else pl.lit(None).alias(name)
        for name in (QUERY, ITEM, TEXT, DOC, START, END, CHUNK)
    )


def _mode(match: str, judgments: pl.DataFrame, index: pl.DataFrame | None) -> str:
    """The match, `auto` decided as `evaluate` does, by the questions alone without an index."""
    if match != "auto":
        return match
    sides = [judgments] if index is None else [judgments, index]
    return decided([nw.from_native(side.lazy()) for side in sides])


def _check_questions(
    asked: Questions, elements: Sequence[Element], mode: str, *, folding: Folding
) -> Iterator[Finding]:
    yield from check_questions(asked.queries, folding=folding)
    yield from check_answers(asked.queries, elements, folding=folding)
    yield from check_forms(elements, folding=folding)
    names = {TEXT: "text", DOC: "doc_id", START: "start", END: "end"}
    for element in elements:
        missing = [name for name in WAYS[mode].needs if getattr(element, names[name]) is None]
        if missing:
            needs = f"has no {', '.join(missing)}, which matching by {mode} needs"
            yield element.finding("unmatchable", f"{element.item_id} {needs}")


def _looked_up(elements: Sequence[Element], documents: Documents, *, folding: Folding) -> Looked:
    library = Library(dict(documents.frame.select(DOC, TEXT).iter_rows()), folding=folding)
    return looked_up([element.text for element in elements if element.text], library)


def _check_sources(
    elements: Sequence[Element],
    mode: str,
    documents: Documents | None,
    looked: Looked | None,
    index: pl.DataFrame | None,
    *,
    folding: Folding,
) -> Iterator[Finding]:
    if looked is not None:
        yield from check_documents(elements, looked)
    if index is not None:
        sources = Sources(match=mode, chunks=index, documents=documents, folding=folding)
        able = [e for e in elements if mode != "text" or e.text]
        yield from check_index(able, sources)
        yield from check_chunk_offsets(index, None if looked is None else looked.library)


def _not_checked(
    mode: str, documents: Documents | None, index: pl.DataFrame | None, size: int | None
) -> tuple[str, ...]:
    left = []
    if documents is None and mode != "ids":
        left.append("if elements stand in the documents, where and how often: pass --docs DIR")
    if index is None and (size is None or mode == "ids"):
        left.append("if the index holds them whole: pass --chunks FILE")
    return tuple(left)
