"""The pytest plugin: each test runs a small test file of a user of tophit."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pandas  # noqa: F401
import pytest

# pytester forgets what a run has imported; loaded here, it is loaded once.
import tophit.pytest_plugin.call  # noqa: F401

pytest_plugins = ["pytester"]

JUDGED = """
    JUDGED = {"how?": ["a"], "what?": ["b"], "which?": ["c"], "who?": []}
    FOUND = {"how?": ["a"], "what?": ["x", "y", "b"], "which?": ["x", "y", "z", "w", "c"]}
    def search(question):
        return FOUND.get(question, [])
"""
FORTY = """
    JUDGED = {f"q{n}": ["a"] for n in range(40)}
    def run(missed):
        return {q: ["x" if n < missed else "a"] for n, q in enumerate(JUDGED)}
"""


@pytest.fixture
def test_file(pytester):
    """Writes a test file and runs pytest on it."""

    def run(text: str, *arguments: str, common: str = JUDGED):
        source = "\n".join(line.removeprefix("    ") for line in f"{common}{text}".splitlines())
        pytester.makepyfile(source)
        return pytester.runpytest_inprocess("-p", "no:randomly", "-W", "error", *arguments)

    return run


def stdout(result) -> str:
    return "\n".join(result.outlines)


def errors(result) -> str:
    """What the failure itself says; pytest may say it again in its summary."""
    return "\n".join(line for line in result.outlines if line.startswith("E "))


def test_the_example_of_the_page_passes_and_returns_the_result(test_file):
    result = test_file("""
    def test_retrieval(tophit_eval):
        result = tophit_eval(JUDGED, search, "Hit@4 >= 0.6")
        assert round(result["Hit@4"].value, 4) == 0.6667
        assert (result.name, result.k, result.questions.unanswerable) == ("search", 4, 1)
    """)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [
            "*= tophit =*",
            "*::test_retrieval  search: Hit@4 0.6667 [[]0.208, 0.939[]], n = 3, passed",
        ]
    )


def test_a_failure_lists_cases_and_the_questions_with_their_outcomes(test_file):
    result = test_file("""
    def test_retrieval(tophit_eval):
        tophit_eval(JUDGED, search, "Hit@4 >= 0.8", "MRR >= 0.3")
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "E *AssertionError: Hit@4 is 0.6667, expected at least 0.8000",
            "E *search: 4 questions, 3 answerable*",
            "E *case *expected *actual *difference *interval",
            "E *Hit@4 *>= 0.8000 *0.6667 *-0.1333 *[[]0.208, 0.939[]] *FAILED*",
            "E *MRR *>= 0.3000 *0.5111 *+0.2111 *passed*",
            "E *1 question below 0.8 on Hit@4:",
            "E * which[?]  late: whole at rank 5, and k is 4",
        ]
    )
    assert "call.py" not in stdout(result), "frames of tophit hide the user's line"


def test_of_many_misses_twenty_are_listed_and_all_with_vv(test_file):
    text = """
    def test_retrieval(tophit_eval):
        tophit_eval(JUDGED, run(missed=25), "Hit@4 >= 0.8")
    """
    short = errors(test_file(text, common=FORTY))
    assert short.count("missed: no part") == 20
    assert "... and 5 more; -vv lists all of them" in short
    long = errors(test_file(text, "-vv", common=FORTY))
    assert long.count("missed: no part") == 25
    assert "-vv lists" not in long


def test_a_case_that_no_question_explains_by_zero_lists_the_lowest_first(test_file):
    result = test_file("""
    def test_retrieval(tophit_eval):
        tophit_eval(JUDGED, search, "lower:MRR >= 0.3")
    """)
    result.stdout.fnmatch_lines(
        [
            "E *lower end of MRR is *, expected at least 0.3000",
            "E *1 question below 0.3 on MRR:",
            "E * which[?]  0.2000, late: whole at rank 5, and k is 4",
        ]
    )


def test_the_diagnosis_is_at_the_cutoff_of_the_condition(test_file):
    result = test_file("""
    def test_retrieval(tophit_eval):
        tophit_eval(JUDGED, search, "Hit@1 >= 0.8")
    """)
    result.stdout.fnmatch_lines(["E * what[?]  late: whole at rank 3, and k is 1"])


