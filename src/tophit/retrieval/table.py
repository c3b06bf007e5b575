"""The table of retrievers over an index of chunks. A new one is a small module and an entry here.

A retriever is a function `open_NAME(corpus, **options)` in the module named, loaded when it is
needed, that opens the corpus for searching; its keyword parameters are its options. Retrievers
that bring their own index are in `doors/table.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tophit.errors import unknown

if TYPE_CHECKING:
    from tophit.retrieval.corpus import Corpus
    from tophit.retrieval.protocol import Live


@dataclass(frozen=True, kw_only=True)
class Retriever:
    """One way to search chunks: its name, what it does in a line, and its options with defaults."""

    name: str
    summary: str
    options: Mapping[str, Any]
    extra: str = "bench"

    def opened(self, corpus: Corpus, **options: Any) -> Live:
        """Open the corpus. Errors: `UsageError` for an option that does not exist."""
        for option in options:
            if option not in self.options:
                raise unknown(f"option of the retriever {self.name!r}", option, list(self.options))
        module = import_module(f"tophit.retrieval.{self.name}")
        found: Live = getattr(module, f"open_{self.name}")(corpus, **options)
        return found


_BM25 = {"language": "english"}
_DENSE = {
    "embedder": "wordllama", "model": "", "key": "", "threshold": 0.0, "question_prefix": "",
    "document_prefix": "", "index": "auto",
}  # fmt: skip
RETRIEVERS: dict[str, Retriever] = {
    retriever.name: retriever
    for retriever in (
        Retriever(
            name="bm25",
            summary="words weighted by BM25 (k1 1.2, b 0.75), an index on disk (Tantivy)",
            options=_BM25,
        ),
        Retriever(
            name="dense",
            summary="cosine of embeddings: wordllama, an OpenAI-compatible address, package:name",
            options=_DENSE,
        ),
        Retriever(
            name="hybrid",
            summary="bm25 and dense, fused by weighted reciprocal rank",
            options={"weights": "1,1", "rrf": 60.0, "candidates": 100, **_BM25, **_DENSE},
        ),
    )
}
