"""How each kind of result is shown: one table, behind the methods that all results have."""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import polars as pl
from rich.console import Console, RenderableType

from tophit.benching import BenchResult
from tophit.checking import CheckReport
from tophit.comparison import Comparison
from tophit.diagnosis import Diagnosis
from tophit.errors import UsageError
from tophit.evaluation.curve import Curve
from tophit.evaluation.record import evaluation_record, result_record
from tophit.evaluation.result import Result
from tophit.formats import atomic_write, check_writable
from tophit.frames.arrow import pandas_from
from tophit.outcomes import BY_NAME
from tophit.report import plots
from tophit.report.bench_view import bench_view
from tophit.report.check_view import check_view
from tophit.report.comparison_output import comparison_frame
from tophit.report.comparison_view import comparison_view
from tophit.report.curve_view import curve_view
from tophit.report.diagnosis_view import FOUND, diagnosis_view
from tophit.report.frames import summary_frame
from tophit.report.html.benched import bench_details
from tophit.report.html.detail import Detail, details_of
from tophit.report.html.page import fragment_html
from tophit.report.html.results import KINDS, kind_of, result_html
from tophit.report.terminal import Visible, evaluation
from tophit.report.visible import usable_width

_LISTED = 10
Record = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Given:
    """What a result was made of, as far as it was given again to make its page."""

    questions: Any = None
    run: Any = None
    runs: Mapping[str, Any] | None = None
    chunks: Any = None
    documents: Any = None

    def named(self, name: str) -> dict[str, Any]:
        """The one run under its name. Errors: `UsageError` where a part is missing."""
        if self.questions is None or self.run is None:
            raise UsageError("a page with every question needs both: questions= and run=")
        return {name: self.run}


@dataclass(frozen=True, kw_only=True)
class Show:
    """One kind of result: what is printed, its JSON record, its table, its picture.

    `details` gives every question of it, from what it was made of.
    """

    view: Callable[[Any, int], RenderableType]
    record: Callable[[Any], Record]
    frame: Callable[[Any], pl.DataFrame]
    chart: Callable[[Any], Any]
    details: Callable[[Any, Given], list[Detail]] | None = None


def _of_result(found: Result, given: Given) -> list[Detail]:
    runs = given.named(found.name)
    return details_of(given.questions, runs, [found], chunks=given.chunks,
                      documents=given.documents)  # fmt: skip


def _of_comparison(found: Comparison, given: Given) -> list[Detail]:
    if given.questions is None or not given.runs:
        raise UsageError("a page with every question needs both: questions= and runs=, by name")
    runs = {name: given.runs[name] for name in found.runs if name in given.runs}
    if lacking := [name for name in found.runs if name not in runs]:
        raise UsageError(f"runs= lacks {', '.join(lacking)}")
    return details_of(given.questions, runs, measures=found.measures, settings=found.settings,
                      chunks=given.chunks, documents=given.documents)  # fmt: skip


def _of_diagnosis(found: Diagnosis, given: Given) -> list[Detail]:
    runs = given.named(found.name)
    return details_of(given.questions, runs, settings=found.settings, chunks=given.chunks,
                      documents=given.documents)  # fmt: skip


def _of_bench(found: BenchResult, given: Given) -> list[Detail]:
    return bench_details(found, given.questions)


def _missed(found: Diagnosis, width: int) -> RenderableType:
    missed = [name for name in BY_NAME if name != FOUND]
    return diagnosis_view(found, outcomes=missed, limit=_LISTED, width=width)


SHOWS: dict[type, Show] = {
    Result: Show(
        view=lambda found, width: evaluation([found], level=found.settings.level, width=width),
        record=lambda found: evaluation_record([found]),
        frame=lambda found: summary_frame([found]),
        chart=plots.measures,
        details=_of_result,
    ),
    Comparison: Show(
        view=lambda found, width: comparison_view(found, width=width),
        record=partial(result_record, "comparison"),
        frame=comparison_frame,
        chart=plots.differences,
        details=_of_comparison,
    ),
    Diagnosis: Show(
        view=_missed,
        record=partial(result_record, "diagnosis"),
        frame=lambda found: found.questions,
        chart=plots.outcomes,
        details=_of_diagnosis,
    ),
    CheckReport: Show(
        view=lambda found, width: check_view(found, limit=_LISTED),
        record=partial(result_record, "check"),
        frame=lambda found: found.frame,
        chart=plots.findings,
    ),
    Curve: Show(
        view=lambda found, width: curve_view(found, window=None, width=width),
        record=partial(result_record, "curve", window=None),
        frame=lambda found: found.points,
        chart=plots.over_k,
    ),
    BenchResult: Show(
        view=lambda found, width: bench_view(
            found, level=found.rows[0].result.settings.level, width=width
        ),
        record=lambda found: found.to_dict(),
        frame=lambda found: found.table,
        chart=plots.configurations,
        details=_of_bench,
    ),
}


def _show(result: object) -> Show:
    return next(show for kind, show in SHOWS.items() if isinstance(result, kind))


def text_of(result: object) -> str:
    """The table of the command line, as wide as the terminal (80 where there is none)."""
    width = usable_width(shutil.get_terminal_size().columns)
    out = Console(file=io.StringIO(), width=width, color_system=None, highlight=False,
                  markup=False, emoji=False)  # fmt: skip
    with out.capture() as capture:
        out.print(Visible(_show(result).view(result, width)))
    return "\n".join(line.rstrip() for line in capture.get().splitlines()).rstrip()


def fragment_of(result: object) -> str:
    """The first screen of the page, for a notebook."""
    record = _show(result).record(result)
    return fragment_html(KINDS[kind_of(record)](record, ()))


def frame_of(result: object) -> pl.DataFrame:
    """The table that is printed."""
    return _show(result).frame(result)


def pandas_of(result: object) -> Any:
    """The table that is printed, as pandas has it. Errors: `UsageError` without pandas."""
    try:
        return pandas_from(frame_of(result))
    except ModuleNotFoundError as error:
        raise UsageError(
            f"to_pandas needs the package {error.name!r}, which is not installed: "
            f"pip install {error.name}"
        ) from error


def chart_of(result: object) -> Any:
    """A chart of Altair. Errors: `MissingExtraError`."""
    return _show(result).chart(result)


def page_of(
    result: object, *, path: str | os.PathLike[str] | None, size: float, **given: Any
) -> str:
    """The page of a result. Errors: `UsageError` for questions without a run, or the reverse."""
    if path is not None:
        check_writable(path)
    show = _show(result)
    page = result_html(show.record(result), _details(show, result, Given(**given)), size=size)
    if path is not None:
        with atomic_write(path) as file:
            file.write(page)
    return page


def _details(show: Show, result: object, given: Given) -> list[Detail]:
    if given.questions is None and given.run is None and given.runs is None:
        return []
    if show.details is None:
        raise UsageError(f"{type(result).__name__} has no questions to open; leave them out")
    return show.details(result, given)
