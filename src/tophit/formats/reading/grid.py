"""The rows of a delimited table or of a spreadsheet, as text, each with the lines where it stands.

A first line `sep=;`, which Excel writes, says the separator. Line ends of every kind end a row. A
number of a sheet is written as a whole number where it is one, since sheets know no others.
"""

from __future__ import annotations

import csv
import datetime
import io
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from tophit.errors import import_extra
from tophit.formats.reading.files import Source
from tophit.records.values import BLANK_MARKS

_LONGEST_FIELD = 2**31 - 1
_SEP = re.compile(r'[\r\n\ufeff]*"?sep=(.)"?[ \t]*(?:\r\n?|\n)', re.IGNORECASE)
_ZIP, _OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ERROR = re.compile(r"#(N/A|NULL!|DIV/0!|VALUE!|REF!|NAME\?|NUM!)")


class GridRow(NamedTuple):
    """One row: its first and last line (those of a sheet are its rows) and its cells."""

    first: int
    last: int
    cells: list[str]


def is_sheet(source: Source) -> bool:
    """Whether the file is a spreadsheet: Excel's two formats, or OpenDocument's."""
    return not source.is_folder and source.head.startswith((_ZIP, _OLE))


def grid(source: Source, *, separator: str) -> Iterator[GridRow]:
    """All rows that hold something. Errors: `InputError` for a row that is never closed.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.csv"
    >>> _ = path.write_text('sep=;\\na;b\\n1;"2\\n3"\\n')
    >>> [tuple(row) for row in grid(Source(path), separator=";")]
    [(2, 2, ['a', 'b']), (3, 4, ['1', '2\\n3'])]
    """
    if is_sheet(source):
        yield from sheet_rows(source)
        return
    body, line = after_sep(source.text)
    before = line
    try:
        for last, cells in csv_rows(body, separator=separator):
            first, line = line + 1, before + last
            if any(map(str.strip, cells)):
                yield GridRow(first, line, cells)
    except csv.Error as error:
        raise source.error("a table", str(error), line=line + 1) from None


def after_sep(text: str) -> tuple[str, int]:
    """The text below empty first lines and a line `sep=;`, and how many lines those are.

    >>> after_sep("sep=;\\na;b\\n"), after_sep("\\n\\na,b\\n")
    (('a;b\\n', 1), ('a,b\\n', 2))
    """
    if named := _SEP.match(text):
        return text[named.end() :], text.count("\n", 0, named.end()) or 1
    body = text.lstrip("\r\n")
    return body, text.count("\n", 0, len(text) - len(body))


def separator_of(text: str) -> str:
    """The separator that the first line names, or the one that stands in it most often.

    >>> separator_of("sep=;\\na,b;c\\n"), separator_of("a\\tb\\n")
    (';', '\\t')
    """
    if named := _SEP.match(text):
        return named[1]
    first = re.split(r"[\r\n\f\v]", text.lstrip(), maxsplit=1)[0]
    return max(",\t;|", key=first.count)


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


def header_of(cells: list[str]) -> list[str]:
    """The names of columns, without blanks around them; "" for those that have none.

    >>> header_of(["", " id ", "text", ""])
    ['', 'id', 'text', '']
    """
    return [cell.strip(BLANK_MARKS) for cell in cells]


def without_empty_end(cells: list[str], width: int) -> list[str]:
    """A row that is as wide as the header, if only empty cells stand behind it.

    >>> without_empty_end(["a", "b", "", ""], 2), without_empty_end(["a", "b", "c"], 2)
    (['a', 'b'], ['a', 'b', 'c'])
    """
    return cells if any(cells[width:]) else cells[:width]


def sheet_rows(source: Source) -> list[GridRow]:
    """The rows of a workbook's one sheet that holds anything.

    Errors: `InputError` for a damaged file and for several sheets with data, `MissingExtraError`
    without the reader.
    """
    return source.once("sheet rows", _sheet_rows)


def _sheet_rows(source: Source) -> list[GridRow]:
    calamine: Any = import_extra(
        "python_calamine", extra="excel", package="python-calamine", purpose="reading spreadsheets"
    )
    try:
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(source.data))
        sheets = {
            name: book.get_sheet_by_name(name).to_python(skip_empty_area=False)
            for name in book.sheet_names
        }
    except (calamine.CalamineError, ValueError, OSError) as error:
        raise source.error("a spreadsheet", f"damaged data ({error})") from None
    filled = {name: rows for name, rows in sheets.items() if any(map(any, rows))}
    if len(filled) > 1:
        raise source.error(
            "one sheet with data", f"{len(filled)}: {', '.join(filled)} (save one of them alone)"
        )
    rows: list[list[Any]] = next(iter(filled.values()), [])
    texts = ([_text(cell) for cell in row] for row in rows)
    return [GridRow(at, at, cells) for at, cells in enumerate(texts, start=1) if any(cells)]


def _text(cell: Any) -> str:
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() else repr(cell)
    if isinstance(cell, datetime.date | datetime.time | datetime.datetime):
        return cell.isoformat()
    text = str(cell)
    return "" if _ERROR.fullmatch(text) else text
