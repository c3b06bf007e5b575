"""Results that show themselves: printed, in notebooks, as frames, charts and pages."""

from __future__ import annotations

import sys

import pytest
from click.testing import CliRunner

import tophit
from tophit.cli.commands import tophit as cli
from tophit.evaluation.curve import curve
from tophit.report.shows import SHOWS

FORTY, OLD, NEW = (f"docs/examples/{name}" for name in ("forty.qrels", "old.run", "new.run"))
QUESTIONS, RUN = "docs/examples/questions.jsonl", "docs/examples/run.jsonl"
CHUNKS = "docs/examples/chunks.jsonl"


@pytest.fixture(autouse=True)
def at_the_root(pytestconfig, monkeypatch):
    monkeypatch.chdir(pytestconfig.rootpath)
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def results(tmp_path):
    """A result of every kind that shows itself."""
    from tophit.benching import bench

    benched = bench("docs/examples/handbook", QUESTIONS, output=tmp_path / "out", sizes=[100, 200])
    made = [
        tophit.evaluate(QUESTIONS, RUN),
        tophit.compare(FORTY, [OLD, NEW]),
        tophit.diagnose(QUESTIONS, RUN, chunks=CHUNKS),
        tophit.check("docs/examples/doubtful.jsonl", documents="docs/examples/handbook"),
        curve(QUESTIONS, RUN),
        benched,
    ]
    assert {type(result) for result in made} == set(SHOWS)
    return made


@pytest.mark.parametrize(
    ("command", "result"),
    [
        (["eval", QUESTIONS, RUN], lambda: tophit.evaluate(QUESTIONS, RUN)),
        (["compare", FORTY, OLD, NEW], lambda: tophit.compare(FORTY, {"old": OLD, "new": NEW})),
        (["curve", QUESTIONS, RUN], lambda: curve(QUESTIONS, RUN)),
        (
            ["diagnose", QUESTIONS, RUN, "--chunks", CHUNKS],
            lambda: tophit.diagnose(QUESTIONS, RUN, chunks=CHUNKS),
        ),
        (
            ["check", "docs/examples/doubtful.jsonl"],
            lambda: tophit.check("docs/examples/doubtful.jsonl"),
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_print_shows_the_table_of_the_command_line(command, result):
    printed = CliRunner().invoke(cli, command, catch_exceptions=False).stdout
    assert str(result()).strip() == printed.strip()


def test_every_kind_shows_itself_everywhere(results):
    for result in results:
        kind = type(result).__name__
        assert "\x1b" not in str(result), kind
        assert len(repr(result).splitlines()) == 1, kind
        assert result._repr_html_().startswith('<div class="tophit">'), kind
        assert "<button" not in result._repr_html_(), kind
        frame = result.to_polars()
        assert frame.height, kind
        assert result.to_pandas().shape == frame.shape, kind
        assert result.plot().to_dict()["$schema"].startswith("https://vega.github.io"), kind
        assert result.to_html().startswith("<!doctype html>"), kind


def test_questions_open_on_the_page_where_they_are_given(results, tmp_path):
    given = {
        "Result": {"questions": QUESTIONS, "run": RUN},
        "Diagnosis": {"questions": QUESTIONS, "run": RUN, "chunks": CHUNKS},
        "Comparison": {"questions": FORTY, "runs": {"old": OLD, "new": NEW}},
        "BenchResult": {"questions": QUESTIONS},
    }
    for result in results:
        if options := given.get(type(result).__name__):
            page = result.to_html(tmp_path / "page.html", **options)
            assert (tmp_path / "page.html").read_text(encoding="utf-8") == page
            assert 'id="explorer"' in page


def test_what_is_missing_for_a_page_is_said(results, tmp_path):
    result, comparison, _, check, *_ = results
    with pytest.raises(tophit.UsageError, match="questions= and run="):
        result.to_html(questions=QUESTIONS)
    with pytest.raises(tophit.UsageError, match="runs=, by name"):
        comparison.to_html(questions=FORTY)
    with pytest.raises(tophit.UsageError, match="lacks new"):
        comparison.to_html(questions=FORTY, runs={"old": OLD})
    with pytest.raises(tophit.UsageError, match="no questions to open"):
        check.to_html(questions=QUESTIONS)
    with pytest.raises(tophit.TophitError, match="there is no folder"):
        result.to_html(tmp_path / "nowhere" / "page.html")


def test_a_package_that_is_not_there_is_named(monkeypatch):
    def without(frame):
        raise ModuleNotFoundError("No module named 'pandas'", name="pandas")

    monkeypatch.setattr("tophit.report.shows.pandas_from", without)
    monkeypatch.setitem(sys.modules, "altair", None)
    result = tophit.evaluate(QUESTIONS, RUN)
    with pytest.raises(tophit.TophitError, match="needs the package 'pandas'"):
        result.to_pandas()
    with pytest.raises(tophit.TophitError, match=r"tophit\[plot\]"):
        result.plot()


@pytest.mark.parametrize("columns", ["0", "20", "80"])
def test_any_width_of_a_terminal_shows_every_number(monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    printed = str(tophit.evaluate(QUESTIONS, RUN))
    assert "0.6667" in printed
    assert "[0.208, 0.939]" in printed
    done = CliRunner().invoke(cli, ["eval", QUESTIONS, RUN], catch_exceptions=False)
    assert done.exit_code == 0
    assert "…" not in done.stdout


def test_names_are_cut_in_the_middle_only_where_they_must_be():
    from tophit.report.tables import Column, stacked

    name = "recursive-splitter-400-tokens-overlap-50-bm25"
    narrow = [Column("Hit@4", ["0.5"]), Column("MRR", ["0.4"])]
    (table,) = stacked(Column("run", [name]), narrow, width=80)
    assert table.columns[0].width == len(name)
    wide = [Column(f"m{number}", ["[.000, 1.00]"]) for number in range(4)]
    table, *_ = stacked(Column("run", [name]), wide, width=60)
    (cell,) = table.columns[0].cells
    assert str(cell).startswith("recursive")
    assert str(cell).endswith("-bm25")
    assert len(str(cell)) <= 32
