"""The other commands, from files to files: split, retrieve, bench, demo, convert, check, curve."""

from __future__ import annotations

import json
import os
from pathlib import Path

import jsonschema
import polars as pl
import pytest
from click.testing import CliRunner

from tophit.benching.demo import demo_folder
from tophit.cli.commands import tophit as cli
from tophit.evaluation.curve import curve
from tophit.formats import read_chunks, read_run

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "schema.json").read_text("utf-8"))
PAGES = {
    "fees.md": "# Fees\n\nA late bike costs eight euros a day. The deposit is one hundred euros.\n",
    "hours.md": "# Hours\n\nThe shop opens at nine and closes at six. On Sundays it is closed.\n",
    "repair.md": "# Repair\n\nOur workshop repairs flat tyres while you wait, in an hour.\n",
}
QUESTIONS = [
    {"id": "q1", "question": "What does a late bike cost?", "expected": ["eight euros a day"]},
    {
        "id": "q2",
        "question": 'When does the shop open? AND "nine" OR (title:x',
        "expected": ["The shop opens at nine"],
    },
    {"id": "q3", "question": "Do you sell scooters?", "expected": []},
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    pages = tmp_path / "docs"
    pages.mkdir()
    for name, text in PAGES.items():
        (pages / name).write_text(text)
    (tmp_path / "questions.jsonl").write_text("".join(json.dumps(q) + "\n" for q in QUESTIONS))
    return tmp_path


def run(*arguments: str, status: int = 0):
    done = CliRunner().invoke(cli, list(arguments))
    assert done.exit_code == status, done.output
    assert "Traceback" not in done.output
    return done


def names(folder: Path) -> list[str]:
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )


def test_split_then_retrieve_then_eval(folder):
    done = run("split", "docs", "-o", "chunks.jsonl", "--splitter", "markdown", "--size", "40")
    assert done.stdout == ""
    assert "3 documents, 3 chunks -> chunks.jsonl" in done.stderr
    chunks = read_chunks("chunks.jsonl")
    for row in chunks.iter_rows(named=True):
        assert PAGES[row["doc_id"]][row["start"] : row["end"]] == row["text"]
    done = run("retrieve", "chunks.jsonl", "questions.jsonl", "-o", "run.jsonl", "--depth", "2")
    assert "3 questions" in done.stderr
    assert read_run("run.jsonl").retrieved["rank"].max() <= 2
    record = json.loads(run("eval", "questions.jsonl", "run.jsonl", "--json", "-").stdout)
    assert record["runs"][0]["measures"]["Hit@4"]["value"] == 1.0
    assert record["questions"]["unanswerable"] == 1


def test_split_and_retrieve_write_what_the_ending_says(folder):
    run("split", "docs/fees.md", "-o", "chunks.parquet")
    assert pl.read_parquet("chunks.parquet")["doc_id"].to_list() == ["fees.md"]
    run("retrieve", "chunks.parquet", "questions.jsonl", "-o", "run.trec", "--name", "mine")
    assert Path("run.trec").read_text().endswith(" mine\n")
    done = run("split", "docs", "-o", "-")
    assert all(json.loads(line)["id"] for line in done.stdout.splitlines())
    assert "-> standard output" in done.stderr


def test_files_that_cannot_be_read_are_named(folder):
    Path("docs/picture.md").write_bytes(b"\x89PNG\x00\x00")
    Path("docs/empty.md").write_text(" ")
    done = run("split", "docs", "-o", "chunks.jsonl")
    assert "2 files were skipped" in done.stderr
    assert "picture.md" in done.stderr
    Path("nothing").mkdir()
    done = run("split", "nothing", "-o", "none.jsonl", status=2)
    assert "at least one document" in done.stderr
    assert not Path("none.jsonl").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--splitter", "sprin-ai"], "did you mean spring-ai"),
        (["--size", "0"], "'--size'"),
        (["--splitter", "recursive", "--size", "10", "--overlap", "10"], "overlap"),
        (["--splitter-option", "min_chunk_size_char=3"], "did you mean min_chunk_size_chars"),
        (["--splitter-option", "min_chunk_size_chars=x"], "expected a whole number, found 'x'"),
        (["--splitter-option", "keep_separator=perhaps"], "expected true or false"),
        (["--splitter-option", "keep_separator"], "expected NAME=VALUE"),
        (["--tokenizer", "gpt-9"], "unknown tokenizer 'gpt-9'"),
    ],
)
def test_split_says_what_is_wrong_with_an_option(folder, arguments, said):
    done = run("split", "docs", "-o", "chunks.jsonl", *arguments, status=2)
    assert said in done.stderr
    assert not Path("chunks.jsonl").exists()


