"""Which outcomes changed between runs: found to cut, late to found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Outcomes = Mapping[str, str]
Changes = dict[tuple[str, str], list[str]]


def outcome_changes(before: Outcomes, after: Outcomes) -> Changes:
    """The questions whose outcome (found, cut, ...) changed between two runs, by from and to.

    >>> outcome_changes({"q1": "found", "q2": "cut"}, {"q1": "cut", "q2": "cut"})
    {('found', 'cut'): ['q1']}
    """
    changes: Changes = {}
    for name in sorted(before.keys() & after.keys()):
        if before[name] != after[name]:
            changes.setdefault((before[name], after[name]), []).append(name)
    return dict(sorted(changes.items()))


def change_records(changes: Mapping[tuple[str, str], Changes]) -> list[dict[str, Any]]:
    """The changes of every pair of runs as in the JSON output.

    >>> change_records({("old", "new"): {("found", "cut"): ["q1"]}})
    [{'a': 'old', 'b': 'new', 'before': 'found', 'after': 'cut', 'query_ids': ['q1']}]
    """
    return [
        {"a": a, "b": b, "before": before, "after": after, "query_ids": ids}
        for (a, b), between in changes.items()
        for (before, after), ids in between.items()
    ]


def pairs_of_differences(differences: Iterable[Any]) -> list[tuple[str, str]]:
    """Each pair of runs once, in their order."""
    return list(dict.fromkeys((found.a, found.b) for found in differences))
