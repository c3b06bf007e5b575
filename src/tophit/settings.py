"""All that decides a score, in one record."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Folding:
    """What makes two texts equal: how both sides are normalised before they are compared.

    exact         every character as it is; white space alone is folded
    strip_markup  the marks of Markdown and HTML are dropped first

    >>> Folding(exact=True)
    Folding(exact=True, strip_markup=False)
    """

    exact: bool = False
    strip_markup: bool = False


DEFAULT_FOLDING = Folding()
