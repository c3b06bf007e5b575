"""Single values of a file: what is an id, a number, an offset; faults collected on the way."""

from __future__ import annotations

import difflib
import math
import numbers
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from tophit.errors import DataWarning, Fault, InputError

# What may stand around an id and is no part of it: blanks of every kind, and marks without width.
BLANK_MARKS = "".join(map(chr, (*range(9, 14), *range(28, 33), 0x85, 0xA0, 0x1680,
    *range(0x2000, 0x200C), 0x2028, 0x2029, 0x202F, 0x205F, 0x2060, 0x3000, 0xFEFF)))  # fmt: skip
_SHOWN = 60
_MOST_FAULTS = 10_000


class Faults:
    """The faults of one file, raised all at once by `check`.

    >>> faults = Faults("q.jsonl")
    >>> faults.add(expected="an id", value=None, line=2, field="id")
    >>> faults.check()
    Traceback (most recent call last):
    tophit.errors.InputError: q.jsonl, line 2, id: expected an id, found nothing
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.found: list[Fault] = []

    def add(
        self, *, expected: str, value: Any, line: int | None = None, field: str | None = None
    ) -> None:
        """Add a fault; `value` is what was found there."""
        # A file of another kind has a fault a line; past ten thousand nobody learns more.
        if len(self.found) < _MOST_FAULTS:
            fault = Fault(
                file=self.file, line=line, field=field, expected=expected, found=shown(value)
            )
            self.found.append(fault)

    def check(self, hint: str | None = None) -> None:
        """Raise `InputError` if there is any fault."""
        if self.found:
            raise InputError(self.found, hint=hint)


class Description(str):
    """A description of what was found, shown as it is and not quoted as a value."""

    __slots__ = ()


def shown(value: Any) -> str:
    """A value as an error message shows it: short, on one line.

    >>> shown(None), shown("abc"), shown(Description("2 fields"))
    ('nothing', "'abc'", '2 fields')
    """
    if value is None:
        return "nothing"
    if isinstance(value, Description):
        return str(value)
    if isinstance(value, Mapping) and value:
        return f"an object with {', '.join(str(key) for key in list(value)[:6])}"
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def id_of(value: Any) -> str | None:
    """An id as text, or None where there is none: None, "", blanks only, NaN, true, a list.

    Numbers become text without loss, and a whole float is the integer; text stays as it is, but
    for blanks around it.

    >>> id_of(9007199254740993), id_of(1.0), id_of(" 1.0"), id_of(""), id_of(True)
    ('9007199254740993', '1', '1.0', None, None)
    """
    if isinstance(value, str):
        return value.strip(BLANK_MARKS) or None
    if isinstance(value, bool) or not isinstance(value, numbers.Real | uuid.UUID):
        return None
    if isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral):
        number = float(value)
        if not math.isfinite(number):
            return None
        return str(int(number)) if number.is_integer() else repr(number)
    return str(value)


def number_of(value: Any) -> float | None:
    """A number, or None where there is none: NaN, text, true. Infinite numbers are numbers.

    >>> number_of(2), number_of("2"), number_of(float("nan"))
    (2.0, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return None if math.isnan(number) else number


def count_of(value: Any) -> int | None:
    """A whole number from 0 (an offset, a number of tokens), or None where there is none.

    >>> count_of(12), count_of(12.0), count_of(-1), count_of("12")
    (12, 12, None, None)
    """
    number = number_of(value)
    if number is None or not number.is_integer() or not 0 <= number < 2**53:
        return None
    return int(number)


def tag_of(value: Any) -> str | None:
    """The value of a tag as text; lists and objects as JSON; None for nothing or "".

    >>> tag_of("billing"), tag_of(3), tag_of(True), tag_of(["a", "b"])
    ('billing', '3', 'true', '["a", "b"]')
    """
    import json

    if value is None or value == "":
        return None
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@lru_cache(maxsize=4096)
def _nearest(name: str, known: tuple[str, ...]) -> str | None:
    return next(iter(difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.8)), None)


