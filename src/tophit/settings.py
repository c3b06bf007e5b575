"""All that decides a score, in one record: what is asked for, printed, frozen and compared.

A new setting is a field here (of `Settings` or `Folding`), a key of the options below, and an
option of the command line; `tests/examples/test_settings.py` fails until it is at every door.
Cutoffs and budgets stand in the measures' own names: `Hit@4`, `Hit@3200tok`.
"""

from __future__ import annotations

import hashlib
import json
import math
import numbers
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, TypedDict

from tophit.choices import CL100K, MATCHES, POPULATIONS
from tophit.errors import UsageError, unknown

_DIGITS = 16
_NO_MORE = 2**53  # beyond it, numbers are no longer exact on every engine
UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True)
class Folding:
    """What makes two texts equal: how both sides are normalised before they are compared.

    exact         every character as it is; white space alone is folded
    strip_markup  the marks of Markdown and HTML are dropped first
    letters       letters and digits alone are compared; marks and blanks count for nothing

    >>> Folding(exact=True)
    Folding(exact=True, strip_markup=False, letters=False)
    """

    exact: bool = field(default=False, metadata={"option": "match_exact"})
    strip_markup: bool = False
    letters: bool = field(default=False, metadata={"option": "match_letters"})


DEFAULT_FOLDING = Folding()


class MatchOptions(TypedDict, total=False):
    """How relevance is decided, as keywords."""

    match: str
    match_exact: bool
    match_letters: bool
    strip_markup: bool


class RankOptions(MatchOptions, total=False):
    """Also which places are looked at, and for which items, as keywords."""

    k: int
    depth: int | None
    min_grade: float


class Options(RankOptions, total=False):
    """All settings, as keywords."""

    population: str
    tokenizer: str
    level: float
    cluster: str | None


@dataclass(frozen=True, kw_only=True)
class SettingChange:
    """A setting that differs: what was expected (by the other side), and what was found.

    >>> str(SettingChange(name="depth", expected=None, found=4))
    'depth was None and is 4'
    """

    name: str
    expected: Any
    found: Any

    def __str__(self) -> str:
        return f"{self.name} was {self.expected} and is {self.found}"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """All that decides a score, besides the data and the names of the measures.

    k           the cutoff of measures written without one; measures have it in their names
    match       how relevance is decided: auto, text, spans or ids; in a result, what auto chose
    folding     what makes two texts equal
    population  which questions a mean is over
    min_grade   the lowest grade that counts as relevant
    depth       every ranking is cut to so many places first; None: it is not
    tokenizer   what counts tokens, for budgets, where the run does not say
    level       of the intervals
    cluster     what makes questions depend on each other, for the intervals; None: nothing

    Errors: `UsageError` for a value that cannot be.

    >>> Settings(k=0)
    Traceback (most recent call last):
    tophit.errors.UsageError: k=0: k must be a whole number of at least 1
    """

    k: int = 4
    match: str = "auto"
    folding: Folding = DEFAULT_FOLDING
    population: str = "answerable"
    min_grade: float = 1
    depth: int | None = None
    tokenizer: str = CL100K
    level: float = 0.95
    cluster: str | None = None

    def __post_init__(self) -> None:
        _check_count("k", self.k)
        if self.depth is not None:
            _check_count("depth", self.depth)
        _check_number("min_grade", self.min_grade)
        _check_number("level", self.level)
        if self.match not in MATCHES:
            raise unknown("match", self.match, MATCHES)
        if self.population not in POPULATIONS:
            raise unknown("population", self.population, list(POPULATIONS))

    @classmethod
    def of(
        cls,
        settings: Settings | None,
        options: Mapping[str, Any],
        *,
        takes: type[MatchOptions] = Options,
    ) -> Settings:
        """The settings (None: the default) with `options` in place of their own.

        `takes` are the options that the caller has.
        Errors: `UsageError` for an option that it has not, with the nearest names.

        >>> Settings.of(None, {"match_exact": True}).folding.exact
        True
        """
        for name in options:
            if name not in takes.__annotations__:
                raise unknown("option", name, list(takes.__annotations__))
        start = cls() if settings is None else settings
        if not isinstance(start, Settings):
            raise UsageError(f"settings must be a tophit.Settings, not {start!r:.80}")
        folding = {name: options[key] for name, key in _FOLDING.items() if key in options}
        own = {name: options[name] for name in options if name not in _FOLDING.values()}
        return replace(start, folding=replace(start.folding, **folding), **own)

    @property
    def options(self) -> dict[str, Any]:
        """The settings by the names of their options, as plain values: frozen and printed.

        >>> Settings(folding=Folding(exact=True)).options["match_exact"]
        True
        """
        options: dict[str, Any] = {}
        for name, value in ((each.name, getattr(self, each.name)) for each in fields(self)):
            if name == "folding":
                options |= {_FOLDING[key]: kept for key, kept in asdict(value).items()}
            else:
                options[name] = _plain(value)
        return options

    @property
    def unusual(self) -> dict[str, Any]:
        """The options that are not the default.

        >>> Settings(depth=10).unusual
        {'depth': 10}
        """
        usual = Settings().options
        return {name: value for name, value in self.options.items() if value != usual[name]}

    @property
    def fingerprint(self) -> str:
        """The first 16 hex digits of SHA-256 over all settings.

        >>> Settings().fingerprint == Settings(depth=3).fingerprint
        False
        """
        plain = json.dumps(self.options, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]

    def differences_to(self, expected: Settings | Mapping[str, Any]) -> tuple[SettingChange, ...]:
        """What differs from other settings, which may be a record of `options` that was frozen.

        k does not count: it decides no value of a measure that its name does not say. A setting
        that the record lacks differs, since nobody knows what it was.

        >>> [str(each) for each in Settings(depth=3, k=5).differences_to(Settings())]
        ['depth was None and is 3']
        """
        kept = expected.options if isinstance(expected, Settings) else expected
        found = self.options
        return tuple(
            SettingChange(
                name=name, expected=kept.get(name, UNKNOWN), found=found.get(name, UNKNOWN)
            )
            for name in dict.fromkeys((*found, *kept))
            if name != "k" and (name not in kept or name not in found or kept[name] != found[name])
        )


# the name of each field of `Folding` as an option
_FOLDING: dict[str, str] = {
    each.name: each.metadata.get("option", each.name) for each in fields(Folding)
}


def _check_count(name: str, value: Any) -> None:
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not (whole and value >= 1):
        raise UsageError(f"{name}={value!r}: {name} must be a whole number of at least 1")
    if value >= _NO_MORE:
        raise UsageError(f"{name}={value!r}: {name} must be less than 2^53")


def _check_number(name: str, value: Any) -> None:
    if not isinstance(value, numbers.Real) or not math.isfinite(value):
        raise UsageError(f"{name} must be a number, not {value!r}")


def _plain(value: Any) -> Any:
    """Numbers of any kind as Python's own, so that 1, 1.0 and NumPy's 1 are one; paths as text."""
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        number = float(value)
        return int(number) if number.is_integer() else number
    return os.fspath(value) if isinstance(value, os.PathLike) else value
