"""What the project says of itself is so: version, changelog, classifiers, hooks, extras."""

from __future__ import annotations

import re
import shlex
import tomllib

import pytest
import yaml
from page_examples import ROOT

import tophit

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
METADATA = PROJECT["project"]
HOOKS = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
TOO_LARGE = {"sentence-transformers"}  # PyTorch alone is several gigabytes
ADDRESSES = {"Documentation", "Source", "Changelog", "Issues"}


def number(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def test_the_changelog_begins_with_the_version_or_with_what_comes_after_the_last():
    """A release has its heading; between two, `Unreleased` stands above the last one."""
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## \[(.+?)\]( - \d{4}-\d\d-\d\d)?$", changelog, re.M)
    assert headings, "no heading of a version"
    names = [name for name, _ in headings]
    released = [name for name in names if name != "Unreleased"]
    assert all(date for name, date in headings if name != "Unreleased"), "a release has its day"
    assert released == sorted(released, key=number, reverse=True)
    assert names[0] in ("Unreleased", tophit.__version__)
    if released:
        assert number(tophit.__version__) >= number(released[0])


def test_classifiers_name_the_versions_of_python_that_are_allowed():
    prefix = "Programming Language :: Python :: 3."
    named = [c.removeprefix(prefix) for c in METADATA["classifiers"] if c.startswith(prefix)]
    lowest = METADATA["requires-python"].removeprefix(">=3.")
    assert named == [str(minor) for minor in range(int(lowest), int(lowest) + len(named))]
    assert METADATA["classifiers"] == sorted(METADATA["classifiers"], key=classifier_order)


def classifier_order(name: str) -> list[object]:
    return [(part.isdigit(), part) for part in re.split(r" :: |\.", name)]


def test_addresses_are_all_there_or_none():
    urls = METADATA.get("urls", {})
    assert not urls or set(urls) >= ADDRESSES
    assert all(url.startswith("https://") for url in urls.values())


def test_all_has_every_extra():
    extras = METADATA["optional-dependencies"]
    (everything,) = extras["all"]
    others = [name for name in extras if name not in {"all", *TOO_LARGE}]
    assert everything == f"tophit[{','.join(others)}]"


def test_every_extra_is_tried_as_installed():
    uses = {use.stem for use in (ROOT / ".ci" / "uses").glob("*.py")}
    assert set(METADATA["optional-dependencies"]) - TOO_LARGE <= uses


def test_every_dependency_has_a_lowest_release_and_its_reason():
    reasons = (ROOT / "docs" / "decisions.md").read_text(encoding="utf-8")
    extras = METADATA["optional-dependencies"]
    required = [*METADATA["dependencies"], *(line for name in extras for line in extras[name])]
    for line in required:
        name = re.split(r"[\[>;]", line)[0]
        if name != "tophit":
            assert ">=" in line, line
            assert f"`{name}`" in reasons, f"no reason for {name} in docs/decisions.md"


@pytest.mark.parametrize("hook", [hook for repo in HOOKS for hook in repo["hooks"]])
def test_hooks_call_tools_of_the_environment(hook):
    """Nothing is fetched from anywhere for a commit."""
    tool = shlex.split(hook["entry"])[0].removeprefix(".venv/bin/")
    groups = PROJECT["dependency-groups"]["lint"]
    packages = {re.split(r"[\[>;]", line)[0] for line in groups}
    assert hook["language"] == "system"
    assert {"lint-imports": "import-linter"}.get(tool, tool) in packages


def test_hooks_are_all_local():
    assert {repo["repo"] for repo in HOOKS} == {"local"}
