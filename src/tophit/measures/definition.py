"""What a measure is: one record, and one expression over the credited hits of a query."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import narwhals as nw

CutoffUse = Literal["required", "optional", "none"]
Reads = Literal["hits", "pieces", "index"]


@dataclass(frozen=True, kw_only=True)
class Cutoff:
    """Where a ranking is cut: after `value` places, or after the chunks that fit `value` tokens.

    >>> str(Cutoff(value=4)), str(Cutoff(value=3200, unit="tok"))
    ('4', '3200tok')
    """

    value: int
    unit: Literal["places", "tok"] = "places"

    def __str__(self) -> str:
        return f"{self.value}{'tok' if self.unit == 'tok' else ''}"


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A parameter of a measure: its default, and the numbers or words that it may be."""

    summary: str
    default: float | str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()

    def expected(self) -> str:
        """Say in words what values are allowed.

        >>> Parameter(summary="", default=0.5, low=0, high=1).expected()
        'a number above 0 and at most 1'
        """
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        return f"a number above {self.low:g} and at most {self.high:g}"


@dataclass(frozen=True, kw_only=True)
class Definition:
    """The record of a measure in the table: everything that help, errors and docs say of it.

    `expression` gives the value for one query as an aggregation over its credited hits (columns:
    measures/credit.py). `totals` gives aggregations over the query's items (columns query_id,
    item_id, grade, ideal_rank, relevant), `place_totals` over its places (columns rank,
    tokens_through), `columns` row-wise or window columns over the hits, in stages that may read
    the stages before; all by a name that `expression` reads. A query without hits has the value 0.

    A measure may read another relation in place of the hits. `pieces` (matching/pieces.py) says
    which part of an item a chunk holds; only text and spans have it, and then item_chars stands
    with the items and place_chars with the places. `index` has the hits of every chunk that there
    is, each at rank 1.
    """

    name: str
    summary: str
    formula: str
    reference: str
    expression: Callable[[Measure], nw.Expr]
    aliases: tuple[str, ...] = ()
    cutoff: CutoffUse = "required"
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    totals: Callable[[Measure], dict[str, nw.Expr]] = lambda measure: {}
    place_totals: Callable[[Measure], dict[str, nw.Expr]] = lambda measure: {}
    columns: Callable[[Measure], tuple[dict[str, nw.Expr], ...]] = lambda measure: ()
    binary: bool = False  # every value is 0 or 1, so that Wilson and McNemar apply
    rises_with_k: bool = False  # never falls as the cutoff grows
    reads: Reads = "hits"
    note: str = ""  # what a reader has to know besides the formula

    @property
    def signature(self) -> str:
        """How the name is written: with @k, with an optional [@k], or alone.

        >>> from tophit.measures import MEASURES
        >>> MEASURES["Hit"].signature, MEASURES["MRR"].signature, MEASURES["Rprec"].signature
        ('Hit@k', 'MRR[@k]', 'Rprec')
        """
        return self.name + {"required": "@k", "optional": "[@k]", "none": ""}[self.cutoff]


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A measure as asked for: a definition with its cutoff and parameters.

    >>> from tophit.measures import parse_measures
    >>> parse_measures("success_4")[0].name
    'Hit@4'
    """

    definition: Definition
    cutoff: Cutoff | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The canonical name: parameters only where they differ from the default."""
        changed = [
            f"{key}={value:g}" if isinstance(value, float) else f"{key}={value}"
            for key, value in self.parameters.items()
            if value != self.definition.parameters[key].default
        ]
        inside = f"({','.join(changed)})" if changed else ""
        cut = f"@{self.cutoff}" if self.cutoff else ""
        return f"{self.definition.name}{inside}{cut}"

    def __str__(self) -> str:
        return self.name

    @property
    def expression(self) -> nw.Expr:
        """The value for one query: an aggregation over its credited hits."""
        return self.definition.expression(self).cast(nw.Float64)

    def key(self, what: str) -> str:
        """The name of a helper column that belongs to this measure alone, plain for every engine.

        >>> from tophit.measures import parse_measures
        >>> parse_measures("nDCG(gain=exp)@10")[0].key("ideal")
        'ideal_nDCG_gain_exp_10'
        """
        return f"{what}_{re.sub(r'[^A-Za-z0-9]+', '_', self.name)}"
