"""`tophit eval`: an equal budget beside a fixed k, and the ceiling where the index is given."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from tophit.cli.commands import tophit

TEXT = "Late fees are 8 euros a day"


def write(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


@pytest.fixture
def files(tmp_path):
    questions = write(
        tmp_path / "questions.jsonl", [{"id": "q", "question": "?", "expected": [TEXT]}]
    )
    runs = []
    for name, tokens, rank in (("small", 10, 5), ("large", 61, 1)):
        places = [
            {"id": f"{name}-{n}", "text": TEXT if n == rank else "nothing", "tokens": tokens}
            for n in range(1, 9)
        ]
        runs.append(write(tmp_path / f"{name}.jsonl", [{"id": "q", "retrieved": places}]))
    chunks = write(tmp_path / "chunks.jsonl", [{"id": "c", "text": TEXT, "tokens": 10}])
    return questions, runs, chunks


def measures(*arguments):
    found = CliRunner().invoke(tophit, ["eval", *arguments, "--json", "-"])
    assert found.exit_code == 0, found.output
    return [
        {name: score["value"] for name, score in run["measures"].items()}
        for run in json.loads(found.stdout)["runs"]
    ]


def test_several_runs_are_compared_at_what_the_largest_takes(files):
    questions, runs, _ = files
    small, large = measures(questions, *runs)
    assert (small["Hit@4"], large["Hit@4"]) == (0.0, 1.0)
    assert (small["Hit@300tok"], large["Hit@300tok"]) == (1.0, 1.0)  # 4 x 61, up to a hundred


def test_the_budget_may_be_named_or_switched_off(files):
    questions, runs, _ = files
    assert measures(questions, runs[0], "--budget", "40")[0]["Hit@40tok"] == 0.0
    assert list(measures(questions, *runs, "--budget", "0")[0]) == ["Hit@4", "Partial@4", "MRR"]
    assert list(measures(questions, *runs, "-m", "MRR")[0]) == ["MRR"]


def test_the_ceiling_stands_beside_where_the_index_is_given(files):
    questions, runs, chunks = files
    assert measures(questions, runs[0], "--chunks", chunks)[0]["Ceiling"] == 1.0
    assert "Ceiling" not in measures(questions, runs[0], "--chunks", chunks, "-m", "Hit")[0]
