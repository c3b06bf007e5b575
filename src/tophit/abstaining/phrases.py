"""The phrases by which an answer says that it is none: `phrases.txt`, replaceable as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path

from tophit.errors import Fault, InputError

LIST = "phrases.txt"


@dataclass(frozen=True)
class Phrases:
    """The expressions that are searched: `Phrases(["no idea"])`, or the default list.

    Errors: `InputError` for every expression that does not compile.

    >>> Phrases().search("I don't know.") is None, Phrases(["pass"]).search("I pass.") is None
    (False, False)
    """

    expressions: tuple[str, ...]

    def __init__(self, expressions: Iterable[str] | None = None) -> None:
        chosen = default_phrases() if expressions is None else tuple(expressions)
        object.__setattr__(self, "expressions", chosen)
        _compiled(chosen)

    def search(self, text: str) -> re.Match[str] | None:
        """The first match of any expression, None where there is none."""
        found = [match for one in _compiled(self.expressions) if (match := one.search(text))]
        return min(found, key=lambda match: match.start(), default=None)


@lru_cache(maxsize=1)
def default_phrases() -> tuple[str, ...]:
    """The default list: English, German, French, Spanish, Italian, Portuguese, Dutch, Polish,
    Russian, Turkish, Chinese, Japanese, Korean, Hindi and Arabic.

    >>> len(default_phrases()) > 60
    True
    """
    text = resources.files("tophit.abstaining").joinpath(LIST).read_text(encoding="utf-8")
    return _lines(text)


def read_phrases(path: str | Path) -> Phrases:
    """Read a list of phrases in the form of `phrases.txt`: one a line, `#` begins a comment line.

    Errors: `InputError` for a file without a phrase, and for every phrase that does not compile.
    """
    from tophit.formats.reading.files import Source

    kept = _lines(Source(path).text)
    if not kept:
        raise InputError(Fault(file=str(path), expected="a phrase on each line", found="none"))
    return Phrases(kept)


def _lines(text: str) -> tuple[str, ...]:
    lines = (line.strip() for line in text.splitlines())
    return tuple(line for line in lines if line and not line.startswith("#"))


@lru_cache(maxsize=16)
def _compiled(expressions: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    compiled: list[re.Pattern[str]] = []
    faults: list[Fault] = []
    for expression in expressions:
        try:
            compiled.append(re.compile(expression, re.IGNORECASE))
        except re.error as error:
            expected = "a phrase or a regular expression"
            faults.append(Fault(field=repr(expression), expected=expected, found=str(error)))
    if faults:
        raise InputError(faults)
    return tuple(compiled)
