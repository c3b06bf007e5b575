"""The columns of a table (CSV, TSV, Parquet) as those of a relation, checked value by value."""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import polars as pl

from tophit.formats.reading.files import LONE_RETURN, Source
from tophit.formats.reading.grid import after_sep, csv_rows, grid, is_sheet, without_empty_end
from tophit.formats.reading.sniff import sample
from tophit.records.cells import lists_printed_in
from tophit.records.columns import columns_of
from tophit.records.made import look_like_texts
from tophit.records.values import BLANK_MARKS, Description, Faults, shown
from tophit.records.vocabulary import plain
from tophit.relations import (
    CHUNK,
    DOC,
    END,
    GRADE,
    ITEM,
    QUERY,
    QUESTION,
    RANK,
    START,
)

LINE = "_line"
LIST = "List"  # the kind of a column that holds lists
_IDS = (QUERY, ITEM, CHUNK, DOC)
_LOOKED_AT = 100
_TRUTHS = {"true": 1.0, "false": 0.0}


def ranks_from_one(places: pl.DataFrame) -> pl.DataFrame:
    """The places with ranks from 1: all are moved by one if any rank is 0, as in frames.

    >>> ranks_from_one(pl.DataFrame({"rank": [0, 1]}))["rank"].to_list()
    [1, 2]
    """
    from_zero = RANK in places.columns and places[RANK].min() == 0
    return places.with_columns(pl.col(RANK) + 1) if from_zero else places


class Table(NamedTuple):
    """A table: its rows with `_line`, a number for each, and the line that each number stands for.

    `lines` is None where only a parser can tell, and is not asked before there is a fault.
    """

    rows: pl.DataFrame
    lines: Sequence[int] | None = None


def read_table(source: Source) -> Table:
    """The whole table. A delimited file and a sheet have text everywhere.

    Errors: `InputError` for a file without a header, two columns of one name, damaged Parquet, and
    every line with more fields than the header has.
    """
    return source.once("table", _read_table)


def read_parquet(source: Source) -> pl.DataFrame:
    """A Parquet file. Errors: `InputError` where it is damaged."""
    try:
        return pl.read_parquet(source.mappable or io.BytesIO(source.data), glob=False)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise source.error("a whole Parquet file", str(error).split("\n")[0]) from None


def _read_table(source: Source) -> Table:
    seen = sample(source)
    if seen.kind == "parquet":
        return Table(read_parquet(source).with_columns(pl.lit(None, pl.Int64).alias(LINE)))
    if seen.kind != "table":
        found = "a folder" if source.is_folder else "no header"
        raise source.error("a table with a header", found)
    names = [name for name in seen.header if name]
    if again := [name for at, name in enumerate(names) if name in names[:at]]:
        raise source.error("columns with names of their own", f"{again[0]!r} twice")
    if is_sheet(source) or LONE_RETURN.search(source.data):
        return _by_rows(source)
    try:
        table = pl.read_csv(
            after_sep(source.text)[0].encode(), separator=seen.separator, infer_schema=False
        )
    except pl.exceptions.PolarsError:
        return _by_rows(source)
    if table.width != len(seen.header):
        return _by_rows(source)
    named = (pl.nth(at).alias(name) for at, name in enumerate(seen.header) if name)
    is_blank = pl.all_horizontal(pl.all().exclude(LINE).is_null())
    return Table(table.select(named).with_row_index(LINE).filter(~is_blank))


def _by_rows(source: Source) -> Table:
    """The table row by row: it takes longer, and takes rows that end in empty fields."""
    seen, faults = sample(source), Faults(source.name)
    rows = list(grid(source, separator=seen.separator))[1:]
    width = len(seen.header)
    cut = [without_empty_end(row.cells, width) for row in rows]
    for row, cells in zip(rows, cut, strict=True):
        if len(cells) > width:
            found = Description(f"{len(cells)}")
            faults.add(expected=f"{width} fields", value=found, line=row.last)
    faults.check()
    columns = {
        name: [cells[at] or None if at < len(cells) else None for cells in cut]
        for at, name in enumerate(seen.header)
        if name
    }
    table = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))
    return Table(table.with_row_index(LINE), [row.last for row in rows])


