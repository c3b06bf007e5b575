"""Tables of scores compared: every pair and every measure, with Holm's correction over all."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tophit.comparison.changes import (
    Changes,
    change_records,
    outcome_changes,
    pairs_of_differences,
)
from tophit.comparison.difference import (
    Difference,
    Pair,
    Sums,
    described,
    difference_from_sums,
)
from tophit.errors import DataWarning, UsageError, unknown
from tophit.settings import Settings
from tophit.showing import Shown
from tophit.statistics.distributions import check_level
from tophit.statistics.intervals import cluster_totals
from tophit.statistics.paired import holm, mean_difference, sign_flips

ALL_PAIRS = "*"
"""As `baseline`: compare every run with every other."""

# Scores are sums of a few fractions: a difference below this is rounding, and a tie.
ROUNDING = 1e-12


@dataclass(frozen=True, kw_only=True)
class Comparison(Shown):
    """Every difference between the runs, in the order of the pairs and then of the measures.

    `baseline` is the run that the others are compared with, None where all pairs are. `outcomes`
    has the outcome of every answerable question at `k`, run by run, as `tophit.diagnose` finds it;
    it is empty where only scores were compared, or where the runs are on DuckDB or Spark.
    `settings` say how the scores were made; None where only scores were compared.

    >>> runs = {"a": {"MRR": np.array([1.0, 0.5])}, "b": {"MRR": np.array([1.0, 1.0])}}
    >>> comparison = compare_scores(["q1", "q2"], runs, binary=set())
    >>> comparison.between("a", "b", "MRR").difference
    0.25
    """

    runs: tuple[str, ...]
    measures: tuple[str, ...]
    baseline: str | None
    level: float
    n: int
    differences: tuple[Difference, ...]
    warnings: tuple[DataWarning, ...] = ()
    k: int | None = None
    outcomes: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)
    settings: Settings | None = field(default=None, repr=False)

    @property
    def changes(self) -> dict[tuple[str, str], Changes]:
        """For each pair (a, b): the ids of the questions by their outcome in a and then in b.

        >>> import tophit
        >>> found = tophit.compare({"q": ["a"]}, {"old": {"q": ["a"]}, "new": {"q": ["b"]}})
        >>> found.changes
        {('old', 'new'): {('found', 'missed'): ['q']}}
        """
        return {
            (a, b): outcome_changes(self.outcomes[a], self.outcomes[b])
            for a, b in pairs_of_differences(self.differences)
            if self.outcomes
        }

    def between(self, a: str, b: str, measure: str) -> Difference:
        """The difference b - a on a measure. Errors: `UsageError` where it was not compared."""
        for found in self.differences:
            if (found.a, found.b, found.measure) == (a, b, measure):
                return found
        raise UsageError(f"{a} and {b} were not compared on {measure}")

    def to_dict(self) -> dict[str, Any]:
        """The comparison as in the JSON output."""
        return {
            "runs": list(self.runs),
            "measures": list(self.measures),
            "baseline": self.baseline,
            "level": self.level,
            "settings": self.settings and self.settings.options,
            "n": self.n,
            "differences": [found.to_dict() for found in self.differences],
            "k": self.k,
            "outcomes": {run: dict(found) for run, found in self.outcomes.items()},
            "changes": change_records(self.changes),
            "warnings": [vars(warning) for warning in self.warnings],
        }


def compare_scores(
    query_ids: Sequence[Any],
    scores: Mapping[str, Mapping[str, Any]],
    *,
    binary: Collection[str] = (),
    baseline: str | None = None,
    level: float = 0.95,
    clusters: Sequence[Any] | None = None,
    seed: int = 0,
) -> Comparison:
    """Compare runs by their scores: `scores[run][measure]` has one value per id of `query_ids`.

    `binary` names the measures whose values are 0 or 1: exact McNemar and Tango's interval; the
    others: paired sign-flip randomisation (from `seed`) and `mean_difference`. `baseline` is the
    run to compare the others with: the first if None, every pair if "*". `clusters`, one label a
    question: the clusters' sums are tested and resampled, for every measure. The order of the
    questions does not matter.

    Errors: `UsageError` for fewer than two runs, ids that repeat, values of another length or that
    are no numbers, measures that a run lacks, an unknown baseline.

    >>> found = compare_scores(["q1", "q2"], {"a": {"MRR": [1.0, 0.5]}, "b": {"MRR": [1.0, 1.0]}})
    >>> [(d.measure, d.difference, d.p, d.test) for d in found.differences]
    [('MRR', 0.25, 1.0, 'sign-flip exact')]
    """
    check_level(level)
    pairs, chosen = pairs_of(list(scores), baseline)
    ids = np.array([str(name) for name in query_ids], dtype=object)
    order = np.argsort(ids, kind="stable")
    measures = tuple(next(iter(scores.values())))
    tables = {run: _table(run, scores[run], measures, order) for run in scores}
    ids = ids[order]
    _check_ids(ids)
    labels = [clusters[index] for index in order] if clusters is not None and len(ids) else None
    found = [
        _compare_measure(name, pairs, tables, ids, labels, binary=name in binary, level=level,
                         seed=seed)
        for name in measures
    ]  # fmt: skip
    in_pair_order = [column[index] for index in range(len(pairs)) for column in found]
    return Comparison(
        runs=tuple(scores), measures=measures, baseline=chosen, level=level, n=len(ids),
        differences=corrected(in_pair_order, level=level),
    )  # fmt: skip


def corrected(differences: Sequence[Difference], *, level: float) -> tuple[Difference, ...]:
    """The differences with Holm's p over all of them, and whether each holds at 1 - level.

    >>> corrected([], level=0.95)
    ()
    """
    adjusted = holm([found.p for found in differences])
    return tuple(
        replace(found, p_holm=float(p), significant=bool(p <= 1 - level + 1e-12))
        for found, p in zip(differences, adjusted, strict=True)
    )


def pairs_of(runs: list[str], baseline: str | None) -> tuple[list[tuple[str, str]], str | None]:
    """The pairs to compare, the one to compare with first, and the baseline's name.

    >>> pairs_of(["a", "b", "c"], None)
    ([('a', 'b'), ('a', 'c')], 'a')
    """
    if len(runs) < 2:
        raise UsageError(f"a comparison needs at least two runs, found {len(runs)}")
    if baseline == ALL_PAIRS:
        return list(itertools.combinations(runs, 2)), None
    first = runs[0] if baseline is None else baseline
    if first not in runs:
        raise unknown("baseline", first, runs)
    return [(first, run) for run in runs if run != first], first


def _table(
    run: str, columns: Mapping[str, Any], measures: Sequence[str], order: np.ndarray
) -> dict[str, np.ndarray]:
    table: dict[str, np.ndarray] = {}
    for measure in measures:
        if measure not in columns:
            raise UsageError(f"run {run} has no {measure}; every run needs the same measures")
        values = np.asarray(columns[measure], dtype=np.float64)
        if values.shape != order.shape:
            raise UsageError(
                f"run {run}: {values.size:,} values of {measure} for {len(order):,} questions"
            )
        if not np.isfinite(values).all():
            raise UsageError(f"run {run}: {measure} is not a number for some questions")
        table[measure] = values[order]
    return table


def _check_ids(ids: np.ndarray) -> None:
    repeated = sorted({str(one) for one, other in itertools.pairwise(ids) if one == other})
    if repeated:
        raise UsageError(f"{len(repeated):,} questions appear twice, such as {repeated[0]!r}")


def _compare_measure(
    measure: str,
    pairs: Sequence[tuple[str, str]],
    tables: Mapping[str, Mapping[str, np.ndarray]],
    ids: np.ndarray,
    clusters: Sequence[Any] | None,
    *,
    binary: bool,
    level: float,
    seed: int,
) -> list[Difference]:
    columns = [tables[b][measure] - tables[a][measure] for a, b in pairs]
    table = np.stack(columns, axis=1)
    table[np.abs(table) < ROUNDING] = 0.0
    means = {run: math.fsum(tables[run][measure]) for run in tables}
    sums = [_sums(d, means[a], means[b]) for d, (a, b) in zip(table.T, pairs, strict=True)]
    units, counts = (table, None) if clusters is None else _cluster_sums(table, clusters)
    exact = binary and clusters is None
    tests = [None] * len(pairs) if exact else sign_flips(units, seed=seed)
    found = []
    for index, (a, b) in enumerate(pairs):
        pair = Pair(a=a, b=b, measure=measure, binary=binary, level=level)
        difference = difference_from_sums(sums[index], pair)
        test = tests[index]
        if counts is not None:
            difference = _clustered(sums[index], units[:, index], counts, pair)
        if test is not None:
            difference = replace(difference, p=test.p, test=f"sign-flip {test.method}")
        found.append(replace(difference, query_ids=ids, signs=np.sign(table[:, index])))
    return found


def _sums(differences: np.ndarray, total_a: float, total_b: float) -> Sums:
    return Sums(
        n=len(differences),
        total_a=total_a,
        total_b=total_b,
        wins=int(np.sum(differences > 0)),
        losses=int(np.sum(differences < 0)),
        total=math.fsum(differences),
        squares=math.fsum(differences * differences),
    )


def _cluster_sums(table: np.ndarray, clusters: Sequence[Any]) -> tuple[np.ndarray, np.ndarray]:
    """Each cluster's sum, scaled so that their mean is the mean over the questions; its size."""
    found = [cluster_totals(column, clusters) for column in table.T]
    counts = found[0][1]
    return np.stack([totals for totals, _ in found], axis=1) * (len(counts) / len(table)), counts


def _clustered(sums: Sums, units: np.ndarray, counts: np.ndarray, pair: Pair) -> Difference:
    """The interval comes from the clusters' residuals, as that of a mean (`cluster_variance`): a
    large cluster is not off the mean for being large. The power comes from their sums, which are
    what the test flips."""
    over = _sums(units, sums.total_a, sums.total_b)
    mean, groups = over.total / over.n, over.n
    off = units - mean * counts * (groups / sums.n)
    weights = (groups - 1) / groups / (1 - counts / sums.n) if groups > 1 else np.ones(1)
    low, high = mean_difference(
        over.total,
        math.fsum(np.sort(off * off * weights)) + groups * mean * mean,
        over.wins + over.losses,
        groups,
        level=pair.level,
    )
    return described(sums, pair, p=1.0, test="", bounds=(low, high), units=over)
