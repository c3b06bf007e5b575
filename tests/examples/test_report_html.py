"""The HTML page as a file: what is in it, how large it is, and that hostile text stays text."""

from __future__ import annotations

import base64
import gzip
import json
import re

import polars as pl
import pytest

import tophit
from tophit.cli.commands import tophit as command
from tophit.cli.pages import _SIZE
from tophit.report.html import results
from tophit.report.html.packing import packed, utf16

EVIL = "</script><script>alert(1)</script> \" ' & \u202eright to left\u202c \x00\x1b[31m <b>"


def run_cli(*arguments: str) -> int:
    with pytest.raises(SystemExit) as exit_:
        command.main(list(map(str, arguments)))
    return exit_.value.code or 0


def unpacked(html: str, name: str = "rows") -> dict:
    found = re.search(rf'<script id="{name}"[^>]*>([^<]*)</script>', html)
    return json.loads(gzip.decompress(base64.b64decode(found.group(1))))


@pytest.fixture
def files(tmp_path):
    questions = [
        {
            "id": "q1",
            "question": "How long?",
            "expected": ["within thirty days"],
            "tags": {"t": "a"},
        },
        {"id": "q2", "question": "How much?", "expected": ["The fee is 8 euros."]},
        {"id": "q3", "question": "Scooters?", "expected": []},
    ]
    run = [
        {
            "id": "q1",
            "retrieved": [{"id": "c1", "text": "Return it WITHIN  thirty days.", "score": 2}],
        },
        {"id": "q2", "retrieved": [{"id": "c2", "text": "Fees. The fee is 8", "score": 1}]},
        {"id": "q3", "retrieved": []},
    ]
    for name, rows in (("questions", questions), ("run", run)):
        text = "\n".join(json.dumps(row) for row in rows)
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return tmp_path


def page_of(files, *options: str) -> str:
    paths = [files / "questions.jsonl", files / "run.jsonl"]
    assert run_cli("eval", *paths, "--html", files / "page.html", *options) == 0
    return (files / "page.html").read_text(encoding="utf-8")


def test_the_same_input_gives_the_same_bytes(files):
    assert page_of(files) == page_of(files)


def test_the_page_says_what_the_table_says(files):
    page = page_of(files)
    assert "In 50 % of 2 answerable questions the answer was in the first 4 chunks" in page
    assert "In 1 more (50 %) at least half of it was there" in page
    assert "1 question has no answer on purpose and stays out of every mean." in page


def test_nothing_is_asked_for_and_nothing_else_may_run(files):
    page = page_of(files)
    # an address in the licence or in a text is no request; an attribute that loads is one
    assert not re.search(r"""(src|href)=["'](?!#|data:,)""", page)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page).group(1)
    assert policy.startswith("default-src &#x27;none&#x27;")
    assert "unsafe" not in policy
    assert "connect-src" not in policy


def test_held_pieces_stand_where_the_matcher_found_them(files):
    page = page_of(files)
    rows, places = unpacked(page), unpacked(page, "places")
    retrieved, held, _ = places["answers"][0][1]
    (item, choice, rank, share, start, end, chunk_start, chunk_end) = held[0]
    element = rows["texts"][rows["questions"][1][3][item][2][choice][0]]
    chunk = places["texts"][places["chunks"][retrieved[rank - 1][1]][1]]
    assert element[start:end] == "The fee is 8"
    assert chunk[chunk_start:chunk_end] == "The fee is 8"
    assert 0 < share < 1


def test_hostile_texts_stay_texts(tmp_path):
    id_ = "<script>alert(1)</script>'\""
    questions = {
        "id": id_,
        "question": EVIL,
        "expected": [EVIL + "expected"],
        "tags": {EVIL: EVIL},
    }
    place = {"id": id_, "text": EVIL + "expected" + "x" * 1_000_000, "doc": EVIL, "score": 0.5}
    (tmp_path / "questions.jsonl").write_text(json.dumps(questions), encoding="utf-8")
    run = {"id": id_, "retrieved": [place]}
    (tmp_path / "run.jsonl").write_text(json.dumps(run), encoding="utf-8")
    page = page_of(tmp_path)
    assert "alert(1)</script>" not in page
    assert "\x00" not in page
    assert page.count("<script") == page.count("</script>")


def test_texts_beyond_the_size_are_left_out_and_named(files):
    noise = pl.Series(range(400_000)).hash().cast(pl.String).str.join("").item()
    run = {"id": "q1", "retrieved": [{"id": "c", "text": noise, "score": 1}]}
    (files / "run.jsonl").write_text(json.dumps(run), encoding="utf-8")
    small, whole = page_of(files, "--html-size", "1"), page_of(files, "--html-size", "0")
    assert len(small) < 1_000_000 < len(whole)
    assert "The texts of 1 of 1 chunks are left out" in small
    assert "--html-size 0" in small
    assert "left out, so that this file" not in whole
    assert unpacked(small, "places")["texts"] == [None]
    assert None not in unpacked(small)["texts"]  # questions and elements stay


def test_a_file_that_cannot_be_written_is_said_before_the_work(files, capsys):
    missing = files / "nowhere" / "page.html"
    assert run_cli("eval", files / "not-there.jsonl", "run.jsonl", "--html", missing) == 2
    assert "there is no folder" in capsys.readouterr().err


def test_ids_alone_are_said_before_the_work(tmp_path, capsys):
    (tmp_path / "q.qrels").write_text("q1 0 a 1\n", encoding="utf-8")
    (tmp_path / "r.run").write_text("q1 Q0 a 1 2.0 x\n", encoding="utf-8")
    page = tmp_path / "page.html"
    assert run_cli("eval", tmp_path / "q.qrels", tmp_path / "r.run", "--html", page) == 0
    assert "the page shows ids alone" in capsys.readouterr().err
    assert "a relevant chunk was in the first 4 chunks" in page.read_text(encoding="utf-8")


