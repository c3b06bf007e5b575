"""Columns between blanks or tabs, line by line, with the number of every line."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from tophit.formats.reading.files import Source
from tophit.records.values import BLANK_MARKS, Description, Faults

_TEXT_BLOCK = 1 << 26


def read_columns(
    source: Source, columns: tuple[str, ...], *, number: str, shape: str
) -> pl.DataFrame:
    """Read columns between blanks or tabs, every line by a regular expression.

    Gives the columns as text, `number` as a double, and `line`, from 1. A column `tag` takes the
    rest of the line. `shape` says in errors what a line looks like.

    Errors: `InputError` with every line of another number of columns or without the number.
    """
    kinds = {name: ".+" if name == "tag" else r"[^ \t]+" for name in columns}
    pattern = "^" + r"[ \t]+".join(f"(?<{name}>{kind})" for name, kind in kinds.items()) + "$"
    tables = []
    lines_before = 0
    for text in _text_blocks(source):
        lines = _text_lines(text, lines_before)
        lines_before += text.count("\n") + 1
        groups = pl.col("text").str.extract_groups(pattern).struct.field(*columns)
        fields = lines.lazy().with_columns(groups)
        fields = fields.with_columns(pl.col(*columns).str.strip_chars(BLANK_MARKS))
        value = pl.col(number).cast(pl.Float64, strict=False).fill_nan(None).alias("_number")
        tables.append(fields.with_columns(value).collect())
    table = pl.concat(tables)
    no_id = pl.any_horizontal(pl.col(*columns) == "").fill_null(False)
    bad = table.filter(pl.col("_number").is_null() | no_id)
    if bad.height:
        _refuse(bad, source, number=number, expected=f"{len(columns)} columns ({shape})")
    return table.with_columns(pl.col("_number").alias(number)).drop("_number", "text")


def _text_blocks(source: Source) -> Iterator[str]:
    """The text in blocks of whole lines: one string of Polars holds at most 4 GB."""
    text, start = source.line_text, 0
    while start < len(text):
        stop = text.find("\n", start + _TEXT_BLOCK)
        stop = len(text) if stop < 0 else stop
        yield text[start:stop]
        start = stop + 1


def _text_lines(text: str, before: int) -> pl.DataFrame:
    lines = pl.select(pl.lit(text).str.split("\n").explode().alias("text"))
    kept = pl.col("text").str.strip_chars(BLANK_MARKS)
    return (
        lines.with_row_index("line", offset=before + 1)
        .filter(~pl.col("text").str.starts_with("#"))
        .with_columns(kept)
        .filter(pl.col("text") != "")
    )


def _refuse(bad: pl.DataFrame, source: Source, *, number: str, expected: str) -> None:
    faults = Faults(source.name)
    for row in bad.iter_rows(named=True):
        line, value = row["line"], row[number]
        if value is None or row["_number"] is not None:
            found = Description(f"{len(row['text'].split())}")
            faults.add(expected=expected, value=found, line=line)
        else:
            faults.add(expected="a number", value=value, line=line, field=number)
    faults.check()