def test_options_of_the_splitter_reach_it(folder):
    options = ("--splitter-option", "keep_separator=false", "--splitter-option",
               "min-chunk-size-chars=10")  # fmt: skip
    run("split", "docs/fees.md", "-o", "chunks.jsonl", "--size", "12", *options)
    assert read_chunks("chunks.jsonl")["text"].str.contains("\n").sum() == 0


def test_retrieve_keeps_an_index_and_names_the_nearest_retriever(folder):
    run("split", "docs", "-o", "chunks.jsonl")
    run("retrieve", "chunks.jsonl", "questions.jsonl", "-o", "a.jsonl", "--index", "kept")
    assert Path("kept").is_dir()
    run("retrieve", "chunks.jsonl", "questions.jsonl", "-o", "b.jsonl", "--index", "kept")
    assert Path("a.jsonl").read_bytes() == Path("b.jsonl").read_bytes()
    done = run("retrieve", "chunks.jsonl", "questions.jsonl", "-o", "c", "--retriever", "bm52",
               status=2)  # fmt: skip
    assert "did you mean bm25?" in done.stderr
    run("retrieve", "-", "-", "-o", "c.jsonl", status=2)


def test_bench_writes_every_configuration_and_a_table(folder):
    done = run(
        "bench", "docs", "questions.jsonl", "-o", "out", "--splitter", "spring-ai",
        "--splitter", "recursive", "--size", "20", "--size", "60", "--overlap", "0",
        "--overlap", "5", "-k", "2",
    )  # fmt: skip
    configurations = [
        "recursive-20-bm25", "recursive-20-overlap5-bm25", "recursive-60-bm25",
        "recursive-60-overlap5-bm25", "spring-ai-20-bm25", "spring-ai-60-bm25",
    ]  # fmt: skip
    files = [f"{name}/{file}.json{'' if file == 'result' else 'l'}"
             for name in configurations for file in ("chunks", "result", "run")]  # fmt: skip
    files += [f"{name}/made.json" for name in configurations]
    assert names(Path("out")) == sorted([*files, "costs.csv", "results.csv", "table.json"])
    for name in configurations:
        assert name in done.stdout
        jsonschema.validate(json.loads(Path(f"out/{name}/result.json").read_text()), SCHEMA)
    table = json.loads(Path("out/table.json").read_text())
    measures = table["configurations"][0]["measures"]
    assert list(measures) == ["Hit@2", "Partial@2", "MRR@20", "Hit@120tok", "Ceiling"]
    assert table["deciding"] == "Hit@120tok"
    values = [each["measures"]["Hit@120tok"]["value"] for each in table["configurations"]]
    assert values == sorted(values, reverse=True)
    assert "3 documents" in done.stdout
    assert "Everything is in out" in done.stdout


def test_bench_without_a_budget_has_the_measures_asked_for(folder):
    run("bench", "docs", "questions.jsonl", "-o", "out", "--budget", "0", "-m", "Hit@1")
    table = json.loads(Path("out/table.json").read_text())
    assert list(table["configurations"][0]["measures"]) == ["Hit@1"]


def test_bench_retrieves_deeper_for_a_budget_but_scores_a_fixed_k_within_the_depth(folder):
    pages = "".join(f"Sentence number {n} speaks of bikes.\n\n" for n in range(40))
    Path("docs/many.md").write_text(pages)
    options = ("--splitter", "recursive", "--size", "10", "--depth", "4", "-m", "MRR Recall@4")
    run("bench", "docs", "questions.jsonl", "-o", "deep", "--budget", "200", *options)
    run("bench", "docs", "questions.jsonl", "-o", "flat", "--budget", "0", *options)
    assert read_run("deep/recursive-10-bm25/run.jsonl").retrieved["rank"].max() > 4
    assert read_run("flat/recursive-10-bm25/run.jsonl").retrieved["rank"].max() == 4
    scores = [json.loads(Path(f"{name}/table.json").read_text()) for name in ("deep", "flat")]
    deep, flat = (each["configurations"][0]["measures"] for each in scores)
    assert {name: deep[name] for name in flat} == flat


def test_bench_lists_files_that_were_skipped(folder):
    Path("docs/broken.md").write_bytes(b"\xff\xfe\x00")
    done = run("bench", "docs", "questions.jsonl", "-o", "out")
    assert "skipped: broken.md (" in done.stdout


