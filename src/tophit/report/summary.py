"""The words and figures that every report of an evaluation shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tophit.errors import counted
from tophit.evaluation.result import QuestionCounts, Result, Score
from tophit.evaluation.results import MIXED, counts_of, match_of
from tophit.settings import Settings

# in every heading, or beside the intervals
_SAID = ("k", "match", "level", "cluster")
_MATCHED = {
    "text": "matched by text",
    "ids": "matched by ids",
    "spans": "matched by spans",
    MIXED: "matched in different ways",
}


def number(value: float, digits: int = 4) -> str:
    """A value in [0, 1] with the same number of digits everywhere.

    >>> number(2 / 3), number(1)
    ('0.6667', '1.0000')
    """
    return f"{value:.{digits}f}"


def bounds(score: Score) -> str:
    """The interval in brackets, or words where there is none.

    >>> bounds(Score(value=0.5, low=0.1, high=0.9, n=3, method="wilson"))
    '[0.100, 0.900]'
    >>> bounds(Score(value=0.0, low=None, high=None, n=0, method="none"))
    'no questions'
    """
    if score.low is None or score.high is None:
        return "no questions" if score.n == 0 else "no interval"
    return f"[{score.low:.3f}, {score.high:.3f}]"


def short_bounds(score: Score) -> str:
    """The interval in brackets in few places, or words where there is none.

    >>> short_bounds(Score(value=0.5, low=0.1234, high=1.0, n=3, method="wilson"))
    '[.123, 1.00]'
    """
    if score.low is None or score.high is None:
        return bounds(score)
    return f"[{_short(score.low)}, {_short(score.high)}]"


def _short(value: float) -> str:
    return f"{value:.3f}"[1:] if value < 0.9995 else "1.00"


def heading(results: Sequence[Result], *, noun: str = "runs") -> str:
    """A line that says what was scored and how.

    >>> import tophit
    >>> heading([tophit.evaluate({"q1": ["a"], "q2": []}, {"q1": ["a"]}, name="bm25")])
    'bm25: 2 questions, 1 answerable (1 unanswerable stays out of the means), matched by ids, k = 4'
    """
    what = results[0].name if len(results) == 1 else f"{len(results)} {noun}"
    matched = _MATCHED.get(match_of(results), f"matched by {match_of(results)}")
    said = [what_was_set(results[0].settings), _clusters(results[0])]
    rest = "".join(f", {each}" for each in said if each)
    return f"{what}: {_asked(results)}, {matched}, k = {results[0].k}{rest}"


def what_was_set(settings: Settings) -> str:
    """The settings that are not the default and are not said elsewhere in a heading.

    >>> what_was_set(Settings.of(None, {"depth": 10, "match_exact": True}))
    'match_exact, depth = 10'
    """
    rest = {name: value for name, value in settings.unusual.items() if name not in _SAID}
    return ", ".join(name if value is True else f"{name} = {value}" for name, value in rest.items())


def _clusters(result: Result) -> str:
    if result.cluster is None:
        return ""
    count = result.n_clusters or 0
    return f"intervals from {counted(count, 'cluster')} by {result.cluster}"


def _asked(results: Sequence[Result]) -> str:
    counts = counts_of(results)
    total = counted(counts.total, "question")
    if not counts.total:
        return total
    if not counts.unanswerable:
        return f"{total}, all answerable"
    return f"{total}, {counts.answerable:,} answerable ({_apart(counts, results[0].population)})"


def _apart(counts: QuestionCounts, population: str) -> str:
    count = f"{counts.unanswerable:,} unanswerable"
    if population != "answerable":
        return count
    return f"{count} {'stays' if counts.unanswerable == 1 else 'stay'} out of the means"


def outcome_lines(outcomes: Mapping[str, Mapping[str, int]]) -> list[str]:
    """What became of the questions, a line a run; outcomes that no question has are left out.

    >>> outcome_lines({"bm25": {"found": 8, "late": 1, "cut": 0}})
    ['outcomes: 8 found, 1 late']
    """
    lines = []
    for name, totals in outcomes.items():
        said = ", ".join(f"{count:,} {outcome}" for outcome, count in totals.items() if count)
        lines.append(f"outcomes{f' of {name}' if len(outcomes) > 1 else ''}: {said or 'none'}")
    return lines
