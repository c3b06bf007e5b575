"""Data frames of any library: columns under their usual names, and the types of the relations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import narwhals as nw
import polars as pl
from narwhals.typing import IntoFrame

from tophit.errors import Fault, InputError
from tophit.frames.arrow import polars_from, require_arrow
from tophit.frames.ids import is_missing, text_id
from tophit.frames.python import ID_NAMES, frame_from_rows, number_of
from tophit.records.columns import columns_of
from tophit.records.vocabulary import plain
from tophit.relations import (
    CHUNK,
    EXPECTED,
    EXPECTED_IDS,
    ITEM,
    QUERY,
    QUESTION,
    SYNONYMS,
    TEXT,
    schema,
)

Frame = nw.DataFrame[Any] | nw.LazyFrame[Any]
_WHOLE_LIMIT = float(2**53)


def relation_of(
    source: Any, relation: Mapping[str, str], *, required: Sequence[str], kind: str
) -> Frame:
    """Give the columns of a relation that `source` has, under their names there, types as found.

    Errors: `InputError` when a required column is missing.

    >>> frame = pl.DataFrame({"QID": [1], "docno": ["a"], "note": ["x"]})
    >>> relation_of(frame, {"query_id": "String", "chunk_id": "String"},
    ...             required=["query_id", "chunk_id"], kind="run").columns
    ['query_id', 'chunk_id']
    """
    frame = _frame(source, kind=kind)
    require_arrow(frame)
    columns = frame.collect_schema().names()
    if not columns and not isinstance(frame, nw.LazyFrame) and len(frame) == 0:
        return nw.from_native(pl.DataFrame(schema=schema(dict(relation))))
    found = _found_columns(columns, relation)
    missing = [name for name in required if name not in found]
    if missing:
        names = ", ".join(map(str, columns)) or "no columns"
        raise InputError(
            Fault(file=kind, field=name, expected=f"a column {name!r}", found=names)
            for name in missing
        )
    given = frame.select(nw.col(found[name]).alias(name) for name in relation if name in found)
    if isinstance(given, nw.DataFrame) and given.implementation.is_pandas():
        return nw.from_native(_in_polars(given, kind))
    return given


def _in_polars(frame: nw.DataFrame[Any], kind: str) -> pl.DataFrame:
    """Errors: `InputError` for columns of pandas that hold objects which are no values."""
    try:
        return polars_from(frame)
    except Exception as error:  # PyArrow's and Polars' own
        objects = [name for name, type_ in frame.schema.items() if type_ == nw.Object]
        if not objects:
            raise
        found = " ".join(str(error).split())[:200]
        raise InputError(
            Fault(file=kind, field=", ".join(objects), expected="text or numbers", found=found)
        ) from None


def _frame(source: Any, *, kind: str) -> Frame:
    if isinstance(source, nw.DataFrame | nw.LazyFrame):
        return source
    try:
        frame: Frame = nw.from_native(source)
    except TypeError:
        return nw.from_native(frame_from_rows(source, kind=kind))
    except nw.exceptions.NarwhalsError as error:
        found = " ".join(str(error).split())
        raise InputError(
            Fault(file=kind, expected="a frame of plain columns", found=found)
        ) from None
    return nw.from_native(_plain_pandas(frame, kind)) if frame.implementation.is_pandas() else frame


def records_of(source: Any, lists: Sequence[str]) -> list[dict[str, Any]] | None:
    """The rows of a frame that has a column of lists under a name of one of `lists`, else None.

    >>> frame = pl.DataFrame({"question": ["?"], "contexts": [["four", "five"]]})
    >>> records_of(frame, ["retrieved"])
    [{'question': '?', 'contexts': ['four', 'five']}]
    """
    try:
        frame: Frame = nw.from_native(source)
    except Exception:
        return None  # no frame, or one that is refused where it is read
    types = frame.collect_schema()
    names = {name for column in lists for name in (column, *SYNONYMS[column])}
    held = [name for name, kind in types.items() if plain(str(name)) in names]
    if not any(_holds_lists(frame, name, types[name]) for name in held):
        return None
    if frame.implementation.is_pandas():
        rows: list[dict[str, Any]] = frame.to_native().to_dict("records")
        return [{name: _plain_value(value) for name, value in row.items()} for row in rows]
    return frame.lazy().collect().to_polars().to_dicts()


def _holds_lists(frame: Frame, name: str, kind: Any) -> bool:
    if kind.is_nested():
        return True
    if kind != nw.Object or isinstance(frame, nw.LazyFrame):
        return False
    return any(not isinstance(value, str) and hasattr(value, "__len__") for value in frame[name])


def _plain_value(value: Any) -> Any:
    """What pandas takes for missing is nothing; an array is a list."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return None if not hasattr(value, "__len__") and is_missing(value) else value


