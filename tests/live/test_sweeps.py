"""Sweeps: what ranks, which gaps are real, what the data choose, retrievers of other people."""

from __future__ import annotations

import random
import re
import subprocess
import sys

import polars as pl
import pytest
from click.testing import CliRunner
from servers import search_server, status

import tophit
from tophit.benching import bench
from tophit.benching.sweep import read_sweep
from tophit.benching.tuning import candidates_of, cross_fitted, halves
from tophit.cli.bench import _next_step
from tophit.cli.commands import tophit as cli
from tophit.errors import EndpointError, InputError, UnansweredError, UsageError
from tophit.relations import QUERY, Questions, Run
from tophit.retrieval import retrieve

SIZES = {"sizes": [100, 400], "budget": 1600}


@pytest.fixture(scope="module")
def docs(asked, shared_data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("docs")
    name = "state_of_the_union.md"
    text = (shared_data / "chroma" / "corpora" / name).read_text(encoding="utf-8")
    (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def swept(docs, asked, tmp_path_factory):
    return bench(
        docs, asked.questions, output=tmp_path_factory.mktemp("out"),
        retrievers=["bm25", "dense", "hybrid"], **SIZES,
    )  # fmt: skip


def test_where_sizes_differ_the_equal_budget_ranks(swept):
    assert swept.deciding == "Hit@1600tok"
    values = [row.result["Hit@1600tok"].value for row in swept.rows]
    assert values == sorted(values, reverse=True)
    fixed = bench({"a.md": "Late fees. " * 9}, _one("Late fees."), output=swept.folder / "fixed",
                  sizes=[3, 30])  # fmt: skip
    assert fixed.deciding == "Hit@4"
    same = bench({"a.md": "Late fees. " * 9}, _one("Late fees."), output=swept.folder / "same",
                 retrievers=["bm25", "dense"], budget=3200)  # fmt: skip
    assert same.deciding == "Hit@4"


def test_every_gap_to_the_best_is_tested_on_the_same_questions(swept, asked):
    best, *others = swept.rows
    assert best.versus_best is None
    for row in others:
        names = {"best": best, "other": row}
        found = tophit.compare(
            asked.questions,
            {name: each.folder / "run.jsonl" for name, each in names.items()},
            measures=swept.deciding,
        ).between("best", "other", swept.deciding)
        assert (row.versus_best.difference, row.versus_best.p) == (found.difference, found.p)
        assert row.versus_best.p_holm >= row.versus_best.p


def test_both_commands_print_the_same_number(swept, asked):
    for row in swept.rows:
        of_file = tophit.evaluate(
            asked.questions, row.folder / "run.jsonl", measures="Hit Partial MRR@20",
            chunks=row.folder / "chunks.jsonl",
        )  # fmt: skip
        assert "MRR" not in row.result.measures
        for name, score in of_file.items():
            assert row.result[name].to_dict() == score.to_dict()
    depths = {row.name: pl.read_ndjson(row.folder / "run.jsonl") for row in swept.rows}
    assert len(depths) == 6


def test_latency_and_index_size(swept):
    costs = swept.costs
    assert costs["p50_ms"].min() > 0
    assert (costs["p95_ms"] >= costs["p50_ms"]).all()
    assert costs["index_bytes"].min() > 1000


def test_stages_of_a_hybrid_are_in_its_run(swept):
    row = next(row for row in swept.rows if row.configuration.retriever == "hybrid")
    run = tophit.formats.read_run(row.folder / "run.jsonl")
    assert run.stages["stage"].unique(maintain_order=True).to_list() == ["bm25", "dense"]
    lists = run.stages.group_by("stage").agg(pl.col("rank").max()).sort("stage")["rank"].to_list()
    assert min(lists) > 20


def _one(text):
    judged = pl.DataFrame({QUERY: ["q"], "item_id": ["e"], "text": [text], "grade": [1.0]})
    asked = pl.DataFrame({QUERY: ["q"], "question": ["Which late fees?"]})
    return Questions(queries=asked, judgments=judged)


# What people bring -----------------------------------------------------------------------


def paragraphs(text):
    return text.split("\n\n")


def first_words(chunks):
    return lambda question, depth: chunks["chunk_id"].to_list()[:depth]


def test_own_splitters_and_retrievers_stand_beside_the_others(docs, asked, tmp_path):
    def live(question, depth):
        return [{"id": "x", "text": "nothing"}] * 3

    found = bench(
        docs, asked.questions, output=tmp_path / "out", sizes=[200, 400], budget=1600,
        splitters={"mine": paragraphs, "recursive": "recursive"},
        retrievers={"bm25": "bm25", "built": first_words, "live": live,
                    "german": {"retriever": "bm25", "language": "german"}},
    )  # fmt: skip
    names = {row.name for row in found.rows}
    assert names == {
        *(f"{chunks}-{each}" for chunks in ("mine", "recursive-200", "recursive-400")
          for each in ("bm25", "built", "german")),
        "live",
    }  # fmt: skip
    own = next(row for row in found.rows if row.name == "live")
    assert (own.chunks, own.index_bytes) == (None, None)
    assert own.context_tokens > 0
    assert "Ceiling" not in own.result.measures
    assert not (own.folder / "chunks.jsonl").exists()
    table = found.table
    assert table.filter(pl.col("configuration") == "live")["Ceiling"].to_list() == [None]


def test_two_of_one_name_and_what_is_no_retriever(docs, asked, tmp_path):
    for options, message in [
        ({"retrievers": [lambda q: [], lambda q: ["a"]]}, "two retrievers are called 'lambda'"),
        ({"retrievers": [4]}, "expected a retriever, found int"),
        ({"splitters": [4]}, "expected a splitter"),
        ({"retrievers": {"a": {"retriever": "hybrid", "tune": {"rff": [1]}}}}, "option to tune"),
    ]:
        with pytest.raises(UsageError, match=message):
            bench(docs, asked.questions, output=tmp_path / "out", **options)
    assert not (tmp_path / "out").exists()


def test_a_live_system_that_fails_is_resumed(docs, asked, tmp_path):
    few = Questions(queries=asked.questions.queries.head(5), judgments=asked.questions.judgments)
    third = few.queries["question"][2][:20]
    with search_server(**{third: status(400, b"bad")}) as server:
        options = {"retrievers": ["bm25", f"{server.url}/list"], "output": tmp_path / "out",
                   "concurrency": 1}  # fmt: skip
        with pytest.raises(UnansweredError, match="2 of 5 answers are kept"):
            bench(docs, few, **options)
        server.ills.clear()
        before = len(server.bodies)
        found = bench(docs, few, **options)
        assert len(server.bodies) - before == 3
    assert {row.configuration.splitter for row in found.rows} == {"spring-ai", None}
    with pytest.raises(EndpointError, match="nothing answers"):
        bench(docs, few, output=tmp_path / "down", retrievers=[f"{server.url}/list"])


# What the data choose --------------------------------------------------------------------


def test_halves_are_equal_and_keep_clusters_together():
    ids = [f"q{n}" for n in range(101)]
    first, second = halves(ids)
    assert abs(len(first) - len(second)) == 1
    assert first | second == set(ids)
    labels = {query: f"doc{n // 10}" for n, query in enumerate(ids)}
    for half in halves(ids, labels):
        assert {labels[query] for query in half}.isdisjoint(
            labels[query] for query in set(ids) - half
        )


def _runs(ids, count):
    return [
        Run(retrieved=pl.DataFrame({QUERY: ids, "chunk_id": [f"{n}"] * len(ids), "rank": 1}))
        for n in range(count)
    ]


def test_each_half_is_answered_by_what_the_other_half_chose():
    ids = [f"q{n}" for n in range(40)]
    first, second = halves(ids)
    scores = [{q: float(q in first) for q in ids}, {q: float(q in second) for q in ids}]
    tuned = cross_fitted(_runs(ids, 2), scores, candidates_of({"rrf": [10, 60]}), ids)
    assert tuned.run.retrieved[QUERY].to_list() == ids
    for query, chunk in tuned.run.retrieved.select(QUERY, "chunk_id").iter_rows():
        assert chunk == ("1" if query in first else "0")
    assert tuned.chosen == ({"rrf": 10}, {"rrf": 60})
    assert "rrf=10 on one half, rrf=60 on the other" in tuned.text


def test_with_permuted_labels_tuning_gains_nothing():
    """Twenty candidates of equal worth: the best of them looks good, and tuning does not."""
    ids = [f"q{n}" for n in range(60)]
    chance = random.Random(4)
    best, gained = [], []
    for _ in range(60):
        scores = [{q: float(chance.random() < 0.5) for q in ids} for _ in range(20)]
        tuned = cross_fitted(_runs(ids, 20), scores, [{"at": n} for n in range(20)], ids)
        rows = tuned.run.retrieved.select(QUERY, "chunk_id").iter_rows()
        gained.append(sum(scores[int(chunk)][query] for query, chunk in rows) / len(ids))
        best.append(max(sum(each.values()) for each in scores) / len(ids))
    assert sum(best) / len(best) > 0.6
    assert abs(sum(gained) / len(gained) - 0.5) < 0.025


def test_a_tuned_hybrid_says_what_was_chosen(docs, asked, tmp_path):
    found = bench(
        docs, asked.questions, output=tmp_path / "out", sizes=[200],
        retrievers={"both": {"retriever": "hybrid",
                             "tune": {"weights": ["1,0", "0,1", "1,1"], "rrf": [10.0, 60.0]}}},
    )  # fmt: skip
    (row,) = found.rows
    assert re.search(r"chosen by the questions: weights=[01],[01] rrf=\d+\.0", row.tuned)
    assert row.warnings[0].code == "tuned"
    assert row.to_dict()["tuned"] == row.tuned
    alone = [
        retrieve(asked_chunks, asked.questions, retriever="hybrid", weights=weights, rrf=rrf)
        for asked_chunks in [tophit.formats.read_chunks(row.folder / "chunks.jsonl")]
        for weights in ("1,0", "0,1", "1,1")
        for rrf in (10.0, 60.0)
    ]
    hits = [tophit.evaluate(asked.questions, run, measures="Hit@4")["Hit@4"].value for run in alone]
    assert min(hits) <= row.result["Hit@4"].value <= max(hits)
    again = bench(
        docs, asked.questions, output=tmp_path / "out", sizes=[200],
        retrievers={"both": {"retriever": "hybrid",
                             "tune": {"weights": ["1,0", "0,1", "1,1"], "rrf": [10.0, 60.0]}}},
    )  # fmt: skip
    assert again.rows[0].tuned == row.tuned


# The command -----------------------------------------------------------------------------


@pytest.fixture
def run(monkeypatch, tmp_path, docs, asked):
    tophit.formats.write_questions(asked.questions, tmp_path / "questions.jsonl")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def call(*arguments, code=0):
        done = CliRunner().invoke(cli, ["bench", str(docs), "questions.jsonl", *arguments])
        assert done.exit_code == code, done.output
        return done.output

    return call


def test_one_table_at_80_places(run):
    out = run("-o", "out", "--size", "100", "--size", "400", "--retriever", "bm25", "--retriever",
              "dense")  # fmt: skip
    table = out.split("Best Hit@1600tok first")[0]
    assert table.count("configuration ") == 1
    assert max(map(len, out.splitlines())) <= 80
    for word in ("Hit@1600tok", "Partial@4", "MRR@20", "Ceiling", "chunks", "index", "kB"):
        assert word in table
    assert re.search(r"(= best|worse), p ", table)


def test_a_file_of_a_sweep_and_the_command_line_goes_before_it(run, tmp_path):
    (tmp_path / "sweep.toml").write_text(
        "sizes = [100, 400]\nk = 2\nbudget = 800\n[retrievers.bm25]\n"
        "[retrievers.both]\nretriever = 'hybrid'\nweights = '1,2'\n"
        "tune.rrf = [10.0, 60.0]\n[splitters.spring]\nsplitter = 'spring-ai'\n"
    )
    out = run("-o", "out", "--sweep", "sweep.toml")
    assert "spring-100-both" in out
    assert "Hit@2" in out
    assert "Hit@800tok" in out
    assert "chosen by the questions: rrf=" in out
    out = run("-o", "out2", "--sweep", "sweep.toml", "--size", "200", "-k", "3")
    assert "spring-200-bm25" in out
    assert "spring-100" not in out
    assert "Hit@3" in out


def test_tuning_from_the_command_line(run):
    out = run("-o", "out", "--size", "200", "--retriever", "hybrid", "--tune", "weights=1,1",
              "--tune", "weights=1,2")  # fmt: skip
    assert "chosen by the questions: weights=" in " ".join(out.split())


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        ("size = [1]", UsageError, "unknown option of a sweep in .* 'size'; did you mean sizes"),
        ("sizes = 4", UsageError, "sizes: expected list, found 4"),
        ("sizes = [", InputError, "expected TOML"),
        (None, InputError, "expected a file"),
    ],
)
def test_a_file_that_cannot_be(tmp_path, content, error, message):
    path = tmp_path / "sweep.toml"
    if content is not None:
        path.write_text(content)
    with pytest.raises(error, match=message):
        read_sweep(path)


def test_the_hint_compares_what_ranks(swept):
    assert _next_step(swept, "q.jsonl").endswith("-m Hit@1600tok")


def test_help_loads_no_engine():
    code = (
        "import sys; from tophit.cli.commands import tophit\n"
        "for name in ('retrieve', 'split'):\n"
        "    try: tophit.main([name, '--help'], prog_name='tophit')\n"
        "    except SystemExit: pass\n"
        "print([m for m in ('polars', 'numpy', 'narwhals', 'rich') if m in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
