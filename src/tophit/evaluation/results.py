"""What the results of several runs have in common, so that it is said once."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tophit.errors import DataWarning
from tophit.evaluation.result import QuestionCounts, Result

MIXED = "mixed"


@dataclass(frozen=True, kw_only=True)
class Remark:
    """A warning, and the run that it is about; None where it holds for all of them."""

    run: str | None
    warning: DataWarning

    @property
    def text(self) -> str:
        """The message, after the name of its run.

        >>> warning = DataWarning(code="ties", count=1, message="1 query with ties")
        >>> Remark(run="bm25", warning=warning).text
        'bm25: 1 query with ties'
        """
        return self.warning.message if self.run is None else f"{self.run}: {self.warning.message}"


def remarks(results: Sequence[Result]) -> list[Remark]:
    """The warnings of all runs, in order; one that every run has is given once.

    >>> import tophit
    >>> result = tophit.evaluate({"q": ["a"]}, {"q": ["b"]}, name="one")
    >>> [(remark.run, remark.warning.code) for remark in remarks([result])]
    [(None, 'reindexed')]
    """
    return remarks_by_name([(result.name, result.warnings) for result in results])


def remarks_by_name(named: Sequence[tuple[str, Iterable[DataWarning]]]) -> list[Remark]:
    """As `remarks`, of anything that has a name and warnings.

    >>> tie = DataWarning(code="ties", count=1, message="1 query with ties")
    >>> [remark.text for remark in remarks_by_name([("a", [tie]), ("b", [])])]
    ['a: 1 query with ties']
    """
    found: dict[DataWarning, list[str]] = {}
    for name, warnings in named:
        for warning in warnings:
            found.setdefault(warning, []).append(name)
    listed: list[Remark] = []
    for warning, names in found.items():
        everywhere = len(names) == len(named)
        runs: list[str | None] = [None] if everywhere else list(names)
        listed += [Remark(run=run, warning=warning) for run in runs]
    return listed


def distinct_names(names: Sequence[str], *, taken: Iterable[str] = ()) -> list[str]:
    """The names, those that are taken already told apart by a number.

    >>> distinct_names(["run", "run"])
    ['run', 'run (2)']
    """
    used, found = set(taken), []
    for name in names:
        told = next(
            each
            for count in itertools.count(1)
            if (each := name if count == 1 else f"{name} ({count})") not in used
        )
        used.add(told)
        found.append(told)
    return found


def match_of(results: Sequence[Result]) -> str:
    """How relevance was decided: text, spans, ids, or `mixed` where the runs differ."""
    found = {result.match for result in results}
    return found.pop() if len(found) == 1 else MIXED


def fingerprints_of(results: Sequence[Result]) -> dict[str, str]:
    """The fingerprints that all results share, by what they are of.

    >>> import tophit
    >>> first = tophit.evaluate({"q": ["a"]}, {"q": ["b"]}, k=4)
    >>> other = tophit.evaluate({"q": ["a"]}, {"q": ["b"]}, k=5)
    >>> list(fingerprints_of([first])), list(fingerprints_of([first, other]))
    (['questions', 'settings'], ['questions'])
    """
    first, *others = results
    return {
        name: value
        for name, value in first.fingerprints.items()
        if all(other.fingerprints.get(name) == value for other in others)
    }


def counts_of(results: Sequence[Result]) -> QuestionCounts:
    """The counts of the questions; `without_results` and `not_asked` are sums over the runs.

    >>> import tophit
    >>> result = tophit.evaluate({"q": ["a"], "r": ["b"]}, {"q": ["a"]})
    >>> counts_of([result, result]).without_results
    2
    """
    first = results[0].questions
    return QuestionCounts(
        total=first.total,
        answerable=first.answerable,
        unanswerable=first.unanswerable,
        without_results=sum(result.questions.without_results for result in results),
        not_asked=sum(result.questions.not_asked for result in results),
    )
