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

Kind = Literal["folder", "parquet", "json", "table", "text"]
_PARQUET_MAGIC = b"PAR1"
_LONGEST_FIELD = 2**31 - 1


@dataclass(frozen=True, kw_only=True)
class Sample:
    """First sight of a file.

    `kind`: a folder, Parquet, JSON of any layout, a delimited table with a header, or other text.
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
    if jsontext.looks_like_json(source):
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
    if not lines:
        return Sample(kind="text")
    separator = max(",\t;|", key=lines[0].count)
    rows = (cells for _, cells in csv_rows(text, separator=separator))
    try:
        header = next(row for row in rows if row)
    except (csv.Error, StopIteration):
        return Sample(kind="text", lines=lines)
    names = tuple(cell.strip() for cell in header)
    is_header = len(names) > 1 and all(names) and not any(_is_number(cell) for cell in names)
    if not is_header or len(set(names)) < len(names):
        return Sample(kind="text", lines=lines)
    try:
        first = dict(zip(names, next(rows, []), strict=False))
    except csv.Error:
        first = {}
    return Sample(
        kind="table", fields=frozenset(names), lines=lines, separator=separator,
        header=names, first=first,
    )  # fmt: skip


def csv_rows(text: str, *, separator: str) -> Iterator[tuple[int, list[str]]]:
    """The rows of a delimited table, each with the line where it ends; [] for a blank line.

    Errors: `csv.Error`.

    >>> list(csv_rows('a,b\\n1,"2\\n3"\\n', separator=","))
    [(1, ['a', 'b']), (3, ['1', '2\\n3'])]
    """
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    while True:
        # Python's own limit of 128 KiB a field is too small for lists of chunks; it is one for
        # the whole process, so it is set back at once.
        limit = csv.field_size_limit(_LONGEST_FIELD)
        try:
            cells = next(reader)
        except StopIteration:
            return
        finally:
            csv.field_size_limit(limit)
        yield reader.line_num, cells


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
