"""One run against another on one measure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tophit.statistics.paired import (
    difference_of_proportions,
    mcnemar,
    mean_difference,
    sign_flip_from_sums,
)
from tophit.statistics.power import questions_needed, smallest_detectable


def signed(difference: float, digits: int = 4) -> str:
    """A difference with its sign; one that rounds to nothing is not negative.

    >>> signed(0.05), signed(-1e-9)
    ('+0.0500', '+0.0000')
    """
    return f"{round(difference, digits) + 0.0:+.{digits}f}"


@dataclass(frozen=True, kw_only=True)
class Difference:
    """Run `b` minus run `a` on one measure, over `n` questions that both were asked.

    value_a, value_b       the means; `difference` = value_b - value_a, in [-1, 1]
    low, high              its interval at the comparison's level; None for n = 0
    p, test                two-sided p and the test: `mcnemar`, or `sign-flip` with `exact`,
                           `random` or `normal`
    p_holm                 p after Holm's correction over all measures and pairs of the comparison
    n_wins, n_losses       questions on which b is better, and worse; the rest are ties
    smallest_detectable    the smallest difference that these n questions show in 4 of 5 cases
    questions_needed       how many questions the observed difference would need for that; None
                           where it is 0

    `wins`, `losses` and `ties` are the ids; empty where the scores stayed on an engine.

    >>> from tophit.comparison import compare_scores
    >>> runs = {"old": {"Hit@4": np.array([0, 0, 1.0])}, "new": {"Hit@4": np.array([1, 0, 1.0])}}
    >>> found = compare_scores(["q1", "q2", "q3"], runs, binary={"Hit@4"}).differences[0]
    >>> found.a, found.b, round(found.difference, 4), found.p, found.wins, found.losses
    ('old', 'new', 0.3333, 1.0, ['q1'], [])
    """

    a: str
    b: str
    measure: str
    binary: bool
    n: int
    value_a: float
    value_b: float
    difference: float
    low: float | None
    high: float | None
    p: float
    test: str
    n_wins: int
    n_losses: int
    smallest_detectable: float | None
    questions_needed: int | None
    p_holm: float = 1.0
    significant: bool = False
    query_ids: np.ndarray | None = field(default=None, repr=False, compare=False)
    signs: np.ndarray | None = field(default=None, repr=False, compare=False)

    @property
    def n_ties(self) -> int:
        """Questions on which both runs score alike."""
        return self.n - self.n_wins - self.n_losses

    @property
    def wins(self) -> list[str]:
        """The questions on which `b` scores higher, in the order of the ids."""
        return self._named(1)

    @property
    def losses(self) -> list[str]:
        """The questions on which `b` scores lower."""
        return self._named(-1)

    @property
    def ties(self) -> list[str]:
        """The questions on which both score alike."""
        return self._named(0)

    def _named(self, sign: int) -> list[str]:
        if self.query_ids is None or self.signs is None:
            return []
        return [str(name) for name in self.query_ids[self.signs == sign]]

    def to_dict(self) -> dict[str, Any]:
        """The record of the JSON output; wins and losses by id, ties as a count."""
        plain = {
            name: getattr(self, name)
            for name in self.__dataclass_fields__
            if name not in ("query_ids", "signs", "n_wins", "n_losses")
        }
        counts = {"n_wins": self.n_wins, "n_losses": self.n_losses, "n_ties": self.n_ties}
        return {**plain, **counts, "wins": self.wins, "losses": self.losses}


@dataclass(frozen=True, kw_only=True)
class Sums:
    """All that a difference needs of the questions: what an engine adds up without sending a row.

    `total` is Σ d and `squares` Σ d² over the questions, d = score of b - score of a.

    >>> Sums(n=2, total_a=1.0, total_b=2.0, wins=1, losses=0, total=1.0, squares=1.0).wins
    1
    """

    n: int
    total_a: float
    total_b: float
    wins: int
    losses: int
    total: float
    squares: float


@dataclass(frozen=True, kw_only=True)
class Pair:
    """What is compared: run `b` with run `a` on one measure, 0/1 or not, at a level.

    >>> Pair(a="old", b="new", measure="Hit@4", binary=True).level
    0.95
    """

    a: str
    b: str
    measure: str
    binary: bool
    level: float = 0.95


def difference_from_sums(sums: Sums, pair: Pair) -> Difference:
    """The difference from its sums: McNemar and Tango's interval for 0/1 measures, else the normal
    limit of the sign-flip test and `mean_difference`. The same as from the scores, but for that
    limit.

    >>> sums = Sums(n=100, total_a=60.0, total_b=70.0, wins=15, losses=5, total=10.0, squares=20.0)
    >>> found = difference_from_sums(sums, Pair(a="x", b="y", measure="Hit@4", binary=True))
    >>> round(found.p, 4), round(found.low, 4), round(found.high, 4), found.questions_needed
    (0.0414, 0.0134, 0.1924, 155)
    """
    if pair.binary:
        p, test = mcnemar(sums.wins, sums.losses), "mcnemar"
    else:
        flipped = sign_flip_from_sums(sums.total, sums.squares)
        p, test = flipped.p, f"sign-flip {flipped.method}"
    return described(sums, pair, p=p, test=test, bounds=_interval(sums, pair))


def described(
    sums: Sums,
    pair: Pair,
    *,
    p: float,
    test: str,
    bounds: tuple[float | None, float | None],
    units: Sums | None = None,
) -> Difference:
    """The record of a difference whose test and interval are known.

    `units` are the sums over clusters where questions are clustered: what counts as a question for
    the power of the test.
    """
    binary, level = pair.binary, pair.level
    basis, exact = units or sums, binary and units is None
    n = sums.n
    moment = basis.squares / basis.n if basis.n else 0.0
    difference = sums.total / n if n else 0.0
    needed = questions_needed(difference, moment, alpha=1 - level)
    if needed is not None and basis.n != n:
        needed = -(-needed * n // basis.n)
    return Difference(
        a=pair.a, b=pair.b, measure=pair.measure, binary=binary, n=n,
        value_a=sums.total_a / n if n else 0.0, value_b=sums.total_b / n if n else 0.0,
        difference=difference, low=bounds[0], high=bounds[1], p=p, test=test,
        n_wins=sums.wins, n_losses=sums.losses,
        smallest_detectable=smallest_detectable(
            basis.n, moment if exact else _cautious(basis), binary=exact, alpha=1 - level
        ),
        questions_needed=needed,
    )  # fmt: skip


def _cautious(sums: Sums) -> float:
    """Σ d² / n with the pair of differences added that `mean_difference` adds."""
    nonzero = sums.wins + sums.losses
    added = sums.squares / nonzero if nonzero else 1.0
    return (sums.squares + 2 * added) / (sums.n + 2)


def _interval(sums: Sums, pair: Pair) -> tuple[float | None, float | None]:
    if sums.n == 0:
        return None, None
    if pair.binary:
        return difference_of_proportions(sums.wins, sums.losses, sums.n, level=pair.level)
    nonzero = sums.wins + sums.losses
    return mean_difference(sums.total, sums.squares, nonzero, sums.n, level=pair.level)