def test_bench_refuses_what_cannot_be_before_it_begins(folder):
    for options in (["--splitter", "nope"], ["-k", "30"], ["--retriever-option", "lang=x"]):
        run("bench", "docs", "questions.jsonl", "-o", "out", *options, status=2)
    assert not Path("out").exists()


def test_demo_prints_a_ranked_table_and_keeps_nothing(folder):
    done = run("demo")
    assert names(folder) == ["docs/fees.md", "docs/hours.md", "docs/repair.md", "questions.jsonl"]
    assert "unanswerable" in done.stdout
    for word in ("Hit@4", "Partial@4", "MRR", "chunks", "tokens", "spring-ai-200-bm25"):
        assert word in done.stdout
    questions = (demo_folder() / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    expected = [json.loads(line)["expected"] for line in questions]
    assert len(expected) >= 40
    assert sum(not items for items in expected) >= 6
    assert len(list(demo_folder().glob("*.md"))) >= 12


def test_the_demo_s_questions_are_without_faults(folder):
    run("check", str(demo_folder() / "questions.jsonl"), "--docs", str(demo_folder()))


def test_convert_says_what_is_lost(folder):
    Path("run.jsonl").write_text(
        '{"id": "q1", "retrieved": [{"id": "a", "text": "x", "score": 0.5}]}\n'
    )
    done = run("convert", "run.jsonl", "run.trec")
    assert Path("run.trec").read_text() == "q1 Q0 a 1 0.5 run\n"
    assert "warning: trec cannot hold text of the run: 1 is not in the output" in done.stderr
    assert "run.jsonl -> run.trec" in done.stderr
    back = run("convert", "run.trec", "-", "--to", "json-dict")
    assert json.loads(back.stdout) == {"q1": {"a": 0.5}}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["questions.jsonl", "q.qrels"], "no expected item"),
        (["questions.jsonl", "q.foo"], "cannot tell the format"),
        (["questions.jsonl", "q.jsonl", "--to", "jsnl"], "did you mean jsonl"),
        (["questions.jsonl", "q.jsonl", "--role", "runs"], "did you mean run"),
        (["questions.jsonl", "q.jsonl", "--role", "run"], "run"),
    ],
)
def test_convert_says_what_cannot_be_done(folder, arguments, said):
    assert said in run("convert", *arguments, status=2).stderr


def test_check_finds_faults_and_corrects_the_certain_ones(folder):
    with Path("questions.jsonl").open("a") as file:
        file.write('{"id": "q4", "question": "?", "expected": ["The deposit was one hundred"]}\n')
        file.write('{"id": "q5", "question": "??", "expected": [" On Sundays it is closed. "]}\n')
    done = run("check", "questions.jsonl", "--docs", "docs", "--fix", "fixed.jsonl",
               "--json", "check.json", "--csv", "check.csv", status=1)  # fmt: skip
    assert "error: not_found" in done.stdout
    assert "[was → is]" in " ".join(done.stdout.split())
    assert "1 corrections -> fixed.jsonl" in done.stderr
    assert '"On Sundays it is closed."' in Path("fixed.jsonl").read_text()
    record = json.loads(Path("check.json").read_text())
    jsonschema.validate(record, SCHEMA)
    assert pl.read_csv("check.csv")["code"].to_list() == ["not_found", "white_space"]


def test_check_exits_with_1_on_warnings_only_when_strict(folder):
    Path("docs/copy.md").write_text(PAGES["fees.md"])
    assert "warning: repeated" in run("check", "questions.jsonl", "--docs", "docs").stdout
    run("check", "questions.jsonl", "--docs", "docs", "--strict", status=1)
    clean = run("check", "questions.jsonl")
    assert "no faults found" in clean.stdout
    assert "not checked: if elements stand in the documents" in clean.stdout


def write_run() -> None:
    texts = {"late": "A late bike costs eight euros a day.", "nine": "The shop opens at nine.",
             "x": "Nothing here."}  # fmt: skip
    lists = {"q1": ["x", "late"], "q2": ["x", "x"], "q3": ["x"]}
    answers = {"q1": "Eight euros.", "q2": "I don't know.", "q3": "I'm sorry, I don't know."}
    lines = [
        {
            "id": query,
            "retrieved": [
                {"id": name, "text": texts[name], "score": 0.9 - place / 10, "tokens": 10}
                for place, name in enumerate(places)
            ],
            "answer": answers[query],
        }
        for query, places in lists.items()
    ]
    Path("run.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    Path("chunks.jsonl").write_text(
        "".join(json.dumps({"id": key, "text": text}) + "\n" for key, text in texts.items())
    )


