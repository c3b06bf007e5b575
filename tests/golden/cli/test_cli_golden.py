"""What `tophit` prints, to the letter.

`TOPHIT_UPDATE_GOLDEN=1 pytest tests/golden/cli` writes the files anew.
"""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from tophit.cli.commands import tophit

HERE = Path(__file__).parent
UPDATE = bool(os.environ.get("TOPHIT_UPDATE_GOLDEN"))

QUESTIONS = [
    {
        "id": "q1",
        "question": "How long do I have to return a bike?",
        "expected": ["You may return a bike within 30 days of delivery."],
        "tags": {"topic": "returns"},
    },
    {
        "id": "q2",
        "question": "How fast is delivery?",
        "expected": ["Delivery takes three working days."],
        "tags": {"topic": "delivery"},
    },
    {
        "id": "q3",
        "question": "What does a helmet cost?",
        "expected": ["Helmets are free for children under twelve, and cost two euros otherwise."],
        "tags": {"topic": "fees"},
    },
    {"id": "q4", "question": "Do you rent electric scooters?", "expected": []},
    {"id": "q5", "question": "Who repairs bikes?", "expected": ["Our workshop repairs bikes."]},
]
CHUNKS = {
    "returns": "Returns. You may return a bike within 30 days of delivery. Bring the receipt.",
    "delivery": "Delivery takes three working days. It costs nothing.",
    "helmets-1": "Safety. Helmets are free for children under twelve,",
    "helmets-2": "and cost two euros otherwise. Lights are included.",
    "workshop": "Our workshop repairs bikes. It opens at nine.",
    "検索": "自転車は検索できます。",
}
RUN = {
    "q1": ["returns", "delivery"],
    "q2": ["returns", "検索", "delivery"],
    "q3": ["helmets-1", "returns"],
    "q4": ["returns"],
    "q5": ["returns", "delivery"],
    "q9": ["returns"],
}
OTHER = {**RUN, "q2": ["delivery"], "q5": ["workshop"]}


def lines(records: list[dict]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def run_lines(run: dict[str, list[str]]) -> str:
    scored = {
        query: [
            {"id": name, "text": CHUNKS[name], "score": round(0.9 - 0.1 * place - 0.02 * n, 2)}
            for place, name in enumerate(names)
        ]
        for n, (query, names) in enumerate(run.items())
    }
    answers = {"q4": "I don't know.", "q5": "Sorry, I cannot answer that."}
    return lines(
        [
            {"id": query, "retrieved": places, "answer": answers.get(query, "Within 30 days.")}
            for query, places in scored.items()
        ]
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    (tmp_path / "questions.jsonl").write_text(lines(QUESTIONS), encoding="utf-8")
    (tmp_path / "none.jsonl").write_text(lines([QUESTIONS[3]]), encoding="utf-8")
    chunks = [{"id": name, "text": text, "doc": "a.md"} for name, text in CHUNKS.items()]
    (tmp_path / "chunks.jsonl").write_text(lines(chunks), encoding="utf-8")
    (tmp_path / "old.jsonl").write_text(run_lines(RUN), encoding="utf-8")
    (tmp_path / "new.jsonl").write_text(run_lines(OTHER), encoding="utf-8")
    long = "a-run-with-a-very-long-name-from-a-grid-of-many-settings-検索"
    (tmp_path / f"{long}.jsonl").write_text(run_lines(OTHER), encoding="utf-8")
    (tmp_path / "bad.jsonl").write_text(
        '{"id": "q1", "expected": "x"}\n{"question": "?", "expected": []}\n{"id": "q3"}\n'
    )
    return tmp_path


CASES = {
    "eval": "eval questions.jsonl old.jsonl",
    "eval-several": "eval questions.jsonl old.jsonl a-run*.jsonl",
    "eval-many-measures": "eval questions.jsonl old.jsonl new.jsonl "
    "-m 'Hit@1 Hit@4 Partial@4 All@4 MRR MAP nDCG@10 Recall@4 Precision@4'",
    "eval-chunks": "eval questions.jsonl old.jsonl --chunks chunks.jsonl "
    "-m 'Hit Ceiling Hit@30tok'",
    "eval-nothing-to-score": "eval none.jsonl old.jsonl",
    "eval-json": "eval questions.jsonl old.jsonl --json -",
    "eval-json-several": "eval questions.jsonl old.jsonl new.jsonl --json - -m Hit",
    "eval-csv": "eval questions.jsonl old.jsonl new.jsonl --csv -",
    "eval-per-question": "eval questions.jsonl old.jsonl new.jsonl --per-question -",
    "eval-markdown": "eval questions.jsonl old.jsonl --markdown -",
    "eval-markdown-several": "eval questions.jsonl old.jsonl new.jsonl --markdown -",
    "eval-gate-fails": "eval questions.jsonl old.jsonl --fail-under Hit@4=0.8 "
    "--fail-under 'lower:MRR>=1%'",
    "eval-gate-passes": "eval questions.jsonl new.jsonl --fail-under 'Hit@4 >= 50%'",
    "eval-faults": "eval bad.jsonl old.jsonl",
    "compare": "compare questions.jsonl old.jsonl new.jsonl",
    "compare-chunks": "compare questions.jsonl old.jsonl new.jsonl --chunks chunks.jsonl -m Hit",
    "compare-all-pairs": "compare questions.jsonl old.jsonl new.jsonl a-run*.jsonl "
    "--all-pairs -m Hit",
    "compare-markdown": "compare questions.jsonl old.jsonl new.jsonl --markdown -",
    "diagnose": "diagnose questions.jsonl old.jsonl",
    "diagnose-chunks": "diagnose questions.jsonl old.jsonl --chunks chunks.jsonl",
    "threshold": "threshold questions.jsonl old.jsonl",
    "abstention": "abstention questions.jsonl old.jsonl",
    "measures": "measures",
    "measures-explained": "measures ndcg_cut partial",
    "help": "--help",
    "help-eval": "eval --help",
}
STATUS = {"eval-gate-fails": 1, "eval-faults": 2}


def printed(line: str, folder: Path) -> tuple[str, int]:
    words = []
    for word in shlex.split(line):
        words += sorted(path.name for path in folder.glob(word)) if "*" in word else [word]
    done = CliRunner().invoke(tophit, words)
    return f"$ tophit {line}\n{done.output}", done.exit_code


@pytest.mark.parametrize("name", CASES)
def test_prints_what_it_printed(name, folder):
    text, status = printed(CASES[name], folder)
    assert status == STATUS.get(name, 0), text
    golden = HERE / f"{name}.txt"
    if UPDATE:
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [80, 120, 200])
@pytest.mark.parametrize(
    "name", [name for name in CASES if "json" not in name and "csv" not in name]
)
def test_no_line_is_wider_than_the_terminal(name, width, folder, monkeypatch):
    from rich.cells import cell_len

    monkeypatch.setenv("COLUMNS", str(width))
    text, _ = printed(CASES[name], folder)
    if "markdown" in name or "gate" in name or "per-question" in name or "faults" in name:
        return
    assert max(cell_len(line) for line in text.splitlines()[1:]) <= width


def test_every_golden_file_belongs_to_a_case():
    assert {path.stem for path in HERE.glob("*.txt")} == set(CASES)
