"""What leaves tophit for other programs: JUnit XML, annotations, LaTeX, and the JSON's schema."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import tophit
from tophit import Settings
from tophit.benching import bench
from tophit.cli.commands import tophit as cli
from tophit.comparison import compare_scores
from tophit.evaluation.record import evaluation_record
from tophit.formats import question_lines
from tophit.gates import GateReport, check_against, check_limits
from tophit.gates.baseline import baseline_from, freeze
from tophit.relations import Questions
from tophit.report.github import SHOWN, annotation_lines, in_workspace
from tophit.report.junit import junit_parts
from tophit.report.latex import comparison_latex, evaluation_latex
from tophit.report.misses import account, gate_measure

GOLDEN = Path(__file__).parents[1] / "golden" / "report"
UPDATE = bool(os.environ.get("TOPHIT_UPDATE_GOLDEN"))
SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "schema.json").read_text("utf-8"))

QUESTIONS = [
    {"id": "q1", "question": "How long may I keep it?", "expected": ["within 30 days"]},
    {"id": "q2", "question": "What, \"exactly\", is <free> & why?\n50 % off", "expected": ["free"]},
    {"id": "q3", "question": "Wie schnell?", "expected": ["three working days", "express"]},
    {"id": "q4", "question": "Do you rent scooters?", "expected": []},
    {"id": "q5", "question": "検索できますか", "expected": ["自転車は検索できます"]},
]  # fmt: skip
PLACES = {
    "q1": ["Return it within 30 days."],
    "q2": ["a", "b", "c", "d", "It is free."],
    "q3": ["Delivery takes three working weeks."],
    "q4": ["no"],
}


def jsonl(records: list[dict]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("questions.jsonl").write_text(jsonl(QUESTIONS), encoding="utf-8")
    for name, places in (("old", {}), ("new", PLACES)):
        run = [
            {"id": query, "retrieved": [{"id": f"{query}-{n}", "text": t} for n, t in enumerate(p)]}
            for query, p in places.items()
        ]
        Path(f"{name}.jsonl").write_text(jsonl(run) or "[]", encoding="utf-8")
    return tmp_path


def eval_(*arguments: str, status: int = 0, env: dict[str, str] | None = None):
    done = CliRunner().invoke(cli, ["eval", *arguments], env=env)
    assert done.exit_code == status, done.output
    return done


def same_as_golden(name: str, text: str) -> None:
    file = GOLDEN / name
    if UPDATE:
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


def told(judged: dict, run: dict, *, gates: str | None = None, **options):
    """The account of a run given as dicts."""
    result = tophit.evaluate(judged, run, measures="Hit@4 MRR")
    report = None if gates is None else check_limits(result, gates)
    return account(result, tophit.diagnose(judged, run), gates=report, **options)


# ------------------------------------------------------------------------------ JUnit

GATED = ["questions.jsonl", "new.jsonl", "--fail-under", "Hit@4=0.8", "--fail-under", "MRR=0.1"]


def test_junit_is_what_it_was(folder):
    eval_(*GATED, "--junit", "report.xml", status=1)
    text = Path("report.xml").read_text(encoding="utf-8")
    same_as_golden("junit.xml", text)
    eval_(*GATED, "--junit", "again.xml", status=1)
    assert Path("again.xml").read_text(encoding="utf-8") == text


def test_junit_has_a_case_a_question_and_a_gate(folder):
    eval_(*GATED, "--junit", "report.xml", status=1)
    root = ElementTree.parse("report.xml").getroot()
    suite = root.find("testsuite")
    assert suite.attrib == {
        "name": "new", "tests": "7", "failures": "4", "errors": "0", "skipped": "1", "time": "0",
    }  # fmt: skip
    outcome = {
        case.get("name").partition(":")[0]: [
            (child.tag, child.get("type"), child.get("message")) for child in case
        ]
        for case in suite.iter("testcase")
    }
    assert outcome == {
        "q1": [],
        "q2": [("failure", "late", "late: whole at rank 5, and k is 4")],
        "q3": [("failure", "missed", "missed: 72 % of it at rank 1; the index would tell why")],
        "q4": [("skipped", None, "unanswerable")],
        "q5": [("failure", "empty", "empty: nothing was retrieved")],
        "Hit@4 >= 0.8": [
            ("failure", "gate", "Hit@4: expected at least 0.8000, found 0.2500 (-0.5500); "
             "4 questions"),
        ],
        "MRR >= 0.1": [],
    }  # fmt: skip
    places = {case.get("classname") for case in suite.iter("testcase")}
    assert places == {"new/Hit@4", "new/gates"}
    second = list(suite.iter("testcase"))[1]
    assert (second.get("file"), second.get("line")) == ("questions.jsonl", "2")
    assert second.get("name") == 'q2: What, "exactly", is <free> & why? 50 % off'


def test_junit_has_a_suite_a_run_and_sums(folder):
    eval_("questions.jsonl", "old.jsonl", "new.jsonl", "--junit", "report.xml")
    root = ElementTree.parse("report.xml").getroot()
    suites = {suite.get("name"): int(suite.get("failures")) for suite in root}
    assert suites == {"old": 4, "new": 3}
    assert (root.get("tests"), root.get("failures"), root.get("skipped")) == ("10", "7", "2")


def test_the_measure_of_the_first_gate_decides_at_its_own_cutoff(folder):
    eval_("questions.jsonl", "new.jsonl", "--fail-under", "Hit@5=0.1", "--junit", "report.xml")
    root = ElementTree.parse("report.xml").getroot()
    failed = {case.get("name")[:2] for case in root.iterfind("testsuite/testcase[failure]")}
    assert failed == {"q3", "q5"}
    eval_("questions.jsonl", "new.jsonl", "--fail-under", "Hit@1=0.1", "--junit", "report.xml")
    assert 'message="late: whole at rank 5, and k is 1"' in Path("report.xml").read_text("utf-8")
    found = told({"q": ["a"]}, {"q": ["a"]}, gates="MRR=0.5")
    assert found.measure == "MRR"
    assert gate_measure(replace(found.result, settings=Settings(k=9))) == "Hit@4"


def test_a_value_of_zero_that_the_outcome_does_not_explain():
    judged, run = {"q1": {"a": 1, "b": 1}}, {"q1": ["a"]}
    result = tophit.evaluate(judged, run, measures="All@4")
    xml = "".join(junit_parts([account(result, tophit.diagnose(judged, run))]))
    assert 'message="All@4 is 0, though found: whole at rank 1"' in xml


def test_questions_of_another_population():
    judged, run = {"q1": {"a": 0}, "q2": {"b": 1}}, {"q1": ["a"]}
    result = tophit.evaluate(judged, run, measures="Hit@4", population="trec_eval")
    xml = "".join(junit_parts([account(result, tophit.diagnose(judged, run))]))
    cases = ElementTree.fromstring(xml).iter("testcase")
    messages = {case.get("name"): [child.get("message") for child in case] for case in cases}
    assert messages == {
        "q1": ["Hit@4 is 0: no relevant item"],
        "q2": ["left out of this population"],
    }


def test_lost_questions_stand_in_the_case_of_the_baseline():
    judged = {"q1": ["a"], "q2": ["b"]}
    old = tophit.evaluate(judged, {"q1": ["a"], "q2": ["b"]}, measures="Hit@4")
    run = {"q1": ["a"], "q2": ["x"]}
    new = tophit.evaluate(judged, run, measures="Hit@4")
    report = check_against(new, baseline_from(json.loads(freeze(old, version="0"))))
    xml = "".join(junit_parts([account(new, tophit.diagnose(judged, run), gates=report)]))
    assert "lost: q2</failure>" in xml


HOSTILE = "\x00\x07\x1b<&>\"'\r\n\t\ufffe\U0001f600]]>é"


def test_xml_holds_any_text():
    found = told({HOSTILE: ["a"]}, {})
    found = replace(found, result=replace(found.result, name=HOSTILE + "\ud800"))
    xml = "".join(junit_parts([found])).encode()
    suite = ElementTree.fromstring(xml).find("testsuite")
    marked = HOSTILE.translate(dict.fromkeys((0, 7, 0x1B, 0xFFFE), "\ufffd"))
    assert suite.get("name") == marked + "\ufffd"
    assert suite.find("testcase").get("name") == " ".join(marked.split())


def test_xml_comes_in_small_parts():
    judged = {f"q{n}": ["a"] for n in range(3000)}
    parts = [len(part) for part in junit_parts([told(judged, {})])]
    assert len(parts) > 3000
    assert max(parts) < 1000


# ------------------------------------------------------------------------------ GitHub


def annotated(*arguments: str, status: int = 0, env: dict[str, str] | None = None) -> list[str]:
    done = eval_(*arguments, status=status, env=env)
    assert "::" not in done.stdout
    return [line for line in done.stderr.splitlines() if line.startswith("::")]


def test_annotations_are_what_they_were(folder):
    lines = annotated(*GATED, "--annotations", status=1)
    same_as_golden("annotations.txt", "\n".join(lines) + "\n")


def test_annotations_come_by_themselves_where_a_gate_fails_on_github(folder):
    on_github = {"GITHUB_ACTIONS": "true"}
    assert annotated(*GATED, status=1) == []
    lines = annotated(*GATED, status=1, env=on_github)
    assert [line.partition(" ")[0] for line in lines] == ["::error"] * 4
    assert "title=new%3A Hit@4 is below its limit::Hit@4: expected" in lines[0]
    assert "title=new%3A q2 late,file=questions.jsonl,line=2::late: whole at rank 5" in lines[1]
    assert annotated(*GATED[:2], env=on_github) == []
    assert annotated(*GATED, "--no-annotations", status=1, env=on_github) == []


def test_without_a_failed_gate_they_are_warnings(folder):
    lines = annotated(*GATED[:2], "--annotations")
    assert [line.partition(" ")[0] for line in lines] == ["::warning"] * 3


@pytest.mark.parametrize(("missed", "shown", "more"), [(10, 10, 0), (11, 9, 2), (1500, 9, 1491)])
def test_no_more_than_github_shows(missed, shown, more):
    judged = {f"q{n}": ["a"] for n in range(missed)}
    lines = annotation_lines([told(judged, {})])
    assert len(lines) <= SHOWN
    assert len([line for line in lines if "empty" in line]) == shown
    assert (f"::{more:,} more, which GitHub would not show" in lines[-1]) == bool(more)


def test_only_the_run_whose_gate_failed_is_blamed():
    judged = {"q1": ["a"], "q2": ["b"]}
    good = told(judged, {"q1": ["a"], "q2": ["x"]}, gates="Hit@4=0.5")
    bad = told(judged, {"q1": ["x"], "q2": ["x"]}, gates="Hit@4=0.5")
    bad = replace(bad, result=replace(bad.result, name="bad"))
    lines = annotation_lines([good, bad])
    assert len(lines) == 3
    assert all("title=bad%3A" in line for line in lines)


def test_paths_count_from_the_root_of_the_repository(tmp_path, monkeypatch):
    (tmp_path / "checks").mkdir()
    monkeypatch.chdir(tmp_path / "checks")
    assert in_workspace("q.jsonl") == "q.jsonl"
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    assert in_workspace("q.jsonl") == "checks/q.jsonl"
    assert in_workspace("/elsewhere/q.jsonl") == "/elsewhere/q.jsonl"


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        ("a.jsonl", '\n{"id": 1, "expected": []}\n{"id": "b", "expected": []}', {"1": 2, "b": 3}),
        ("a.json", '[\n{"id": "a", "expected": []},\n{"id": "b", "expected": []}]',
         {"a": 2, "b": 3}),
        ("a.qrels", "q2 0 a 1\nq2 0 b 1\nq1 0 a 1\n", {"q2": 1, "q1": 3}),
        ("a.csv", "query_id,text\nq1,two\n", {}),
    ],
)  # fmt: skip
def test_lines_of_questions(tmp_path, name, text, lines):
    (tmp_path / name).write_text(text)
    assert question_lines(tmp_path / name) == lines
    assert question_lines("-") == {}


# ------------------------------------------------------------------------------ LaTeX


def scored(name: str, hits: list[float]):
    judged = {f"q{n:02}": ["a"] for n in range(len(hits))}
    run = {query: ["a" if hit else "x"] for query, hit in zip(judged, hits, strict=True)}
    return tophit.evaluate(judged, run, measures="Hit@4 MRR", name=name)


def test_latex_is_what_it_was(folder):
    done = eval_("questions.jsonl", "old.jsonl", "new.jsonl", "--latex", "-")
    same_as_golden("evaluation.tex", done.stdout)


def test_latex_marks_what_the_paired_test_supports():
    runs = {
        "a_b": {"Hit@4": [1.0] * 10 + [0.0] * 10, "MRR": [0.5] * 20},
        "50%": {"Hit@4": [1.0] * 19 + [0.0], "MRR": [0.5] * 19 + [0.6]},
        "bad": {"Hit@4": [0.0] * 20, "MRR": [0.5] * 20},
    }
    found = compare_scores(range(20), runs, binary={"Hit@4"})
    text = comparison_latex(found)
    same_as_golden("comparison.tex", text)
    assert r"a\_b & 0.500 & 0.500 \\" in text
    assert r"50\% & \textbf{0.950}$^{\dagger}$ & \textbf{0.505} \\" in text
    assert r"bad & 0.000$^{\ddagger}$ & 0.500 \\" in text
    assert r"$\dagger$ better, $\ddagger$ worse than a\_b ($p \le 0.05$" in text


def test_latex_of_all_pairs_names_the_runs_that_are_beaten():
    runs = {"a": {"MRR": [0.0] * 20}, "b": {"MRR": [1.0] * 20}, "c": {"MRR": [1.0] * 20}}
    text = comparison_latex(compare_scores(range(20), runs, baseline="*"))
    assert r"b & \textbf{1.000}$^{a}$ \\" in text
    assert r"c & \textbf{1.000}$^{a}$ \\" in text
    assert r"a & 0.000 \\" in text
    assert "$^{a}$ a, $^{b}$ b, $^{c}$ c." in text


def test_latex_sets_equal_numbers_alike():
    results = [scored("a", [1, 0, 1, 1]), scored("b", [1, 1, 0, 1])]
    text = evaluation_latex(results)
    assert r"\textbf" not in text
    assert text.count("0.750 & 0.750") == 2
    assert "dagger" not in text


def test_latex_without_marks_where_runs_cannot_be_compared(folder):
    Path("qrels.txt").write_text("q1 0 a 1\nq2 0 b 1\n")
    Path("a.run").write_text("q1 Q0 a 1 0.5 a\n")
    Path("b.run").write_text("q2 Q0 b 1 0.5 b\n")
    options = ["--population", "trec_eval", "-m", "Hit@4", "--latex", "-"]
    text = eval_("qrels.txt", "a.run", "b.run", *options).stdout
    assert "dagger" not in text
    assert r"a & 1.000 \\" in text


# ------------------------------------------------------------------------------ step summary


def test_a_step_summary_is_added_to_and_other_files_are_replaced(folder, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    Path("summary.md").write_text("# Build\n")
    for _ in range(2):
        eval_("questions.jsonl", "new.jsonl", "--markdown", "summary.md")
        eval_("questions.jsonl", "new.jsonl", "--markdown", "other.md")
    table = Path("other.md").read_text(encoding="utf-8")
    assert Path("summary.md").read_text(encoding="utf-8") == f"# Build\n{table}\n{table}\n"


# ------------------------------------------------------------------------------ JSON Schema


def valid(record: dict) -> dict:
    text = json.dumps(record, allow_nan=False)
    jsonschema.validate(json.loads(text), SCHEMA)
    return json.loads(text)


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_evaluations_from_python():
    judged, run = {"q1": ["a"], "q2": []}, {"q1": ["x"], "q9": ["a"]}
    one = tophit.evaluate(judged, run, measures="Hit MRR", name="one")
    valid(evaluation_record([one]))
    two = tophit.evaluate(judged, {"q1": {"a": 1.0, "b": 1.0}}, measures="Hit MRR", name="two")
    record = valid(
        evaluation_record([one, two], outcomes={"one": tophit.diagnose(judged, run).totals})
    )
    assert record["questions"]["not_asked"] == 1
    assert {warning.get("run") for warning in record["warnings"]} == {"one"}
    none = valid(evaluation_record([tophit.evaluate({"q": []}, run, measures="Hit MRR")]))
    assert none["runs"][0]["measures"]["MRR"] == {"value": 0.0, "low": None, "high": None, "n": 0}


def test_a_benchmark_writes_what_the_schema_says(tmp_path):
    judged = pl.DataFrame({"query_id": ["q"], "item_id": ["e"], "text": ["eight"], "grade": [1.0]})
    asked = pl.DataFrame({"query_id": ["q"], "question": ["What is the fee?"]})
    questions = Questions(queries=asked, judgments=judged)
    found = bench({"a.md": "The fee is eight dollars.", "b.md": ""}, questions, output=tmp_path,
                  sizes=[200, 800])  # fmt: skip
    table = valid(json.loads((tmp_path / "table.json").read_text(encoding="utf-8")))
    assert table["kind"] == "benchmark"
    for row in found.rows:
        record = valid(json.loads((row.folder / "result.json").read_text(encoding="utf-8")))
        plain = evaluation_record([replace(row.result, warnings=row.warnings)])
        assert {name: record[name] for name in plain} == plain


def test_a_baseline_and_its_gate():
    judged = {"q1": ["a"], "q2": ["b"]}
    old = tophit.evaluate(judged, judged, measures="Hit MRR")
    frozen = valid(json.loads(freeze(old, version="0")))
    assert frozen["fingerprints"] == old.fingerprints
    new = tophit.evaluate(judged, {"q1": ["a"]}, measures="Hit MRR")
    held = check_against(new, baseline_from(frozen))
    limited = check_limits(new, "lower:Hit@4=0.2")
    gates = {"run": GateReport(checks=(*held.checks, *limited.checks)).to_dict()}
    valid({**evaluation_record([new]), "gates": gates})


def test_a_comparison_without_questions():
    runs = {name: {"MRR": np.array([])} for name in "ab"}
    found = compare_scores([], runs)
    valid({"tophit": "0", "kind": "comparison", "schema": 1, **found.to_dict()})


BROKEN = {
    "no version": lambda r: r.pop("tophit"),
    "another schema": lambda r: r.update(schema=2),
    "an unknown kind": lambda r: r.update(kind="guess"),
    "no runs": lambda r: r.update(runs=[]),
    "a value above 1": lambda r: r["runs"][0]["measures"]["MRR"].update(value=1.2),
    "a score without n": lambda r: r["runs"][0]["measures"]["MRR"].pop("n"),
    "a negative count": lambda r: r["questions"].update(total=-1),
    "a warning without a code": lambda r: r["warnings"].append({"count": 1, "message": "x"}),
}


@pytest.mark.parametrize("name", BROKEN)
def test_the_schema_refuses(name):
    record = valid(evaluation_record([tophit.evaluate({"q": ["a"]}, {"q": ["a"]}, measures="MRR")]))
    BROKEN[name](record)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(record, SCHEMA)


# ------------------------------------------------------------------------------ as a process


def test_any_text_goes_through_pipes_and_files(tmp_path):
    name = "q\u2028\u0085 \u001b[31m"
    (tmp_path / "q.jsonl").write_text(
        jsonl([{"id": name, "question": "a\x07b", "expected": ["z"]}])
    )
    (tmp_path / "r.jsonl").write_text(
        jsonl([{"id": name, "retrieved": [{"id": "c", "text": "y"}]}])
    )
    arguments = ["q.jsonl", "r.jsonl", "--junit", "-", "--annotations", "-m", "Hit@4"]
    done = subprocess.run(
        [sys.executable, "-m", "tophit", "eval", *arguments], cwd=tmp_path, capture_output=True,
        env={**os.environ, "LC_ALL": "C"}, check=True,
    )  # fmt: skip
    root = ElementTree.fromstring(done.stdout)
    assert root.find("testsuite/testcase").get("file") == "q.jsonl"
    assert done.stderr.decode().startswith("::warning title=r%3A q")
