"""Gates: limits and a frozen baseline, and the exit status that they give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from tophit.cli.door import GateError
from tophit.cli.help import option
from tophit.cli.options import GATES, gathered, together
from tophit.cli.screen import show
from tophit.errors import UsageError

if TYPE_CHECKING:
    from tophit.evaluation.result import Result
    from tophit.gates import GateReport


class Fraction(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """A number from 0 to 1, or a percentage, as in a limit."""

    name = "fraction"

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """The fraction. Errors: a usage error that says what may be written."""
        from tophit.gates.limits import parse_fraction

        try:
            fraction = parse_fraction(value) if isinstance(value, str) else float(value)
        except ValueError:
            self.fail(f"{value!r} is not a number such as 0.02 or 2%", param, ctx)
        if not 0 <= fraction <= 1:
            self.fail(f"{value} is not between 0 and 1 (0.02 or 2% for two points)", param, ctx)
        return fraction


gate_options = together(
    option(
        "--fail-under", multiple=True, metavar="LIMIT", group=GATES,
        help="Exit with status 1 if a measure is below: 'Hit@4=0.8', or 'lower:Hit@4=0.8' for the "
        "lower end of its interval, or 'topic=billing:Hit@4=0.7' for a slice. May be given several "
        "times.",
    ),
    option(
        "--against", metavar="BASELINE", group=GATES,
        help="Exit with status 1 if a measure fell below what 'tophit baseline' has frozen.",
    ),
    option(
        "--max-drop", type=Fraction(), metavar="P", group=GATES,
        help="With --against: how far a measure may fall, such as 0.02 or 2%.",
    ),
    option(
        "--significant", is_flag=True, group=GATES,
        help="With --against: fail only on a drop that the paired test supports.",
    ),
    option(
        "--allow-different", is_flag=True, group=GATES,
        help="With --against: compare the common questions where questions or settings differ.",
    ),
    gathered("gates", lambda options: Gates.taken_from(options)),
)  # fmt: skip

Named = dict[str, "GateReport"]


@dataclass(frozen=True, kw_only=True)
class Gates:
    """What was asked of the gates."""

    fail_under: Sequence[str]
    against: str | None
    max_drop: float | None
    significant: bool
    allow_different: bool

    @classmethod
    def taken_from(cls, options: dict[str, Any]) -> Gates:
        """Take the gates out of `options`. Errors: `UsageError` for options that need --against."""
        names = ("fail_under", "against", "max_drop", "significant", "allow_different")
        taken = {name: options.pop(name) for name in names}
        gates = cls(**taken)
        for name in names[2:]:
            if taken[name] not in (None, False) and gates.against is None:
                raise UsageError(f"--{name.replace('_', '-')} needs --against BASELINE")
        return gates

    def measures(self, written: str, *, k: int) -> str:
        """The measures asked for, and those that a gate needs besides."""
        from tophit.gates import parse_limits, read_baseline

        needed: list[str] = []
        if self.fail_under:
            needed += [limit.measure for limit in parse_limits(self.fail_under, k=k)]
        if self.against is not None:
            needed += read_baseline(self.against).measures
        return " ".join([written, *needed])

    def fields(self, *, k: int) -> list[str]:
        """What a limit slices by."""
        from tophit.gates import parse_limits

        limits = parse_limits(self.fail_under, k=k) if self.fail_under else ()
        return [limit.field for limit in limits if limit.field is not None]

    def check(self, results: Sequence[Result]) -> Named:
        """The outcome of every gate, for each run by its name; empty without gates."""
        if not self.fail_under and self.against is None:
            return {}
        from tophit.gates import GateReport

        reports: Named = {}
        for result in results:
            limits, drops = self._limits(result), self._drops(result)
            reports[result.name] = GateReport(
                checks=(*limits.checks, *drops.checks), warnings=drops.warnings
            )
        return reports

    def settle(self, reports: Named) -> None:
        """Print the outcome to standard error. Raises `GateError` where a gate failed."""
        if not reports:
            return
        from tophit.report.gates_view import gates_view

        show(gates_view(reports), err=True)
        if not all(report.passed for report in reports.values()):
            raise GateError

    def _limits(self, result: Result) -> GateReport:
        from tophit.gates import GateReport, check_limits

        return check_limits(result, self.fail_under) if self.fail_under else GateReport(checks=())

    def _drops(self, result: Result) -> GateReport:
        from tophit.gates import GateReport, check_against, read_baseline

        if self.against is None:
            return GateReport(checks=())
        return check_against(
            result,
            read_baseline(self.against),
            max_drop=self.max_drop,
            significant=self.significant,
            allow_different=self.allow_different,
        )
