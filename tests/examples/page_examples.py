"""The examples in README.md and docs/*.md: found, run, and compared with what stands there.

`pycon` blocks are doctests that share their names within a page; `console` blocks are run by bash
with the installed command. Both run in a folder that holds a copy of docs/. In a block marked
`console numbers-vary` (its numbers are about these very pages) the words must agree, not the
numbers or the order of the lines. Run this module to write what commands print into the pages.
"""

from __future__ import annotations

import contextlib
import doctest
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
_MARK = "<<< end of a command >>>"


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and the line of the page where the text begins."""

    page: Path
    language: str
    text: str
    line: int
    numbers_vary: bool = False


@dataclass(frozen=True)
class Command:
    """One command of a console block, as typed, and the output that the page shows."""

    typed: str
    shown: str


def pages() -> list[Path]:
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page: Path, *languages: str) -> list[Block]:
    tokens = MarkdownIt().parse(page.read_text(encoding="utf-8"))
    found = []
    for token in tokens:
        language, *marks = token.info.split() or [""]
        if token.type == "fence" and token.map and language in languages:
            vary = "numbers-vary" in marks
            found.append(Block(page, language, token.content, token.map[0] + 1, vary))
    return found


def commands(block: Block) -> list[Command]:
    found: list[Command] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            found.append(Command(line[2:], ""))
        elif found and found[-1].typed.endswith("\\"):
            found[-1] = Command(f"{found[-1].typed}\n{line}", "")
        elif found:
            found[-1] = Command(found[-1].typed, f"{found[-1].shown}{line}\n")
    return found


def outputs(typed: list[str], folder: Path) -> list[str]:
    """Run the commands in one shell; what each prints, standard error included."""
    script = "\n".join(f"{line}\n__status=$?; echo '{_MARK}'; (exit $__status)" for line in typed)
    environment = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(folder),
        "LC_ALL": "C.UTF-8",
        "COLUMNS": "110",
        "NO_COLOR": "1",
    }
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, env=environment, text=True, encoding="utf-8",
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300,
        check=False,
    )  # fmt: skip
    printed = done.stdout.split(f"{_MARK}\n")[:-1]
    return ["".join(f"{_untimed(line)}\n" for line in text.splitlines()) for text in printed]


def _untimed(line: str) -> str:
    """What pytest took, and the folder that the demo made, are shown as an ellipsis."""
    line = re.sub(r"/\S*/tophit-demo-\w+/", ".../", line)
    return re.sub(r"\bin \d+\.\d+s$", "in ...s", line.rstrip())


def agree(shown: str, printed: str, *, numbers_vary: bool = False) -> bool:
    if numbers_vary:
        shown, printed = without_numbers(shown), without_numbers(printed)
    return doctest.OutputChecker().check_output(shown, printed, FLAGS) or not (
        shown.strip() or printed.strip()
    )


def without_numbers(text: str) -> str:
    """The lines in any order, blanks and rules as one, every number as #, gaps of either kind."""
    lines = (re.sub(r"[\d.,]*\d", "#", re.sub(r"[\s─]+", " ", line)) for line in text.splitlines())
    either = (re.sub(r"(= best|worse), p (< )?", "gap, p ", line) for line in lines)
    return "\n".join(sorted(either))


def failures(page: Path, folder: Path) -> list[str]:
    """Run every example of a page in `folder`; what went wrong, with line numbers."""
    return [*_doctest_failures(page), *_console_failures(page, folder)]


def _doctest_failures(page: Path) -> Iterator[str]:
    names: dict[str, object] = {}
    for block in blocks(page, "pycon"):
        test = doctest.DocTestParser().get_doctest(
            block.text, names, page.name, str(page), block.line
        )
        written: list[str] = []
        doctest.DocTestRunner(optionflags=FLAGS).run(test, out=written.append, clear_globs=False)
        names = test.globs
        if written:
            yield "".join(written)


def _console_failures(page: Path, folder: Path) -> Iterator[str]:
    for block in blocks(page, "console"):
        typed = commands(block)
        printed = outputs([command.typed for command in typed], folder)
        for command, text in zip(typed, printed, strict=True):
            if not agree(command.shown, text, numbers_vary=block.numbers_vary):
                yield (
                    f"{page.name}, line {block.line + 1}: $ {command.typed}\n"
                    f"the page shows:\n{command.shown}\nthe command prints:\n{text}"
                )


@contextlib.contextmanager
def folder_with_docs() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        shutil.copytree(ROOT / "docs", Path(name) / "docs")
        yield Path(name)


def rewrite(page: Path, folder: Path) -> bool:
    """Write into the page what its commands print, where it differs. True if anything did."""
    lines = page.read_text(encoding="utf-8").splitlines()
    changed = False
    for block in reversed(blocks(page, "console")):
        typed = commands(block)
        printed = outputs([command.typed for command in typed], folder)
        pairs = zip(typed, printed, strict=True)
        if all(agree(c.shown, text) for c, text in pairs):
            continue
        if any("internal error" in text for text in printed):
            sys.exit(f"{page.name}, line {block.line + 1}: a command failed\n{''.join(printed)}")
        new = [f"$ {c.typed}\n{text}" for c, text in zip(typed, printed, strict=True)]
        end = block.line + len(block.text.splitlines())
        lines[block.line : end] = "".join(new).rstrip("\n").split("\n")
        changed = True
    if changed:
        page.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return changed


if __name__ == "__main__":
    for each in pages():
        with folder_with_docs() as there:
            if rewrite(each, there):
                print(f"wrote {each.relative_to(ROOT)}")