def test_the_marker_gives_what_the_call_leaves_out(test_file):
    result = test_file("""
    import pytest

    pytestmark = pytest.mark.tophit(k=1, questions={"never": ["asked"]})

    @pytest.mark.tophit("MRR >= 0.5", questions=JUDGED, k=5)
    def test_questions(tophit_eval):
        result = tophit_eval(search, "All@k >= 1") if False else tophit_eval(search, "All >= 1")
        assert list(result) == ["MRR", "All@5"]

    @pytest.mark.tophit(questions=JUDGED, retriever=search)
    def test_both(tophit_eval):
        assert list(tophit_eval("Hit >= 0.3")) == ["Hit@1"]
        assert list(tophit_eval("Hit >= 1", k=5)) == ["Hit@5"]
    """)
    result.assert_outcomes(passed=2)


def test_the_marker_is_registered_with_a_help_text(test_file):
    result = test_file("def test_nothing(): pass", "--strict-markers", "--markers", common="")
    result.stdout.fnmatch_lines(["@pytest.mark.tophit(*conditions, questions=None*"])


def test_every_kind_of_retriever_and_questions(test_file):
    result = test_file(
        """
    import json, pathlib
    import pandas, polars, tophit

    RUN = {"q1": ["a"], "q2": ["x", "b"]}

    def test_dicts(tophit_eval):
        assert tophit_eval({"q1": {"a": 1}, "q2": ["b"]}, RUN)["MRR"].value == 0.75

    def test_frames(tophit_eval):
        asked = pandas.DataFrame({"query_id": ["q1", "q2"], "item_id": ["a", "b"]})
        found = polars.DataFrame(
            {"query_id": ["q1", "q2", "q2"], "chunk_id": ["a", "x", "b"], "rank": [1, 1, 2]})
        assert tophit_eval(asked, found, "MRR >= 0.75").name == "test_frames"

    def test_retrievals(tophit_eval):
        listed = [tophit.Retrieval(["a"], ["a"]), tophit.Retrieval(["x", "b"], ["b"])]
        assert tophit_eval(listed, "MRR >= 0.75")["MRR"].n == 2

    def test_paths(tophit_eval, tmp_path):
        asked = tmp_path / "q.jsonl"
        asked.write_text('{"id": "q1", "question": "Fees?", "expected": ["late fees"]}')
        found = tmp_path / "bm25.jsonl"
        found.write_text('{"id": "q1", "retrieved": [{"id": "c", "text": "The late fees."}]}')
        result = tophit_eval(str(asked), found, "Hit@4 >= 1")
        assert (result.name, result.match) == ("bm25", "text")

        def search(question):
            assert question == "Fees?"
            return [{"id": "c", "text": "No fees."}, ("d", 0.5)]

        with_texts = tophit_eval(asked, search, "Partial(share=0.4)@4 >= 1")
        assert with_texts.name == "search"

    def test_chunks_give_the_texts_of_ids(tophit_eval):
        asked = polars.DataFrame(
            {"query_id": ["q1"], "question": ["Fees?"], "text": ["late fees"]})
        chunks = [{"id": "c", "text": "The late fees."}, {"id": "d", "text": "Taxes."}]
        found = tophit_eval(asked, lambda question: ["c"], "Hit@1 >= 1", chunks=chunks)
        assert (found.match, found.name) == ("text", "test_chunks_give_the_texts_of_ids")
    """,
        common="",
    )
    result.assert_outcomes(passed=5)


def test_a_path_is_looked_for_beside_the_test_file_too(pytester):
    folder = pytester.mkdir("checks")
    (folder / "q.qrels").write_text("q1 0 a 1\n")
    (folder / "r.run").write_text("q1 Q0 a 1 0.5 bm25\n")
    (folder / "test_here.py").write_text(
        "def test_it(tophit_eval):\n"
        "    assert tophit_eval('q.qrels', 'r.run', 'Hit@4 >= 1').name == 'bm25'\n"
    )
    pytester.runpytest_inprocess().assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("tophit_eval()", "tophit_eval needs questions, in the call or in the marker"),
        ("tophit_eval(JUDGED)", "tophit_eval needs retriever, in the call or in the marker"),
        ("tophit_eval(JUDGED, search, 'Hit@4 > 0.8')", "expected MEASURE=LIMIT"),
        ("tophit_eval(JUDGED, search, 0.8)", "a condition is text such as 'Hit@4 >= 0.8', not 0.8"),
        ("tophit_eval(JUDGED, search, kk=3)", "unknown option of tophit_eval 'kk'; did you mean k"),
        ("tophit_eval(JUDGED, 'no.run', 'MRR=0')", "no.run: expected a file, found no such file"),
        (
            "tophit_eval(JUDGED, None, 'MRR=0')",
            "without a run, expected a list of tophit.Retrieval",
        ),
        ("tophit_eval([{'qid': 1, 'item_id': 'a'}], search, 'MRR=0')", "a column 'question'"),
        ("tophit_eval(JUDGED, lambda question: 'a', 'MRR=0')", "expected a list, found 'a'"),
    ],
)
def test_bad_input_is_said_in_a_line(test_file, call, says):
    result = test_file(f"""
    def test_retrieval(tophit_eval):
        {call}
    """)
    result.assert_outcomes(failed=1)
    assert says in errors(result).splitlines()[0]
    assert "site-packages" not in stdout(result)
    assert "src/tophit" not in stdout(result)


