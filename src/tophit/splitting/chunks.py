"""Documents to chunks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl

from tophit.documents import Documents, as_documents
from tophit.errors import DataWarning
from tophit.relations import CHUNK, CHUNKS, DOC, END, START, TEXT, TOKENS, schema
from tophit.splitting.pieces import Piece
from tophit.splitting.table import open_splitter
from tophit.tokens import CL100K, count_tokens

Progress = Callable[[int, int], None]
Row = dict[str, str | int | None]


def split(
    documents: Documents | object,
    *,
    splitter: Any = "spring-ai",
    size: int = 800,
    overlap: int = 0,
    tokenizer: str = CL100K,
    progress: Progress | None = None,
    **options: Any,
) -> pl.DataFrame:
    """Split every document into chunks of about `size` tokens: the relation `chunks`.

    `documents` may be `Documents`, a path, id to text, or a frame of `doc_id, text`. `overlap` is
    in tokens. `splitter` is a name of `SPLITTERS`, `package.module:name`, a function of a text, or
    a splitter of LangChain, LlamaIndex or Haystack (`splitting/own.py`); one that was made with a
    size of its own keeps it. `options` are the splitter's own (`SPLITTERS[name].options`).
    `progress` is called with (documents done, documents in all).

    Columns: `chunk_id` (`a.md#0001`, counted from 1 in each document), `text`, `doc_id`, `start`,
    `end` (code points, end exclusive; null where the text is not verbatim in its document, which
    `chunk_warnings` counts), `tokens` (of `text`, by `tokenizer`).
    Errors: `UsageError` for an unknown splitter or option, or a size that cannot be;
    `MissingExtraError` without the splitter's package.

    >>> split({"a.md": "One. Two."}).rows()
    [('a.md#0001', 'One. Two.', 'a.md', 0, 9, 4)]
    """
    chosen = open_splitter(splitter)
    frame = as_documents(documents).frame
    ids: list[str] = frame[DOC].to_list()
    found = chosen.pieces(frame[TEXT], size=size, overlap=overlap, tokenizer=tokenizer, **options)
    chunks: list[Row] = []
    for done, (doc, pieces) in enumerate(zip(ids, found, strict=True), 1):
        chunks.extend(_rows(doc, pieces, tokenizer))
        if progress:
            progress(done, len(ids))
    return pl.DataFrame(chunks, schema=schema(CHUNKS))


def chunk_warnings(chunks: pl.DataFrame) -> tuple[DataWarning, ...]:
    """What a reader of the chunks should know: how many have no offsets.

    >>> chunk_warnings(split({"a.md": "One. Two."}))
    ()
    """
    count = chunks[START].null_count()
    if not count:
        return ()
    message = (
        f"{count:,} of {chunks.height:,} chunks have no offsets: they are not verbatim in their "
        "document (a character cut in two becomes U+FFFD; some splitters change blanks)"
    )
    return (DataWarning(code="chunks_without_offsets", count=count, message=message),)


def _rows(doc: str, pieces: list[Piece], tokenizer: str) -> list[Row]:
    uncounted = [piece.text for piece in pieces if piece.tokens is None]
    counts = iter(count_tokens(uncounted, tokenizer=tokenizer))
    return [
        {
            CHUNK: f"{doc}#{number:04}",
            TEXT: piece.text,
            DOC: doc,
            START: piece.start,
            END: piece.end,
            TOKENS: next(counts) if piece.tokens is None else piece.tokens,
        }
        for number, piece in enumerate(pieces, 1)
    ]
