"""Which elements some text of the index holds whole."""

from __future__ import annotations

import polars as pl

from tophit.frames import to_engine
from tophit.matching.text.search import Corpus
from tophit.relations import GRADE, ITEM, QUERY, TEXT, Lazy
from tophit.settings import Folding


def held_texts(judgments: Lazy, chunks: Lazy, *, folding: Folding) -> Lazy:
    """The items whose text, or that of an alternative, stands whole in some chunk of the index.

    Searched in process (search.py).

    >>> import narwhals as nw
    >>> judged = {"query_id": ["q"], "item_id": ["e"], "grade": [1.0], "text": ["red cat"]}
    >>> index = {"chunk_id": ["c"], "text": ["The red cat."]}
    >>> sides = (nw.from_native(pl.LazyFrame(rows)) for rows in (judged, index))
    >>> held_texts(*sides, folding=Folding()).collect()["item_id"].to_list()
    ['e']
    """
    items = judgments.select(QUERY, ITEM, GRADE, TEXT).collect().to_polars()
    items = items.filter(pl.col(TEXT).is_not_null())
    texts = chunks.select(TEXT).unique().collect().to_polars()[TEXT].drop_nulls().to_list()
    elements = items[TEXT].unique(maintain_order=True)
    first = Corpus(texts=texts, folding=folding).first_whole(elements.to_list())
    whole = elements.filter(pl.Series(first >= 0))
    return to_engine(items.join(whole.to_frame(TEXT), on=TEXT, how="semi"), judgments)
