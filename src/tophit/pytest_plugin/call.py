"""What one call of the fixture does: score, check, and say what failed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tophit.diagnosis import Diagnosis, diagnose
from tophit.errors import UsageError, unknown
from tophit.evaluation.evaluate import DEFAULT_MEASURES, evaluate
from tophit.evaluation.result import Result
from tophit.frames import Retrieval
from tophit.gates import GateReport, check_limits, parse_limits
from tophit.measures import Measure, parse_measures
from tophit.pytest_plugin import MARKER, PROPERTY
from tophit.pytest_plugin.baseline import Held
from tophit.pytest_plugin.inputs import Given, inputs_of
from tophit.report.failure_text import SHOWN, failure_text
from tophit.report.summary import bounds, number
from tophit.settings import Options, Settings

_EVALUATE = ("measures", "name", "chunks", "settings", *Options.__annotations__)
_OWN = ("documents", "baseline", "max_drop", "significant", "allow_different")


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """The result of a call, what goes into the test's report, and the text of the failure if any.

    `properties` are pairs of a name and a text: the line of the summary, then a value a measure.
    """

    result: Result
    properties: list[tuple[str, str]]
    failure: str | None


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """A call with what the marker adds to it."""

    questions: Any
    retriever: Any
    conditions: list[str]
    options: dict[str, Any]
    settings: Settings
    folder: Path


def judged(
    request: pytest.FixtureRequest,
    arguments: tuple[Any, ...],
    options: dict[str, Any],
    *,
    call: int,
) -> Judgement:
    """Score and check. `call` counts the calls of a test, whose baselines are told apart by it.

    Errors: `UsageError` for a call that lacks something or has an unknown option; those of reading
    and of `evaluate`.
    """
    asked = _asked(request, arguments, options)
    limits = parse_limits(asked.conditions, k=asked.settings.k) if asked.conditions else ()
    held = Held.of(request, asked.options, call=call)
    measures = _measures(asked, [*(each.measure for each in limits), *held.measures])
    inputs = inputs_of(
        asked.questions, asked.retriever, asked.options.get("chunks"), folder=asked.folder,
        name=request.node.name, depth=asked.settings.depth, measures=measures,
    )  # fmt: skip
    result = _scored(inputs, asked, measures)
    limited = check_limits(result, limits) if limits else GateReport(checks=())
    dropped = held.check(result)
    report = GateReport(checks=(*limited.checks, *dropped.checks), warnings=dropped.warnings)
    failure = None if report.passed else _failure(request, result, report, asked, inputs)
    return Judgement(result=result, properties=_properties(result, report), failure=failure)


def _asked(
    request: pytest.FixtureRequest, arguments: tuple[Any, ...], options: dict[str, Any]
) -> _Asked:
    conditions: list[Any] = []
    given: dict[str, Any] = {}
    for marker in reversed(list(request.node.iter_markers(MARKER))):
        conditions += marker.args
        given |= marker.kwargs
    given |= options
    left = list(arguments)
    questions = _taken("questions", given, left)
    simple = "retriever" not in given and _are_retrievals(questions)
    retriever = None if simple else _taken("retriever", given, left)
    known = (*_EVALUATE, *_OWN)
    for name in given:
        if name not in known:
            raise unknown("option of tophit_eval", name, known)
    listed = [one for each in (*conditions, *left) for one in _listed(each)]
    return _Asked(
        questions=questions, retriever=retriever, conditions=listed, options=given,
        settings=_settings(given), folder=request.path.parent,
    )  # fmt: skip


def _settings(options: Mapping[str, Any]) -> Settings:
    own = {name: options[name] for name in Options.__annotations__ if name in options}
    return Settings.of(options.get("settings"), own)


def _taken(name: str, given: dict[str, Any], left: list[Any]) -> Any:
    if name in given:
        return given.pop(name)
    if not left:
        raise UsageError(f"tophit_eval needs {name}, in the call or in the marker")
    return left.pop(0)


def _are_retrievals(questions: Any) -> bool:
    """Whether the questions hold what was retrieved, too."""
    listed = questions if isinstance(questions, list | tuple) else [questions]
    return bool(listed) and isinstance(listed[0], Retrieval)


def _listed(condition: Any) -> list[str]:
    """A condition, or the conditions of a list. Errors: `UsageError` for anything else."""
    if isinstance(condition, str):
        return [condition]
    if isinstance(condition, list | tuple) and all(isinstance(each, str) for each in condition):
        return list(condition)
    raise UsageError(f"a condition is text such as 'Hit@4 >= 0.8', not {condition!r:.80}")


def _measures(asked: _Asked, needed: list[str]) -> tuple[Measure, ...]:
    written = asked.options.get("measures", () if needed else DEFAULT_MEASURES)
    measures = [written] if isinstance(written, str) else list(written)
    return parse_measures([*measures, *needed], k=asked.settings.k)


def _scored(inputs: Given, asked: _Asked, measures: tuple[Measure, ...]) -> Result:
    return evaluate(
        inputs.questions, inputs.run, measures=measures, chunks=inputs.chunks,
        name=asked.options.get("name", inputs.name), settings=asked.settings,
    )  # fmt: skip


def _failure(
    request: pytest.FixtureRequest,
    result: Result,
    report: GateReport,
    asked: _Asked,
    inputs: Given,
) -> str:
    def told(k: int) -> Diagnosis:
        return diagnose(
            inputs.questions, inputs.run, chunks=inputs.chunks,
            documents=asked.options.get("documents"), settings=result.settings, k=k,
        )  # fmt: skip

    everything = request.config.getoption("verbose") >= 2
    return failure_text(result, report, told, shown=None if everything else SHOWN)


def _properties(result: Result, report: GateReport) -> list[tuple[str, str]]:
    scores = [f"{name} {number(each.value)} {bounds(each)}" for name, each in result.items()]
    n = max((each.n for each in result.values()), default=0)
    state = ("passed" if report.passed else "FAILED") if report.checks else "no condition"
    line = f"{result.name}: {', '.join(scores)}, n = {n:,}, {state}"
    values = [(f"{PROPERTY}:{result.name}:{name}", str(s.value)) for name, s in result.items()]
    return [(PROPERTY, line), *values]
