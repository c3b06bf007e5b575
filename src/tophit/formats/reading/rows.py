"""Records of any container: JSON lines, a JSON array, CSV, TSV or Parquet, as dicts with lines."""

from __future__ import annotations

import csv
from typing import Any, NamedTuple

from tophit.formats.reading import jsontext
from tophit.formats.reading.columns import read_parquet
from tophit.formats.reading.files import Source
from tophit.formats.reading.sniff import csv_rows, sample
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
        return _csv_rows(source)
    raise source.error("JSON, CSV, TSV or Parquet", "another kind of file")


def _json_rows(source: Source) -> list[Row]:
    faults, found = Faults(source.name), []
    for line, value in jsontext.records(source):
        if isinstance(value, dict):
            found.append(Row(line, value))
        else:
            faults.add(expected="a JSON object", value=value, line=line)
    faults.check()
    return found


def _csv_rows(source: Source) -> list[Row]:
    faults, found = Faults(source.name), []
    header: list[str] | None = None
    start = line = 0
    try:
        for line, cells in csv_rows(source.text, separator=sample(source).separator):
            start, before = line + 1, start
            if not cells:
                continue
            if header is None:
                header = [cell.strip() for cell in cells]
            elif len(cells) != len(header):
                expected = f"{len(header)} fields"
                faults.add(expected=expected, value=len(cells), line=before)
            else:
                values = dict(zip(header, (cell or None for cell in cells), strict=True))
                found.append(Row(before, values))
    except csv.Error as error:
        raise source.error("a table", str(error), line=line + 1) from None
    faults.check()
    return found
