"""The first screen of an evaluation: the sentence, outcomes, measures, and what was left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tophit.choices import OUTCOMES
from tophit.errors import counted
from tophit.report import sentences
from tophit.report.advice import advice
from tophit.report.html import figures
from tophit.report.html.tags import Html, tag
from tophit.report.sentences import Record, percent
from tophit.report.summary import number

_BOUNDS = "[{:.3f}, {:.3f}]"
AS_A_BAR = tag("span", "as a bar", class_="unseen")
"""The head of a column of bars."""


def evaluation_sections(record: Record, *, level: float) -> list[Html]:
    """All of the first screen of one or more runs, from their JSON record."""
    runs = record["runs"]
    parts = [
        _headlines(record, level=level),
        *_gates(record),
        *_outcomes(runs),
        measures_section(runs, level=level),
        *(section for run in runs for section in _slices(run, several=len(runs) > 1)),
        *(section for run in runs for section in _stages(run, several=len(runs) > 1)),
    ]
    return [*parts, *left_out_section(record), *warnings_section(record["warnings"])]


def section(title: str, *children: object, **attributes: object) -> Html:
    """A part of a page with its heading.

    >>> section("Measures", "...")
    '<section><h2>Measures</h2>...</section>'
    """
    return tag("section", tag("h2", title), *children, **attributes)


# ------------------------------------------------------------------------------ the sentence


def _headlines(record: Record, *, level: float) -> Html:
    runs = record["runs"]
    if len(runs) == 1:
        said = [sentences.headline(record, runs[0], level=level)]
        beside = [
            line
            for line in (
                sentences.gap(record, runs[0]), sentences.ceiling(runs[0]),
                sentences.budget(runs[0]), _context(runs[0]),
            )
            if line
        ]  # fmt: skip
        return tag("div", tag("p", *said, class_="headline"),
                   tag("p", " ".join(beside), class_="beside") if beside else None,
                   class_="lead")  # fmt: skip
    lines = [
        tag("li", tag("b", run["name"], dir="auto"), ": ",
            sentences.headline(record, run, level=level))
        for run in runs
    ]  # fmt: skip
    return tag("ul", *lines, class_="headlines lead")


def _context(run: Record) -> str | None:
    cost = run.get("context")
    if cost is None:
        return None
    return (
        f"The first {cost['k']} chunks take {cost['tokens_mean']:,.0f} tokens on average, "
        f"{percent(cost['tokens_mean'] / cost['window'])} of {cost['window']:,}."
    )


def _gates(record: Record) -> Iterator[Html]:
    gates = record.get("gates")
    if not gates:
        return
    rows = [
        [
            name if len(gates) > 1 else None,
            tag("span", "passed" if check["passed"] else "failed",
                class_="passed" if check["passed"] else "failed"),
            check["case"],
            number(check["expected"]),
            "no interval" if check["actual"] is None else number(check["actual"]),
            check["note"],
        ]
        for name, gate in gates.items()
        for check in gate["checks"]
    ]  # fmt: skip
    heads = ["run" if len(gates) > 1 else None, "state", "gate", "at least", "found", "note"]
    passed = all(gate["passed"] for gate in gates.values())
    yield section(f"Gate {'passed' if passed else 'failed'}", table(heads, rows, numbers=(3, 4)))


# ------------------------------------------------------------------------------ outcomes


def _outcomes(runs: Sequence[Record]) -> Iterator[Html]:
    told = [run for run in runs if run.get("outcomes")]
    if not told:
        return
    bars = [outcome_bar(run["outcomes"], name=run["name"] if len(told) > 1 else None)
            for run in told]  # fmt: skip
    yield section("What became of the questions", *bars)


def outcome_bar(counts: Mapping[str, int], *, name: str | None = None) -> Html:
    """A bar of the outcomes of one run, with a legend; the script makes buttons of its entries.

    >>> "found" in outcome_bar({"found": 3, "late": 0})
    True
    """
    total = sum(counts.values())
    entries = [
        tag("li",
            tag("span", tag("span", class_=f"key o-{outcome}"), tag("b", f"{count:,}"),
                f" {outcome} ", tag("span", percent(count / total), class_="quiet"),
                title=OUTCOMES.get(outcome), data_outcome=outcome, data_run=name))
        for outcome, count in counts.items()
        if count
    ]  # fmt: skip
    heading = None if name is None else tag("h3", name, dir="auto")
    return tag("div", heading, figures.stacked(counts), tag("ul", *entries, class_="legend"),
               class_="outcomes")  # fmt: skip


# ------------------------------------------------------------------------------ tables


def table(
    heads: Sequence[object],
    rows: Sequence[Sequence[object]],
    *,
    numbers: Sequence[int] = (),
    caption: str | None = None,
    class_: str | None = None,
) -> Html:
    """A table; a column whose head is None is left out, `numbers` stand to the right.

    >>> table(["run", "n", None], [["a", 1, 2]], numbers=[1]).count("</td>")
    1
    """
    kept = [place for place, head in enumerate(heads) if head is not None]
    right = dict.fromkeys(numbers, "n")
    head = tag("tr", *(tag("th", heads[p], scope="col", class_=right.get(p)) for p in kept))
    body = [
        tag("tr", *(
            tag("th", row[p], scope="row", dir="auto") if p == kept[0]
            else tag("td", row[p], class_=right.get(p))
            for p in kept
        ))
        for row in rows
    ]  # fmt: skip
    told = None if caption is None else tag("caption", caption)
    whole = tag("table", told, tag("thead", head), tag("tbody", *body), class_=class_)
    # it can be scrolled by the keyboard, so it needs a name
    label = caption or "table"
    return tag("div", whole, class_="scroll", tabindex=0, role="region", aria_label=label)


def measures_section(runs: Sequence[Record], *, level: float, noun: str = "run") -> Html:
    """Every measure of every run with its interval, as numbers and as a bar.

    Several runs: a row a run, and all numbers in a table to open.
    """
    several = len(runs) > 1
    names = list(dict.fromkeys(name for run in runs for name in run["measures"]))
    rows = [
        _measure_row(name, run, several=several)
        for name in names
        for run in runs
        if name in run["measures"]
    ]
    interval = f"{100 * level:g} % interval"
    heads = ["measure", noun if several else None, "value", AS_A_BAR, interval, "n"]
    numbers = table(heads, rows, numbers=(2, 5), caption="Measures")
    if not several:
        return section("Measures", numbers)
    opened = tag("details", tag("summary", "With their intervals in numbers"), numbers)
    return section("Measures", _matrix(runs, names, noun=noun), opened)


def _matrix(runs: Sequence[Record], names: Sequence[str], *, noun: str) -> Html:
    """A row a run, a column a measure; and what a benchmark knows besides."""
    benched = all("context_tokens" in run for run in runs)
    rows = [
        [
            tag("bdi", run["name"]),
            *(_cell(run["measures"].get(name)) for name in names),
            *([f"{run['chunks']:,}", f"{run['context_tokens']['mean']:,.0f}"] if benched else []),
        ]
        for run in runs
    ]
    heads = [noun, *names, *(["chunks", "tokens"] if benched else [])]
    return table(heads, rows, numbers=range(1, len(heads)), caption="Measures of all runs")


def _cell(score: Record | None) -> Html | None:
    if score is None:
        return None
    bar = figures.interval(score["value"], score["low"], score["high"])
    return tag("span", tag("b", number(score["value"])), bar)


def _measure_row(name: str, run: Record, *, several: bool) -> list[object]:
    score = run["measures"][name]
    bounds = "no interval" if score["n"] else "no questions"
    if score["low"] is not None:
        bounds = _BOUNDS.format(score["low"], score["high"])
    return [
        name,
        tag("bdi", run["name"]) if several else None,
        tag("b", number(score["value"])),
        figures.interval(score["value"], score["low"], score["high"]),
        bounds,
        f"{score['n']:,}",
    ]


def _slices(run: Record, *, several: bool) -> Iterator[Html]:
    """Each slice's values, where the run has slices: {tag: {value: {measure: score}}}."""
    for field, values in run.get("slices", {}).items():
        rows = [
            [value, *_measure_row(name, {"name": "", "measures": scores}, several=False)[:1],
             *_measure_row(name, {"name": "", "measures": scores}, several=False)[2:]]
            for value, scores in values.items()
            for name in scores
        ]  # fmt: skip
        whose = f" of {run['name']}" if several else ""
        heads = [field, "measure", "value", AS_A_BAR, "interval", "n"]
        yield section(f"By {field}{whose}", table(heads, rows, numbers=(2, 5), caption=field))


