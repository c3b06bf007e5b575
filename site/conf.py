"""The documentation as a site, built by Sphinx from the same Markdown; `make site` runs it."""

from __future__ import annotations

import re
from itertools import groupby
from typing import Any

import tophit

project = "tophit"
version = release = tophit.__version__
author = "the authors of tophit"

extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_heading_anchors = 4
exclude_patterns = ["examples/**"]
default_role = "code"
autodoc_typehints = "description"
autodoc_member_order = "bysource"

html_theme = "furo"
html_title = f"tophit {release}"
html_copy_source = False
html_show_copyright = False


def plain(paragraph: list[str]) -> list[str]:
    """A paragraph of a docstring, which is plain text with doctests, as reStructuredText.

    >>> plain(["|a| * b"]), plain(["Options:", "    k  places"])
    (['\\\\|a\\\\| \\\\* b'], ['::', '', '    Options:', '        k  places'])
    """
    if not paragraph[0] or paragraph[0].lstrip().startswith(">>>"):
        return paragraph
    if any(line.startswith(" ") for line in paragraph):
        return ["::", "", *(f"    {line}" for line in paragraph)]
    return [re.sub(r"([|*])", r"\\\1", line) for line in paragraph]


def setup(app: Any) -> None:
    """Let Sphinx read the docstrings as what they are."""

    def process(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
        groups = [list(group) for _, group in groupby(lines, key=lambda line: not line.strip())]
        lines[:] = [line for group in groups for line in plain(group)]

    app.connect("autodoc-process-docstring", process)