def test_what_a_retriever_raises_comes_through(test_file):
    result = test_file("""
    def broken(question):
        raise RuntimeError("the index is gone")

    def test_retrieval(tophit_eval):
        tophit_eval(JUDGED, broken, "Hit@4 >= 0.8")
    """)
    result.stdout.fnmatch_lines(["E *RuntimeError: the index is gone"])


def test_only_unanswerable_questions_fail_a_condition(test_file):
    result = test_file("""
    def test_retrieval(tophit_eval):
        tophit_eval({"who?": []}, search, "Hit@4 >= 0.1")
    """)
    result.stdout.fnmatch_lines(
        ["E *Hit@4 is 0.0000, expected at least 0.1000", "E *0 questions below 0.1 on Hit@4"]
    )


# ------------------------------------------------------------------------------ baseline

HELD = """
    import os

    def test_retrieval(tophit_eval):
        tophit_eval(JUDGED, run(missed=int(os.environ["MISSED"])), measures="Hit@4")
"""


@pytest.fixture
def frozen(test_file, monkeypatch):
    """Runs the same test with more or fewer misses, against a baseline with 4 of 40 missed."""

    def run(missed: int, *arguments: str):
        monkeypatch.setenv("MISSED", str(missed))
        return test_file(HELD, *arguments, common=FORTY)

    run(4, "--tophit-baseline=kept.json", "--tophit-write-baseline").assert_outcomes(passed=1)
    return run


@pytest.mark.parametrize(
    ("missed", "options", "passes"),
    [
        (4, [], True),
        (5, [], False),
        (5, ["--tophit-max-drop=0.03"], True),
        (6, ["--tophit-max-drop=0.03"], False),
        (7, ["--tophit-significant"], True),
        (20, ["--tophit-significant"], False),
        (20, ["--tophit-significant", "--tophit-max-drop=0.5"], True),
    ],
)
def test_a_run_is_held_against_the_baseline(frozen, missed, options, passes):
    result = frozen(missed, "--tophit-baseline=kept.json", *options)
    result.assert_outcomes(passed=int(passes), failed=int(not passes))


def test_a_baseline_with_other_settings_is_refused_by_name(test_file):
    text = """
    def test_retrieval(tophit_eval):
        tophit_eval(JUDGED, run(missed=4), measures="Hit@4", {options})
    """
    kept = "--tophit-baseline=kept.json"
    test_file(text.format(options=""), kept, "--tophit-write-baseline", common=FORTY)
    result = test_file(text.format(options="depth=2, level=0.9"), kept, common=FORTY)
    result.stdout.fnmatch_lines(["E *depth was None and is 2; level was 0.95 and is 0.9. Write*"])


def test_a_drop_names_the_questions_that_were_lost(frozen):
    result = frozen(6, "--tophit-baseline=kept.json")
    result.stdout.fnmatch_lines(
        [
            "E *Hit@4 is 0.8500, expected at least 0.9000",
            "E *2 questions lost against the baseline on Hit@4:",
            "E * q4  missed: *",
            "E * q5  missed: *",
        ]
    )


def test_another_question_set_is_refused(frozen, test_file):
    result = test_file(
        """
    def test_retrieval(tophit_eval):
        tophit_eval({"q0": ["a"]}, {"q0": ["a"]}, "Hit@4 >= 0")
    """,
        "--tophit-baseline=kept.json",
    )
    result.stdout.fnmatch_lines(["E *UsageError: kept.json does not fit this run: *q1*"])


