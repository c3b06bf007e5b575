"""Records of any container: JSON lines, a JSON array, a table of any kind, as dicts with lines."""

from __future__ import annotations

from typing import Any, NamedTuple

from tophit.formats.reading import jsontext
from tophit.formats.reading.columns import read_parquet
from tophit.formats.reading.files import Source
from tophit.formats.reading.grid import grid, header_of, without_empty_end
from tophit.formats.reading.sniff import sample
from tophit.records.values import Faults


class Row(NamedTuple):
    """One record and the line where it stands; Parquet has no lines."""

    line: int | None
    values: dict[str, Any]


def rows(source: Source) -> list[Row]:
    """Every record of the file. Cells of a delimited table are text, and None where empty.

    Errors: `InputError` for records that are not objects, and whatever the container refuses.
    """
    kind = sample(source).kind
    if kind == "parquet":
        return [Row(None, row) for row in read_parquet(source).iter_rows(named=True)]
    if kind == "json":
        return _json_rows(source)
    if kind == "table":
        return _table_rows(source)
    raise source.error("JSON, CSV, TSV, Parquet or a spreadsheet", "another kind of file")


def _json_rows(source: Source) -> list[Row]:
    faults, found = Faults(source.name), []
    for line, value in jsontext.records(source):
        if isinstance(value, dict):
            found.append(Row(line, value))
        else:
            faults.add(expected="a JSON object", value=value, line=line)
    faults.check()
    return found


def _table_rows(source: Source) -> list[Row]:
    faults, found = Faults(source.name), []
    header: list[str] | None = None
    for line, _, cells in grid(source, separator=sample(source).separator):
        if header is None:
            header = header_of(cells)
            continue
        cells = without_empty_end(cells, len(header))
        if len(cells) != len(header):
            faults.add(expected=f"{len(header)} fields", value=len(cells), line=line)
            continue
        pairs = zip(header, (cell or None for cell in cells), strict=True)
        found.append(Row(line, {name: cell for name, cell in pairs if name}))
    faults.check()
    return found