class Extras:
    """Fields that a format does not know: near misses are faults, the others are counted.

    A misspelled field would otherwise change a number in silence; a field that resembles none
    of the known ones (a comment, a source) changes nothing.

    >>> extras = Extras(Faults("q.jsonl"))
    >>> extras.see({"id": 1, "note": ""}, known=("id", "expected"), line=1)
    >>> extras.warnings()[0].message
    'fields that were not read: note (1)'
    """

    def __init__(self, faults: Faults) -> None:
        self._faults = faults
        self._seen: Counter[str] = Counter()

    def see(
        self,
        record: Iterable[str],
        *,
        known: tuple[str, ...],
        line: int | None,
        field: str = "",
        is_synonym: Callable[[str], bool] = lambda name: False,
    ) -> None:
        """Look at the field names of one record; a synonym that was not read is no misspelling."""
        for name in record:
            if name in known:
                continue
            if (near := _nearest(str(name), known)) and not is_synonym(name):
                self._faults.add(
                    expected=f"{near!r}", value=name, line=line, field=f"{field}{name}"
                )
            self._seen[str(name)] += 1

    def warnings(self) -> tuple[DataWarning, ...]:
        """One warning that names the fields and how often each stood there."""
        if not self._seen:
            return ()
        names = ", ".join(f"{name} ({count:,})" for name, count in sorted(self._seen.items()))
        message = f"fields that were not read: {names}"
        return (DataWarning(code="ignored_fields", count=self._seen.total(), message=message),)


class Values:
    """The fields of one JSON object, checked: what is wrong goes to the faults of the file."""

    def __init__(
        self, record: Mapping[str, Any], faults: Faults, *, line: int | None, field: str = ""
    ) -> None:
        self._record, self._faults, self._line, self._field = record, faults, line, field

    def _wrong(self, name: str, expected: str) -> None:
        field, value = f"{self._field}{name}", self._record.get(name)
        self._faults.add(expected=expected, value=value, line=self._line, field=field)

    def given(self, name: str) -> Any:
        """What stands there, unchecked."""
        return self._record.get(name)

    def id(self, name: str) -> str | None:
        """An id. A field that is there must hold one."""
        if name not in self._record:
            return None
        found = id_of(self._record[name])
        if found is None:
            self._wrong(name, "an id")
        return found

    def optional_id(self, name: str) -> str | None:
        """An id, or nothing where the field is left out or null."""
        return None if self._record.get(name) is None else self.id(name)

    def text(self, name: str) -> str | None:
        """A text, or nothing."""
        value = self._record.get(name)
        if value is not None and not isinstance(value, str):
            self._wrong(name, "text")
            return None
        return value

    def filled_text(self, name: str) -> str | None:
        """A text that is not blank; an empty one would be found in every chunk."""
        text = self.text(name)
        if text is not None and (not text or text.isspace()):
            self._wrong(name, "a text that is not empty")
            return None
        return text

    def number(self, name: str) -> float | None:
        """A number, or nothing."""
        value = self._record.get(name)
        if value is None:
            return None
        number = number_of(value)
        if number is None:
            self._wrong(name, "a number")
        return number

    def count(self, name: str) -> int | None:
        """A whole number from 0, or nothing."""
        value = self._record.get(name)
        if value is None:
            return None
        count = count_of(value)
        if count is None:
            self._wrong(name, "a whole number from 0")
        return count

    def span(
        self, start_name: str = "start", end_name: str = "end", *, filled: bool = False
    ) -> tuple[int | None, int | None]:
        """Start and end: both or neither, the end not before the start; after it with `filled`."""
        start, end = self.count(start_name), self.count(end_name)
        given = [self._record.get(name) is not None for name in (start_name, end_name)]
        if given[0] != given[1]:
            self._wrong(end_name if given[0] else start_name, "both offsets or neither")
        elif start is not None and end is not None and end < start + filled:
            self._wrong(end_name, f"an end {'after' if filled else 'from'} the start, {start}")
        return start, end
