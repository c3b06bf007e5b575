"""The table of outcomes: what may have become of an answerable question, and of each of its items.

An outcome is one record: when it applies, the sentence about it, and its place among the others. It
is read from facts about an item; a fact is None where nobody knows. This module loads no engine, so
that a help text may list the names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

# What is known of an item, by the columns of `Diagnosis.items`.
FOUND_RANK = "rank"  # of the first place that holds it whole
K = "k"  # how many places reach the reader
BEST_SHARE = "share"  # the most of it that one place holds
SHARE_RANK = "share_rank"  # the rank of that place
BEST_CHUNK = "chunk_id"  # the chunk of that place
RETRIEVED = "retrieved"  # how many places the run has for the question
IN_INDEX = "in_index"  # some chunk of the index holds it whole
IN_PARTS = "in_parts"  # chunks of one document hold it together
IN_DOCUMENTS = "in_documents"  # a document holds it whole
STANDS = "stands"  # how its text stands where it is not whole: one of `ALTERED`
STANDS_IN = "stands_in"  # the chunk or the document where it does
HELD = "held"  # the fraction of its characters that this place has
DIFFERENCE = "difference"  # the first differences between it and that place, in a line

Facts = Mapping[str, Any]

_STRAY = 0.1  # a share of an item that any text may have
_HALF = 0.5  # so much of an item in one place is no chance


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """One thing that may have happened.

    `applies` says when; the first outcome of the table that does is the item's. `why` is a sentence
    about one item, `change` what to change in the system. A question has the outcome of its item
    with the lowest `order`: the one that got furthest. `style` is its colour on a terminal.
    """

    name: str
    summary: str
    applies: Callable[[Facts], bool]
    why: Callable[[Facts], str]
    change: str
    order: int
    style: str = "red"


def percent(value: float) -> str:
    """A fraction in per cent; whole only where it is whole.

    >>> percent(0.999), percent(0.004), percent(0.6), percent(1)
    ('99 %', '1 %', '60 %', '100 %')
    """
    return f"{min(99, max(1, round(100 * value)))} %" if value < 1 else "100 %"


def _best_piece(facts: Facts) -> str:
    share = facts[BEST_SHARE]
    if share < _STRAY:
        return "only stray words of it were retrieved" if share else "no part of it was retrieved"
    return f"{percent(share)} of it at rank {facts[SHARE_RANK]}"


def _why_cut(facts: Facts) -> str:
    if facts[STANDS] is not None:
        return f"it stands over two chunks, but for punctuation and blanks; {_best_piece(facts)}"
    return f"no chunk holds it whole; {_best_piece(facts)}"


def _where(facts: Facts) -> str:
    if facts[STANDS_IN] == facts[BEST_CHUNK]:
        return f"at rank {facts[SHARE_RANK]}"
    return f"in {facts[STANDS_IN]}"


INSIDE, LETTERS, NEAR, ELSEWHERE = "inside", "letters", "near", "elsewhere"
# How a text may stand where it is not whole, and the sentence about it.
ALTERED: Mapping[str, Callable[[Facts], str]] = {
    INSIDE: lambda facts: f"stands {_where(facts)} only inside a word: {facts[DIFFERENCE]}",
    LETTERS: lambda facts: (
        f"stands {_where(facts)} but for punctuation and blanks: {facts[DIFFERENCE]}"
    ),
    NEAR: lambda facts: (
        f"{percent(facts[HELD])} of it {_where(facts)}; "
        f"{'no chunk of the index has' if facts[IN_INDEX] is False else 'nothing shows'} the rest: "
        f"{facts[DIFFERENCE]}"
    ),
    ELSEWHERE: lambda facts: (
        f"its text stands {_where(facts)}, where its document and offsets do not lead"
    ),
}


def _why_absent(facts: Facts) -> str:
    where = "the documents" if facts[IN_DOCUMENTS] is False else "the index"
    if facts[BEST_SHARE] >= _HALF:
        rest = "document" if facts[IN_DOCUMENTS] is False else "chunk of the index"
        return f"{_best_piece(facts)}; no {rest} has the rest"
    return f"not in {where}: the label is wrong, or a document is missing"


def _is_absent(facts: Facts) -> bool:
    return facts[IN_INDEX] is False or facts[IN_DOCUMENTS] is False


TABLE = (
    Outcome(
        name="found",
        summary="whole within the first k places",
        applies=lambda facts: facts[FOUND_RANK] is not None and facts[FOUND_RANK] <= facts[K],
        why=lambda facts: f"whole at rank {facts[FOUND_RANK]}",
        change="nothing",
        order=10,
        style="green",
    ),
    Outcome(
        name="late",
        summary="whole, but beyond the first k places",
        applies=lambda facts: facts[FOUND_RANK] is not None,
        why=lambda facts: f"whole at rank {facts[FOUND_RANK]}, and k is {facts[K]}",
        change="raise k, or add a reranker",
        order=20,
        style="yellow",
    ),
    Outcome(
        name="empty",
        summary="nothing was retrieved",
        applies=lambda facts: facts[RETRIEVED] == 0,
        why=lambda facts: "nothing was retrieved",
        change="filters, similarity threshold, errors in the retriever",
        order=90,
    ),
    Outcome(
        name="unretrieved",
        summary="whole in a chunk of the index that was not retrieved",
        applies=lambda facts: facts[IN_INDEX] is True,
        why=lambda facts: f"whole in the index, not among the {facts[RETRIEVED]} retrieved",
        change="embedding model, hybrid search, the wording of the question",
        # what is whole in the index comes before what is not, so that found + late + unretrieved
        # is what Ceiling counts where nothing is empty
        order=30,
    ),
    Outcome(
        name="cut",
        summary="no chunk of the index holds it whole, but chunks of its document do together",
        applies=lambda facts: facts[IN_PARTS] is True,
        why=_why_cut,
        change="splitter, chunk size, overlap",
        order=40,
        style="magenta",
    ),
    Outcome(
        name="altered",
        summary="its text stands there, but not as it is written: the label or the extraction "
        "differs",
        applies=lambda facts: facts[STANDS] is not None,
        why=lambda facts: ALTERED[facts[STANDS]](facts),
        change="the label, how text is extracted, or the level of folding",
        order=50,
        style="yellow",
    ),
    Outcome(
        name="unindexed",
        summary="in the documents, but not in the index, not even in parts",
        applies=lambda facts: facts[IN_INDEX] is False and facts[IN_DOCUMENTS] is True,
        why=lambda facts: (
            "in the documents, but not in the index: its document was not indexed"
        ),
        change="index the document",
        order=70,
    ),
    Outcome(
        name="absent",
        summary="nowhere in the index or the documents: a wrong label, or a document left out",
        applies=_is_absent,
        why=_why_absent,
        change="the question set, or a document that was left out",
        order=80,
    ),
    Outcome(
        name="missed",
        summary="not whole in what was retrieved; without the index, the reason is not known",
        applies=lambda facts: True,
        why=lambda facts: f"{_best_piece(facts)}; the index would tell why",
        change="pass the chunks of the index to know",
        order=60,
    ),
)  # fmt: skip
BY_NAME: Mapping[str, Outcome] = {each.name: each for each in TABLE}


def outcome_of(facts: Facts) -> Outcome:
    """The outcome of an item: the first of the table that applies.

    >>> facts = dict.fromkeys([FOUND_RANK, IN_INDEX, IN_PARTS, IN_DOCUMENTS, STANDS], None)
    >>> outcome_of({**facts, K: 4, FOUND_RANK: 9}).name, outcome_of({**facts, RETRIEVED: 3}).name
    ('late', 'missed')
    """
    return next(each for each in TABLE if each.applies(facts))
