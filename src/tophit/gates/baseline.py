"""The baseline of a gate: a result frozen in a file until somebody writes a new one.

`{"tophit", "kind": "baseline", "schema": 1, "name", "settings", "fingerprints", "measures":
{name: {value, low, high, n}}, "scores": {"query_id": [...], name: [...]}}`. The scores of every
question are in it, since only they allow a paired test later.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from tophit._version import __version__
from tophit.errors import Fault, InputError, TophitError
from tophit.evaluation.result import Result
from tophit.formats.reading.files import atomic_write
from tophit.measures import parse_measures
from tophit.relations import QUERY

KIND = "baseline"
SCHEMA = 1
_KEYS = ("kind", "schema", "name", "settings", "fingerprints", "measures", "scores")


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """A frozen result: its settings, fingerprints, means, and the scores of every question.

    >>> Baseline(name="main", settings={}, fingerprints={}, measures={}, scores=pl.DataFrame()).name
    'main'
    """

    name: str
    settings: Mapping[str, Any]
    fingerprints: Mapping[str, str]
    measures: Mapping[str, float]
    scores: pl.DataFrame = field(repr=False)
    source: str = KIND


def freeze(result: Result, *, version: str = __version__) -> str:
    """The text of a baseline: the same result gives the same bytes.

    >>> from tophit import evaluate
    >>> result = evaluate({"q": ["a"]}, {"q": ["a"]}, measures="Hit@4")
    >>> json.loads(freeze(result, version="0"))["scores"]
    {'query_id': ['q'], 'Hit@4': [1.0]}
    """
    scores = result.by_question
    record = {
        "tophit": version,
        "kind": KIND,
        "schema": SCHEMA,
        "name": result.name,
        "settings": result.settings.options,
        "fingerprints": dict(sorted(result.fingerprints.items())),
        "measures": {name: score.to_dict() for name, score in result.measures.items()},
        "scores": {name: scores[name].to_list() for name in (QUERY, *result.measures)},
    }
    return json.dumps(record, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def write_baseline(result: Result, path: str | Path) -> None:
    """Write the baseline of a result; a name ending in .gz or .zst is compressed.

    Errors: `OutputError` when the file cannot be written; the old baseline is kept then.
    """
    text = freeze(result)
    with atomic_write(path) as file:
        file.write(text)


def read_baseline(path: str | Path) -> Baseline:
    """Read a baseline.

    Errors: `InputError` where the file is no baseline, is of another schema, names measures that
    are unknown, or lacks scores; the message says how to write a new one.
    """
    from tophit.formats.reading.files import Source

    return baseline_from(_parsed(Source(path).text, file=str(path)), file=str(path))


def baseline_from(record: Any, *, file: str = KIND) -> Baseline:
    """The baseline in a parsed JSON record. Errors: as `read_baseline`.

    >>> baseline_from({"schema": 1, "runs": []})
    Traceback (most recent call last):
    tophit.errors.InputError: baseline, kind: expected 'baseline', found nothing
    hint: write one with: tophit baseline QUESTIONS RUN -o FILE
    """
    _check_shape(record, file)
    measures = record["measures"]
    faults = [fault for name in measures if (fault := _unknown(name, file))]
    columns = record["scores"]
    wanted = [QUERY, *measures]
    faults += [
        Fault(file=file, field=f"scores.{name}", expected="a value of every question", found="none")
        for name in wanted
        if len(columns.get(name, ())) != len(columns.get(QUERY, ()))
    ]
    if faults or QUERY not in columns:
        raise InputError(faults, hint=_HINT)
    try:
        types = {QUERY: pl.String, **dict.fromkeys(measures, pl.Float64)}
        scores = pl.DataFrame({name: columns[name] for name in wanted}, schema=types)
        values = {name: float(entry["value"]) for name, entry in measures.items()}
    except (TypeError, ValueError, KeyError, pl.exceptions.PolarsError) as error:
        raise InputError(
            Fault(file=file, field="scores", expected="numbers", found=str(error)), hint=_HINT
        ) from None
    return Baseline(
        name=str(record["name"]), settings=record["settings"], measures=values,
        fingerprints=record["fingerprints"], scores=scores.sort(QUERY), source=file,
    )  # fmt: skip


_HINT = "write one with: tophit baseline QUESTIONS RUN -o FILE"


def _parsed(text: str, *, file: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(
            Fault(file=file, line=error.lineno, expected="a baseline in JSON", found=error.msg),
            hint=_HINT,
        ) from None


def _check_shape(record: Any, file: str) -> None:
    def refuse(field: str, expected: str, found: str) -> None:
        raise InputError(Fault(file=file, field=field, expected=expected, found=found), hint=_HINT)

    if not isinstance(record, dict):
        refuse("kind", repr(KIND), f"a JSON {type(record).__name__}")
    if record.get("kind") != KIND:
        found = repr(record["kind"]) if "kind" in record else "nothing"
        refuse("kind", repr(KIND), found)
    if record.get("schema") != SCHEMA:
        refuse("schema", f"{SCHEMA}, which this version reads", repr(record.get("schema")))
    for name in _KEYS[2:]:
        kind = str if name == "name" else dict
        if not isinstance(record.get(name), kind):
            refuse(name, "text" if kind is str else "an object", repr(record.get(name))[:40])


def _unknown(name: str, file: str) -> Fault | None:
    try:
        known = parse_measures(name)[0].name == name
    except TophitError as error:
        return Fault(file=file, field="measures", expected="known measures", found=str(error))
    if known:
        return None
    return Fault(file=file, field="measures", expected="canonical names", found=repr(name))
