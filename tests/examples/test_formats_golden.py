"""Every format: a faithful sample, recognised by its content, and the relations it must give.

The expected relations are in tests/golden/formats/expected; `TOPHIT_UPDATE_GOLDEN=1` writes them
anew, to be read before they are committed.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tophit.errors import DataWarning, InputError, UsageError
from tophit.formats import (
    FORMATS,
    find_format,
    read_chunks,
    read_questions,
    read_questions_and_run,
    read_run,
    recognise,
)

GOLDEN = Path(__file__).parents[1] / "golden" / "formats"
SAMPLES = {
    "beir": ("beir", "questions chunks"),
    "chroma.csv": ("chroma", "questions"),
    "chunks.jsonl": ("jsonl", "chunks"),
    "continuous_eval.jsonl": ("continuous-eval", "questions run"),
    "deepeval.csv": ("deepeval", "questions run"),
    "deepeval.json": ("deepeval", "questions run"),
    "dpr.json": ("dpr", "questions run"),
    "dpr_by_id.json": ("dpr", "questions run"),
    "legalbench_rag.json": ("legalbench-rag", "questions"),
    "llama_index.json": ("llama-index", "questions chunks"),
    "longprobe.yaml": ("longprobe", "questions"),
    "msmarco.run.tsv": ("msmarco", "run"),
    "qrels.json": ("json-dict", "questions"),
    "qrels.txt": ("trec", "questions"),
    "questions.csv": ("table", "questions"),
    "questions.jsonl": ("jsonl", "questions"),
    "ragas.csv": ("ragas", "questions run"),
    "ragas.jsonl": ("ragas", "questions run"),
    "ragas_old.jsonl": ("ragas", "questions run"),
    "ragchecker.json": ("ragchecker", "questions run"),
    "run.jsonl": ("jsonl", "run"),
    "run.tsv": ("table", "run"),
    "run_lists.json": ("json-dict", "run"),
    "run_scores.json": ("json-dict", "run"),
    "spring_ai_chat_response.json": ("spring-ai", "run"),
    "spring_ai_client_responses.jsonl": ("spring-ai", "run"),
    "squad.json": ("squad", "questions chunks"),
    "trec.run": ("trec", "run"),
    "trulens.json": ("trulens", "questions"),
}


def rows(frame: pl.DataFrame | None) -> dict[str, list[Any]] | None:
    if frame is None:
        return None
    columns = frame.to_dict(as_series=False)
    return {
        name: [str(value) if value in (float("inf"), float("-inf")) else value for value in values]
        for name, values in columns.items()
    }


def relations(path: Path, roles: str, *, format: str | None = None) -> dict[str, Any]:
    found: dict[str, Any] = {}
    warnings: tuple[DataWarning, ...] = ()
    if "questions" in roles:
        questions = read_questions(path, format=format)
        found |= {"queries": rows(questions.queries), "judgments": rows(questions.judgments)}
        warnings += questions.warnings
    if "run" in roles:
        run = read_run(path, format=format, name="run")
        found |= {"retrieved": rows(run.retrieved), "answers": rows(run.answers)}
        warnings += run.warnings
    if "chunks" in roles:
        found["chunks"] = rows(read_chunks(path, format=format))
    found["warnings"] = [[warning.code, warning.count] for warning in warnings]
    return found


@pytest.mark.parametrize("name", SAMPLES)
def test_sample_gives_its_relations(name: str) -> None:
    found = relations(GOLDEN / "samples" / name, SAMPLES[name][1])
    expected = GOLDEN / "expected" / f"{name}.json"
    if os.environ.get("TOPHIT_UPDATE_GOLDEN"):
        expected.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")
    assert found == json.loads(expected.read_text("utf-8"))


@pytest.mark.parametrize("name", SAMPLES)
def test_sample_is_recognised_whatever_its_name(name: str, tmp_path: Path) -> None:
    sample = GOLDEN / "samples" / name
    hidden = tmp_path / "data.bin"
    (shutil.copytree if sample.is_dir() else shutil.copy)(sample, hidden)
    format, roles = SAMPLES[name]
    for role in roles.split():
        assert recognise(hidden, role).name == format


@pytest.mark.parametrize("name", SAMPLES)
def test_naming_the_format_gives_the_same(name: str) -> None:
    sample = GOLDEN / "samples" / name
    format, roles = SAMPLES[name]
    assert relations(sample, roles, format=format) == relations(sample, roles)


def test_every_format_has_a_sample() -> None:
    # AutoRAG's tables are Parquet, which test_formats_tables.py writes itself.
    assert {format for format, _ in SAMPLES.values()} | {"autorag"} == set(FORMATS)


def test_every_format_says_what_it_holds() -> None:
    for name, entry in FORMATS.items():
        assert entry.name == name
        assert entry.description
        assert "\n" not in entry.description
        assert entry.reads
        assert entry.writes <= entry.reads


@pytest.mark.parametrize(
    "name", [n for n, (_, roles) in SAMPLES.items() if "questions run" in roles]
)
def test_both_roles_of_one_file_name_the_same_queries(name: str) -> None:
    questions, run = read_questions_and_run(GOLDEN / "samples" / name)
    assert set(run.retrieved["query_id"]) <= set(questions.queries["query_id"])


def test_a_file_of_questions_alone_has_no_run() -> None:
    with pytest.raises(InputError, match=r"questions and a run in one file, found run \(jsonl\)"):
        read_questions_and_run(GOLDEN / "samples" / "run.jsonl")
    with pytest.raises(InputError, match=r"in one file, found questions or run \(json-dict\)"):
        read_questions_and_run(GOLDEN / "samples" / "qrels.json")
    with pytest.raises(UsageError, match="chroma cannot read run; formats that can: "):
        read_questions_and_run(GOLDEN / "samples" / "chroma.csv", format="chroma")


def test_unknown_format_lists_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"unknown format 'trek'; did you mean trec"):
        find_format("trek")
