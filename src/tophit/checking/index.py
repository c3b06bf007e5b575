"""Each expected element against the chunks of the index, or against their size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from tophit.checking.codes import Finding
from tophit.checking.elements import Element, quoted
from tophit.diagnosis.facts import facts_about
from tophit.diagnosis.sources import Sources
from tophit.matching.ids import TARGET
from tophit.matching.levels import found_by_level
from tophit.matching.pieces import normalized
from tophit.outcomes import (
    ALTERED,
    BEST_CHUNK,
    IN_DOCUMENTS,
    IN_INDEX,
    IN_PARTS,
    STANDS,
    STANDS_IN,
)
from tophit.relations import DOC, END, ITEM, QUERY, START, TEXT
from tophit.tokens import count_tokens


def check_size(elements: Sequence[Element], *, size: int, tokenizer: str) -> Iterator[Finding]:
    """Elements of more tokens than a chunk has.

    >>> element = Element(0, "q", "e", text="one two three")
    >>> [found.count for found in check_size([element], size=2, tokenizer="cl100k_base")]
    [3]
    """
    texts = list(dict.fromkeys(e.text for e in elements if e.text))
    counts = dict(zip(texts, count_tokens(texts, tokenizer=tokenizer), strict=True))
    for element in elements:
        tokens = counts.get(element.text or "", 0)
        if tokens > size:
            message = f"{quoted(element.text or '')} is {tokens:,} tokens; a chunk has {size:,}"
            yield element.finding("too_long", message, count=tokens)


def check_index(elements: Sequence[Element], sources: Sources) -> Iterator[Finding]:
    """What no chunk of the index holds whole; an item counts once, by its best alternative."""
    facts = facts_about(_frame(elements), sources)
    rows = facts.filter(~pl.col(IN_INDEX)).iter_rows(named=True)
    lost = {(row[QUERY], row[ITEM]): row for row in rows}
    told = [e for e in _first_of_each(elements) if (e.query_id, e.item_id) in lost]
    if sources.match == "ids":
        for element in told:
            name = element.chunk_id or element.item_id
            yield element.finding("unknown_id", f"{name!r} is not in the index")
        return
    longest = _longest_chunk(sources) if told else 0
    remedies = _remedies(told, sources)
    for element in told:
        fact = lost[element.query_id, element.item_id]
        if _length(element, sources) > longest:
            yield element.finding(
                "too_long", f"{_named(element)} is longer than the longest chunk of the index"
            )
        elif fact[IN_PARTS]:
            share = f"{min(99, round(100 * fact['index_share']))} %"
            message = f"{_named(element)} is whole in no chunk; the best one holds {share} of it"
            yield element.finding("cut", message)
        else:
            yield from _outside(element, fact, sources, remedies.get(element.text or ""))


def _outside(
    element: Element, fact: Mapping[str, Any], sources: Sources, remedy: str | None
) -> Iterator[Finding]:
    """Of what no chunk holds, whole or in parts: altered there, or not there at all."""
    if fact[STANDS] is not None:
        if fact[STANDS_IN] in sources.index.names:
            says = ALTERED[fact[STANDS]]({**fact, BEST_CHUNK: None})
            yield element.finding("altered", f"{_named(element)} {says}", remedy=remedy)
    elif fact[IN_DOCUMENTS] or sources.documents is None:
        yield element.finding("not_indexed", f"{_named(element)} is in no chunk of the index")


def _remedies(elements: Sequence[Element], sources: Sources) -> dict[str, str]:
    """The first level of folding on which the index holds an element, by the element's text."""
    if sources.match != "text":
        return {}
    texts = list(dict.fromkeys(element.text for element in elements if element.text))
    found = found_by_level(texts, sources.index.corpus.texts, sources.folding)
    return {text: levels[0].use for text, levels in found.items()}


def _named(element: Element) -> str:
    return quoted(element.text) if element.text else f"{element.start} to {element.end}"


def _first_of_each(elements: Sequence[Element]) -> Iterator[Element]:
    seen: set[tuple[str, str]] = set()
    for element in elements:
        key = (element.query_id, element.item_id)
        if key not in seen:
            seen.add(key)
            yield element


def _frame(elements: Sequence[Element]) -> pl.DataFrame:
    columns = {QUERY: pl.String, ITEM: pl.String, TEXT: pl.String, DOC: pl.String,
               START: pl.Int64, END: pl.Int64, TARGET: pl.String}  # fmt: skip
    rows = [
        (e.query_id, e.item_id, e.text, e.doc_id, e.start, e.end, e.chunk_id or e.item_id)
        for e in elements
    ]
    return pl.DataFrame(rows, schema=columns, orient="row")


def _longest_chunk(sources: Sources) -> int:
    chunks = sources.chunks
    if chunks is None or sources.match == "ids":
        return 0
    if sources.match == "spans":
        return int(chunks.select((pl.col(END) - pl.col(START)).max()).item() or 0)
    forms = normalized(chunks[TEXT], folding=sources.folding)
    return max(map(len, forms.values()), default=0)


def _length(element: Element, sources: Sources) -> int:
    if sources.match == "spans":
        return (element.end or 0) - (element.start or 0)
    forms = normalized(pl.Series([element.text or ""]), folding=sources.folding)
    return max(map(len, forms.values()), default=0)
