"""A result against its limits, or against a baseline: what was expected, and what was found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from tophit.comparison import Difference, compare_scores, questions_difference
from tophit.comparison.difference import signed
from tophit.errors import DataWarning, UsageError, counted
from tophit.evaluation.result import Result, Score
from tophit.gates.baseline import Baseline
from tophit.gates.limits import LOWER, VALUE, Limit, case_of, parse_limits
from tophit.measures import parse_measures
from tophit.relations import QUERY
from tophit.settings import UNKNOWN

# A value that misses its limit by less than this misses it by rounding.
_ROUNDING = 1e-9
_CHANGED = {
    "questions": "the same questions expect something else",
    "corpus": "the documents have changed",
}


@dataclass(frozen=True, kw_only=True)
class Check:
    """One case of a gate: a measure, or the lower `end` of its interval; what was expected, found.

    `difference` is actual - expected; None where there is no interval to compare. `paired` holds
    the paired comparison with the baseline, where there is one: its wins and losses name questions.

    >>> str(Check(measure="Hit@4", expected=0.8, actual=0.75, difference=-0.05, passed=False))
    'FAILED Hit@4: expected at least 0.8000, found 0.7500 (-0.0500)'
    """

    measure: str
    expected: float
    actual: float | None
    difference: float | None
    passed: bool
    end: str = VALUE
    slice_name: str = ""
    note: str = ""
    paired: Difference | None = None

    @property
    def case(self) -> str:
        """What is checked: the measure, or its interval's lower end."""
        return case_of(self.measure, self.end, slice_name=self.slice_name)

    def __str__(self) -> str:
        state = "passed" if self.passed else "FAILED"
        found = "no interval" if self.actual is None else f"{self.actual:.4f}"
        by = "" if self.difference is None else f" ({signed(self.difference)})"
        note = f"; {self.note}" if self.note else ""
        return (
            f"{state} {self.case}: expected at least {self.expected:.4f}, found {found}{by}{note}"
        )

    def to_dict(self) -> dict[str, Any]:
        """The check as in the JSON output."""
        plain = {
            name: getattr(self, name)
            for name in ("case", "measure", "expected", "actual", "difference", "passed", "note")
        }
        return {**plain, "paired": self.paired and self.paired.to_dict()}


