"""The table of faults that a question set may have: how grave, what it is, what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Level = Literal["error", "warning", "note"]


@dataclass(frozen=True, kw_only=True)
class Code:
    """A kind of fault.

    An error makes a question wrong, a warning makes its score doubtful, a note harms nothing.
    """

    name: str
    level: Level
    summary: str
    action: str


_CODES = (
    Code(
        name="duplicate_id",
        level="error",
        summary="a question's id occurs several times",
        action="give every question an id of its own",
    ),
    Code(
        name="unmatchable",
        level="error",
        summary="the element lacks what the match needs, so that nothing can hold it",
        action="add the missing field, or choose another match",
    ),
    Code(
        name="empty",
        level="error",
        summary="the element is empty after normalisation, and would be in every text",
        action="quote words of the document",
    ),
    Code(
        name="unknown_document",
        level="error",
        summary="the document is not among the documents",
        action="correct its name, or add the document",
    ),
    Code(
        name="wrong_chunk_offsets",
        level="error",
        summary="chunks of the index do not stand where their offsets say",
        action="count characters from the start of the document, and write the chunks again",
    ),
    Code(
        name="not_found",
        level="error",
        summary="the element stands in no document",
        action="copy it from the document, or correct the words that differ",
    ),
    Code(
        name="wrong_document",
        level="error",
        summary="the element stands in another document than the one named",
        action="name the document that it stands in",
    ),
    Code(
        name="wrong_offsets",
        level="error",
        summary="the document has another text at these offsets",
        action="count code points from the start of the document, end exclusive",
    ),
    Code(
        name="unknown_id",
        level="error",
        summary="the id is not in the index",
        action="label again for this index, or match by text or spans",
    ),
    Code(
        name="inside_word",
        level="warning",
        summary="the element begins or ends inside a word, so that no text holds it whole "
        "unless it is long",
        action="widen it to whole words",
    ),
    Code(
        name="too_long",
        level="warning",
        summary="the element is longer than a chunk, so that it is always cut",
        action="shorten it to the sentence that answers, or split it into several",
    ),
    Code(
        name="cut",
        level="warning",
        summary="no chunk of the index holds the element whole",
        action="try larger chunks, overlap or another splitter",
    ),
    Code(
        name="altered",
        level="warning",
        summary="the element stands in the index, but not as it is written",
        action="make the index and the questions from the same text",
    ),
    Code(
        name="not_indexed",
        level="warning",
        summary="no chunk of the index has the element, nor its letters and digits",
        action="index the document that it stands in",
    ),
    Code(
        name="repeated",
        level="warning",
        summary="the element occurs several times: any copy counts when texts are matched",
        action="quote more, so that it occurs once, or match by spans",
    ),
    Code(
        name="duplicate_question",
        level="warning",
        summary="the same question is asked several times",
        action="ask it once, with all that it expects",
    ),
    Code(
        name="answer_in_question",
        level="warning",
        summary="the answer stands in the question, so that any text like the question holds it",
        action="ask without the answer's words",
    ),
    Code(
        name="white_space",
        level="note",
        summary="the element begins or ends with white space",
        action="leave it out, and move the offsets",
    ),
)
CODES: dict[str, Code] = {code.name: code for code in _CODES}


@dataclass(frozen=True, kw_only=True)
class Fix:
    """The right values for one row of `judgments`, where they are certain."""

    row: int
    values: dict[str, str | int]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One fault: its code, the question and item, a sentence, and a number where it has one.

    `remedy` is what was tried and helps here, in place of the code's action.

    >>> Finding(code="repeated", query_id="q1", message="occurs 3 times", count=3).level
    'warning'
    """

    code: str
    query_id: str | None
    message: str
    item_id: str | None = None
    doc_id: str | None = None
    count: int | None = None
    fix: Fix | None = None
    remedy: str | None = None

    @property
    def level(self) -> Level:
        """error, warning or note."""
        return CODES[self.code].level


def action_for(code: str, findings: Sequence[Finding]) -> str:
    """What to do about the findings of one kind: what was tried and helps, else the code's action.

    >>> found = [Finding(code="not_found", query_id="q", message="", remedy="use --strip-markup")]
    >>> action_for("not_found", found)
    'use --strip-markup'
    >>> action_for("not_found", [*found, Finding(code="not_found", query_id="p", message="")])
    'use --strip-markup (1 of 2); copy it from the document, or correct the words that differ'
    """
    remedies = Counter(each.remedy for each in findings if each.remedy is not None)
    total = len(findings)
    said = [
        f"{remedy}{'' if count == total else f' ({count:,} of {total:,})'}"
        for remedy, count in remedies.most_common()
    ]
    if remedies.total() < total:
        said.append(CODES[code].action)
    return "; ".join(said)
