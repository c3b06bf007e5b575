"""`tophit eval`: scores of one or more runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import click

from tophit.cli.gates import Gates, gate_options
from tophit.cli.help import argument, command, option
from tophit.cli.inputs import STDIO, Reading, read_index
from tophit.cli.options import (
    DEFAULT_MEASURES,
    OUTPUTS,
    SCORES,
    by_option,
    chunks_option,
    format_names,
    format_options,
    measure_names,
    questions_argument,
    scoring_options,
    window_option,
)
from tophit.cli.outputs import Outputs
from tophit.cli.pages import HTML, details, html_size_option, say_without_texts
from tophit.cli.reports import (
    REPORTS,
    Evaluated,
    annotate_run,
    report_options,
    write_reports,
)
from tophit.cli.screen import note, quoted, working
from tophit.relations import QUERY, TOKENS

if TYPE_CHECKING:
    import polars as pl

    from tophit.diagnosis import Diagnosis
    from tophit.evaluation.curve import Context
    from tophit.evaluation.result import Result
    from tophit.relations import Questions, Run
    from tophit.settings import Settings

EXAMPLES = (
    ("Hit@4, Partial@4 and MRR of what a system returned", "tophit eval questions.jsonl run.jsonl"),
    (
        "Two runs side by side, other measures, the numbers as JSON",
        "tophit eval qrels.txt bm25.run dense.run -m 'Hit@1 Hit@4 nDCG@10' \\\n"
        "    --json scores.json",
    ),
    (
        "The value of every question, for a spreadsheet or a data frame",
        "tophit eval questions.jsonl run.jsonl --per-question scores.csv",
    ),
    (
        "One page to look through: curves, and every question with what was retrieved",
        "tophit eval questions.jsonl run.jsonl --chunks chunks.jsonl --html report.html",
    ),
    (
        "Fail in CI when fewer than 80 % of the questions are hits",
        "tophit eval questions.jsonl run.jsonl --fail-under 'Hit@4=0.8'",
    ),
    (
        "The numbers of trec_eval -c -l 2",
        "tophit eval qrels.txt run.txt -m 'MAP P@10' --population trec_eval-c \\\n"
        "    --min-grade 2",
    ),
)


@command("eval", examples=EXAMPLES, tables=[("Measures", measure_names), ("Formats", format_names)])
@questions_argument
@argument("runs", nargs=-1, metavar="[RUN...]", explained="What a system retrieved; none where "
          "QUESTIONS holds that, too.")  # fmt: skip
@scoring_options
@option("--budget", type=click.IntRange(min=0), metavar="TOKENS", group=SCORES,
        help="Also score the first chunks that fit into so many tokens; 0: do not.  [default: "
        "for several runs that have tokens, what the first k chunks take at most]")  # fmt: skip
@window_option
@by_option
@chunks_option
@gate_options
@html_size_option
@report_options
@option("--annotations/--no-annotations", default=None, group=OUTPUTS,
        help="Print missed questions as GitHub annotations; by default only in GitHub Actions, "
        "when a gate fails.")  # fmt: skip
@format_options
def main(
    questions: str,
    runs: tuple[str, ...],
    *,
    measures: str,
    settings: Settings,
    budget: int | None,
    window: int | None,
    by: tuple[str, ...],
    chunks: str | None,
    gates: Gates,
    reading: Reading,
    html_size: float,
    annotations: bool | None,
    **files: Any,
) -> None:
    """Score what a retriever returned against what it should have returned.

    QUESTIONS holds the questions and what each should find; each RUN holds what one system
    returned for them (some formats, such as ragas, hold both in one file). The table gives the
    mean of every measure over the answerable questions, with its confidence interval. Unanswerable
    questions stay out and are counted; a question without results counts as 0.
    """
    outputs = Outputs.taken_from(files, tables=[each.option for each in REPORTS if each.is_table])
    with working("Reading"):
        asked, read = reading.read(questions, runs)
        index = None if chunks is None else read_index(chunks)
    say_without_texts(HTML in outputs.files, asked, read)
    scored = evaluated(
        asked, read, index=index, measures=measures, settings=settings, budget=budget,
        window=window, by=by, gates=gates, lines=partial(reading.lines, questions),
        html_size=html_size,
    )  # fmt: skip
    write_reports(scored, outputs)
    if outputs.leave_screen_free and STDIO not in (questions, *runs):
        note(_next_step(questions, runs, scored.results))
    annotate_run(scored, annotations)
    gates.settle(scored.gates)


def evaluated(
    asked: Questions,
    runs: Sequence[Run],
    *,
    index: pl.DataFrame | None,
    measures: str,
    settings: Settings,
    budget: int | None,
    window: int | None,
    by: Sequence[str],
    gates: Gates,
    lines: Callable[[], dict[str, int]],
    html_size: float,
) -> Evaluated:
    """Score every run and check the gates: what all reports are made of."""
    from tophit.evaluation.covered import covered_beside_hit

    wanted = gates.measures(measures, k=settings.k)
    by_default = measures == DEFAULT_MEASURES
    beside = _beside(runs, budget, settings, by_default=by_default, index=index)
    covered = by_default and "Covered" not in wanted and _knows_pieces(asked, runs, settings)
    beside += ["Covered"] if covered else []
    fields = [*by, *gates.fields(k=settings.k)]
    results = _scored(asked, runs, index, " ".join([wanted, *beside]), settings, by=fields)
    results = covered_beside_hit(results) if covered else results
    return Evaluated(
        asked=asked,
        results=results,
        diagnose=_diagnosing(asked, runs, index, results),
        gates=gates.check(results),
        indexed=index is not None,
        lines=lines,
        details=partial(details, asked, runs, results, chunks=index),
        html_size=html_size,
        window=window,
        contexts={} if window is None else _contexts(runs, results),
    )


def _beside(
    runs: Sequence[Run],
    budget: int | None,
    settings: Settings,
    *,
    by_default: bool,
    index: pl.DataFrame | None,
) -> list[str]:
    """The measures that stand beside those of a fixed k: at an equal budget, and the ceiling."""
    if budget is None and by_default and len(runs) > 1:
        budget = _equal_budget(runs, k=settings.k)
    found = [f"Hit@{budget}tok"] if budget else []
    return [*found, "Ceiling"] if by_default and index is not None else found


def _knows_pieces(asked: Questions, runs: Sequence[Run], settings: Settings) -> bool:
    """Whether every run is matched by what says which part of an item a chunk holds."""
    import narwhals as nw

    from tophit.matching import choose_match

    judgments = nw.from_native(asked.judgments.lazy())
    places = [nw.from_native(run.retrieved.lazy()) for run in runs]
    return all(choose_match(settings.match, judgments, each) != "ids" for each in places)


def _next_step(questions: str, runs: Sequence[str], results: Sequence[Result]) -> str:
    """What to type to learn more; nothing where every question is a hit."""
    files = " ".join(quoted(file) for file in (questions, *runs))
    if len(results) > 1:
        return f"More than noise? tophit compare {files}"
    score = next(iter(results[0].measures.values()))
    return f"Why were some missed? tophit diagnose {files}" if score.value < 1 else ""


def _equal_budget(runs: Sequence[Run], *, k: int) -> int | None:
    """What the first k chunks of any run take at most, up to the next hundred tokens."""
    from tophit.evaluation.curve import context

    if not all(TOKENS in run.retrieved.columns for run in runs):
        return None
    costs = [context(run, run.retrieved[QUERY].unique(), k=k) for run in runs]
    most = max((cost.most for cost in costs if cost is not None), default=0)
    return math.ceil(most / 100) * 100


def _scored(
    asked: Questions,
    runs: Sequence[Run],
    index: pl.DataFrame | None,
    measures: str,
    settings: Settings,
    *,
    by: Sequence[str],
) -> list[Result]:
    from tophit.evaluation.evaluate import evaluate

    results = []
    for run in runs:
        with working(f"Scoring {run.name}"):
            found = evaluate(asked, run, chunks=index, measures=measures, settings=settings, by=by)
            results.append(found)
    return results


def _contexts(runs: Sequence[Run], results: Sequence[Result]) -> dict[str, Context]:
    """What the first k chunks of each run cost, where it has tokens or texts."""
    from tophit.evaluation.curve import context

    found = {}
    for run, result in zip(runs, results, strict=True):
        asked, settings = result.by_question[QUERY], result.settings
        cost = context(run, asked, k=settings.k, tokenizer=settings.tokenizer)
        if cost is not None:
            found[run.name] = cost
    return found


def _diagnosing(
    asked: Questions,
    runs: Sequence[Run],
    index: pl.DataFrame | None,
    results: Sequence[Result],
) -> Callable[[str, int], Diagnosis]:
    """Gives the diagnosis of a run, by its name, at a k; each is made once, as it was scored."""
    scored = {run.name: (run, result.settings) for run, result in zip(runs, results, strict=True)}

    @cache
    def diagnosed(name: str, k: int) -> Diagnosis:
        from tophit.diagnosis import diagnose

        run, settings = scored[name]
        with working(f"Diagnosing {name}"):
            return diagnose(asked, run, chunks=index, settings=settings, k=k)

    return diagnosed
