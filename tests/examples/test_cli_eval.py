"""`tophit eval`, `baseline` and `compare`: from files to numbers, files and exit statuses."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path

import jsonschema
import polars as pl
import pytest
from click.testing import CliRunner

import tophit
from tophit.cli.commands import tophit as cli
from tophit.report.frames import scores_frame

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "schema.json").read_text("utf-8"))
QUESTIONS = [
    {"id": "q1", "question": "Who?", "expected": ["Ann repaired the bike."]},
    {"id": "q2", "question": "When?", "expected": ["on a rainy Tuesday in May"]},
    {"id": "q3", "question": "Why?", "expected": ["since the chain had come off twice"]},
]
TEXTS = {
    "a": "Ann repaired the bike. She was quick.",
    "b": "It was on a rainy Tuesday in May.",
    "x": "Nothing to see here.",
    "y": "Or here.",
}
PLACES = {"q1": ["a", "x"], "q2": ["x", "y", "b"], "q3": ["x", "y"]}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    (tmp_path / "questions.jsonl").write_text("".join(json.dumps(q) + "\n" for q in QUESTIONS))
    (tmp_path / "run.jsonl").write_text(run_of(PLACES))
    (tmp_path / "better.jsonl").write_text(run_of({**PLACES, "q2": ["b"]}))
    (tmp_path / "chunks.jsonl").write_text(
        "".join(json.dumps({"id": key, "text": text}) + "\n" for key, text in TEXTS.items())
    )
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq2 0 b 1\nq3 0 c 1\n")
    (tmp_path / "run.trec").write_text(
        "".join(
            f"{query} Q0 {name} {place} {9 - place} tag\n"
            for query, names in PLACES.items()
            for place, name in enumerate(names, 1)
        )
    )
    return tmp_path


def run_of(places: dict[str, list[str]]) -> str:
    return "".join(
        json.dumps(
            {"id": query, "retrieved": [{"id": name, "text": TEXTS[name]} for name in names]}
        )
        + "\n"
        for query, names in places.items()
    )


def run(*arguments: str, status: int = 0):
    done = CliRunner().invoke(cli, list(arguments))
    assert done.exit_code == status, done.output
    return done


def evaluated(*arguments: str) -> dict:
    record = json.loads(run("eval", *arguments, "--json", "-").stdout)
    jsonschema.validate(record, SCHEMA)
    return record


@pytest.mark.parametrize(
    "files", [("questions.jsonl", "run.jsonl"), ("qrels.txt", "run.trec")], ids=["jsonl", "trec"]
)
def test_the_worked_example(folder, files):
    record = evaluated(*files, "-m", "Hit@4 MRR")
    measures = record["runs"][0]["measures"]
    assert measures["Hit@4"]["value"] == pytest.approx(2 / 3, abs=1e-15)
    assert measures["MRR"]["value"] == pytest.approx(4 / 9, abs=1e-15)
    assert measures["Hit@4"]["n"] == 3
    assert record["questions"]["answerable"] == record["questions"]["total"] == 3


def test_json_says_the_same_as_python(folder):
    record = evaluated("questions.jsonl", "run.jsonl", "-m", "Hit@1 nDCG@10 Partial@2")
    result = tophit.evaluate("questions.jsonl", "run.jsonl", measures="Hit@1 nDCG@10 Partial@2")
    assert record["runs"][0]["measures"] == result.to_dict()["measures"]
    assert record["questions"] == result.questions.to_dict()
    assert record["match"] == result.match == "text"
    assert record["tophit"] == tophit.__version__
    assert list(record)[:7] == ["tophit", "schema", "k", "match", "settings", "questions", "runs"]


def test_the_same_input_gives_the_same_bytes(folder):
    arguments = ["eval", "questions.jsonl", "run.jsonl", "better.jsonl", "-m", "Hit MRR MAP nDCG"]
    for name in ("one", "two"):
        run(*arguments, "--json", f"{name}.json", "--per-question", f"{name}.csv")
    assert Path("one.json").read_bytes() == Path("two.json").read_bytes()
    assert Path("one.csv").read_bytes() == Path("two.csv").read_bytes()


def test_an_unanswerable_question_changes_its_count_alone(folder):
    before = evaluated("questions.jsonl", "run.jsonl")
    with Path("questions.jsonl").open("a") as file:
        file.write('{"id": "q4", "expected": []}\n')
    after = evaluated("questions.jsonl", "run.jsonl")
    assert after["runs"] == before["runs"]
    assert after["questions"] == {**before["questions"], "total": 4, "unanswerable": 1}


def test_only_unanswerable_questions_are_said_in_words(folder):
    Path("none.jsonl").write_text('{"id": "q1", "expected": []}\n')
    done = run("eval", "none.jsonl", "run.jsonl", "--json", "none.json")
    assert "no questions" in done.stdout
    assert "no question is answerable" in done.stdout
    record = json.loads(Path("none.json").read_text())
    jsonschema.validate(record, SCHEMA)
    score = record["runs"][0]["measures"]["Hit@4"]
    assert score == {"value": 0.0, "low": None, "high": None, "n": 0}


def test_k_depth_and_grade_reach_the_library(folder):
    Path("qrels.txt").write_text("q1 0 a 1\nq2 0 b 2\nq3 0 c 2\n")
    files = ("qrels.txt", "run.trec", "-m", "Hit")
    assert evaluated(*files, "-k", "2")["runs"][0]["measures"]["Hit@2"]["value"] == 1 / 3
    assert evaluated(*files, "--depth", "2")["runs"][0]["measures"]["Hit@4"]["value"] == 1 / 3
    assert evaluated(*files, "--min-grade", "2")["runs"][0]["measures"]["Hit@4"]["value"] == 0.5
    wide = evaluated(*files, "--level", "0.99")["runs"][0]["measures"]["Hit@4"]
    assert wide["low"] < evaluated(*files)["runs"][0]["measures"]["Hit@4"]["low"]


def test_populations_of_trec_eval(folder):
    Path("qrels.txt").write_text("q1 0 a 1\nq2 0 b 0\nq8 0 b 1\n")
    values = {
        name: evaluated("qrels.txt", "run.trec", "-m", "Hit", "--population", name)["runs"][0][
            "measures"
        ]["Hit@4"]
        for name in ("answerable", "trec_eval", "trec_eval-c")
    }
    found = {name: (score["value"], score["n"]) for name, score in values.items()}
    assert found == {"answerable": (0.5, 2), "trec_eval": (0.5, 2), "trec_eval-c": (1 / 3, 3)}


def test_matching_can_be_chosen(folder):
    assert evaluated("questions.jsonl", "run.jsonl", "--match", "text")["match"] == "text"
    done = run("eval", "qrels.txt", "run.trec", "--match", "text", status=2)
    assert "for --match text" in done.stderr
    Path("questions.jsonl").write_text('{"id": "q1", "expected": ["ANN  repaired the “bike”."]}\n')
    Path("run.jsonl").write_text(
        '{"id": "q1", "retrieved": [{"id": "a", "text": "Ann **repaired** the \\"bike\\"."}]}\n'
    )
    files = ("questions.jsonl", "run.jsonl", "-m", "Hit")

    def hit(*options: str) -> float:
        return evaluated(*files, *options)["runs"][0]["measures"]["Hit@4"]["value"]

    assert (hit(), hit("--strip-markup"), hit("--strip-markup", "--match-exact")) == (0, 1, 0)


def test_one_file_may_hold_questions_and_run(folder):
    Path("ragas.jsonl").write_text(
        '{"user_input": "Who?", "reference_contexts": ["Ann repaired the bike."], '
        '"retrieved_contexts": ["Ann repaired the bike. Yes."], "response": "Ann"}\n'
    )
    assert evaluated("ragas.jsonl")["runs"][0]["measures"]["Hit@4"]["value"] == 1
    assert "expected questions and a run" in run("eval", "questions.jsonl", status=2).stderr


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", "csv.gz", "jsonl.zst"])
def test_scores_of_every_question_by_ending(folder, ending):
    run("eval", "questions.jsonl", "run.jsonl", "-m", "Hit MRR", "--per-question", f"s.{ending}")
    readers = {"csv": pl.read_csv, "jsonl": pl.read_ndjson, "parquet": pl.read_parquet}
    if ending == "tsv":
        found = pl.read_csv(f"s.{ending}", separator="\t")
    else:
        found = readers[ending.partition(".")[0]](f"s.{ending}")
    assert found.columns == ["run", "query_id", "Hit@4", "MRR"]
    assert found["query_id"].to_list() == ["q1", "q2", "q3"]
    assert found["MRR"].to_list() == pytest.approx([1, 1 / 3, 0])
    if ending.endswith(".gz"):
        assert gzip.decompress(Path(f"s.{ending}").read_bytes()).startswith(b"run,")


def test_the_table_as_csv_has_a_row_a_run_and_measure(folder):
    done = run(
        "eval", "questions.jsonl", "run.jsonl", "better.jsonl", "-m", "Hit MRR", "--csv", "-"
    )
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [(row["run"], row["measure"]) for row in rows] == [
        ("run", "Hit@4"), ("run", "MRR"), ("better", "Hit@4"), ("better", "MRR"),
    ]  # fmt: skip
    assert float(rows[0]["low"]) < float(rows[0]["value"]) < float(rows[0]["high"])


def test_runs_of_one_name_are_both_there(folder):
    record = evaluated("qrels.txt", "run.trec", "run.trec")
    assert [each["name"] for each in record["runs"]] == ["run", "run (2)"]


def test_several_runs_have_their_own_counts(folder):
    Path("short.jsonl").write_text(run_of({"q1": ["a"], "q9": ["a"]}))
    record = evaluated("questions.jsonl", "run.jsonl", "short.jsonl")
    assert record["questions"]["without_results"] == 2
    assert [each["questions"]["without_results"] for each in record["runs"]] == [0, 2]
    warned = {(w["code"], w.get("run")) for w in record["warnings"]}
    assert {("without_results", "short"), ("not_asked", "short")} <= warned
    shown = run("eval", "questions.jsonl", "run.jsonl", "short.jsonl").stdout
    assert "warning: short: 2 answerable questions without results" in shown


def test_outcomes_are_there_where_the_index_is_known(folder):
    record = evaluated("questions.jsonl", "run.jsonl", "--chunks", "chunks.jsonl", "-m", "Ceiling")
    outcomes = record["runs"][0]["outcomes"]
    assert (outcomes["found"], outcomes["absent"]) == (2, 1)
    assert sum(outcomes.values()) == 3
    assert record["runs"][0]["measures"]["Ceiling"]["value"] == pytest.approx(2 / 3)
    assert "outcomes" not in evaluated("questions.jsonl", "run.jsonl")["runs"][0]
    assert "--chunks FILE" in run("eval", "questions.jsonl", "run.jsonl", "-m", "Ceiling",
                                  status=2).stderr  # fmt: skip


def test_fingerprints_tell_questions_corpus_and_settings_apart(folder):
    plain = evaluated("questions.jsonl", "run.jsonl")["fingerprints"]
    assert evaluated("questions.jsonl", "better.jsonl")["fingerprints"] == plain
    indexed = evaluated("questions.jsonl", "run.jsonl", "--chunks", "chunks.jsonl")["fingerprints"]
    assert {**plain, "corpus": indexed["corpus"]} == indexed
    other = evaluated("questions.jsonl", "run.jsonl", "-k", "3")["fingerprints"]
    assert other["questions"] == plain["questions"]
    assert other["settings"] != plain["settings"]


@pytest.mark.parametrize(
    ("limits", "status"),
    [
        (["Hit@4=0.6"], 0),
        (["Hit@4=0.8"], 1),
        (["Hit@4=0.6", "MRR=0.9"], 1),
        (["success_4 >= 60%"], 0),
        (["lower:Hit@4=0.6"], 1),
        (["Hit@3=0.6"], 0),
        (["Hit@4=60"], 2),
        (["Hitt@4=0.6"], 2),
    ],
)
def test_gates_decide_the_exit_status(folder, limits, status):
    options = [word for limit in limits for word in ("--fail-under", limit)]
    run("eval", "questions.jsonl", "run.jsonl", *options, status=status)


def test_a_failed_gate_says_case_expected_actual_and_difference(folder):
    options = ["--fail-under", "Hit@4=0.8", "--fail-under", "nDCG@10=0.1", "--json", "out.json"]
    done = run("eval", "questions.jsonl", "run.jsonl", *options, status=1)
    assert "gate failed: 1 of 2 checks" in done.stderr
    assert "Hit@4    >= 0.8000  0.6667     -0.1333  FAILED" in done.stderr
    record = json.loads(Path("out.json").read_text())
    jsonschema.validate(record, SCHEMA)
    assert record["gates"]["run"]["passed"] is False
    assert "nDCG@10" in record["runs"][0]["measures"]


def test_a_gate_on_no_question_fails(folder):
    Path("none.jsonl").write_text('{"id": "q1", "expected": []}\n')
    for least in ("0.1", "0"):
        run("eval", "none.jsonl", "run.jsonl", "--fail-under", f"Hit@4={least}", status=1)


def test_a_frozen_baseline_holds_later_runs(folder):
    run("baseline", "questions.jsonl", "better.jsonl", "-o", "base.json")
    against = ("--against", "base.json")
    run("eval", "questions.jsonl", "better.jsonl", *against)
    done = run("eval", "questions.jsonl", "run.jsonl", *against, status=1)
    assert "lost q2" in done.stderr
    run("eval", "questions.jsonl", "run.jsonl", *against, "--significant")
    for drop in ("0.5", "50%", " 50 % "):
        run("eval", "questions.jsonl", "run.jsonl", *against, "--max-drop", drop)
    run("eval", "questions.jsonl", "run.jsonl", *against, "--max-drop", "2%", status=1)
    refused = run("eval", "questions.jsonl", "run.jsonl", *against, "--min-grade", "2", status=2)
    assert "min_grade was 1 and is 2" in refused.stderr
    run("eval", "questions.jsonl", "run.jsonl", *against, "--match-exact", status=2)
    run("eval", "questions.jsonl", "run.jsonl", *against, "--match-exact",
        "--allow-different", status=1)  # fmt: skip


def test_a_baseline_refuses_other_questions_and_another_corpus(folder):
    chunks = ("--chunks", "chunks.jsonl")
    run("baseline", "questions.jsonl", "run.jsonl", "-o", "base.json", *chunks)
    run("eval", "questions.jsonl", "run.jsonl", "--against", "base.json", *chunks)
    with Path("chunks.jsonl").open("a") as file:
        file.write('{"id": "z", "text": "new"}\n')
    done = run("eval", "questions.jsonl", "run.jsonl", "--against", "base.json", *chunks, status=2)
    assert "the documents have changed" in done.stderr
    Path("questions.jsonl").write_text(json.dumps(QUESTIONS[0]) + "\n")
    done = run("eval", "questions.jsonl", "run.jsonl", "--against", "base.json", status=2)
    assert "q2, q3" in done.stderr


@pytest.mark.parametrize("drop", ["2", "200%", "-1%", "nan", "two"])
def test_a_drop_is_a_fraction_or_a_percentage(folder, drop):
    against = ("--against", "base.json", "--max-drop", drop)
    done = run("eval", "questions.jsonl", "run.jsonl", *against, status=2)
    assert "0.02 or 2%" in done.stderr


def test_a_measure_that_the_baseline_lacks_is_not_passed_over(folder):
    run("baseline", "questions.jsonl", "better.jsonl", "-m", "Hit@4", "-o", "base.json")
    done = run("eval", "questions.jsonl", "better.jsonl", "-m", "MRR", "--against", "base.json")
    assert "MRR is not in base.json and not checked" in done.stderr


@pytest.mark.parametrize("option", [["--max-drop", "0.1"], ["--significant"]])
def test_gates_that_need_a_baseline_say_so(folder, option):
    done = run("eval", "questions.jsonl", "run.jsonl", *option, status=2)
    assert f"{option[0]} needs --against BASELINE" in done.stderr


def test_markdown_is_added_to_a_step_summary(folder, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    Path("summary.md").write_text("before\n")
    run("eval", "questions.jsonl", "run.jsonl", "--markdown", "summary.md")
    text = Path("summary.md").read_text()
    assert text.startswith("before\n**run: 3 questions")
    assert "| Hit@4 | 0.6667 |" in text


def test_comparisons_in_json(folder):
    done = run("compare", "questions.jsonl", "run.jsonl", "better.jsonl", "--json", "-")
    record = json.loads(done.stdout)
    jsonschema.validate(record, SCHEMA)
    mrr = next(each for each in record["differences"] if each["measure"] == "MRR")
    assert (mrr["a"], mrr["b"], mrr["wins"], mrr["losses"]) == ("run", "better", ["q2"], [])
    assert mrr["difference"] == pytest.approx((1 - 1 / 3) / 3)


def test_comparison_options(folder):
    files = ["questions.jsonl", "run.jsonl", "better.jsonl", "run.trec"]
    assert "at least two runs" in run("compare", *files[:2], status=2).stderr
    both = run("compare", *files[:3], "--all-pairs", "--baseline", "run", status=2)
    assert "exclude each other" in both.stderr
    assert "did you mean better?" in run("compare", *files[:3], "--baseline", "beter",
                                         status=2).stderr  # fmt: skip
    swapped = run("compare", *files[:3], "--baseline", "better", "-m", "MRR").stdout
    assert swapped.startswith("run against better: 3 questions")
    run("compare", *files[:3], "-m", "MRR", "--csv", "c.csv")
    assert pl.read_csv("c.csv").select("a", "b", "n_wins").rows() == [("run", "better", 1)]


def test_comparing_runs_that_match_differently_is_refused(folder):
    Path("questions.jsonl").write_text(
        '{"id": "q1", "expected": [{"id": "a", "text": "Ann repaired the bike."}]}\n'
    )
    files = ("questions.jsonl", "run.jsonl", "run.trec")
    assert "match" in run("compare", *files, status=2).stderr
    assert "warning" in run("compare", *files, "--allow-different").stdout


def test_the_window_says_what_share_the_first_chunks_take(folder):
    run_with_tokens = {
        "id": "q1",
        "retrieved": [{"id": n, "text": "Ann repaired the bike.", "tokens": 10} for n in "abcdef"],
    }
    Path("run.jsonl").write_text(json.dumps(run_with_tokens) + "\n")
    record = evaluated("questions.jsonl", "run.jsonl", "--window", "1000")
    assert record["runs"][0]["context"] == {
        "k": 4, "tokens_mean": 40 / 3, "tokens_max": 40, "window": 1000,
    }  # fmt: skip
    shown = run("eval", "questions.jsonl", "run.jsonl", "--window", "1000").stdout
    assert "context: the first 4 chunks take 13 tokens on average, 40 at most" in shown
    assert "context" not in evaluated("questions.jsonl", "run.jsonl")["runs"][0]
    assert "context" not in evaluated("qrels.txt", "run.trec", "--window", "1000")["runs"][0]


def test_measures_of_a_baseline_are_held_whatever_is_asked_for(folder):
    run("baseline", "questions.jsonl", "better.jsonl", "-o", "base.json", "-m", "Hit@1")
    done = run("eval", "questions.jsonl", "run.jsonl", "--against", "base.json", "-m", "All",
               status=1)  # fmt: skip
    assert "Hit@1" in done.stderr


def test_scores_stand_in_the_order_of_the_question_file(folder):
    ids = [f"q{(7 * n) % 101}" for n in range(101)]
    result = tophit.evaluate({query: ["a"] for query in sorted(ids)}, {"q0": ["a"]})
    assert scores_frame([result], order=ids)["query_id"].to_list() == ids
    assert scores_frame([result], order=ids[:1])["query_id"].to_list() == [
        ids[0], *sorted(ids[1:])
    ]  # fmt: skip
    Path("qrels.txt").write_text("".join(f"{query} 0 a 1\n" for query in ids))
    Path("run.trec").write_text("q0 Q0 a 1 1 t\n")
    done = run("eval", "qrels.txt", "run.trec", "--per-question", "-")
    assert [row["query_id"] for row in csv.DictReader(io.StringIO(done.stdout))] == ids
