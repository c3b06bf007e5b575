"""Values that are wrong, counted on any engine in one row: ids that are missing, NaN, bad ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw

from tophit.errors import DataWarning, Fault, InputError, counted
from tophit.frames.native import Frame, is_number
from tophit.relations import CHUNK, DOC, GRADE, ITEM, QUERY, RANK, SCORE, TOKENS

_LOWEST = "_lowest_rank"
_MISSING = "_missing_ids"
_WHOLE_LIMIT = float(2**53)


@dataclass(frozen=True, kw_only=True)
class _Check:
    """Rows where `wrong` holds have something else in `field` than what was expected."""

    field: str
    wrong: nw.Expr
    expected: str
    found: str


def check_values(frame: Frame, *, kind: str) -> tuple[Frame, tuple[DataWarning, ...]]:
    """Check a relation of questions or of a run, its types as given; ranks from 0 are moved by one.

    Wrong are: a missing query id; a score, grade or rank that is missing, NaN or (grades) infinite,
    but for a score beside a rank; a rank that is negative or no whole number; ids as
    doubles beyond 2^53, which cannot be told apart; a negative count of tokens. Missing ids of
    items and chunks are counted in a warning.
    Ranks count from 0 if any rank of the run is 0.

    Errors: `InputError` with a fault for each kind of wrong value: how many, where the first is.

    >>> import polars as pl
    >>> rows = {"query_id": ["q", "q"], "chunk_id": ["a", "b"], "rank": [0, 1]}
    >>> frame, warnings = check_values(nw.from_native(pl.DataFrame(rows)), kind="run")
    >>> frame["rank"].to_list()
    [1, 2]
    """
    types = frame.collect_schema()
    checks = _checks(types)
    counts = {f"c{n}": _count(check.wrong) for n, check in enumerate(checks)}
    without_id = _without_id(types, kind)
    missing = {} if without_id is None else {_MISSING: _count(without_id)}
    lowest = {_LOWEST: nw.col(RANK).min()} if RANK in types and is_number(types[RANK]) else {}
    row = frame.select(**counts, **missing, **lowest).lazy().collect().rows(named=True)[0]
    wrong = [(check, int(row[f"c{n}"] or 0)) for n, check in enumerate(checks)]
    faults = [_fault(frame, check, count, kind=kind) for check, count in wrong if count]
    if faults:
        raise InputError(faults)
    if lowest and row[_LOWEST] == 0:
        frame = frame.with_columns(nw.col(RANK) + 1)
    return frame, tuple(_missing_ids(int(row.get(_MISSING) or 0), kind=kind))


def _count(condition: nw.Expr) -> nw.Expr:
    return nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0)).sum()


def _checks(types: Any) -> list[_Check]:
    checks = [
        _Check(
            field=QUERY,
            wrong=_is_missing(QUERY, types[QUERY]),
            expected="a query id",
            found="nothing",
        )
    ]
    for name in (QUERY, ITEM, CHUNK, DOC):
        if name in types and types[name].is_float():
            big = nw.col(name).abs() >= _WHOLE_LIMIT
            expected = "whole numbers or text: ids as doubles beyond 2^53 cannot be told apart"
            checks.append(_Check(field=name, wrong=big, expected=expected, found="larger ones"))
    for name in (SCORE, GRADE, RANK):
        if name in types and is_number(types[name]):
            # where the given order counts, a retriever without scores has none to give
            optional = name == SCORE and RANK in types
            checks += _number_checks(name, types[name], optional=optional)
    if TOKENS in types and is_number(types[TOKENS]):
        wrong = nw.col(TOKENS) < 0
        checks.append(
            _Check(field=TOKENS, wrong=wrong, expected="0 or more", found="a negative one")
        )
    return checks


def _number_checks(name: str, kind: Any, *, optional: bool) -> list[_Check]:
    column, checks = nw.col(name), []
    if not optional:
        # a row of a question without any item has no grade either
        counts = ~nw.col(ITEM).is_null() if name == GRADE else nw.lit(value=True)
        missing = column.is_null() & counts
        checks.append(_Check(field=name, wrong=missing, expected="a number", found="nothing"))
    if kind.is_float() and not optional:
        checks.append(_Check(field=name, wrong=column.is_nan(), expected="a number", found="NaN"))
    if name == GRADE and kind.is_float():
        infinite = ~column.is_finite() & ~column.is_nan()
        checks.append(
            _Check(field=name, wrong=infinite, expected="a finite number", found="infinity")
        )
    if name == RANK:
        broken = (column < 0) | (column != column.round(0)) if kind.is_float() else column < 0
        expected = "a whole number from 0"
        checks.append(_Check(field=name, wrong=broken, expected=expected, found="another number"))
    return checks


def _is_missing(name: str, kind: Any) -> nw.Expr:
    missing = nw.col(name).is_null()
    if kind.is_float():
        return missing | nw.col(name).is_nan()
    return missing | (nw.col(name) == "") if kind == nw.String else missing


def _fault(frame: Frame, check: _Check, count: int, *, kind: str) -> Fault:
    names = [name for name in (QUERY, CHUNK, ITEM) if name in frame.collect_schema().names()]
    first = frame.lazy().filter(check.wrong).select(*names, _value=nw.col(check.field)).head(1)
    row = first.collect().rows(named=True)[0]
    place = ", ".join(f"{name} {row[name]!r}" for name in names if name != check.field)
    value = f": {row['_value']!r}" if row["_value"] is not None else ""
    found = f"{check.found} in {counted(count, 'row')}, first at {place}{value}"
    return Fault(file=kind, field=check.field, expected=check.expected, found=found)


def _without_id(types: Any, kind: str) -> nw.Expr | None:
    """Judgments and places without an id; a row without item and grade is no judgment."""
    if kind == "run":
        return _is_missing(CHUNK, types[CHUNK])
    if ITEM in types and GRADE in types:
        return _is_missing(ITEM, types[ITEM]) & ~nw.col(GRADE).is_null()
    return None


def _missing_ids(count: int, *, kind: str) -> list[DataWarning]:
    if not count:
        return []
    one = count == 1
    says = {
        "run": f"{count:,} place{'' if one else 's'} of the run without an id: "
        "such a place counts as one, and matches nothing",
        "questions": f"{count:,} judgment{'' if one else 's'} without an id, left out",
    }
    return [DataWarning(code="missing_ids", count=count, message=says[kind])]
