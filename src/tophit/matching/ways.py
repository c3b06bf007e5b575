"""The ways of matching, a table: what each needs of both sides, and what it finds there.

A new way is an entry here, in the order in which `auto` tries them, and its name in
`choices.MATCHES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals as nw

from tophit.errors import Fault, InputError
from tophit.matching.ids import held_ids, id_hits
from tophit.relations import DOC, END, QUERY, START, TEXT, Lazy
from tophit.settings import Folding

if TYPE_CHECKING:
    from tophit.matching.pieces import Pieces


@dataclass(frozen=True, kw_only=True)
class Way:
    """A way of matching.

    needs   the columns that questions and run both need for it
    hits    (judgments, ranked places, folding) -> the relation `hits`
    held    (judgments, chunks of the index, folding) -> the items that some chunk holds whole
    pieces  (hits, judgments, places, reached, folding) -> which part of an item a place holds; None
            where it knows no parts

    >>> [way.name for way in WAYS.values()]
    ['text', 'spans', 'ids']
    """

    name: str
    needs: tuple[str, ...]
    hits: Callable[[Lazy, Lazy, Folding], Lazy]
    held: Callable[[Lazy, Lazy, Folding], Lazy]
    pieces: Callable[[Lazy, Lazy, Lazy, nw.Expr, Folding], Pieces] | None = None

    @property
    def columns(self) -> str:
        """The columns that it needs, as they stand in a message."""
        return ", ".join(self.needs)

    def known(self) -> nw.Expr:
        """Whether a row has all that is needed."""
        present = [~nw.col(name).is_null() for name in self.needs]
        return nw.all_horizontal(*present, ignore_nulls=True)

    def possible(self, side: Lazy) -> bool:
        """Whether a side has the columns, and in process a row that fills them or no row."""
        if not set(self.needs) <= set(side.collect_schema().names()):
            return False
        if not self.needs or not side.implementation.is_polars():
            return True
        row = side.select(nw.len().alias("rows"), self.known().any().alias("any")).collect()
        return bool(row["rows"][0] == 0 or row["any"][0])


# ------------------------------------------------------------------------------ text


def _text_hits(judgments: Lazy, retrieved: Lazy, folding: Folding) -> Lazy:
    """Text is matched in process, on the places of judged queries alone."""
    from tophit.matching.text.hits import text_hits

    judged = judgments.select(QUERY).unique()
    places = retrieved.join(judged, on=QUERY, how="semi")
    found = text_hits(
        judgments.collect().to_polars(), places.collect().to_polars(), folding=folding
    )
    return nw.from_native(found).lazy()


def _text_held(judgments: Lazy, chunks: Lazy, folding: Folding) -> Lazy:
    from tophit.matching.text.held import held_texts

    return held_texts(judgments, chunks, folding=folding)


def _text_pieces(
    hits: Lazy, judgments: Lazy, places: Lazy, reached: nw.Expr, folding: Folding
) -> Pieces:
    from tophit.matching.pieces import text_pieces

    return text_pieces(hits, judgments, places, reached=reached, folding=folding)


# ------------------------------------------------------------------------------ spans


def _span_hits(judgments: Lazy, retrieved: Lazy, folding: Folding) -> Lazy:
    from tophit.matching.spans import span_hits

    return span_hits(judgments, retrieved)


def _span_held(judgments: Lazy, chunks: Lazy, folding: Folding) -> Lazy:
    from tophit.matching.named import named_alike
    from tophit.matching.spans import held_spans

    return held_spans(named_alike(judgments, chunks), chunks)


def _span_pieces(
    hits: Lazy, judgments: Lazy, places: Lazy, reached: nw.Expr, folding: Folding
) -> Pieces:
    from tophit.matching.pieces import span_pieces

    return span_pieces(hits, judgments, places, reached=reached)


# ------------------------------------------------------------------------------ the table

WAYS: dict[str, Way] = {
    way.name: way
    for way in (
        Way(
            name="text", needs=(TEXT,), hits=_text_hits, held=_text_held, pieces=_text_pieces
        ),
        Way(
            name="spans", needs=(DOC, START, END), hits=_span_hits, held=_span_held,
            pieces=_span_pieces,
        ),
        Way(
            name="ids", needs=(), hits=lambda judgments, places, _: id_hits(judgments, places),
            held=lambda judgments, chunks, _: held_ids(judgments, chunks),
        ),
    )
}  # fmt: skip


def decided(sides: Iterable[Lazy]) -> str:
    """What `auto` is: the first way that every side has what it needs for.

    >>> import polars as pl
    >>> decided([nw.from_native(pl.LazyFrame({"query_id": ["q"], "text": ["a"]}))])
    'text'
    """
    known = list(sides)
    return next(name for name, way in WAYS.items() if all(map(way.possible, known)))


def check_columns(way: Way, columns: Iterable[Any], *, file: str) -> None:
    """Errors: `InputError` for a relation that lacks columns which a way of matching needs."""
    has = set(columns)
    missing = [name for name in way.needs if name not in has]
    if missing:
        expected = f"for matching by {way.name}"
        raise InputError(
            Fault(file=file, field=", ".join(missing), expected=expected, found="nothing")
        )
