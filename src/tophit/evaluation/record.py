"""The JSON output, schema 1: one place that makes it, for commands and for a benchmark's files.

`docs/schema.json` describes it. The same input gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tophit._version import __version__
from tophit.errors import DataWarning
from tophit.evaluation.result import Result
from tophit.evaluation.results import counts_of, fingerprints_of, match_of, remarks

SCHEMA = 1


def head(kind: str | None = None) -> dict[str, Any]:
    """The first fields of every JSON output; an evaluation has no `kind`.

    >>> list(head("comparison"))
    ['tophit', 'kind', 'schema']
    """
    named = {} if kind is None else {"kind": kind}
    return {"tophit": __version__, **named, "schema": SCHEMA}


def result_record(kind: str, found: Any, **more: Any) -> dict[str, Any]:
    """A result of another kind (a diagnosis, a comparison, ...) as one JSON object.

    >>> import tophit
    >>> list(result_record("curve", tophit.curve({"q": ["a"]}, {"q": ["a"]}), window=None))[-2:]
    ['window', 'warnings']
    """
    plain = {**head(kind), **found.to_dict(), **more}
    return {**plain, "warnings": warning_records(found.warnings)}


def evaluation_record(
    results: Sequence[Result], *, outcomes: Mapping[str, Mapping[str, int]] | None = None
) -> dict[str, Any]:
    """One or more runs on the same questions.

    With several runs the counts `without_results` and `not_asked` are sums, each run has its own
    under `questions`, and a warning about one run has its name under `run`; `fingerprints` are
    those that the runs share, and each run has the others. `outcomes` are by the name of the run,
    and there only where they are known.

    >>> import tophit
    >>> result = tophit.evaluate({"q": ["a"]}, {"q": ["b", "a"]}, measures="MRR", name="bm25")
    >>> evaluation_record([result])["runs"][0]["measures"]["MRR"]["value"]
    0.5
    """
    several = len(results) > 1
    shared = fingerprints_of(results)
    return {
        **head(),
        "k": results[0].k,
        "match": match_of(results),
        "settings": {**results[0].settings.options, "match": match_of(results)},
        "questions": counts_of(results).to_dict(),
        "runs": [
            {
                **_run(each, (outcomes or {}).get(each.name), several=several),
                **_own_fingerprints(each, shared),
            }
            for each in results
        ],
        "warnings": [
            {
                **warning_record(remark.warning),
                **({"run": remark.run} if remark.run is not None else {}),
            }
            for remark in remarks(results)
        ],
        "fingerprints": shared,
        **cluster_record(results[0]),
    }


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


def cluster_record(result: Result) -> dict[str, dict[str, Any]]:
    """The clusters that the intervals come from as in the JSON output; nothing without clusters.

    >>> import tophit
    >>> cluster_record(tophit.evaluate({"q": ["a"]}, {"q": ["a"]}))
    {}
    """
    if result.cluster is None:
        return {}
    return {"cluster": {"field": result.cluster, "n": result.n_clusters}}


def _own_fingerprints(result: Result, shared: Mapping[str, str]) -> dict[str, dict[str, str]]:
    own = {name: each for name, each in result.fingerprints.items() if name not in shared}
    return {"fingerprints": own} if own else {}


def warning_record(warning: DataWarning) -> dict[str, Any]:
    """A warning as in the JSON output.

    >>> warning_record(DataWarning(code="ties", count=1, message="1 tie"))
    {'code': 'ties', 'count': 1, 'message': '1 tie'}
    """
    return {"code": warning.code, "count": warning.count, "message": warning.message}


def warning_records(warnings: Iterable[DataWarning]) -> list[dict[str, Any]]:
    """Warnings as in the JSON output, in their order.

    >>> warning_records([])
    []
    """
    return [warning_record(warning) for warning in warnings]


def as_json(data: Mapping[str, Any]) -> str:
    """Text of a JSON object, indented, with a line end; Unicode as it is, never NaN.

    >>> print(as_json({"name": "naïve"}), end="")
    {
      "name": "naïve"
    }
    """
    return json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
