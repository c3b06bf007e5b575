"""`tophit` as a whole: help, errors, exit statuses, streams."""

from __future__ import annotations

import importlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import tophit
from tophit.choices import FORMAT_NAMES, MATCHES
from tophit.cli import options, reference
from tophit.cli.commands import COMMANDS, EXAMPLES, all_commands
from tophit.cli.commands import tophit as cli
from tophit.cli.help import Argument, Option
from tophit.cli.inputs import told_apart
from tophit.evaluation.evaluate import DEFAULT_MEASURES
from tophit.formats import FORMATS
from tophit.matching.ways import WAYS

ROOT = Path(__file__).parents[2]
LOADED = dict(all_commands())
ENGINES = ["polars", "duckdb", "pyspark", "pandas", "pyarrow", "numpy", "narwhals", "rich"]


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the command line in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def invoke(*arguments: str):
        return CliRunner().invoke(cli, list(arguments))

    return invoke


def process(*arguments: str, cwd: Path, **options) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "COLUMNS": "80", **options.pop("env", {})}
    return subprocess.run(
        [sys.executable, "-m", "tophit", *arguments], cwd=cwd, env=environment, check=False,
        capture_output=True, encoding="utf-8", timeout=120, **options,
    )  # fmt: skip


def write_example(folder: Path) -> None:
    (folder / "qrels.txt").write_text("q1 0 a 1\nq2 0 b 1\nq3 0 c 1\n")
    (folder / "run.txt").write_text(
        "q1 Q0 a 1 9 bm25\nq1 Q0 x 2 8 bm25\n"
        "q2 Q0 x 1 9 bm25\nq2 Q0 y 2 8 bm25\nq2 Q0 b 3 7 bm25\n"
        "q3 Q0 x 1 9 bm25\n"
    )


