"""The measures as people read them: docs/measures.md and `tophit measures`, from the one table.

python -m tophit.report.measures_page > docs/measures.md
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from tophit.measures import MEASURES, Definition
from tophit.measures.table import FAMILIES
from tophit.report.markdown import table

INTRODUCTION = """\
# Measures

This page is made from the table of measures in the program (`tophit measures --markdown`), so it
cannot disagree with it. [Choosing a measure](choosing-measures.md) says which one answers which
question.

A measure is written `NAME`, `NAME@k` or `NAME(parameter=value)@k`, the same way in Python, on the
command line, in files and in the output. Case does not matter, and every alias means the same as
the name: `success_4` is `Hit@4`. `@k` must be there (without one, `-k` is taken, 4 by default);
`[@k]` may be. A cutoff with `tok`, as in `Hit@3200tok`, is a budget: the first chunks that fit into
that many tokens together. Its k is the rank of the last chunk that fits.

Each measure has one value for each question, from 0 to 1. The score of a run is the mean over the
answerable questions. An item is something that a question should find: a piece of text, a place in
a document, or the id of a chunk. It is whole where one chunk holds all of it.
"""


def measures_page() -> str:
    """The whole page, in Markdown.

    >>> page = measures_page()
    >>> "### Hit@k" in page
    True
    """
    parts = [INTRODUCTION, _overview()]
    for family in FAMILIES:
        parts.append(f"## {family_title(family)}\n")
        parts += [_section(definition) for definition in family.DEFINITIONS]
    return "\n".join(parts)


def measure_records() -> list[dict[str, Any]]:
    """The table as plain records, for JSON.

    >>> measure_records()[0]["name"], measure_records()[0]["signature"]
    ('Hit', 'Hit@k')
    """
    return [
        {
            "name": each.name,
            "signature": each.signature,
            "aliases": list(each.aliases),
            "summary": each.summary,
            "formula": each.formula,
            "note": each.note,
            "parameters": {
                name: {
                    "default": parameter.default,
                    "expected": parameter.expected(),
                    "summary": parameter.summary,
                }
                for name, parameter in each.parameters.items()
            },
            "binary": each.binary,
            "rises_with_k": each.rises_with_k,
            "reference": each.reference,
        }
        for each in MEASURES.values()
    ]


def family_title(family: ModuleType) -> str:
    """What the first line of a family's module says before its colon.

    >>> from tophit.measures import hit
    >>> family_title(hit)
    'Did the answer make it'
    """
    return (family.__doc__ or "").partition("\n")[0].partition(":")[0].rstrip(".")


def properties(definition: Definition) -> str:
    """What values there are, and how they go with k.

    >>> properties(MEASURES["Hit"])
    '0 or 1; never falls as k grows'
    """
    values = "0 or 1" if definition.binary else "0 to 1"
    if definition.rises_with_k and definition.cutoff != "none":
        values += "; never falls as k grows"
    return values


def parameter_lines(definition: Definition) -> list[str]:
    """One line a parameter: its default, what it is, what it may be.

    >>> parameter_lines(MEASURES["Partial"])
    ['share=0.5 by default; fraction of the item held; a number above 0 and at most 1']
    """
    return [
        f"{name}={_plain(parameter.default)} by default; {parameter.summary}"
        + ("" if parameter.choices else f"; {parameter.expected()}")
        for name, parameter in definition.parameters.items()
    ]


def _plain(value: float | str) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _overview() -> str:
    rows = [[each.signature, ", ".join(each.aliases), each.summary] for each in MEASURES.values()]
    lines = table(["measure", "aliases", "value for one question"], rows, numbers=False)
    return "\n".join(lines) + "\n"


def _section(definition: Definition) -> str:
    return "\n".join([f"### {definition.signature}\n", *_lines(definition), ""])


def _lines(definition: Definition) -> Iterator[str]:
    yield f"{definition.summary[0].upper()}{definition.summary[1:]}.\n"
    yield f"- Formula: `{definition.formula}`"
    if definition.note:
        yield f"- Note: {definition.note}"
    yield f"- Values: {properties(definition)}"
    for line in parameter_lines(definition):
        written, _, meaning = line.partition(" ")
        yield f"- Parameter: `{written}` {meaning}"
    if definition.aliases:
        yield f"- Aliases: {', '.join(f'`{alias}`' for alias in definition.aliases)}"
    yield f"- Source: {definition.reference}"


if __name__ == "__main__":
    sys.stdout.write(measures_page())