@dataclass(frozen=True, kw_only=True)
class GateReport:
    """All checks of a gate; it passed if every one did.

    >>> GateReport(checks=()).passed
    True
    """

    checks: tuple[Check, ...]
    warnings: tuple[DataWarning, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether no check failed."""
        return not self.failed

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that failed."""
        return tuple(check for check in self.checks if not check.passed)

    def __str__(self) -> str:
        return "\n".join(str(check) for check in self.checks)

    def to_dict(self) -> dict[str, Any]:
        """The report as in the JSON output."""
        return {"passed": self.passed, "checks": [check.to_dict() for check in self.checks]}


def check_limits(result: Result, limits: str | Iterable[str | Limit]) -> GateReport:
    """Check a result against limits such as 'Hit@4=0.8' and 'lower:MRR=0.5'.

    No question that counts: every limit fails, 0 too, since nothing was measured.

    Errors: `UsageError` for a limit that cannot be read or a measure that was not evaluated.

    >>> from tophit import evaluate
    >>> result = evaluate({"q": ["a"], "r": ["b"]}, {"q": ["a"], "r": ["x"]}, measures="Hit@4")
    >>> print(check_limits(result, "Hit@4=0.8"))
    FAILED Hit@4: expected at least 0.8000, found 0.5000 (-0.3000); 2 questions
    """
    written = [limits] if isinstance(limits, str) else list(limits)
    parsed = [
        limit
        for entry in written
        for limit in ([entry] if isinstance(entry, Limit) else parse_limits(entry, k=result.k))
    ]
    return GateReport(checks=tuple(_check_limit(result, limit) for limit in parsed))


def check_against(
    result: Result,
    baseline: Baseline,
    *,
    max_drop: float | None = None,
    significant: bool = False,
    seed: int = 0,
    allow_different: bool = False,
) -> GateReport:
    """Check a result against a baseline, on every measure that both have.

    Without a question that counts, or a question in common, every check fails. A measure of the
    result that the baseline lacks is named in a warning.

    `max_drop`: a measure may fall by so much at most. `significant`: it fails only on a drop that
    the paired test supports, p <= 1 - level (of the result's settings) after Holm's correction over
    the measures, so that a gate of several measures still stops 5 % of harmless changes at most.
    Both: a drop must be larger and supported. Neither: no measure may fall at all.

    Errors: `UsageError` for another question set, corpus or settings (unless `allow_different`:
    then the common questions are compared and a warning says what differs), or no common measure.

    >>> from tophit import evaluate
    >>> from tophit.gates.baseline import baseline_from, freeze
    >>> import json
    >>> judged = {"q": ["a"], "r": ["b"]}
    >>> old = evaluate(judged, {"q": ["a"], "r": ["b"]}, measures="Hit@4")
    >>> new = evaluate(judged, {"q": ["a"], "r": ["x"]}, measures="Hit@4")
    >>> kept = baseline_from(json.loads(freeze(old, version="0")))
    >>> print(check_against(new, kept, significant=True))
    passed Hit@4: expected at least 1.0000, found 0.5000 (-0.5000); 0 won, 1 lost, p = 1
    """
    if max_drop is not None and not 0 <= max_drop <= 1:
        raise UsageError(f"max-drop must lie between 0 and 1 (0.02 for two points), not {max_drop}")
    measures = [name for name in baseline.measures if name in result.measures]
    if not measures:
        raise UsageError(
            f"{baseline.source} has {', '.join(baseline.measures)}, none of which was evaluated "
            f"({', '.join(result.measures)})"
        )
    warnings = _mismatches(result, baseline, allow_different=allow_different)
    ids, scores = _common(result, baseline, measures)
    paired = compare_scores(
        ids, scores, level=result.settings.level, seed=seed,
        binary={name for name in measures if parse_measures(name)[0].definition.binary},
    ).differences  # fmt: skip
    allowed = max_drop or 0.0
    checks = [_check_drop(found, allowed=allowed, significant=significant) for found in paired]
    return GateReport(checks=tuple(checks), warnings=(*warnings, *_not_frozen(result, baseline)))


def _not_frozen(result: Result, baseline: Baseline) -> Iterator[DataWarning]:
    lacking = [name for name in result.measures if name not in baseline.measures]
    if lacking:
        yield DataWarning(
            code="not_in_baseline",
            count=len(lacking),
            message=f"{', '.join(lacking)} {'is' if len(lacking) == 1 else 'are'} not in "
            f"{baseline.source} and not checked: freeze it again with -m "
            f"'{' '.join([*baseline.measures, *lacking])}'",
        )


def _check_limit(result: Result, limit: Limit) -> Check:
    score = _limited(result, limit)
    actual = score.low if limit.end == LOWER else score.value
    enough = score.n > 0 and actual is not None and actual >= limit.least - _ROUNDING
    return Check(
        measure=limit.measure,
        end=limit.end,
        slice_name=limit.slice_name,
        expected=limit.least,
        actual=actual,
        difference=None if actual is None else actual - limit.least,
        passed=enough,
        note=counted(score.n, "question"),
    )


def _limited(result: Result, limit: Limit) -> Score:
    if limit.field is None:
        return result[limit.measure]
    if all(each.field != limit.field for each in result.slices):
        raise UsageError(
            f"{limit}: there are no slices by {limit.field!r}; ask for them: by={limit.field!r}, "
            f"--by {limit.field}"
        )
    return result.slice(limit.field, limit.label).measures[limit.measure]


def _check_drop(found: Difference, *, allowed: float, significant: bool) -> Check:
    dropped = found.difference < -allowed - _ROUNDING
    failed = dropped and (found.significant or not significant)
    expected = found.value_a - allowed
    return Check(
        measure=found.measure,
        expected=expected,
        actual=found.value_b,
        difference=found.value_b - expected,
        passed=found.n > 0 and not failed,
        note=f"{found.n_wins:,} won, {found.n_losses:,} lost, p = {found.p_holm:.2g}",
        paired=found,
    )


def _mismatches(result: Result, baseline: Baseline, *, allow_different: bool) -> list[DataWarning]:
    changes = result.settings.differences_to(baseline.settings)
    found = [("different_settings", str(each)) for each in changes if each.expected is not UNKNOWN]
    if unsaid := [each.name for each in changes if each.expected is UNKNOWN]:
        says = f"another version of tophit wrote it, which does not say {', '.join(unsaid)}"
        found.append(("different_settings", says))
    asked = questions_difference(
        "the baseline", baseline.scores[QUERY], "this run", result.by_question[QUERY]
    )
    if asked is not None:
        found.append(("different_questions", asked))
    for name, changed in _CHANGED.items():
        new, kept = result.fingerprints.get(name), baseline.fingerprints.get(name)
        known = new is not None and kept is not None
        if known and new != kept and not (asked and name == "questions"):
            says = f"{changed} (fingerprint {kept} before, {new} now)"
            found.append((f"different_{name}", says))
    if found and not allow_different:
        raise UsageError(
            f"{baseline.source} does not fit this run: {'; '.join(says for _, says in found)}. "
            "Write a new baseline, or allow differences (allow_different=True, --allow-different)"
        )
    return [DataWarning(code=code, count=1, message=says) for code, says in found]


def _common(
    result: Result, baseline: Baseline, measures: list[str]
) -> tuple[list[str], dict[str, dict[str, np.ndarray]]]:
    now, before = result.by_question, baseline.scores
    kept = set(now[QUERY]) & set(before[QUERY])
    tables = {
        "baseline": before.filter(pl.col(QUERY).is_in(list(kept))),
        "run": now.filter(pl.col(QUERY).is_in(list(kept))),
    }
    ids = tables["run"][QUERY].to_list()
    return ids, {
        run: {name: table[name].to_numpy() for name in measures} for run, table in tables.items()
    }
