"""The page: one file with everything in it, which asks nobody for anything.

A Content-Security-Policy allows the page's own style and scripts, by their checksums, and no more.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from tophit._version import __version__
from tophit.report.html.charts import Chart
from tophit.report.html.explorer import Explorer
from tophit.report.html.overview import section
from tophit.report.html.packing import packed
from tophit.report.html.tags import Html, tag

_STYLES = ("page.css", "questions.css")
_SCRIPTS = ("unpack.js", "charts.js", "list.js", "questions.js", "detail.js", "main.js")
_LIBRARY, _LIBRARY_STYLE, _LICENCE = "uPlot.iife.min.js", "uPlot.min.css", "LICENSE"


@dataclass(frozen=True, kw_only=True)
class Page:
    """What a page shows: its title, a line about it, its sections, pictures, and questions.

    `notes` stand above the questions, `alone` in their place where there are none. `compared`: the
    second run is shown beside the first.
    """

    title: str
    meta: str
    sections: Sequence[Html]
    charts: Sequence[Chart] = ()
    explorer: Explorer | None = field(default=None, repr=False)
    notes: Sequence[str] = ()
    foot: Html | None = None
    alone: str | None = None
    compared: bool = False


def page_html(page: Page) -> str:
    """The whole file. The same page gives the same bytes.

    >>> html = page_html(Page(title="<b>", meta="", sections=[]))
    >>> html.startswith("<!doctype html>"), "<title>&lt;b&gt;" in html
    (True, True)
    """
    style, scripts = _style(), [*_library(), _script()]
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_policy(style, scripts)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="generator", content=f"tophit {__version__}"),
        tag("title", f"{page.title} · tophit"),
        tag("link", rel="icon", href="data:,"),
        tag("style", Html(style)),
    )
    body = tag(
        "body",
        *_content(page),
        _data("charts", [chart.to_dict() for chart in page.charts]),
        _data("rows", page.explorer and page.explorer.rows),
        _data("places", page.explorer and page.explorer.places),
        *(tag("script", Html(script)) for script in scripts),
    )
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def fragment_html(page: Page) -> str:
    """The first screen alone, to stand in another page such as a notebook.

    >>> fragment_html(Page(title="bm25", meta="", sections=[])).startswith("<div class=")
    True
    """
    heading = tag("p", tag("b", page.title, dir="auto"), f" · {page.meta}")
    style = tag("style", Html(_read("assets", "fragment.css") or ""))
    numbers = [
        tag("details", tag("summary", chart.title, ": the numbers"), chart.numbers)
        for chart in page.charts
    ]
    return tag("div", style, heading, *page.sections, *numbers, class_="tophit")


def _content(page: Page) -> list[Html | None]:
    charts = [chart.figure(number) for number, chart in enumerate(page.charts)]
    parts = {
        "overview": "Overview",
        "curves": "Curves" if charts else None,
        "questions": "Questions" if page.explorer else None,
        "made": "How it was made" if page.foot else None,
    }
    links = [tag("li", tag("a", name, href=f"#{id_}")) for id_, name in parts.items() if name]
    return [
        tag("a", "To the questions", href="#questions", class_="skip") if page.explorer else None,
        tag("div",
            tag("header", tag("p", "tophit", class_="brand"), tag("h1", page.title, dir="auto"),
                tag("p", page.meta, class_="meta", dir="auto"),
                tag("nav", tag("ul", *links), aria_label="Parts of this page")),
            tag("main",
                tag("p", id="trouble", class_="failed", role="alert", hidden=True),
                tag("noscript", tag("p", "Scripts are off: the pictures are tables, and the "
                                         "questions cannot be shown.")),
                tag("div", *page.sections, id="overview"),
                section("Curves", tag("div", *charts, class_="charts"), id="curves")
                if charts else None,
                _questions(page),
                page.foot),
            class_="page"),
    ]  # fmt: skip


def _questions(page: Page) -> Html | None:
    if page.explorer is None:
        return section("Questions", tag("p", page.alone)) if page.alone else None
    return section(
        "Questions",
        *(tag("p", note, class_="quiet") for note in page.notes),
        tag("div", tag("div", id="fields", class_="fields"),
            tag("div", id="chips", class_="chips", role="group", aria_label="Outcomes"),
            tag("div", tag("span", id="count", role="status"), id="status", class_="status"),
            class_="filters"),
        tag("div",
            tag("div", id="list", role="listbox", tabindex=0, aria_label="Questions"),
            tag("div", id="detail", tabindex=0, role="region", aria_label="The chosen question"),
            id="explorer", class_="explorer", data_compared=page.compared),
        tag("p", tag("kbd", "/"), " search · ", tag("kbd", "↑"), " ", tag("kbd", "↓"),
            " move in the list · ", tag("kbd", "Enter"), " into the question · ",
            tag("kbd", "Esc"), " back", class_="quiet keys"),
        id="questions",
    )  # fmt: skip


def _data(name: str, data: Any) -> Html:
    """Data that no script engine looks at, in characters that no markup can be in."""
    return tag("script", packed(data) if data else "", id=name, type="application/octet-stream")


def _policy(style: str, scripts: Sequence[str]) -> str:
    allowed = " ".join(f"'{_checksum(script)}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {allowed}; style-src '{_checksum(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _checksum(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


# ------------------------------------------------------------------------------ assets


def _read(*names: str) -> str | None:
    file = resources.files("tophit.report.html").joinpath(*names)
    return file.read_text(encoding="utf-8") if file.is_file() else None


@cache
def _style() -> str:
    parts = [_read("vendor", _LIBRARY_STYLE), *(_read("assets", name) for name in _STYLES)]
    return "\n".join(part for part in parts if part is not None)


@cache
def _script() -> str:
    parts = [_read("assets", name) or "" for name in _SCRIPTS]
    return '(() => {\n"use strict";\n' + "\n".join(parts) + "})();\n"


@cache
def _library() -> tuple[str, ...]:
    """The charting library under its licence; none where it was not built in (hatch_build.py)."""
    code, licence = _read("vendor", _LIBRARY), _read("vendor", _LICENCE)
    return () if code is None or licence is None else (f"/* uPlot\n\n{licence}*/\n{code}",)


def shell_size() -> int:
    """How many bytes a page has without its data, about."""
    return sum(len(part) for part in (_style(), _script(), *_library())) + 20_000