def test_a_call_may_have_its_own_baseline_or_none(frozen, test_file):
    result = test_file(
        """
    def test_none(tophit_eval):
        tophit_eval({"q0": ["a"]}, {"q0": ["a"]}, "Hit@4 >= 0", baseline=None)

    def test_own(tophit_eval):
        tophit_eval(JUDGED, run(missed=5), baseline="kept.json", max_drop=0.03)
    """,
        "--tophit-baseline=elsewhere.json",
        common=FORTY,
    )
    result.assert_outcomes(passed=2)


def test_a_folder_has_a_baseline_for_every_evaluation(test_file, pytester):
    text = """
    import pytest

    @pytest.mark.parametrize("name", ["plain", "a/b", "a-b"])
    def test_retrieval(tophit_eval, name):
        tophit_eval(JUDGED, run(missed=4), "Hit@4 >= 0")
        tophit_eval(JUDGED, run(missed=len(name)), "Hit@1 >= 0")
    """
    missing = test_file(text, "--tophit-baseline=kept", common=FORTY)
    missing.assert_outcomes(failed=3)
    missing.stdout.fnmatch_lines(
        ["E *there is no baseline kept/*; --tophit-write-baseline writes *"]
    )
    written = test_file(text, "--tophit-baseline=kept", "--tophit-write-baseline", common=FORTY)
    written.assert_outcomes(passed=3)
    files = sorted(Path("kept").glob("*.json"))
    assert len(files) == 6
    assert {json.loads(file.read_text())["kind"] for file in files} == {"baseline"}
    test_file(text, "--tophit-baseline=kept", common=FORTY).assert_outcomes(passed=3)


def test_two_evaluations_do_not_write_one_file(test_file):
    result = test_file(
        """
    def test_retrieval(tophit_eval):
        tophit_eval(JUDGED, search)
        tophit_eval(JUDGED, search)
    """,
        "--tophit-baseline=kept.json", "--tophit-write-baseline",
    )  # fmt: skip
    result.stdout.fnmatch_lines(["E *kept.json was written by another evaluation*name a folder"])


def test_a_max_drop_outside_its_range_stops_pytest(test_file):
    result = test_file("def test_nothing(): pass", "--tophit-max-drop=2", common="")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--tophit-max-drop must lie between 0 and 1, not 2"])


# ------------------------------------------------------------------------------ reports

THREE = """
    import pytest

    @pytest.mark.parametrize("k", [1, 4, 5])
    def test_retrieval(tophit_eval, k):
        tophit_eval(JUDGED, search, "Hit >= 0.5", k=k)

    def test_other():
        pass
"""


def test_the_summary_is_the_same_with_workers(test_file):
    def summary(result):
        start = next(n for n, line in enumerate(result.outlines) if "= tophit =" in line)
        return result.outlines[start + 1 : start + 4]

    alone = test_file(THREE, "-q")
    with_a_worker = test_file(THREE, "-q", "-n1")
    assert summary(with_a_worker) == summary(alone)
    assert [line.rpartition(" ")[2] for line in summary(alone)] == ["FAILED", "passed", "passed"]


def test_several_workers_do_not_write_one_file(test_file, pytester):
    pytester.makeconftest("def pytest_configure(config): config.workerinput = {}")
    options = ["--tophit-baseline=kept.json", "--tophit-write-baseline"]
    result = test_file(THREE, "-k", "test_retrieval and 4", *options)
    result.stdout.fnmatch_lines(["E *several workers may not write kept.json*"])


def test_no_section_without_an_evaluation(test_file):
    assert "tophit =" not in stdout(test_file("def test_nothing(): pass", common=""))
    assert "tophit =" not in stdout(test_file(THREE, "-qq"))


def test_scores_are_properties_in_the_xml_of_pytest(test_file):
    test_file(THREE, "--junitxml=report.xml", "-k", "test_retrieval and 4")
    found = ElementTree.parse("report.xml").getroot()
    properties = {each.get("name"): each.get("value") for each in found.iter("property")}
    assert set(properties) == {"tophit", "tophit:search:Hit@4"}
    assert float(properties["tophit:search:Hit@4"]) == pytest.approx(2 / 3)


def test_loading_the_plugin_loads_no_engine():
    heavy = ["polars", "numpy", "narwhals", "duckdb", "pandas", "pyarrow", "rich", "click"]
    script = (
        "import sys, tophit.pytest_plugin\n"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout.strip() == "[]"
