"""What a file looks like at first sight, which is what formats are recognised by."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from tophit.formats.reading import jsontext
from tophit.formats.reading.files import LINE_ENDS, Source
from tophit.formats.reading.grid import (
    after_sep,
    csv_rows,
    header_of,
    is_sheet,
    separator_of,
    sheet_rows,
)

Kind = Literal["folder", "parquet", "json", "table", "text"]
_PARQUET_MAGIC = b"PAR1"


@dataclass(frozen=True, kw_only=True)
class Sample:
    """First sight of a file.

    `kind`: a folder, Parquet, JSON of any layout, a table with a header (delimited or a sheet), or
    other text.
    `fields`: the columns of a table, or the keys of the first JSON records. `first`: the first
    JSON value or row of a table. `lines`: the first lines of text that are not blank.
    """

    kind: Kind
    fields: frozenset[str] = frozenset()
    first: Any = None
    lines: tuple[str, ...] = ()
    separator: str = ","
    header: tuple[str, ...] = ()

    def has(self, *names: str) -> bool:
        """Whether all of these fields are there."""
        return self.fields.issuperset(names)

    def has_any(self, *names: str) -> bool:
        """Whether one of these fields is there."""
        return not self.fields.isdisjoint(names)


def sample(source: Source) -> Sample:
    """Look at the start of a file, once.

    Errors: `InputError` where the file cannot be opened or is empty.
    """
    return source.once("sample", _sample)


def _sample(source: Source) -> Sample:
    if source.is_folder:
        return Sample(kind="folder")
    if source.head.startswith(_PARQUET_MAGIC):
        return Sample(kind="parquet", fields=frozenset(_parquet_columns(source)))
    if is_sheet(source):
        return _table_sample(row.cells for row in sheet_rows(source))
    if jsontext.holds_records(source):
        values = jsontext.first_values(source)
        keys = {key for value in values if isinstance(value, Mapping) for key in value}
        return Sample(kind="json", fields=frozenset(keys), first=values[0] if values else None)
    return _text_sample(source)


def _parquet_columns(source: Source) -> list[str]:
    try:
        # Bytes, since a name with `*` or `[` would be taken for a pattern.
        return list(pl.read_parquet_schema(io.BytesIO(source.data)))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise source.error("a whole Parquet file", str(error).split("\n")[0]) from None


def _text_sample(source: Source) -> Sample:
    text = source.head.decode("utf-8", errors="replace")
    lines = tuple(line for line in LINE_ENDS.sub("\n", text).split("\n") if line.strip())[:50]
    separator = separator_of(text)
    try:
        rows = (cells for _, cells in csv_rows(after_sep(text)[0], separator=separator))
        return _table_sample(rows, lines=lines, separator=separator)
    except csv.Error:
        return Sample(kind="text", lines=lines)


def _table_sample(
    rows: Iterator[list[str]], *, lines: tuple[str, ...] = (), separator: str = ""
) -> Sample:
    """A table, if the first row that holds anything is one of names."""
    names = tuple(header_of(next((row for row in rows if any(row)), [])))
    named = [name for name in names if name]
    # An index has no name, and neither has what stands behind a comma at the end of a line.
    has_hole = "" in names[1 : len(names) - _behind(names)]
    if len(named) < 2 or has_hole or any(map(_is_number, named)):
        return Sample(kind="text", lines=lines)
    try:
        first = dict(zip(names, next(rows, []), strict=False))
    except csv.Error:
        first = {}
    return Sample(
        kind="table", fields=frozenset(named), lines=lines, separator=separator,
        header=names, first=first,
    )  # fmt: skip


def _behind(names: tuple[str, ...]) -> int:
    """How many names at the end are empty."""
    return len(names) - max((at for at, name in enumerate(names, start=1) if name), default=0)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
