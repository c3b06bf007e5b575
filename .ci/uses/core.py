"""tophit alone: scores from files and dicts, and messages that name the extra that is missing."""

import json
import subprocess
import sys
from pathlib import Path

import tophit


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the installed command."""
    tool = Path(sys.executable).with_name("tophit")
    return subprocess.run([tool, *arguments], capture_output=True, text=True, check=False)


def scores() -> None:
    """The worked example, from files and from dicts."""
    measures = ["-m", "Hit@4 MRR", "--json", "result.json"]
    done = command("eval", "examples/worked.qrels", "examples/worked.run", *measures)
    assert done.returncode == 0, done.stderr
    found = json.loads(Path("result.json").read_text())["runs"][0]["measures"]
    assert round(found["Hit@4"]["value"], 4) == 0.6667, found
    assert round(found["MRR"]["value"], 4) == 0.4444, found
    done = command("eval", "examples/questions.jsonl", "examples/run.jsonl")
    assert "Partial@4" in done.stdout, done
    result = tophit.evaluate({"q": ["a"]}, {"q": ["x", "a"]}, measures="Hit@4 MRR")
    assert result["MRR"].value == 0.5, result


def page() -> None:
    """The page draws by the library that came inside the wheel."""
    run = ("eval", "examples/questions.jsonl", "examples/run.jsonl", "--html", "page.html")
    done = command(*run)
    assert done.returncode == 0, done.stderr
    assert "Leon Sorokin" in Path("page.html").read_text(encoding="utf-8")


def names() -> None:
    """Every public name can be had."""
    for name in tophit.__all__:
        getattr(tophit, name)


def missing_extras() -> None:
    """What needs an extra says which."""
    Path("page.md").write_text("A page of text.")
    Path("golden.yaml").write_text("questions:\n  - id: q1\n    required_chunks: [a]\n")
    Path("page.pdf").write_bytes(b"%PDF-1.4")
    for extra, *arguments in (
        ("bench", "split", "page.md", "-o", "chunks.jsonl"),
        ("yaml", "convert", "golden.yaml", "questions.jsonl"),
        ("documents", "split", "page.pdf", "-o", "chunks.jsonl"),
    ):
        done = command(*arguments)
        assert done.returncode == 2, (arguments, done)
        assert f"pip install 'tophit[{extra}]'" in done.stderr, (arguments, done.stderr)


scores()
page()
names()
missing_extras()