def modules_after(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint('\\n'.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120
    )
    return {name.split(".")[0] for name in done.stdout.split()}


def test_import_loads_no_engine():
    loaded = modules_after("import tophit")
    assert not loaded & {*ENGINES, "click"}
    assert "tophit" in loaded


@pytest.mark.parametrize("command", [[], ["eval"], ["compare"], ["diagnose"], ["curve"]])
def test_help_loads_no_engine(command):
    code = f"from tophit.cli import main\nsys.argv = ['tophit', *{command}, '--help']\n"
    loaded = modules_after(f"{code}try:\n    main()\nexcept SystemExit:\n    pass")
    assert "click" in loaded
    # the table of measures is written in narwhals, which is light
    assert not loaded & (set(ENGINES) - ({"narwhals"} if command else set()))


def test_the_names_of_a_help_text_are_those_of_the_table():
    assert tuple(FORMATS) == FORMAT_NAMES
    assert ("auto", *WAYS) == MATCHES


@pytest.mark.parametrize("name", tophit.__all__)
def test_every_public_name_is_there(name):
    assert getattr(tophit, name).__name__ == name
    assert name in dir(tophit)


def test_a_function_is_not_hidden_by_the_module_of_its_name():
    loaded = "import tophit.evaluation.evaluate, tophit\nassert callable(tophit.evaluate)"
    assert "tophit" in modules_after(loaded)


def test_no_arguments_shows_the_help(run):
    alone, asked = run(), run("--help")
    assert alone.exit_code == asked.exit_code == 0
    assert alone.output == asked.output
    for group in COMMANDS.values():
        for name, (_, summary) in group.items():
            assert re.search(rf"^  {name} ", asked.output, re.M)
            assert summary.split(".")[0][:40] in asked.output


def test_the_version_is_the_one_of_the_package(run):
    assert run("--version").output == f"tophit {tophit.__version__}\n"


@pytest.mark.parametrize("name", list(LOADED))
def test_help_of_every_command_is_complete(name, run):
    shown = run(name, "--help")
    assert shown.exit_code == 0
    assert max(map(len, shown.output.splitlines())) <= 88
    assert "Examples:" in shown.output
    assert "NAMES." not in shown.output
    for param in LOADED[name].params:
        if isinstance(param, Option):
            assert param.help
            assert param.opts[0] in shown.output
        else:
            assert isinstance(param, Argument)
            assert param.explained


@pytest.mark.parametrize("name", list(LOADED))
def test_a_command_has_no_two_options_of_one_name(name):
    flags = [flag for param in LOADED[name].params for flag in (*param.opts, *param.secondary_opts)]
    assert len(flags) == len(set(flags))


def all_examples():
    yield from ((None, line) for _, line in EXAMPLES)
    for name, command in LOADED.items():
        yield from ((name, line) for _, line in command.examples)  # type: ignore[attr-defined]


@pytest.mark.parametrize(("name", "line"), list(all_examples()))
def test_every_example_is_something_that_can_be_typed(name, line):
    for part in re.split(r" \| | && ", line.replace("\\\n", " ")):
        words = shlex.split(re.sub(r" >.*", "", part), comments=True)
        if words[0] != "tophit":
            continue
        assert name is None or name in line
        context = click.Context(cli, info_name="tophit")
        command = cli.get_command(context, words[1])
        command.make_context(words[1], words[2:], parent=context)


def test_the_page_of_commands_is_current():
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert page == reference.page(), "run: python -m tophit.cli.reference > docs/commands.md"


def test_the_default_measures_are_those_of_the_library():
    assert options.DEFAULT_MEASURES == DEFAULT_MEASURES


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["evl"], "unknown command 'evl'; did you mean eval?"),
        (["eval"], "missing argument 'QUESTIONS'"),
        (["eval", "qrels.txt", "run.txt", "--jsn", "x"], "--jsn"),
        (["eval", "qrels.txt", "run.txt", "-k", "0"], "'-k': 0 is not in the range x>=1"),
        (["eval", "qrels.txt", "run.txt", "-k", "2.5"], "'-k'"),
        (["eval", "qrels.txt", "run.txt", "-m", "Hitt"], "did you mean Hit"),
        (["eval", "qrels.txt", "run.txt", "-m", "Hit@0"], "Hit@0: the cutoff must be"),
        (["eval", "qrels.txt", "run.txt", "--match", "idz"], "did you mean ids?"),
        (["eval", "qrels.txt", "run.txt", "--population", "trec"], "did you mean trec_eval"),
        (["eval", "qrels.txt", "run.txt", "--format", "treck"], "did you mean trec"),
        (["eval", "qrels.txt", "nowhere.txt"], "nowhere.txt: expected a file"),
        (["eval", "qrels.txt", "."], "."),
        (["eval", "-", "-"], "standard input (-) can be read once only"),
        (["eval", "qrels.txt", "run.txt", "--json", "-", "--csv", "-"], "both write to standard"),
        (["eval", "qrels.txt", "run.txt", "--json", "a", "--csv", "a"], "both write to a"),
        (["eval", "qrels.txt", "run.txt", "--per-question", "a.xls"], "the ending must be"),
        (["eval", "qrels.txt", "run.txt", "--json", "no/where.json"], "cannot write no/where.json"),
    ],
)
def test_bad_usage_is_status_2_and_a_message(run, tmp_path, arguments, said):
    write_example(tmp_path)
    done = run(*arguments)
    assert done.exit_code == 2
    assert done.stderr.startswith("error: ")
    assert said in done.stderr
    assert "Traceback" not in done.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["qrels.txt", "run.txt"]


def test_all_faults_of_a_file_are_named_with_their_lines(run, tmp_path):
    write_example(tmp_path)
    (tmp_path / "bad.txt").write_text("q1 Q0 a 1 abc t\nq1 Q0 b 2 0.5 t\nq1 Q0 c 3 nan t\n")
    done = run("eval", "qrels.txt", "bad.txt")
    assert done.exit_code == 2
    assert "2 faults in the input" in done.stderr
    assert "line 1, score" in done.stderr
    assert "line 3, score" in done.stderr
    assert done.stdout == ""


