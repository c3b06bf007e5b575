"""The JSON output of an evaluation with its gates; the rest is made by `evaluation.record`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tophit.evaluation.curve import Context
from tophit.evaluation.record import as_json, evaluation_record
from tophit.evaluation.result import Result
from tophit.gates import GateReport

__all__ = ["as_json", "evaluation_json"]


def evaluation_json(
    results: Sequence[Result],
    *,
    outcomes: Mapping[str, Mapping[str, int]] | None = None,
    gates: Mapping[str, GateReport] | None = None,
    contexts: Mapping[str, Context] | None = None,
    window: int | None = None,
) -> dict[str, Any]:
    """One or more runs on the same questions, as `docs/schema.json` describes.

    `outcomes`, `gates` and `contexts` are by the name of the run, and there only where they are
    known; `contexts` with the `window` that they are a share of.

    >>> import tophit
    >>> result = tophit.evaluate({"q": ["a"]}, {"q": ["b", "a"]}, measures="MRR", name="bm25")
    >>> evaluation_json([result])["runs"][0]["measures"]["MRR"]["value"]
    0.5
    """
    record = evaluation_record(results, outcomes=outcomes)
    for run in record["runs"]:
        cost = (contexts or {}).get(run["name"])
        if cost is not None and window is not None:
            run["context"] = cost.to_dict(window=window)
    if gates:
        record["gates"] = {name: report.to_dict() for name, report in gates.items()}
    return record
