"""The site: every page is there, every link leads somewhere, and nothing is loaded from outside."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
from page_examples import ROOT

import tophit


class Page(HTMLParser):
    """The anchors of a page, what it links to, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given.get("id", "")}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag in ("link", "script", "img", "iframe"):
            self.loaded.append(given.get("href", given.get("src", "")))


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-P", ROOT / "site" / "build.py", folder]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site) -> dict[str, Page]:
    return {file.name: Page(file.read_text(encoding="utf-8")) for file in site.glob("*.html")}


def test_every_page_is_there_and_in_the_navigation(pages):
    names = {f"{page.stem}.html" for page in (ROOT / "docs").glob("*.md")}
    names |= {"index.html", "api.html", "CONTRIBUTING.html", "CHANGELOG.html", "search.html"}
    assert names <= set(pages)
    assert names - {"index.html", "search.html"} <= set(pages["index.html"].links)


def test_links_lead_somewhere(site, pages):
    broken = []
    for name, page in pages.items():
        for link in page.links + page.loaded:
            file, _, fragment = unquote(link.partition("?")[0]).partition("#")
            if re.match(r"(https|mailto):", link):
                continue
            anchors = pages[file or name].anchors if (file or name) in pages else set()
            if not (site / (file or name)).exists() or (fragment and fragment not in anchors):
                broken.append((name, link))
    assert not broken


def test_nothing_is_loaded_from_outside(site, pages):
    assert not [link for page in pages.values() for link in page.loaded if "//" in link]
    styles = "".join(file.read_text(encoding="utf-8") for file in site.rglob("*.css"))
    assert not re.search(r"url\(['\"]?(https?:)?//|@import", styles)


def test_the_search_knows_the_pages(site):
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    assert all(f'"{page.stem}"' in index for page in (ROOT / "docs").glob("*.md"))


def test_every_public_name_is_explained(pages):
    assert {f"tophit.{name}" for name in tophit.__all__} <= pages["api.html"].anchors