def test_a_fault_of_the_program_is_said_to_be_one(run, tmp_path, monkeypatch):
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("oops")

    write_example(tmp_path)
    monkeypatch.setattr("tophit.formats.read_questions", broken)
    done = run("eval", "qrels.txt", "run.txt")
    assert done.exit_code == 70
    assert "internal error: ZeroDivisionError: oops" in done.stderr
    assert "Traceback" not in done.stderr
    monkeypatch.setenv("TOPHIT_TRACEBACK", "1")
    assert "in broken" in run("eval", "qrels.txt", "run.txt").stderr


def test_an_interrupt_is_quiet(run, tmp_path, monkeypatch):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    write_example(tmp_path)
    monkeypatch.setattr("tophit.formats.read_questions", interrupted)
    done = run("eval", "qrels.txt", "run.txt")
    assert done.exit_code == 130
    assert done.output.strip() == ""


def test_no_colour_and_no_trailing_blanks_in_a_pipe(run, tmp_path):
    write_example(tmp_path)
    done = run("eval", "qrels.txt", "run.txt")
    assert done.exit_code == 0
    assert "\x1b" not in done.output
    assert all(line == line.rstrip() for line in done.stdout.splitlines())
    assert done.stderr == ""


def test_a_closed_pipe_is_quiet(tmp_path):
    write_example(tmp_path)
    command = f"{shlex.quote(sys.executable)} -m tophit eval qrels.txt run.txt --json - | true"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.returncode in (0, 141)


def test_standard_input_and_output(tmp_path):
    write_example(tmp_path)
    text = (tmp_path / "run.txt").read_text()
    done = process("eval", "qrels.txt", "-", "--json", "-", cwd=tmp_path, input=text)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["runs"][0]["measures"]["Hit@4"]["value"] == 2 / 3


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_data_on_standard_output_are_utf_8_under_every_locale(tmp_path, encoding):
    (tmp_path / "qrels.txt").write_text("質問 0 文書 1\n", encoding="utf-8")
    (tmp_path / "検索.json").write_text('{"質問": ["文書"]}', encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "tophit", "eval", "qrels.txt", "検索.json", "--json", "-"],
        cwd=tmp_path, env={**os.environ, "PYTHONIOENCODING": encoding}, capture_output=True,
        check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0
    assert json.loads(done.stdout.decode("utf-8"))["runs"][0]["name"] == "検索"


def test_termination_leaves_nothing_half_written(tmp_path):
    code = (
        "import time\nfrom tophit.cli.door import settle_streams\n"
        "from tophit.formats import atomic_write\nsettle_streams()\n"
        "with atomic_write('out.json') as file:\n"
        "    file.write('{')\n    print('writing', flush=True)\n    time.sleep(60)\n"
    )
    started = subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    )
    assert started.stdout.readline() == "writing\n"
    started.send_signal(signal.SIGTERM)
    assert started.wait(timeout=60) == 143
    started.stdout.close()
    deadline = time.monotonic() + 10
    while list(tmp_path.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("names", "paths", "told"),
    [
        (["a", "b"], ["x/a.txt", "x/b.txt"], ["a", "b"]),
        (["tag", "tag"], ["a.txt", "b.txt"], ["a", "b"]),
        (["run", "run"], ["out/a/run.jsonl", "out/b/run.jsonl"], ["a", "b"]),
        (["run", "run"], ["a/run.jsonl", "b/other.jsonl"], ["run", "other"]),
        (["t", "t", "t"], ["a/r.txt", "b/r.txt", "a/s.txt"], ["a/r", "b/r", "a/s"]),
        (["run", "run", "other"], ["run.txt", "run.txt", "o.txt"], ["run", "run (2)", "other"]),
        (["tag", "tag", "a"], ["a.txt", "b.txt", "c.txt"], ["a", "b", "a (2)"]),
        (["run"] * 3, ["run.txt"] * 3, ["run", "run (2)", "run (3)"]),
        (["stdin", "stdin"], ["-", "stdin.txt"], ["-", "stdin"]),
    ],
)
def test_runs_of_one_name_are_told_apart(names, paths, told):
    found = told_apart(names, paths)
    assert len(set(found)) == len(found)
    assert found == told


