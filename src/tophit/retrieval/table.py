"""The table of retrievers. A new one is a small module and an entry here.

A retriever is a function `(chunks, questions, *, depth, index_dir, **options)` that yields, for
each question in order, its list of `Place`, best first and at most `depth` of them; its further
keyword parameters are its options, with defaults.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from tophit.errors import unknown
from tophit.retrieval import bm25
from tophit.retrieval.places import Place

_COMMON = ("chunks", "questions", "depth", "index_dir")


@dataclass(frozen=True, kw_only=True)
class Retriever:
    """One way to retrieve: its name, what it does in a line, and the function that does it."""

    name: str
    summary: str
    function: Callable[..., Iterator[list[Place]]]
    extra: str = "bench"

    @property
    def options(self) -> dict[str, Any]:
        """The retriever's own options and their defaults.

        >>> RETRIEVERS["bm25"].options
        {'language': 'english'}
        """
        parameters = inspect.signature(self.function).parameters.values()
        return {each.name: each.default for each in parameters if each.name not in _COMMON}

    def places(
        self,
        chunks: pl.DataFrame,
        questions: list[str],
        *,
        depth: int,
        index_dir: Path | None = None,
        **options: Any,
    ) -> Iterator[list[Place]]:
        """The places of each question. Errors: `UsageError` for an option that does not exist.

        >>> chunks = pl.DataFrame({"chunk_id": ["a"], "text": ["four chunks"]})
        >>> [place.id for place in next(RETRIEVERS["bm25"].places(chunks, ["four"], depth=1))]
        ['a']
        """
        for option in options:
            if option not in self.options:
                raise unknown(f"option of the retriever {self.name!r}", option, list(self.options))
        return self.function(chunks, questions, depth=depth, index_dir=index_dir, **options)


RETRIEVERS: dict[str, Retriever] = {
    retriever.name: retriever
    for retriever in (
        Retriever(
            name="bm25",
            summary="words weighted by BM25 (k1 1.2, b 0.75), an index on disk (Tantivy)",
            function=bm25.search,
        ),
    )
}
