"""The documentation says what is so: examples run, links resolve, every name is explained."""

from __future__ import annotations

import itertools
import json
import re
import shlex
import tomllib
from collections.abc import Set
from pathlib import Path

import click
import pytest
from markdown_it import MarkdownIt
from page_examples import ROOT, agree, blocks, failures, folder_with_docs, pages

import tophit
from tophit.checking import CODES
from tophit.cli.commands import all_commands
from tophit.diagnosis import OUTCOMES
from tophit.formats import FORMATS
from tophit.retrieval import RETRIEVERS
from tophit.splitting import SPLITTERS

PAGES = [page for page in pages() if page.exists()]
DOCS = [page for page in PAGES if page.parent.name == "docs"]
GENERATED = {"measures.md", "commands.md"}
WITH_SPARK = "engines.md"
COMMANDS = dict(all_commands())


def texts(*, without: Set[str] = frozenset()) -> str:
    return "\n".join(p.read_text(encoding="utf-8") for p in PAGES if p.name not in without)


def names_of(pages: list[Path]) -> list[str]:
    return [page.name for page in pages]


def check(page: Path, folder: Path) -> None:
    found = failures(page, folder)
    if found:
        pytest.fail("\n".join(found) + "\n'make docs' writes what commands print", pytrace=False)


@pytest.mark.parametrize(
    "page", [p for p in PAGES if p.name != WITH_SPARK], ids=lambda page: page.name
)
def test_examples_print_what_the_page_shows(page, monkeypatch):
    with folder_with_docs() as folder:
        monkeypatch.chdir(folder)
        check(page, folder)


def test_examples_of_the_page_on_engines(spark_session, monkeypatch):
    with folder_with_docs() as folder:
        monkeypatch.chdir(folder)
        check(ROOT / "docs" / WITH_SPARK, folder)


def test_a_wrong_example_is_noticed(tmp_path):
    page = tmp_path / "wrong.md"
    page.write_text("```pycon\n>>> 1 + 1\n3\n```\n\n```console\n$ echo a\nb\n```\n")
    assert len(failures(page, tmp_path)) == 2


def test_where_numbers_vary_words_must_agree():
    shown = "a 1.5 [0.1, 2]\n──\nb  12"
    assert agree(shown, "b 7\n────\na   0.25 [3, 4]", numbers_vary=True)
    assert not agree(shown, "b 7\n────\nc   0.25 [3, 4]", numbers_vary=True)
    assert not agree(shown, "b 7\n────\na   0.25 [3, 4]")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_without_prompts_is_python(page):
    for block in blocks(page, "python"):
        compile(block.text, str(page), "exec")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_json_is_json(page):
    for block in blocks(page, "json"):
        rest = block.text.strip()
        while rest:
            _, end = json.JSONDecoder().raw_decode(rest)
            rest = rest[end:].strip()


def typed_commands() -> list[tuple[str, str]]:
    found = []
    for page in PAGES:
        for block in blocks(page, "sh", "yaml"):
            joined = block.text.replace("\\\n", " ")
            found += [
                (page.name, match.group(1))
                for match in re.finditer(r"(?:^|run: |\$ |\| )(tophit [^|\n]*)", joined, re.M)
            ]
    return found


@pytest.mark.parametrize(("page", "line"), typed_commands())
def test_commands_that_are_not_run_have_the_options_they_show(page, line):
    _, name, *arguments = shlex.split(line, comments=True)
    assert name in COMMANDS, f"{page}: {line}"
    known = {flag for param in COMMANDS[name].params for flag in (*param.opts, "--help")}
    options = [argument.split("=")[0] for argument in arguments if argument.startswith("-")]
    assert not set(options) - known - {"-"}, f"{page}: {line}"


def test_options_named_in_the_text_exist(pytestconfig):
    flags = {"--help", "--version", "--group", "--junit-xml", "--quick"}  # pip, pytest, benchmarks
    for command in COMMANDS.values():
        flags |= {flag for param in command.params for flag in (*param.opts, *param.secondary_opts)}
    named = set(re.findall(r"`(--[a-z][a-z-]+)[^`]*`", texts(without=GENERATED | {"decisions.md"})))
    of_plugin = {flag for flag in named if flag.startswith("--tophit")}
    assert not named - flags - of_plugin
    for flag in of_plugin:
        pytestconfig.getoption(flag)


def slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def headings(page: Path) -> set[str]:
    tokens = MarkdownIt().parse(page.read_text(encoding="utf-8"))
    return {
        slug(following.content)
        for token, following in itertools.pairwise(tokens)
        if token.type == "heading_open"
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_resolve(page):
    tokens = MarkdownIt().enable("table").parse(page.read_text(encoding="utf-8"))
    inline = [child for token in tokens for child in token.children or []]
    targets = [c.attrs.get("href") or c.attrs.get("src") for c in inline]
    for target in filter(None, map(str, filter(None, targets))):
        if target.startswith(("https://", "mailto:")):
            continue
        file, _, fragment = target.partition("#")
        linked = page if not file else (page.parent / file)
        assert linked.exists(), f"{page.name}: {target}"
        if fragment:
            assert fragment in headings(linked), f"{page.name}: {target}"


def test_enough_pages_and_each_is_linked():
    assert len(DOCS) >= 12
    assert not GENERATED - set(names_of(DOCS))
    everything = texts()
    assert [name for name in names_of(DOCS) if f"{name})" not in everything] == []


def test_how_it_works_opens_with_its_one_rule():
    page = (ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8")
    title, rule = page.split("\n\n")[:2]
    assert title.startswith("# ")
    assert re.fullmatch(r"\*\*[^*]+\*\*", rule)


@pytest.mark.parametrize("name", tophit.__all__)
def test_every_public_name_is_explained(name):
    assert re.search(rf"\b{name}\b", texts(without=GENERATED))


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_is_explained(name):
    assert f"tophit {name}" in texts(without=GENERATED)


def test_every_option_stands_in_the_page_of_commands():
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    for name, command in COMMANDS.items():
        for param in command.params:
            if isinstance(param, click.Option) and not param.hidden:
                assert param.opts[0] in page, f"{name}: {param.opts[0]}"


def test_every_format_stands_in_the_page_of_formats():
    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    for name, entry in FORMATS.items():
        reads, writes = (", ".join(sorted(roles)) for roles in (entry.reads, entry.writes))
        assert f"| `{name}` | {reads} | {writes or 'no'} |" in page


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("bench.md", SPLITTERS),
        ("bench.md", RETRIEVERS),
        ("diagnosing-misses.md", OUTCOMES),
        ("checking-questions.md", CODES),
    ],
)
def test_every_name_of_these_tables_is_explained(page, names):
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert [name for name in names if f"`{name}`" not in text] == []


def test_every_dependency_has_its_reason():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [
        *project["dependencies"],
        *itertools.chain(*project["optional-dependencies"].values()),
    ]
    names = {re.match(r"[\w.-]+", entry).group() for entry in wanted} - {"tophit"}
    page = (ROOT / "docs" / "decisions.md").read_text(encoding="utf-8")
    assert [name for name in sorted(names) if f"`{name}`" not in page] == []


# In parts, so that this file is not one of those that it forbids.
FORBIDDEN = [
    "/wo" + "rk/", "/ho" + "me/", "/ro" + "ot/", "/tm" + "p/",
    "py" + "pi.org", "python" + "hosted", "npm" + "js", "debian" + ".org",
    "cl" + "aude", "TO" + "DO", "FIX" + "ME", "lorem",
]  # fmt: skip


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_name_no_machine_and_no_registry(page):
    text = page.read_text(encoding="utf-8").lower()
    assert [word for word in FORBIDDEN if word.lower() in text] == []


@pytest.mark.parametrize("page", [p for p in DOCS if p.name not in GENERATED], ids=lambda p: p.name)
def test_a_page_has_the_length_of_a_page(page):
    words = len(re.findall(r"\w+", page.read_text(encoding="utf-8")))
    assert 300 <= words <= 2600