class Columns:
    """A table's columns under the names of a relation, typed; wrong values go to `faults`."""

    def __init__(self, source: Source, relation: dict[str, str]) -> None:
        self.source = source
        self.faults = Faults(source.name)
        self.table, self._lines = read_table(source)
        self.names = columns_of((n for n in self.table.columns if n != LINE), relation)
        self._relation = relation
        self._settle_query()

    def _settle_query(self) -> None:
        """Take a column `query` that holds texts for what was asked, and not for an id."""
        name = self.names.get(QUERY)
        if name is None or plain(name) != "query" or QUESTION not in self._relation:
            return
        values = self.table[name].drop_nulls().head(_LOOKED_AT)
        if values.dtype == pl.String and look_like_texts(values):
            del self.names[QUERY]
            self.names.setdefault(QUESTION, name)

    def require_one(self, columns: tuple[str, ...]) -> None:
        """Refuse a table that has none of these columns, under any name."""
        if set(columns).isdisjoint(self.names):
            found = Description(
                f"the columns {', '.join(n for n in self.table.columns if n != LINE)}"
            )
            self.faults.add(expected=f"a column {' or '.join(columns)}", value=found)
            self.faults.check()

    def has_lists(self, column: str) -> bool:
        """Whether cells of a column are lists, or look as if they were meant to be."""
        series = self.table[self.names[column]] if column in self.names else None
        if series is None or series.dtype != pl.String:
            return series is not None and series.dtype.is_nested()
        return any(True for _ in lists_printed_in(series))

    def refuse_lists(self, *columns: str) -> None:
        """Refuse lists where every row has one id or text.

        A text may be a list in JSON, in an index of data, but then not all of them are.
        """
        for column in columns:
            name = self.names.get(column)
            if name is None or self.table[name].dtype != pl.String:
                continue
            series = self.table[name]
            lists = list(lists_printed_in(series))
            are_all = len(lists) == series.count()
            for at, says in lists:
                if says or are_all or column in _IDS:
                    found = Description(f"{shown(series[at])}{f', which {says}' if says else ''}")
                    kind = "id" if column in _IDS else "text"
                    expected = f"one {kind} in a row, not a list of them"
                    self.faults.add(expected=expected, value=found, line=self.line(at), field=name)

    def frame(self, *, lenient: tuple[str, ...] = ()) -> pl.DataFrame:
        """All columns of the relation that the table has, typed, and `_line`.

        In those of `lenient` what is no number is nothing, where ranks give the order.
        """
        typed: dict[str, pl.Series] = {}
        for column, name in self.names.items():
            if self._relation[column] == LIST:
                continue
            ranks = typed.get(RANK)
            is_said = column in lenient and ranks is not None and ranks.null_count() == 0
            typed[column] = (
                _numbers(self.table[name], truths=False, decimals=self._decimals).fill_nan(None)
                if is_said and not self.table[name].dtype.is_nested()
                else self._typed(column, name)
            ).alias(column)
        return pl.DataFrame([*typed.values(), self.table[LINE]])

    @property
    def _decimals(self) -> str:
        return "," if sample(self.source).separator in (";", "\t", "|") else "."

    def _typed(self, column: str, name: str) -> pl.Series:
        series, kind = self.table[name], self._relation[column]
        if series.dtype.is_nested() or series.dtype == pl.Binary:
            self.faults.add(
                expected="text or numbers", value=Description(str(series.dtype)), field=name
            )
            return pl.Series(column, [None] * len(series), getattr(pl, kind))
        if kind == "String":
            text = id_text(series) if column in _IDS else series.cast(pl.String)
            return text.alias(column)
        if kind == "Boolean":
            return self._truth(series, name).alias(column)
        return self._number(series, name, column, whole=kind == "Int64").alias(column)

    def _number(self, series: pl.Series, name: str, column: str, *, whole: bool) -> pl.Series:
        number = _numbers(series, truths=column == GRADE, decimals="" if whole else self._decimals)
        wrong = number.is_null() & series.is_not_null() | number.is_nan().fill_null(False)
        expected = "a number"
        if whole:
            expected = "a whole number from 0"
            is_whole = number.is_finite() & (number == number.round()) & (number >= 0)
            wrong |= (~is_whole).fill_null(False)
            number = number.cast(pl.Int64, strict=False)
        self._refuse(series, wrong, name, expected)
        return number

    def _truth(self, series: pl.Series, name: str) -> pl.Series:
        if series.dtype == pl.Boolean:
            return series
        text = series.cast(pl.String).str.to_lowercase()
        known = {"true": True, "1": True, "false": False, "0": False}
        truth = text.replace_strict(known, default=None, return_dtype=pl.Boolean)
        self._refuse(series, truth.is_null() & series.is_not_null(), name, "true or false")
        return truth

    def _refuse(self, series: pl.Series, wrong: pl.Series, name: str, expected: str) -> None:
        for at in wrong.arg_true():
            self.faults.add(expected=expected, value=series[at], line=self.line(at), field=name)

    def require_ids(
        self,
        rows: pl.DataFrame,
        column: str,
        where: pl.Series | None = None,
        *,
        name: str | None = None,
    ) -> None:
        """Refuse rows (those in `where`) without a value in an id column; `name` is the table's."""
        ids = rows[column]
        missing = ids.is_null() | (ids.str.strip_chars() == "").fill_null(False)
        wrong = missing if where is None else missing & where
        self._refuse(ids, wrong, name or self.names[column], "an id")

    def require_one_question(self, rows: pl.DataFrame) -> None:
        """Refuse a second question text under one id."""
        if QUESTION not in rows.columns:
            return
        first = pl.col(QUESTION).drop_nulls().first().over(QUERY)
        other = rows.select((pl.col(QUESTION) != first).fill_null(False))[QUESTION]
        for at in other.arg_true():
            expected = f"one question for the id {rows[QUERY][at]!r}"
            self.faults.add(
                expected=expected, value=rows[QUESTION][at], line=self.line(at),
                field=self.names[QUESTION],
            )  # fmt: skip

    def require_once(self, rows: pl.DataFrame, column: str) -> None:
        """Refuse ids that are there a second time."""
        again = ~rows[column].is_first_distinct() & rows[column].is_not_null()
        self._refuse(rows[column], again, self.names[column], "an id of its own")

    def both_offsets(self) -> list[str]:
        """The columns of offsets; refuse one without the other."""
        names = [self.names[name] for name in (START, END) if name in self.names]
        if len(names) == 1:
            found = Description(f"{names[0]} alone")
            self.faults.add(expected=f"both {START} and {END}, or neither", value=found)
        return names

    def require_spans(self, rows: pl.DataFrame, *, filled: bool) -> None:
        """Refuse a start without an end, an end before its start, and with `filled` at it."""
        names = self.both_offsets()
        if len(names) < 2:
            return
        start, end = rows[START], rows[END]
        one = start.is_null() != end.is_null()
        self._refuse(end, one, names[1], "both offsets or neither")
        short = (end <= start if filled else end < start).fill_null(False)
        self._refuse(end, short, names[1], f"an end {'after' if filled else 'from'} the start")

    def line(self, row: int) -> int | None:
        """The line of the file where a row ends; Parquet has none."""
        return self.line_at(self.table[LINE][row])

    def line_at(self, index: int | None) -> int | None:
        """The line of the file where the row with this number (column `_line`) ends."""
        if index is None:
            return None
        lines = [line for line, _ in self._parsed] if self._lines is None else self._lines
        return lines[index] if index < len(lines) else None

    @cached_property
    def _parsed(self) -> list[tuple[int, int]]:
        """The last line and the number of fields of each row, which only a parser knows."""
        body, before = after_sep(self.source.text)
        rows = csv_rows(body, separator=sample(self.source).separator)
        return [(before + line, len(cells)) for line, cells in rows][1:]

    def breaks_off(self, where: pl.Series) -> pl.Series:
        """Which rows (those in `where`) of a delimited file have fewer fields than the header."""
        found = [False] * len(where)
        if self._lines is None and sample(self.source).kind == "table":
            for at in where.arg_true():
                _, fields = self._parsed[self.table[LINE][at]]
                found[at] = fields < self.table.width - 1
        return pl.Series(found, dtype=pl.Boolean)


