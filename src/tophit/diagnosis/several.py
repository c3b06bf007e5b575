"""The outcomes of several runs on the same questions; the index is asked once for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from tophit.diagnosis.examine import Examiner
from tophit.diagnosis.outcome_frame import OUTCOME, question_outcomes
from tophit.errors import DataWarning
from tophit.relations import QUERY
from tophit.settings import RankOptions, Settings


def outcomes_of_runs(
    questions: Any,
    runs: Mapping[str, Any],
    *,
    chunks: Any = None,
    documents: Any = None,
    settings: Settings | None = None,
    **options: Unpack[RankOptions],
) -> tuple[dict[str, dict[str, str]], tuple[DataWarning, ...]]:
    """Give run -> answerable question -> outcome, as `diagnose` finds it, and warnings.

    Errors: as `diagnose`.

    >>> outcomes_of_runs({"q": ["a"]}, {"old": {"q": ["b"]}, "new": {"q": ["a"]}})[0]
    {'old': {'q': 'missed'}, 'new': {'q': 'found'}}
    """
    chosen = Settings.of(settings, options, takes=RankOptions)
    examiner = Examiner(chosen, chunks=chunks, documents=documents)
    outcomes: dict[str, dict[str, str]] = {}
    warnings: dict[DataWarning, None] = {}
    for name, run in runs.items():
        examined = examiner.examine(questions, run)
        found = question_outcomes(examined.told)
        outcomes[name] = dict(zip(found[QUERY], found[OUTCOME], strict=True))
        warnings |= dict.fromkeys(examined.foreign)
    return outcomes, tuple(warnings)