HOSTILE = "\x1b[31mred\x9b0m\x07"
SHOWN = "\u241b[31mred\ufffd0m"


@pytest.fixture
def hostile_files(run):
    """A question and two runs whose ids, texts and names would colour the terminal."""
    question = {"id": f"q{HOSTILE}", "question": HOSTILE, "expected": [f"the {HOSTILE} cat sat"]}
    Path("questions.jsonl").write_text(json.dumps(question) + "\n")
    for name, text in (
        (f"{HOSTILE}.jsonl", f"the {HOSTILE}"),
        ("b.jsonl", question["expected"][0]),
    ):
        places = [{"id": HOSTILE, "text": text}]
        Path(name).write_text(json.dumps({"id": question["id"], "retrieved": places}) + "\n")
    return ["questions.jsonl", f"{HOSTILE}.jsonl"]


@pytest.mark.parametrize(
    "arguments",
    [["eval"], ["eval", "b.jsonl"], ["compare", "b.jsonl"], ["diagnose"], ["curve"],
     ["eval", "--csv", f"{HOSTILE}.csv", "--annotations"], ["eval", f"{HOSTILE}nowhere"],
     ["eval", "--measures", HOSTILE], ["check"]],
)  # fmt: skip
@pytest.mark.parametrize("coloured", [False, True])
def test_names_and_texts_do_not_command_the_terminal(
    run, hostile_files, monkeypatch, arguments, coloured
):
    if coloured:
        monkeypatch.setenv("FORCE_COLOR", "1")
    command, *rest = arguments
    files = hostile_files[:1] if command == "check" else hostile_files
    done = run(command, *files, *rest)
    printed = done.stdout + done.stderr
    assert printed
    assert "\x1b[31mred" not in printed
    assert not set(printed) & {"\x9b", "\x07"}
    assert coloured or "\x1b" not in printed


def test_a_control_character_is_shown_in_its_place(run, hostile_files):
    table = run("eval", *hostile_files, "b.jsonl").stdout.splitlines()
    (row,) = [line for line in table if line.startswith(SHOWN)]
    (other,) = [line for line in table if line.startswith("b ")]
    assert len(row) == len(other)


FUNCTIONS = {
    "eval": "evaluate", "compare": "compare", "diagnose": "diagnose", "curve": "curve",
    "baseline": "baseline", "abstention": "abstention", "threshold": "threshold",
    "bench": "bench", "split": "split", "retrieve": "retrieve", "check": "check",
    "convert": "convert",
}  # fmt: skip


def test_every_command_is_a_public_function():
    """But for those that only show what others found: the demo, a page, the table of measures."""
    assert set(LOADED) - {"demo", "measures", "report"} == set(FUNCTIONS)
    assert set(FUNCTIONS.values()) <= set(tophit.__all__)


@pytest.mark.parametrize("name", FUNCTIONS.values())
def test_a_public_function_is_callable_whatever_was_imported_before(name):
    for module in ("cli.commands", "checking.run", "comparison.run", "evaluation.curve",
                   "gates.baseline", "formats.convert", "abstaining.threshold"):  # fmt: skip
        importlib.import_module(f"tophit.{module}")
    function = getattr(tophit, name)
    assert callable(function)
    assert "Errors:" in function.__doc__
    assert ">>>" in function.__doc__


def test_scoring_by_ids_loads_neither_texts_nor_retrievers():
    code = (
        "import sys, tophit; tophit.evaluate({'q': ['a']}, {'q': ['a']}); "
        "print(*sorted({'asyncio', 'regex', 'rich', 'tophit.matching.text.hits'} & {*sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
