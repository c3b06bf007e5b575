"""Documents that questions and run name differently: `wikitexts` and `wikitexts.md`."""

from __future__ import annotations

import narwhals as nw
import polars as pl

from tophit.documents import resolve_doc_ids
from tophit.frames import to_engine
from tophit.relations import DOC, Lazy

_NAMED = "_named"


def named_alike(judgments: Lazy, others: Lazy) -> Lazy:
    """Give the judgments with their documents named as in the run or the index (`others`).

    Only where exactly one document fits (`documents.resolve_doc_ids`); all else stays as it is.

    >>> judged = nw.from_native(pl.LazyFrame({"item_id": ["e"], "doc_id": ["guide"]}))
    >>> run = nw.from_native(pl.LazyFrame({"chunk_id": ["c"], "doc_id": ["guide.md"]}))
    >>> named_alike(judged, run).collect()["doc_id"].to_list()
    ['guide.md']
    """
    wanted, known = _documents(judgments), _documents(others)
    missing = [doc for doc in wanted if doc not in known]
    found = {doc: name for doc, name in resolve_doc_ids(missing, sorted(known)).items() if name}
    if not found:
        return judgments
    columns = judgments.collect_schema().names()
    names = pl.DataFrame({DOC: list(found), _NAMED: list(found.values())})
    joined = judgments.join(to_engine(names, judgments), on=DOC, how="left")
    return joined.with_columns(nw.coalesce(_NAMED, DOC).alias(DOC)).select(columns)


def _documents(relation: Lazy) -> dict[str, None]:
    documents = relation.select(DOC).unique().collect()[DOC].to_list()
    return dict.fromkeys(doc for doc in documents if doc is not None)
