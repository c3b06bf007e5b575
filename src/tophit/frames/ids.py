"""Ids as text: 1, 1.0, NumPy's 1 and "1" are one id."""

from __future__ import annotations

import numbers
import uuid
from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl

from tophit.errors import Fault, InputError

MISSING_NAMES = ("NAType", "NaTType")


def text_id(value: Any) -> str | None:
    """An id as text; None, NaN, pandas' NA and "" are no id.

    Errors: `InputError` for what cannot be an id: a list, a dict, any other object, text that is no
    Unicode (half a surrogate pair, bytes that are not UTF-8).

    >>> text_id(9007199254740993), text_id(1.0), text_id(" a"), text_id("")
    ('9007199254740993', '1', ' a', None)
    """
    if isinstance(value, str):
        return _unicode(str(value)) or None
    if is_missing(value):
        return None
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        number = float(value)
        return str(int(number)) if number.is_integer() else str(number)
    if isinstance(value, bytes):
        return _unicode(value.decode("utf-8", "surrogateescape")) or None
    if isinstance(value, numbers.Number | uuid.UUID):
        return str(value)
    raise InputError(Fault(field="id", expected="text or a number", found=repr(value)[:80]))


def is_missing(value: Any) -> bool:
    """True for what stands for no value: None, NaN, pandas' NA and NaT.

    >>> is_missing(float("nan")), is_missing("")
    (True, False)
    """
    return value is None or type(value).__name__ in MISSING_NAMES or bool(value != value)


def _unicode(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError(Fault(field="id", expected="Unicode", found=ascii(text)[:80])) from None
    return text


def text_ids(values: Sequence[Any] | Iterable[Any]) -> pl.Series:
    """Many ids as text.

    >>> text_ids(["a", 1, None, ""]).to_list()
    ['a', '1', None, None]
    """
    listed = list(values)
    try:
        ids = pl.Series(listed, dtype=pl.String, strict=True)
    except (TypeError, ValueError):
        return pl.Series([text_id(value) for value in listed], dtype=pl.String)
    return ids.replace("", None) if (ids == "").any() else ids
