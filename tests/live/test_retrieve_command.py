"""`tophit retrieve --retriever ...`: one argument or two, what is kept, and exit statuses."""

from __future__ import annotations

import json

import pytest
from servers import first_times, search_server, status

from tophit.cli.commands import tophit
from tophit.formats import read_run

MODULE = """
def find(question, depth):
    return [{"id": f"{question} {n}", "text": "late fees"} for n in range(depth)]

def broken(question):
    if question == "two":
        raise KeyError("no such field")
    return [question]

def longest(question, texts):
    return [len(text) for text in texts]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "my_shop.py").write_text(MODULE)
    questions = [{"id": f"q{n}", "question": text, "expected": ["fees"]}
                 for n, text in enumerate(["one", "two", "three"], 1)]  # fmt: skip
    (tmp_path / "questions.jsonl").write_text("".join(json.dumps(q) + "\n" for q in questions))
    chunks = [{"id": "a", "text": "one fee"}, {"id": "b", "text": "one long fee of two"}]
    (tmp_path / "chunks.jsonl").write_text("".join(json.dumps(c) + "\n" for c in chunks))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


@pytest.fixture
def run(capsys):
    def call(*arguments):
        with pytest.raises(SystemExit) as caught:
            tophit.main(["retrieve", *arguments], prog_name="tophit")
        return caught.value.code, capsys.readouterr().err

    return call


def test_questions_alone(run):
    code, err = run("questions.jsonl", "-o", "run.jsonl", "--retriever", "my_shop:find",
                    "--depth", "2")  # fmt: skip
    assert code == 0
    assert "3 questions, 6 places -> run.jsonl" in err
    assert "milliseconds a question: p50" in err
    found = read_run("run.jsonl")
    assert found.retrieved["chunk_id"].to_list()[:2] == ["one 0", "one 1"]
    assert found.latency is None
    run("questions.jsonl", "-o", "timed.jsonl", "--retriever", "my_shop:find", "--latency")
    assert read_run("timed.jsonl").latency.height == 3


def test_an_error_exits_2_keeps_what_was_answered_and_the_next_start_ends_with_the_same_bytes(
    run, folder
):
    arguments = ["questions.jsonl", "-o", "run.jsonl", "--retriever-option", "preset=spring-ai"]
    with search_server(two=first_times(1, status(400, b"bad"))) as server:
        named = ["--retriever", f"{server.url}/spring"]
        code, err = run(*arguments, *named)
        assert code == 2
        assert "question 'q2' (two): POST" in err
        assert "answers are kept in run.jsonl." in err
        assert not (folder / "run.jsonl").exists()
        before = len(server.bodies)
        assert run(*arguments, *named)[0] == 0
        assert len(server.bodies) - before < 3
        assert list(folder.glob("*.partial")) == []
        run("questions.jsonl", "-o", "whole.jsonl", *arguments[3:], *named)
    assert (folder / "run.jsonl").read_bytes() == (folder / "whole.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["questions.jsonl", "--retriever", "my_shop:broken"], "my_shop|broken on question 'q2'"),
        (["questions.jsonl", "--retriever", "my_shop:fnid"], "did you mean find"),
        (["questions.jsonl", "--retriever", "bm52"], "unknown retriever 'bm52'; did you mean bm25"),
        (["questions.jsonl"], "chunks: expected at least one chunk, found none"),
        (["a", "b", "c"], "expected CHUNKS and QUESTIONS, or QUESTIONS alone; found 3"),
        (["chunks.jsonl", "questions.jsonl", "--retriever-option", "langage=x"], "mean language"),
        (
            ["chunks.jsonl", "questions.jsonl", "--retriever", "dense", "--retriever-option",
             "threshold=high"], "expected a number, found 'high'",
        ),
        (
            ["chunks.jsonl", "questions.jsonl", "--retriever", "dense", "--retriever-option",
             "embedder=http://127.0.0.1:9/v1", "--retriever-option", "model=m"],
            "nothing answers at http://127.0.0.1:9",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_exits_2(run, arguments, message, folder):
    code, err = run(*arguments, "-o", "run.jsonl")
    assert code == 2
    assert any(part in err for part in message.split("|")), err
    assert not (folder / "run.jsonl").exists()


def test_a_depth_of_a_billion_is_that_of_the_index(run):
    for retriever in ("bm25", "dense", "hybrid"):
        code, err = run("chunks.jsonl", "questions.jsonl", "-o", "run.jsonl", "--depth",
                        "1000000000", "--retriever", retriever)  # fmt: skip
        assert code == 0, err
        assert read_run("run.jsonl").retrieved["rank"].max() <= 2


def test_a_reranker_and_a_cache_of_embeddings(run, folder):
    arguments = ["chunks.jsonl", "questions.jsonl", "-o", "run.jsonl", "--cache", "vectors.sqlite"]
    code, err = run(*arguments, "--retriever", "hybrid", "--reranker", "my_shop:longest")
    assert code == 0, err
    assert read_run("run.jsonl").retrieved["chunk_id"].to_list()[0] == "b"
    assert (folder / "vectors.sqlite").stat().st_size > 0


def test_a_damaged_index_is_built_again(run, folder):
    arguments = ["chunks.jsonl", "questions.jsonl", "-o", "run.jsonl", "--index", "kept"]
    assert run(*arguments)[0] == 0
    first = (folder / "run.jsonl").read_bytes()
    count = len(list((folder / "kept").iterdir()))
    for place in range(count):  # built again, the files have other names
        path = sorted((folder / "kept").iterdir())[place]
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        assert run(*arguments)[0] == 0
        assert (folder / "run.jsonl").read_bytes() == first
    next((folder / "kept").glob("*.store")).unlink()
    assert run(*arguments)[0] == 0
    assert (folder / "run.jsonl").read_bytes() == first
    assert len(list((folder / "kept").iterdir())) == count
