"""Fingerprints of questions and corpus: with that of the settings, equal where scores compare.

A fingerprint is the first 16 hex digits of SHA-256 over the sorted rows, so it does not depend on
the order of the rows, on the file format, or on columns that are there but empty.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence

import polars as pl

from tophit.relations import CHUNKS, GRADE, JUDGMENTS, QUERIES, Questions

_FIELD, _ROW, _PART, _NULL = "\x1f", "\x1e", "\x1d", "\x00"
_DIGITS = 16
# Rows are turned into text so many at a time: a large corpus is not held twice.
_BLOCK = 10_000
# Grades that differ by less than this are one grade: text of a double is no stable key.
_GRADE_STEPS = 1_000_000


def questions_fingerprint(questions: Questions) -> str:
    """The fingerprint of all questions (id and text) and of what each should find, without tags.

    >>> frames = {"queries": pl.DataFrame({"query_id": ["q1"]}),
    ...           "judgments": pl.DataFrame({"query_id": ["q1"], "item_id": ["d"], "grade": [1.0]})}
    >>> questions_fingerprint(Questions(**frames))
    '69bfd86b5e599765'
    """
    asked, judged = (_rows(questions.queries, QUERIES), _rows(questions.judgments, JUDGMENTS))
    return _digest(itertools.chain(asked, [_PART], judged))


def corpus_fingerprint(corpus: pl.DataFrame) -> str:
    """The fingerprint of an index (`chunk_id, text, doc_id, start, end`) or of documents.

    The counts of tokens are left out: they belong to a tokenizer, not to the corpus.

    >>> corpus_fingerprint(pl.DataFrame({"doc_id": ["a.md", "b.md"], "text": ["x", "y"]}))
    '27c3cbfa387c8b74'
    """
    columns = [name for name in CHUNKS if name != "tokens"]
    return _digest(_rows(corpus, columns))


def _rows(frame: pl.DataFrame, columns: Sequence[str] | Mapping[str, str]) -> Iterator[str]:
    """The sorted rows as text, in pieces."""
    present = [name for name in columns if name in frame.columns]
    filled = [name for name in present if frame[name].null_count() < frame.height]
    if not filled or frame.is_empty():
        yield f"{frame.height}"
        return
    parts: list[pl.Expr] = []
    for name in filled:
        text = _text(name, frame.schema[name])
        between = _FIELD if parts else ""
        some_null = frame[name].null_count() > 0
        parts += [pl.lit(f"{between}{name}="), text.fill_null(_NULL) if some_null else text]
    rows = frame.select(pl.concat_str(parts).alias("row"))["row"]
    for number, block in enumerate(rows.sort().to_frame().iter_slices(_BLOCK)):
        yield (_ROW if number else "") + _ROW.join(block["row"].to_list())


def _text(name: str, kind: pl.DataType) -> pl.Expr:
    column = pl.col(name)
    if name == GRADE or kind.is_float():
        # Text of a double is no stable key, but there is none else for what fits into no integer.
        steps = (column * _GRADE_STEPS).round()
        fits = steps.abs() < 2**62
        return (
            pl.when(fits)
            .then(steps.cast(pl.Int64, strict=False).cast(pl.String))
            .otherwise(column.cast(pl.String))
        )
    return column.cast(pl.String)


def _digest(pieces: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:_DIGITS]
