"""Build the site: gather the pages, write the index and the API page, run Sphinx.

    python site/build.py [FOLDER]        default: build/site; open FOLDER/index.html

The index is the README. Its table of pages is the site's navigation: a column is a part.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import tophit

ROOT = Path(__file__).parents[1]
BESIDE = ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "LICENSE")
MODULES = ("tophit.errors", "tophit.statistics")


def parts(readme: str) -> dict[str, list[str]]:
    """The pages of each column of the README's table, under the column's heading.

    >>> parts("| a | b |\\n| --- | --- |\\n| [X](docs/x.md) | [Y](docs/y.md), [Z](docs/z.md) |\\n")
    {'a': ['x'], 'b': ['y', 'z']}
    """
    table = readme[readme.index("| --- |") :].split("\n\n")[0].splitlines()[1:]
    heads = readme[: readme.index("| --- |")].splitlines()[-1]
    columns = zip(*(row.strip("|").split("|") for row in table), strict=True)
    return {
        head.strip(): re.findall(r"\((?:docs/)?([\w-]+)\.md", " ".join(column))
        for head, column in zip(heads.strip("|").split("|"), columns, strict=True)
    }


def navigation(found: dict[str, list[str]], others: list[str]) -> str:
    """Sphinx's table of contents, a block a part; what the README's table lacks comes last."""
    blocks = {**found, "more": ["api", *others]}
    return "\n".join(
        f"```{{toctree}}\n:caption: {part}\n:hidden:\n\n" + "\n".join(names) + "\n```\n"
        for part, names in blocks.items()
    )


def gather(folder: Path) -> None:
    """Lay out the pages side by side; links to the README lead to the index."""
    shutil.copytree(ROOT / "docs", folder, dirs_exist_ok=True)
    for name in BESIDE:
        shutil.copy(ROOT / name, folder / name)
    (folder / "api.md").write_text(api(), encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    found = parts(readme)
    known = {page for pages in found.values() for page in pages}
    others = sorted({page.stem for page in folder.glob("*.md")} - known - {"api"})
    index = f"{readme}\n{navigation(found, others)}"
    (folder / "index.md").write_text(index, encoding="utf-8")
    for page in folder.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        text = re.sub(r"\]\((?:\.\./|docs/)", "](", text)
        page.write_text(text.replace("](README.md", "](index.md"), encoding="utf-8")


def api() -> str:
    """A page of every public name with its docstring."""
    return "# Python, name by name\n\n" + "\n".join(_api_blocks())


def _api_blocks() -> Iterator[str]:
    for name in sorted(tophit.__all__):
        kind = "class" if isinstance(getattr(tophit, name), type) else "function"
        yield f"```{{eval-rst}}\n.. auto{kind}:: tophit.{name}\n```\n"
    for module in MODULES:
        yield f"## {module}\n\n```{{eval-rst}}\n.. automodule:: {module}\n   :members:\n```\n"


def main(output: Path) -> None:
    """Build into `output`; what Sphinx warns of is an error."""
    with tempfile.TemporaryDirectory() as temporary:
        gather(Path(temporary))
        options = ["-q", "-W", "--keep-going", "-b", "html", "-c", str(ROOT / "site")]
        command = [sys.executable, "-m", "sphinx", *options, "-d", f"{temporary}/.doctrees"]
        subprocess.run([*command, temporary, str(output)], check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else ROOT / "build" / "site")
