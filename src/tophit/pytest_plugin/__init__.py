"""The pytest plugin: the fixture `tophit_eval`, its marker, and a line an evaluation at the end.

It is loaded in every run of pytest, so nothing heavy is imported before the fixture is called.

__init__.py  hooks, the fixture, the summary
call.py      what one call of the fixture does
inputs.py    questions and retriever as `evaluate` takes them
baseline.py  the frozen baseline: which file, read or written
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tophit.evaluation.result import Result

MARKER = "tophit"
PROPERTY = "tophit"
"""The line of an evaluation travels under this name with the test's report, xdist included."""

_HELP = (
    "tophit(*conditions, questions=None, retriever=None, **options): what the fixture tophit_eval "
    "takes where its call leaves it out, such as questions='questions.jsonl', k=4"
)


def _fraction(written: str) -> float:
    from tophit.gates.limits import parse_fraction

    return parse_fraction(written)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the baseline."""
    group = parser.getgroup("tophit", "retrieval evaluation (tophit)")
    group.addoption(
        "--tophit-baseline", metavar="PATH", default=None,
        help="hold evaluations against a frozen baseline: a file, or a folder with a file each",
    )  # fmt: skip
    group.addoption(
        "--tophit-max-drop", metavar="P", type=_fraction, default=None,
        help="how far a measure may fall below the baseline, such as 0.02 or 2%% (else not at all)",
    )  # fmt: skip
    group.addoption(
        "--tophit-significant", action="store_true", default=False,
        help="fail only on a drop below the baseline that the paired test supports",
    )  # fmt: skip
    group.addoption(
        "--tophit-write-baseline", action="store_true", default=False,
        help="write the baseline instead of holding evaluations against it",
    )  # fmt: skip


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and what prints the summary."""
    config.addinivalue_line("markers", _HELP)
    config.pluginmanager.register(_Summary(), "tophit-summary")
    max_drop = config.getoption("tophit_max_drop")
    if max_drop is not None and not 0 <= max_drop <= 1:
        raise pytest.UsageError(f"--tophit-max-drop must lie between 0 and 1, not {max_drop:g}")


@pytest.fixture
def tophit_eval(request: pytest.FixtureRequest) -> TophitEval:
    """Score a retriever, and fail where a condition does not hold.

    tophit_eval(questions, retriever, "Hit@4 >= 0.8") returns the result.
    """
    return TophitEval(request)


class TophitEval:
    """What the fixture `tophit_eval` gives: it scores, checks the conditions, returns the result.

    `questions` is whatever `tophit.evaluate` takes; `retriever` too, or a function from a question
    to a list of ids, records or documents. `conditions` are limits such as "Hit@4 >= 0.8" or
    "lower:MRR >= 0.5". What the marker gives is left out of the call.

    Options: those of `tophit.evaluate` (k, match, min_grade, chunks, ...); `documents` for the
    diagnosis; `baseline` (a path, or None for none), `max_drop`, `significant` and
    `allow_different` in place of the command line's.

    Errors: `AssertionError` where a condition does not hold, `TophitError` for bad input.
    """

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._request = request
        self._calls = 0

    def __call__(self, *arguments: Any, **options: Any) -> Result:
        """Score, check, and return the result; see the class."""
        __tracebackhide__ = True
        from tophit.errors import TophitError
        from tophit.pytest_plugin.call import judged

        self._calls += 1
        try:
            judgement = judged(self._request, arguments, options, call=self._calls)
        except TophitError as error:
            # Where in tophit it was raised says nothing about the test.
            raise error.with_traceback(None) from None
        self._request.node.user_properties += judgement.properties
        if judgement.failure is not None:
            raise AssertionError(judgement.failure)
        return judgement.result


class _Summary:
    """A line an evaluation at the end, from the reports of the tests: workers send those too."""

    def __init__(self) -> None:
        self._lines: dict[str, list[str]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "teardown":
            lines = [str(value) for name, value in report.user_properties if name == PROPERTY]
            if lines:
                self._lines[report.nodeid] = lines

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self._lines or terminalreporter.config.getoption("verbose") < -1:
            return
        terminalreporter.write_sep("=", "tophit")
        for test, lines in sorted(self._lines.items()):
            for line in lines:
                terminalreporter.write_line(f"{test}  {line}")