def _plain_pandas(frame: Any, kind: str) -> IntoFrame:
    """Make columns of Python objects (numbers and text mixed, say) into text or numbers."""
    native = frame.to_native().copy(deep=False)
    for name in native.columns:
        if str(native[name].dtype) != "object":
            continue
        if plain(str(name)) in ID_NAMES:
            native[name] = _ids_of(native[name], str(name), kind)
        elif not all(isinstance(value, str) or value is None for value in native[name]):
            native[name] = _numbers_of(native[name], str(name), kind)
    native.columns = [str(name) for name in native.columns]
    return native  # type: ignore[no-any-return]


def _ids_of(values: Any, name: str, kind: str) -> list[str | None]:
    try:
        return [text_id(value) for value in values]
    except InputError as error:
        faults = [replace(fault, file=kind, field=name) for fault in error.faults]
        raise InputError(faults) from None


def _numbers_of(values: Any, name: str, kind: str) -> list[Any]:
    faults: list[Fault] = []
    numbers = [
        number_of(value, faults, field=name, place=f"row {row} of the {kind}")
        for row, value in enumerate(values)
    ]
    return list(values) if faults else numbers


def _found_columns(columns: Sequence[Any], relation: Mapping[str, str]) -> dict[str, str]:
    of_items = {EXPECTED: "String", EXPECTED_IDS: "String"} if ITEM in relation else {}
    found = columns_of([str(name) for name in columns], {**of_items, **relation})
    # Where a row is one item, its column may be called as the list of a record is.
    for listed, own in ((EXPECTED, TEXT), (EXPECTED_IDS, ITEM), (CHUNK, ITEM)):
        if ITEM in relation and own not in found and listed in found and ITEM not in found:
            found[own] = found.pop(listed)
    if QUERY in relation and QUERY not in found and QUESTION in found:
        found[QUERY] = found[QUESTION]
    return found


def typed(frame: Frame, relation: Mapping[str, str], *, kind: str) -> Frame:
    """Cast the columns to the relation's types; ids become text.

    Errors: `InputError` for text where a number belongs, for nested values.

    >>> frame = nw.from_native(pl.DataFrame({"query_id": [1.0, 2.5], "rank": [1, 2]}))
    >>> typed(frame, {"query_id": "String", "rank": "Int64"}, kind="run").rows()
    [('1', 1), ('2.5', 2)]
    """
    types = frame.collect_schema()
    return frame.select(_cast(name, relation[name], types[name], kind) for name in types)


def _cast(name: str, wanted: str, found: Any, kind: str) -> nw.Expr:
    column = nw.col(name)
    if wanted == "String":
        if found.is_nested() or found == nw.Object:
            raise InputError(Fault(file=kind, field=name, expected="text", found=str(found)))
        return _text_of_float(column) if found.is_float() else column.cast(nw.String)
    if not is_number(found):
        raise InputError(Fault(file=kind, field=name, expected="numbers", found=str(found)))
    return column.cast(nw.Int64 if wanted == "Int64" else nw.Float64)


def is_number(kind: Any) -> bool:
    """True for a type whose values are numbers; all-null columns may be of any type.

    >>> is_number(nw.Int8()), is_number(nw.String())
    (True, False)
    """
    return bool(kind.is_numeric() or kind == nw.Boolean or str(kind) == "Unknown")


def _text_of_float(column: nw.Expr) -> nw.Expr:
    whole = (column == column.round(0)) & (column.abs() < _WHOLE_LIMIT)
    digits = nw.when(whole).then(column).otherwise(nw.lit(0.0)).cast(nw.Int64).cast(nw.String)
    text = nw.when(whole).then(digits).otherwise(column.cast(nw.String))
    return nw.when(~column.is_null() & ~column.is_nan()).then(text)
