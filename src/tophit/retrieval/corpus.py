"""The chunks that are searched, and where what is made of them may be kept."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import polars as pl

from tophit.errors import Fault, InputError
from tophit.relations import CHUNK, CHUNKS, TEXT, schema


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """An index to search: `chunks` with all columns of the relation.

    `folder` keeps the index itself, `cache` the embeddings of texts; None: nothing is kept.
    """

    chunks: pl.DataFrame
    folder: Path | None = None
    cache: Path | None = None

    @cached_property
    def ordered(self) -> pl.DataFrame:
        """Ids and texts by descending id: what has the same score is then in the order of ranks."""
        return self.chunks.select(CHUNK, TEXT).sort(CHUNK, descending=True)

    @cached_property
    def fingerprint(self) -> str:
        """The same for the same ids and texts, whatever their order."""
        digest = hashlib.sha256()
        for chunk, text in self.ordered.iter_rows():
            for part in (chunk, text):
                encoded = part.encode("utf-8", "surrogatepass")
                digest.update(len(encoded).to_bytes(8, "big"))
                digest.update(encoded)
        return digest.hexdigest()


def checked_chunks(chunks: pl.DataFrame) -> pl.DataFrame:
    """The chunks with every column of the relation.

    Errors: `InputError` for none, for an id that is there twice, or a chunk without text.

    >>> checked_chunks(pl.DataFrame({"chunk_id": ["a"], "text": ["late fees"]})).width
    6
    """
    absent = [column for column in (CHUNK, TEXT) if column not in chunks.columns]
    if absent:
        raise InputError(
            Fault(file="chunks", field=column, expected="a column of that name", found="none")
            for column in absent
        )
    if not chunks.height:
        raise InputError(Fault(file="chunks", expected="at least one chunk", found="none"))
    repeated = chunks.filter(pl.col(CHUNK).is_duplicated())[CHUNK].unique(maintain_order=True)
    faults = [
        Fault(file="chunks", field=CHUNK, expected="each id once", found=repr(chunk))
        for chunk in repeated
    ]
    faults += [
        Fault(file="chunks", field=f"text of {chunk!r}", expected="text", found="nothing")
        for chunk in chunks.filter(pl.col(TEXT).is_null())[CHUNK]
    ]
    if faults:
        raise InputError(faults)
    missing = [
        pl.lit(None, dtype=kind).alias(column)
        for column, kind in schema(CHUNKS).items()
        if column not in chunks.columns
    ]
    return chunks.with_columns(missing).select(list(CHUNKS))
