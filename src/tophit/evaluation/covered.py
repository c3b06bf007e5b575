"""Covered@k beside Hit@k: for what chunks hold together, the answer made it into the window too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import narwhals as nw

from tophit.evaluation.result import Result
from tophit.relations import QUERY


def covered_beside_hit(results: Sequence[Result]) -> list[Result]:
    """Put Covered@k right after Hit@k where any run has another value; else leave it out.

    >>> import polars as pl
    >>> import tophit
    >>> asked = pl.DataFrame({"query_id": ["q"], "item_id": ["e"], "text": ["two words"]})
    >>> run = {"query_id": ["q", "q"], "chunk_id": ["1", "2"], "rank": [1, 2]}
    >>> found = tophit.evaluate(
    ...     asked, pl.DataFrame({**run, "text": ["two", "words"]}), measures="Hit MRR Covered"
    ... )
    >>> list(covered_beside_hit([found])[0].measures), more_covered([found])
    (['Hit@4', 'Covered@4', 'MRR'], {'run': 1})
    """
    differs = any(more_covered(results).values())
    return [_arranged(result, _names(result, differs=differs)) for result in results]


def more_covered(results: Sequence[Result]) -> dict[str, int]:
    """How many more questions of each run are covered than are hits; nothing where none was asked.

    The runs that have neither Hit@k nor Covered@k are left out.
    """
    counts = {}
    for result in results:
        hit, covered = (result.measures.get(f"{name}@{result.k}") for name in ("Hit", "Covered"))
        if hit is not None and covered is not None:
            counts[result.name] = round((covered.value - hit.value) * hit.n)
    return counts


def covered_lines(results: Sequence[Result]) -> list[str]:
    """A sentence a run with questions that are covered and no hits."""
    lines = []
    for name, count in more_covered(results).items():
        if count:
            has = "has" if count == 1 else "have"
            where = f"{name}: " if len(results) > 1 else ""
            lines.append(
                f"{where}{count:,} more question{'' if count == 1 else 's'} {has} the answer whole "
                "over neighbouring chunks: Covered counts them, Hit does not"
            )
    return lines


def _names(result: Result, *, differs: bool) -> list[str]:
    covered = f"Covered@{result.k}"
    names = [name for name in result.measures if name != covered]
    if differs:
        names.insert(names.index(f"Hit@{result.k}") + 1, covered)
    return names


def _arranged(result: Result, names: list[str]) -> Result:
    scores = nw.from_native(result.scores).select(QUERY, *names).to_native()
    return replace(result, measures={name: result.measures[name] for name in names}, scores=scores)
