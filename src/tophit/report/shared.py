"""What the results of several runs have in common, so that it is said once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tophit.errors import DataWarning
from tophit.result import QuestionCounts, Result

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
    found: dict[DataWarning, list[str]] = {}
    for result in results:
        for warning in result.warnings:
            found.setdefault(warning, []).append(result.name)
    listed: list[Remark] = []
    for warning, names in found.items():
        if len(names) == len(results):
            listed.append(Remark(run=None, warning=warning))
        else:
            listed += [Remark(run=name, warning=warning) for name in names]
    return listed


def match_of(results: Sequence[Result]) -> str:
    """How relevance was decided: text, spans, ids, or `mixed` where the runs differ."""
    found = {result.match for result in results}
    return found.pop() if len(found) == 1 else MIXED


def counts_of(results: Sequence[Result]) -> QuestionCounts:
    """The counts of the questions; `without_results` and `not_asked` are sums over the runs.

    >>> import tophit
    >>> results = [tophit.evaluate({"q": ["a"]}, {"q": []}), tophit.evaluate({"q": ["a"]}, {})]
    >>> counts_of(results).without_results
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
