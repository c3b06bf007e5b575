"""The page of a comparison: which run is better, by how much, and is it more than noise?"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields

from tophit.choices import OUTCOMES
from tophit.comparison import Difference
from tophit.errors import counted
from tophit.report.comparison_view import p_value, signed_bounds, verdict
from tophit.report.html import figures
from tophit.report.html.curves import evaluation_charts
from tophit.report.html.detail import Detail
from tophit.report.html.evaluated import ALONE, foot
from tophit.report.html.overview import AS_A_BAR, outcome_bar, section, table, warnings_section
from tophit.report.html.page import Page
from tophit.report.html.tags import Html, tag
from tophit.report.sentences import Record, percent
from tophit.report.summary import number

Pair = tuple[str, str]


def comparison_page(record: Record, details: Sequence[Detail] = ()) -> Page:
    """Each pair of runs: what the first measure says, all differences, and what changed."""
    pairs = _pairs(record)
    a, b = next(iter(pairs))
    level = record["level"]
    return Page(
        title=f"{b} against {a}" if len(pairs) == 1 else f"{len(record['runs'])} runs compared",
        meta=_meta(record),
        sections=[
            _headlines(pairs),
            *(_pair_section(record, pair, found) for pair, found in pairs.items()),
            *_outcomes(record),
            *warnings_section(record["warnings"]),
        ],
        charts=evaluation_charts(details, level=level),
        foot=foot({**record, "settings": record.get("settings") or {"k": record["k"]}}),
        alone=ALONE,
        compared=True,
    )


def _meta(record: Record) -> str:
    asked = counted(record["n"], "question")
    at = "" if record["k"] is None else f" · k = {record['k']}"
    return f"{asked} that every run was asked{at}"


def _pairs(record: Record) -> dict[Pair, list[Difference]]:
    """The differences of each pair, as objects again: the words about them are made in one place.

    What was won and lost is listed by id in the record.
    """
    names = {each.name for each in fields(Difference)} - {"query_ids", "signs"}
    found = [
        Difference(**{name: value for name, value in each.items() if name in names})
        for each in record["differences"]
    ]
    pairs = itertools.groupby(found, key=lambda each: (each.a, each.b))
    return {pair: list(group) for pair, group in pairs}


def _headlines(pairs: Mapping[Pair, Sequence[Difference]]) -> Html:
    lines = [tag("li", _sentence(found[0])) for found in pairs.values()]
    if len(lines) == 1:
        return tag("div", tag("p", _sentence(next(iter(pairs.values()))[0]), class_="headline"),
                   class_="lead")  # fmt: skip
    return tag("ul", *lines, class_="headlines lead")


def _sentence(found: Difference) -> Html:
    """What the first measure says of a pair."""
    if not found.n:
        return tag("span", "No question counts, so there is nothing to compare.")
    moved = "loses" if found.difference < 0 else "gains"
    points = abs(100 * found.difference)
    if not found.difference:
        said = [tag("bdi", found.b), f" and {found.measure} of ", tag("bdi", found.a), " are level"]
    else:
        said = [
            tag("bdi", found.b), f" {moved} {points:.1f} points of {found.measure} on ",
            tag("bdi", found.a), f" ({percent(found.value_a)} to {percent(found.value_b)})",
        ]  # fmt: skip
    sure = "more than chance explains" if found.significant else "which may well be chance"
    counts = f"{found.n_wins:,} won, {found.n_losses:,} lost of {counted(found.n, 'question')}"
    return tag("span", *said, f": {counts}, {sure} (p {_p(found)}).")


def _p(found: Difference) -> str:
    shown = p_value(found.p_holm)
    return shown if shown.startswith("<") else f"= {shown}"


def _pair_section(record: Record, pair: Pair, found: Sequence[Difference]) -> Html:
    a, b = pair
    ends = [abs(end) for each in found for end in (each.low, each.high) if end is not None]
    reach = 1.1 * max(ends, default=1.0) or 1.0
    rows = [
        [
            each.measure, number(each.value_a), number(each.value_b),
            tag("b", f"{each.difference:+.4f}", class_=_direction(each)),
            figures.interval(each.difference, each.low, each.high, least=-reach, most=reach),
            signed_bounds(each), p_value(each.p_holm), f"{each.n_wins:,}", f"{each.n_losses:,}",
        ]
        for each in found
    ]  # fmt: skip
    interval = f"{100 * record['level']:g} % interval"
    heads = ["measure", tag("bdi", a), tag("bdi", b), "difference", AS_A_BAR, interval, "p (Holm)",
             "won", "lost"]  # fmt: skip
    said = tag("ul", *(tag("li", verdict(each)) for each in found))
    numbers = table(heads, rows, numbers=(1, 2, 3, 6, 7, 8), caption=f"{b} against {a}")
    return section(f"{b} against {a}", numbers, said, *_changes(record, pair))


def _direction(found: Difference) -> str | None:
    if not found.significant:
        return None
    return "better" if found.difference > 0 else "worse"


def _changes(record: Record, pair: Pair) -> Iterator[Html]:
    rows = [
        [f"{each['before']} → {each['after']}", f"{len(each['query_ids']):,}"]
        for each in record["changes"]
        if (each["a"], each["b"]) == pair
    ]
    if rows:
        yield tag("h3", f"Outcomes that changed at k = {record['k']}")
        heads = ["outcome", "questions"]
        yield table(heads, rows, numbers=(1,), caption="Changes", class_="narrow")


def _outcomes(record: Record) -> Iterator[Html]:
    bars = []
    for run, outcomes in record["outcomes"].items():
        counts = Counter(outcomes.values())
        told = {name: counts[name] for name in OUTCOMES if counts[name]}
        if told:
            bars.append(outcome_bar(told, name=run))
    if bars:
        yield section("What became of the questions", *bars)
