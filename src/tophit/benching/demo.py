"""The main job on the project's own documentation: nothing to download, nothing to prepare."""

from __future__ import annotations

from collections.abc import Callable
from importlib import resources
from pathlib import Path

from tophit.benching import BenchResult, bench, equal_budget
from tophit.documents import documents_from_texts
from tophit.errors import Fault, InputError

SPLITTERS = ("spring-ai", "markdown")
SIZES = (100, 200, 400)
QUESTIONS = "questions.jsonl"


def demo_folder() -> Path:
    """The folder of the documentation: in the installed package, or in a checkout.

    Errors: `InputError` where it is in neither place.

    >>> (demo_folder() / "start.md").is_file()
    True
    """
    package = Path(str(resources.files("tophit")))
    for folder in (package / "demo_docs", package.parents[1] / "docs"):
        if (folder / QUESTIONS).is_file():
            return folder
    raise InputError(
        Fault(file=str(package / "demo_docs"), expected="the documentation", found="nothing"),
        hint="install tophit again; the documentation is part of the package",
    )


def demo(
    *, output: str | Path, k: int = 4, progress: Callable[[str, int, int], None] | None = None
) -> BenchResult:
    """Split, search and score the documentation with its own questions, over a small grid.

    Errors: as `tophit.bench.bench`.
    """
    folder = demo_folder()
    pages = {page.name: page.read_text(encoding="utf-8") for page in sorted(folder.glob("*.md"))}
    return bench(
        documents_from_texts(pages, source=str(folder)),
        folder / QUESTIONS,
        output=output,
        splitters=SPLITTERS,
        sizes=SIZES,
        k=k,
        budget=equal_budget(SIZES, k=k),
        progress=progress,
    )
