"""The JSON output, schema 1: the same input gives the same bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tophit import __version__
from tophit.gates import GateReport
from tophit.report.shared import counts_of, match_of, remarks
from tophit.result import Result

SCHEMA = 1


def evaluation_json(
    results: Sequence[Result],
    *,
    outcomes: Mapping[str, Mapping[str, int]] | None = None,
    gates: Mapping[str, GateReport] | None = None,
) -> dict[str, Any]:
    """One or more runs on the same questions, as `docs/schema.json` describes.

    With several runs the counts `without_results` and `not_asked` are sums, each run has its own
    under `questions`, and a warning about one run has its name under `run`. `outcomes` and `gates`
    are by the name of the run, and there only where they are known.

    >>> import tophit
    >>> result = tophit.evaluate({"q": ["a"]}, {"q": ["b", "a"]}, measures="MRR", name="bm25")
    >>> evaluation_json([result])["runs"][0]["measures"]["MRR"]["value"]
    0.5
    """
    several = len(results) > 1
    record: dict[str, Any] = {
        "tophit": __version__,
        "schema": SCHEMA,
        "k": results[0].k,
        "match": match_of(results),
        "questions": counts_of(results).to_dict(),
        "runs": [_run(each, (outcomes or {}).get(each.name), several=several) for each in results],
        "warnings": [
            {
                "code": remark.warning.code,
                "count": remark.warning.count,
                "message": remark.warning.message,
                **({"run": remark.run} if remark.run is not None else {}),
            }
            for remark in remarks(results)
        ],
    }
    if gates:
        record["gates"] = {name: report.to_dict() for name, report in gates.items()}
    return record


def _run(result: Result, outcomes: Mapping[str, int] | None, *, several: bool) -> dict[str, Any]:
    record = result.to_dict()
    if outcomes is not None:
        record["outcomes"] = dict(outcomes)
    if several:
        counts = result.questions
        record["match"] = result.match
        record["questions"] = {
            "without_results": counts.without_results,
            "not_asked": counts.not_asked,
        }
    return record


def as_json(data: dict[str, Any]) -> str:
    """Text of a JSON object, indented, with a line end; Unicode as it is, never NaN.

    >>> print(as_json({"name": "naïve"}), end="")
    {
      "name": "naïve"
    }
    """
    return json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