def id_text(series: pl.Series) -> pl.Series:
    """A column of ids as text, without blanks around them: what is text there is not rewritten.

    >>> id_text(pl.Series([1.0, 2.5, None])).to_list(), id_text(pl.Series([" 1.0", "2"])).to_list()
    (['1', '2.5', None], ['1.0', '2'])
    """
    if series.dtype == pl.String:
        return series.str.strip_chars(BLANK_MARKS)
    if series.dtype.is_float():
        number = series.fill_nan(None)
        whole = number.cast(pl.Int64, strict=False)
        is_whole = whole.cast(series.dtype) == number
        return whole.cast(pl.String).zip_with(is_whole.fill_null(False), number.cast(pl.String))
    return series.cast(pl.String, strict=False)


_DECIMAL_COMMA = r"^[+-]?\d*,\d+(?:[eE][+-]?\d+)?$"
_THOUSANDS = r"^[+-]?[1-9]\d{0,2}(?:,\d{3})+$"


def _numbers(series: pl.Series, *, truths: bool, decimals: str = "") -> pl.Series:
    """Numbers as doubles; null where there is none. With `truths`, true is 1 and false is 0.

    Decimal commas are read where all numbers agree: none has a point. What may be thousands is
    taken for decimals only where `decimals` says so, since the file separates by another mark.
    """
    if series.dtype != pl.String:
        return series.cast(pl.Float64, strict=False)
    text = series.str.strip_chars(BLANK_MARKS)
    number = text.cast(pl.Float64, strict=False)
    commas = text.filter(text.str.contains(_DECIMAL_COMMA))
    are_decimals = decimals == "," or not commas.str.contains(_THOUSANDS).all()
    agree = len(commas) and not text.str.contains(".", literal=True).any()
    if decimals and agree and are_decimals:
        number = text.str.replace(",", ".", literal=True).cast(pl.Float64, strict=False)
    if not truths:
        return number
    known = text.str.to_lowercase().replace_strict(_TRUTHS, default=None, return_dtype=pl.Float64)
    return number.fill_null(known)