def test_no_answerable_question_still_makes_a_page(tmp_path):
    (tmp_path / "questions.jsonl").write_text('{"id": "q", "expected": []}', encoding="utf-8")
    run = '{"id": "q", "retrieved": [{"id": "c", "text": "x"}]}'
    (tmp_path / "run.jsonl").write_text(run, encoding="utf-8")
    assert "No question is answerable" in page_of(tmp_path)


def test_packing_is_the_same_every_time_and_has_no_markup():
    assert packed({"a": EVIL}) == packed({"a": EVIL})
    assert "<" not in packed({"a": EVIL})


def test_offsets_are_counted_as_a_browser_does():
    text = "a😀b"
    assert utf16(text, 2) == len(text[:2].encode("utf-16-le")) // 2


def test_the_size_of_the_command_is_that_of_the_library():
    assert results.SIZE == _SIZE


def test_spans_and_ids_have_their_places():
    judged = pl.DataFrame(
        {
            "query_id": ["q"],
            "item_id": ["e"],
            "grade": [1.0],
            "doc_id": ["d"],
            "start": [5],
            "end": [15],
        }
    )
    run = pl.DataFrame(
        {
            "query_id": ["q"],
            "chunk_id": ["c"],
            "rank": [1],
            "doc_id": ["d"],
            "start": [0],
            "end": [10],
        }
    )
    result = tophit.evaluate(judged, run, measures="Hit@4")
    found = evaluated_details(judged, run, result)
    assert found.held.select("item_start", "item_end", "chunk_start", "chunk_end").row(0) == (
        0,
        5,
        5,
        10,
    )


def evaluated_details(judged, run, result):
    from tophit.report.html.detail import details_of

    return details_of(judged, {result.name: run}, [result])[0]


# ------------------------------------------------------------------------------ other commands


def test_every_command_that_scores_writes_a_page(files):
    questions, run, page = files / "questions.jsonl", files / "run.jsonl", files / "page.html"
    (files / "other.jsonl").write_text(run.read_text(encoding="utf-8"), encoding="utf-8")
    for command_line in (
        ("compare", questions, run, files / "other.jsonl"),
        ("diagnose", questions, run),
    ):
        assert run_cli(*command_line, "--html", page) == 0
        data = unpacked(page.read_text(encoding="utf-8"))
        assert [question[0] for question in data["questions"]] == ["q1", "q2", "q3"]
        assert unpacked(page.read_text(encoding="utf-8"), "places")["texts"]


def test_a_benchmark_has_the_questions_of_its_configurations(files):
    (files / "docs").mkdir()
    (files / "docs" / "a.md").write_text("Return it within thirty days. The fee is 8 euros.")
    bench = ("bench", files / "docs", files / "questions.jsonl", "-o", files / "out")
    assert run_cli(*bench, "--size", "50", "--size", "100", "--html", files / "page.html") == 0
    page = (files / "page.html").read_text(encoding="utf-8")
    assert "Size of chunks: spring-ai, bm25" in page
    assert len(unpacked(page)["runs"]) == 2


def test_results_of_before_make_a_page(files):
    paths = [files / "questions.jsonl", files / "run.jsonl"]
    kinds = {"eval": "e", "diagnose": "d", "curve": "k"}
    for name, stem in kinds.items():
        assert run_cli(name, *paths, "--json", files / f"{stem}.json") == 0
    assert run_cli("check", files / "questions.jsonl", "--json", files / "c.json") == 0
    assert run_cli("compare", *paths, files / "run.jsonl", "--json", files / "p.json") == 0
    results = [files / f"{stem}.json" for stem in (*kinds.values(), "c", "p")]
    assert run_cli("report", *results, "-o", files / "page.html") == 0
    page = (files / "page.html").read_text(encoding="utf-8")
    assert "5 results" in page
    assert "The result alone holds no texts" in page


def test_evaluations_of_the_same_questions_stand_side_by_side(files):
    paths = [files / "questions.jsonl", files / "run.jsonl"]
    for stem in "ab":
        assert run_cli("eval", *paths, "--json", files / f"{stem}.json") == 0
    assert run_cli("report", files / "a.json", files / "b.json", "-o", files / "page.html") == 0
    page = (files / "page.html").read_text(encoding="utf-8")
    assert "2 runs" in page
    assert "run (2)" in page


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ('{"tophit": "9", "schema": 2, "runs": []}', "schema: expected schema 1"),
        ('{"runs": []}', "expected a result that tophit wrote"),
        ("not json", "expected a result as JSON"),
        ("[1]", "expected a result that tophit wrote"),
        ('{"tophit": "1", "schema": 1, "kind": "baseline"}', "a baseline has no page"),
        ('{"tophit": "1", "schema": 1}', "expected"),
    ],
)
def test_what_is_no_result_is_refused(tmp_path, capsys, content, says):
    (tmp_path / "r.json").write_text(content, encoding="utf-8")
    assert run_cli("report", tmp_path / "r.json", "-o", tmp_path / "page.html") == 2
    assert says in capsys.readouterr().err
    assert not (tmp_path / "page.html").exists()


def test_a_page_that_cannot_be_written_is_said_before_a_result_is_read(tmp_path, capsys):
    assert run_cli("report", "nowhere.json", "-o", tmp_path) == 2
    assert "it is a folder" in capsys.readouterr().err
