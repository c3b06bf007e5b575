"""What is searched for the items: the chunks of the index, and the documents, each if given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import polars as pl

from tophit.diagnosis.joined import joined_documents
from tophit.diagnosis.stands import Searched
from tophit.documents import Documents
from tophit.matching.text.search import Corpus
from tophit.relations import CHUNK, DOC, TEXT
from tophit.settings import DEFAULT_FOLDING, Folding

OVER_CHUNKS = "several chunks of one document"


class Named(NamedTuple):
    """Texts to search in, and what each is called."""

    searched: Searched
    names: Sequence[str]

    @property
    def corpus(self) -> Corpus:
        """The texts."""
        return self.searched.corpus


@dataclass(frozen=True, kw_only=True)
class Sources:
    """The index and the documents, each only if it was given, and how to match."""

    match: str
    chunks: pl.DataFrame | None = None
    documents: Documents | None = None
    folding: Folding = DEFAULT_FOLDING

    @cached_property
    def index(self) -> Named:
        """The chunks that have a text."""
        held = self._texts
        return self.named(held[TEXT], held[CHUNK].to_list())

    @cached_property
    def joined(self) -> Named:
        """The documents of the index, put together from their chunks."""
        texts = joined_documents(self._texts)
        return self.named(texts, [OVER_CHUNKS] * len(texts))

    @cached_property
    def library(self) -> Named:
        """The documents."""
        frame = pl.DataFrame(schema={DOC: pl.String, TEXT: pl.String})
        if self.documents is not None:
            frame = self.documents.frame
        return self.named(frame[TEXT], frame[DOC].to_list())

    @property
    def _texts(self) -> pl.DataFrame:
        if self.chunks is None or TEXT not in self.chunks.columns:
            return pl.DataFrame(schema={CHUNK: pl.String, TEXT: pl.String})
        return self.chunks.filter(pl.col(TEXT).is_not_null())

    def named(self, texts: Iterable[str], names: Sequence[str]) -> Named:
        """Texts to search in, folded as asked for, and what each is called."""
        return Named(Searched(Corpus(texts=list(texts), folding=self.folding)), names)
