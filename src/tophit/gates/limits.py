"""A limit as people write it: `Hit@4=0.8`, `lower:Hit@4>=0.8`, `topic=billing:Hit@4=0.7`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from tophit.errors import UsageError
from tophit.measures import parse_measures

VALUE, LOWER = "value", "lower"
_SHAPE = (
    "expected MEASURE=LIMIT, such as 'Hit@4=0.8', 'lower:Hit@4=0.8' or 'topic=billing:Hit@4=0.8'"
)
_WRITTEN = re.compile(
    r"\s*(?:(?P<end>lower|value)\s*:)?\s*(?:(?P<field>[^=<>():]+?)\s*=\s*(?P<label>[^<>]+?)\s*:)?"
    r"\s*(?P<measure>[^<>]+?)\s*(?:>=|=)\s*(?P<limit>[^=<>]+?)\s*"
)


@dataclass(frozen=True, kw_only=True)
class Limit:
    """The least that a measure may be: its value, or with `end` "lower" its interval's lower end.

    >>> str(Limit(measure="Hit@4", least=0.8)), str(Limit(measure="Hit@4", least=0.8, end="lower"))
    ('Hit@4 >= 0.8', 'lower end of Hit@4 >= 0.8')
    """

    measure: str
    least: float
    end: str = VALUE
    field: str | None = None
    label: str = ""

    @property
    def case(self) -> str:
        """What is limited: the measure, or its interval's lower end, of all or of a slice."""
        return case_of(self.measure, self.end, slice_name=self.slice_name)

    @property
    def slice_name(self) -> str:
        """The slice that is limited, `topic=billing`; empty for all questions."""
        return "" if self.field is None else f"{self.field}={self.label}"

    def __str__(self) -> str:
        return f"{self.case} >= {self.least:g}"


def parse_fraction(written: str) -> float:
    """A number, or a percentage: 0.02 and 2% are one. Errors: `ValueError` for anything else.

    >>> parse_fraction("2%"), parse_fraction(" .5 ")
    (0.02, 0.5)
    """
    number, percent, rest = written.strip().partition("%")
    if rest:
        raise ValueError(written)
    return float(number) / (100 if percent else 1)


def case_of(measure: str, end: str, *, slice_name: str = "") -> str:
    """What is limited, in words.

    >>> case_of("Hit@4", LOWER, slice_name="topic=billing")
    'topic=billing: lower end of Hit@4'
    """
    of = f"{slice_name}: " if slice_name else ""
    return of + (measure if end == VALUE else f"lower end of {measure}")


def parse_limit(written: str, *, k: int = 4) -> Limit:
    """Read one limit. The measure may go by any of its names; 80% is 0.8; `>=` and `=` are one.

    Errors: `UsageError` for another shape, an unknown measure, a limit outside [0, 1].

    >>> parse_limit("lower:success@4 >= 80%")
    Limit(measure='Hit@4', least=0.8, end='lower', field=None, label='')
    >>> str(parse_limit("topic=billing:Hit@4=0.7"))
    'topic=billing: Hit@4 >= 0.7'
    >>> parse_limit("Hit@4=80")
    Traceback (most recent call last):
    tophit.errors.UsageError: 'Hit@4=80': the limit must lie between 0 and 1 (or be written as 80%)
    """
    match = _WRITTEN.fullmatch(written)
    if match is None:
        raise UsageError(f"{written!r}: {_SHAPE}")
    measures = parse_measures(match["measure"], k=k)
    if len(measures) > 1:
        raise UsageError(f"{written!r}: one measure a limit; give the option several times")
    text = match["limit"]
    try:
        least = parse_fraction(text)
    except ValueError:
        raise UsageError(f"{written!r}: {text!r} is not a number; {_SHAPE}") from None
    if not 0 <= least <= 1:
        hint = f" (or be written as {text}%)" if 1 < least <= 100 else ""
        raise UsageError(f"{written!r}: the limit must lie between 0 and 1{hint}")
    return Limit(
        measure=measures[0].name, least=least, end=match["end"] or VALUE,
        field=match["field"], label=match["label"] or "",
    )  # fmt: skip


def parse_limits(written: str | Iterable[str], *, k: int = 4) -> tuple[Limit, ...]:
    """Read several limits; one string may hold several, separated by commas or semicolons.

    >>> [str(limit) for limit in parse_limits("Hit@4 >= 0.8, MRR=0.5")]
    ['Hit@4 >= 0.8', 'MRR >= 0.5']
    """
    given = [written] if isinstance(written, str) else list(written)
    parts = [part for text in given for part in re.split(r"[,;](?![^(]*\))", text) if part.strip()]
    if not parts:
        raise UsageError(f"no limit was given: {_SHAPE}")
    return tuple(parse_limit(part, k=k) for part in parts)
