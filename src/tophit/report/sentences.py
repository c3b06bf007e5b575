"""A result in sentences, for people who look once; made from its JSON record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tophit.errors import counted

_SUBJECT = {
    "text": "the answer was",
    "spans": "the answer was",
    "ids": "a relevant chunk was",
    "mixed": "what is expected was",
}
Record = Mapping[str, Any]


def percent(value: float) -> str:
    """A share without decimals; nothing is rounded to all or none.

    >>> percent(0.6667), percent(0.999), percent(0.001), percent(1)
    ('67 %', '99 %', '1 %', '100 %')
    """
    rounded = round(100 * value)
    if 0 < value < 1:
        rounded = min(99, max(1, rounded))
    return f"{rounded} %"


def headline(record: Record, run: Record, *, level: float = 0.95) -> str:
    """What the first measure of a run says, in a sentence.

    >>> score = {"value": 2 / 3, "low": 0.2077, "high": 0.9385, "n": 3}
    >>> headline({"k": 4, "match": "text"}, {"measures": {"Hit@4": score}})
    'In 67 % of 3 answerable questions the answer was in the first 4 chunks; 95 % interval \
21 % to 94 %.'
    """
    measure = f"Hit@{record['k']}"
    scores = run["measures"]
    if measure not in scores:
        measure = next(iter(scores))
    score = scores[measure]
    if not score["n"]:
        return "No question is answerable, so there is nothing to score."
    asked = counted(score["n"], "answerable question")
    if measure != f"Hit@{record['k']}":
        said = f"{measure} is {score['value']:.2f} over {asked}"
        return f"{said}{_interval(score, level, as_percent=False)}."
    first = "first chunk" if record["k"] == 1 else f"first {record['k']} chunks"
    subject = _SUBJECT[run.get("match", record["match"])]
    said = f"In {percent(score['value'])} of {asked} {subject} in the {first}"
    return f"{said}{_interval(score, level)}."


def _interval(score: Record, level: float, *, as_percent: bool = True) -> str:
    if score["low"] is None:
        return ""
    shown = percent if as_percent else "{:.2f}".format
    return f"; {100 * level:g} % interval {shown(score['low'])} to {shown(score['high'])}"


def gap(record: Record, run: Record) -> str | None:
    """What Hit and Partial say together; None where one of them is missing or nothing was asked.

    >>> hit, partial = {"value": 0.6, "n": 10}, {"value": 0.8, "n": 10}
    >>> gap({"k": 4}, {"measures": {"Hit@4": hit, "Partial@4": partial}})
    'In 2 more (20 %) at least half of it was there: cut by the splitter, or worded differently.'
    """
    k = record["k"]
    hit, partial = (run["measures"].get(f"{name}@{k}") for name in ("Hit", "Partial"))
    if hit is None or partial is None or not hit["n"]:
        return None
    more = round((partial["value"] - hit["value"]) * hit["n"])
    if more <= 0:
        return "Hit and Partial agree: no answer was retrieved by half."
    share = percent(more / hit["n"])
    return (
        f"In {more:,} more ({share}) at least half of it was there: cut by the splitter, or worded "
        "differently."
    )


def ceiling(run: Record) -> str | None:
    """What no retriever can exceed with these chunks; None where it was not measured.

    >>> ceiling({"measures": {"Ceiling": {"value": 0.87, "n": 89}}})
    'With these chunks no retriever can exceed 87 %.'
    """
    score = run["measures"].get("Ceiling")
    if score is None or not score["n"]:
        return None
    if score["value"] == 1:
        return "Every answer stands whole in some chunk of the index."
    return f"With these chunks no retriever can exceed {percent(score['value'])}."


def budget(run: Record) -> str | None:
    """Hit at an equal budget of tokens; None where it was not measured.

    >>> budget({"measures": {"Hit@3200tok": {"value": 0.9, "n": 10}}})
    'Within a budget of 3,200 tokens it is 90 %.'
    """
    for name, score in run["measures"].items():
        if name.startswith("Hit@") and name.endswith("tok") and score["n"]:
            tokens = int(name.removeprefix("Hit@").removesuffix("tok"))
            return f"Within a budget of {tokens:,} tokens it is {percent(score['value'])}."
    return None


def left_out(record: Record) -> list[str]:
    """Which questions do not count, or count as 0, and why.

    >>> counts = {"total": 4, "answerable": 3, "unanswerable": 1, "without_results": 0}
    >>> left_out({"questions": {**counts, "not_asked": 0}})
    ['1 question has no answer on purpose and stays out of every mean.']
    """
    counts = record["questions"]
    several = len(record.get("runs", ())) > 1
    unanswerable, without = counts["unanswerable"], counts.get("without_results", 0)
    lines = []
    if unanswerable:
        verbs = "has" if unanswerable == 1 else "have", "stays" if unanswerable == 1 else "stay"
        said = counted(unanswerable, "question")
        lines.append(f"{said} {verbs[0]} no answer on purpose and {verbs[1]} out of every mean.")
    if without:
        over = " over all runs" if several else ""
        lines.append(f"{counted(without, 'question')} without results{over}: counted as 0.")
    if counts.get("not_asked"):
        count = counts["not_asked"]
        said = counted(count, "query")
        lines.append(f"{said} of the run {'was' if count == 1 else 'were'} not asked: left out.")
    return lines