def test_diagnose_tells_the_misses_apart(folder):
    write_run()
    done = run("diagnose", "questions.jsonl", "run.jsonl", "--chunks", "chunks.jsonl", "--docs",
               "docs", "--json", "d.json", "--per-question", "d.csv", "--per-item", "i.tsv",
               "-k", "1")  # fmt: skip
    record = json.loads(Path("d.json").read_text())
    jsonschema.validate(record, SCHEMA)
    assert (record["outcomes"]["late"], record["outcomes"]["unretrieved"]) == (1, 1)
    assert "q1  late: whole at rank 2, and k is 1" in done.stdout
    assert "q2  unretrieved" in done.stdout
    assert pl.read_csv("d.csv")["outcome"].to_list() == ["late", "unretrieved"]
    only = run("diagnose", "questions.jsonl", "run.jsonl", "-k", "1", "--outcome", "late")
    assert "q1  late" in only.stdout
    assert "q2  " not in only.stdout
    none = run("diagnose", "questions.jsonl", "run.jsonl", "-k", "1", "--limit", "0")
    assert "... and 2 more" in none.stdout
    wrong = run("diagnose", "questions.jsonl", "run.jsonl", "--outcome", "cutt", status=2)
    assert "did you mean cut?" in wrong.stderr


def test_abstention_and_threshold(folder):
    write_run()
    record = json.loads(run("abstention", "questions.jsonl", "run.jsonl", "--json", "-").stdout)
    jsonschema.validate(record, SCHEMA)
    found = (record["right"], record["unsupported"], record["over_refusals"], record["answered"])
    assert found == (1, 0, 1, 1)
    Path("phrases.txt").write_text("never says so\n")
    other = run("abstention", "questions.jsonl", "run.jsonl", "--phrases", "phrases.txt",
                "--json", "-", "--per-question", "a.csv")  # fmt: skip
    assert json.loads(other.stdout)["right"] == 0
    record = json.loads(run("threshold", "questions.jsonl", "run.jsonl", "--json", "-").stdout)
    jsonschema.validate(record, SCHEMA)
    assert record["area"] == 0.5
    run("threshold", "questions.jsonl", "run.jsonl", "--per-threshold", "t.csv")
    assert pl.read_csv("t.csv").columns == ["threshold", "answered", "unsupported", "hit"]


def test_the_curve_has_hits_and_tokens(folder):
    write_run()
    files = ("questions.jsonl", "run.jsonl")
    record = json.loads(run("curve", *files, "--window", "100", "--json", "-").stdout)
    jsonschema.validate(record, SCHEMA)
    points = record["points"]
    assert [point["value"] for point in points] == [0.0, 0.5]
    assert [point["tokens_mean"] for point in points] == [10, 20]
    shown = run("curve", *files, "--window", "100", "--depth", "3").stdout
    assert "20.0 %" in shown
    assert curve(*files, depth=3).points["gain"].to_list() == [0.0, 0.5, 0.0]


def test_a_curve_agrees_with_hit_at_every_k(folder):
    write_run()
    found = json.loads(run("curve", "questions.jsonl", "run.jsonl", "--json", "-").stdout)
    measures = "Hit@1 Hit@2"
    scored = json.loads(
        run("eval", "questions.jsonl", "run.jsonl", "-m", measures, "--json", "-").stdout
    )
    for point in found["points"]:
        score = scored["runs"][0]["measures"][f"Hit@{point['k']}"]
        assert {name: point[name] for name in ("value", "low", "high")} == {
            name: score[name] for name in ("value", "low", "high")
        }


def test_measures_for_people_and_programs(folder):
    record = json.loads(run("measures", "--json", "-").stdout)
    assert {"Hit", "nDCG", "Ceiling"} <= {each["name"] for each in record["measures"]}
    page = run("measures", "--markdown", "-").stdout
    current = Path(__file__).parents[2] / "docs" / "measures.md"
    assert page == current.read_text("utf-8"), "python -m tophit.report.measures_page"
    assert "Järvelin" in run("measures", "ndcg").stdout
    assert "did you mean nDCG" in run("measures", "ndgc", status=2).stderr


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_a_folder_that_cannot_be_written_is_said(folder):
    Path("locked").mkdir(mode=0o500)
    done = run("split", "docs", "-o", "locked/chunks.jsonl", status=2)
    assert "cannot write locked/chunks.jsonl" in done.stderr