def _stages(run: Record, *, several: bool) -> Iterator[Html]:
    """The funnel, where the run has stages: [{stage, measures}]."""
    stages: Sequence[Record] = run.get("stages", ())
    rows = [
        [stage["name"], name, tag("b", number(score["value"])), figures.share(score["value"])]
        for stage in stages
        for name, score in stage["measures"].items()
    ]
    if rows:
        whose = f" of {run['name']}" if several else ""
        heads = ["stage", "measure", "value", AS_A_BAR]
        yield section(f"Stages{whose}", table(heads, rows, numbers=(2,), caption="Stages"))


# ------------------------------------------------------------------------------ notes


def left_out_section(record: Record) -> Iterator[Html]:
    """Which questions do not count, and why."""
    if lines := sentences.left_out(record):
        yield section("Left out, and why", tag("ul", *(tag("li", line) for line in lines)))


def warnings_section(warnings: Sequence[Record]) -> Iterator[Html]:
    """The warnings, each with what to do about it."""
    if not warnings:
        return
    items = [
        tag("li",
            tag("bdi", f"{warning['run']}: ") if warning.get("run") else None,
            warning["message"],
            tag("p", advice(warning["code"]), class_="advice") if advice(warning["code"]) else None)
        for warning in warnings
    ]  # fmt: skip
    yield section(counted(len(items), "warning").capitalize(), tag("ul", *items), class_="warnings")


def how_it_was_made(record: Record, facts: Mapping[str, Any]) -> Html:
    """The settings and fingerprints at the foot of a page."""
    told = {**facts, "tophit": record["tophit"]}
    for name, value in record.get("fingerprints", {}).items():
        told[f"fingerprint of the {name}"] = value
    entries = [
        part
        for name, value in told.items()
        if value is not None and value is not False
        for part in (tag("dt", name), tag("dd", str(value), dir="auto"))
    ]
    return section("How it was made", tag("dl", *entries), class_="made")
