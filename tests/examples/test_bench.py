"""Benchmarks: the grid, what is written, the ranking, reuse, and what an interrupt leaves."""

from __future__ import annotations

import json

import polars as pl
import pytest

from tophit.benching import bench, grid
from tophit.documents import with_known_documents
from tophit.errors import InputError, OutputError, UsageError
from tophit.formats import read_chunks, read_run
from tophit.relations import Questions

DOCS = {
    "fees.md": "A late fee is eight dollars a month. " * 3 + "Students pay nothing at all.",
    "taxes.md": "Taxes are due in April. " * 3 + "Refunds take six weeks.",
}


@pytest.fixture
def questions():
    queries = {
        "q1": "What is the late fee?",
        "q2": "When do refunds come, in weeks?",
        "q3": "zebra",
        "q4": "Who is the king?",
    }
    judged = [
        ("q1", "e1", 1.0, "A late fee is eight dollars a month.", "fees"),
        ("q2", "e1", 1.0, "Refunds take six weeks.", "taxes.md"),
        ("q3", "e1", 1.0, "Students pay nothing at all.", "elsewhere"),
    ]
    columns = ["query_id", "item_id", "grade", "text", "doc_id"]
    return Questions(
        queries=pl.DataFrame({"query_id": list(queries), "question": list(queries.values())}),
        judgments=pl.DataFrame(judged, schema=columns, orient="row"),
    )


@pytest.fixture
def docs(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    for name, text in DOCS.items():
        (folder / name).write_text(text)
    (folder / "logo.png").write_bytes(b"\x89PNG")
    return folder


def files(folder):
    """All files but those of what differs from run to run."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in ("costs.csv", "made.json", ".embeddings.sqlite")
    }


def test_what_is_written(docs, questions, tmp_path):
    out = tmp_path / "deep" / "out"
    result = bench(docs, questions, output=out, sizes=[10, 800], depth=5, k=2)
    names = {"spring-ai-10-bm25", "spring-ai-800-bm25"}
    assert {path.name for path in out.iterdir()} == names | {
        "table.json",
        "results.csv",
        "costs.csv",
    }
    for row in result.rows:
        assert {path.name for path in row.folder.iterdir()} == {
            "chunks.jsonl",
            "run.jsonl",
            "result.json",
            "made.json",
        }
        chunks = read_chunks(row.folder / "chunks.jsonl")
        assert chunks.height == row.chunks
        run = read_run(row.folder / "run.jsonl")
        assert run.retrieved["rank"].max() <= 5
        written = (row.folder / "run.jsonl").read_text(encoding="utf-8").strip().split("\n")
        lines = [json.loads(line) for line in written]
        assert [line["id"] for line in lines] == ["q1", "q2", "q3", "q4"]
        assert lines[2]["retrieved"] == []
        written = json.loads((row.folder / "result.json").read_text())
        assert written["schema"] == 1
        assert written["k"] == 2
        assert written["match"] == "text"
        assert written["questions"] == {
            "total": 4,
            "answerable": 3,
            "unanswerable": 1,
            "without_results": 1,
            "not_asked": 0,
        }
        assert [each["name"] for each in written["runs"]] == [row.name]
        assert written["configuration"]["name"] == row.name
        assert written["runs"][0]["measures"]["Hit@2"]["value"] == row.result["Hit@2"].value


def test_the_table_is_ranked(docs, questions, tmp_path):
    result = bench(docs, questions, output=tmp_path / "out", sizes=[5, 800], k=1)
    assert [row.name for row in result.rows] == ["spring-ai-800-bm25", "spring-ai-5-bm25"]
    table = result.table
    assert table.columns[:5] == ["configuration", "splitter", "size", "overlap", "retriever"]
    assert table.columns[5:8] == ["chunks", "context_tokens", "n"]
    assert table["Hit@1"].to_list() == [pytest.approx(2 / 3), 0.0]
    assert table["n"].to_list() == [3, 3]
    assert {"Hit@1 low", "Hit@1 high", "Partial@1", "MRR@20"} <= set(table.columns)
    csv = pl.read_csv(tmp_path / "out" / "results.csv")
    assert csv.equals(table)
    costs = pl.read_csv(tmp_path / "out" / "costs.csv")
    assert costs.columns == ["configuration", "p50_ms", "p95_ms", "p99_ms", "index_bytes"]
    assert costs["p50_ms"].min() > 0
    assert costs["index_bytes"].min() > 0
    written = json.loads((tmp_path / "out" / "table.json").read_text())
    assert [each["name"] for each in written["configurations"]] == table["configuration"].to_list()
    assert written["documents"] == {
        "read": 2,
        "skipped": [{"name": "logo.png", "reason": "not a known kind of document"}],
    }
    assert {warning["code"] for warning in written["warnings"]} == {
        "documents_skipped",
        "unknown_documents",
    }


def test_equal_measures_are_ranked_by_tokens_then_name(questions, tmp_path):
    found = bench({"a": DOCS["taxes.md"]}, questions, output=tmp_path, sizes=[801, 800, 30])
    tokens = [row.context_tokens for row in found.rows]
    assert [row.result["Hit@4"].value for row in found.rows] == [pytest.approx(1 / 3)] * 3
    assert tokens == sorted(tokens)
    assert [row.configuration.size for row in found.rows][-2:] == [800, 801]


def test_context_tokens_count_empty_contexts(questions, tmp_path):
    (row,) = bench({"a": "A late fee. " * 2}, questions, output=tmp_path).rows
    # Only q1 shares words with the one chunk of 7 tokens; the mean is over all four questions.
    chunks = read_chunks(row.folder / "chunks.jsonl")
    answered = read_run(row.folder / "run.jsonl").retrieved["query_id"].n_unique()
    assert row.context_tokens == chunks["tokens"].item() * answered / 4
    assert row.max_context_tokens == chunks["tokens"].item()


def test_the_same_input_gives_the_same_bytes(docs, questions, tmp_path):
    def written(name):
        bench(docs, questions, output=tmp_path / name, sizes=[10, 800])
        return files(tmp_path / name)

    first = written("one")
    assert len(first) == 8
    assert first == written("two")
    assert first == written("one")


def test_a_grid_splits_once_for_all_retrievers(docs, questions, tmp_path, monkeypatch):
    from tophit.benching import run as module

    sizes = []

    def counted(documents, **options):
        sizes.append(options["size"])
        return split(documents, **options)

    split = module.split
    monkeypatch.setattr(module, "split", counted)
    result = bench(
        docs, questions, output=tmp_path / "out", sizes=[10, 20], retrievers=["bm25", "dense"]
    )
    assert len(result.rows) == 4
    assert sizes == [10, 20]


def test_names_of_the_grid():
    names = [
        each.name
        for each in grid(splitters=["spring-ai", "recursive"], sizes=[200, 200], overlaps=[0, 50])
    ]
    assert names == [
        "spring-ai-200-bm25",
        "recursive-200-bm25",
        "recursive-200-overlap50-bm25",
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"splitters": ["springai"]}, "unknown splitter 'springai'; did you mean spring-ai"),
        ({"retrievers": ["bm52"]}, "unknown retriever 'bm52'"),
        ({"sizes": []}, "sizes: expected a list of at least one"),
        ({"splitters": "recursive"}, "splitters: expected a list of at least one"),
        ({"tune": {"weigths": ["1,2"]}}, "unknown option to tune 'weigths'"),
        ({"retrievers": ["hybrid"], "tune": {"rrf": 5}}, "expected a list of values, found 5"),
        ({"retrievers": {"a": {"retriever": "bm25", "k1": 2}}}, "unknown option of the retriever"),
        ({"concurrency": 0}, "concurrency must be at least 1"),
        ({"sizes": [200, 0]}, "at least 1 token, not 0"),
        ({"overlaps": [5]}, "'spring-ai' has no overlap"),
        ({"splitters": ["tokens"], "sizes": [5], "overlaps": [5]}, "from 0 to 4"),
        ({"k": 4, "depth": 3}, "at least k = 4, not 3"),
        ({"measures": "Hitt@4"}, "unknown measure"),
        ({"splitter_options": {"trim": False}}, "unknown splitter option 'trim'"),
        ({"retriever_options": {"langage": "none"}}, "did you mean language"),
    ],
)
def test_a_grid_that_cannot_be_is_refused_before_anything_is_read(tmp_path, options, message):
    with pytest.raises(UsageError, match=message):
        bench("nowhere", "nothing", output=tmp_path / "out", **options)
    assert not (tmp_path / "out").exists()


def test_options_reach_those_that_have_them(questions, tmp_path):
    result = bench(
        {"a": "One. Two. Three. Four"},
        questions,
        output=tmp_path,
        splitters=["spring-ai", "recursive"],
        splitter_options={"last_window": "cut", "min_chunk_size_chars": 0},
        retriever_options={"language": "none"},
    )
    chunks = {row.configuration.splitter: row.chunks for row in result.rows}
    assert chunks == {"spring-ai": 1, "recursive": 1}
    (spring,) = [row for row in result.rows if row.configuration.splitter == "spring-ai"]
    assert read_chunks(spring.folder / "chunks.jsonl")["text"].to_list() == ["One. Two. Three."]


def test_bad_data(docs, questions, tmp_path):
    with pytest.raises(InputError, match="text that spring-ai-800 makes chunks of"):
        bench({"a": "tiny"}, questions, output=tmp_path / "out")
    with pytest.raises(InputError, match="no such file"):
        bench(docs, tmp_path / "nowhere.jsonl", output=tmp_path / "out")
    with pytest.raises(InputError, match="a file or a folder, found nothing"):
        bench(tmp_path / "nowhere", questions, output=tmp_path / "out")
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError, match="cannot write the folder"):
        bench(docs, questions, output=tmp_path / "file")


def test_a_folder_of_something_else_is_left_alone(docs, questions, tmp_path):
    mine = tmp_path / "out" / "spring-ai-800-bm25" / "thesis.txt"
    mine.parent.mkdir(parents=True)
    mine.write_text("precious")
    with pytest.raises(UsageError, match=r"holds thesis\.txt, which no benchmark wrote"):
        bench(docs, questions, output=tmp_path / "out")
    assert mine.read_text() == "precious"


def interrupting(monkeypatch, *, at):
    """Interrupt the sweep when it is about to write the run of this configuration."""
    from tophit.benching import store

    write = store.write_run

    def interrupted(run, path):
        if at in run.name:
            raise KeyboardInterrupt
        return write(run, path)

    monkeypatch.setattr(store, "write_run", interrupted)
    return lambda: monkeypatch.setattr(store, "write_run", write)


GRID = {"sizes": [10, 20, 800], "retrievers": ["bm25", "dense", "hybrid"], "budget": 3200}


def test_a_sweep_that_was_broken_off_goes_on_and_ends_with_the_same_bytes(
    docs, questions, tmp_path, monkeypatch
):
    from tophit.benching import run as module

    bench(docs, questions, output=tmp_path / "whole", **GRID)
    again = interrupting(monkeypatch, at="20-dense")
    with pytest.raises(KeyboardInterrupt):
        bench(docs, questions, output=tmp_path / "out", **GRID)
    (staged,) = [path for path in (tmp_path / "out").iterdir() if path.is_dir()]
    assert {path.name for path in staged.iterdir()} == {
        "spring-ai-10-bm25", "spring-ai-10-dense", "spring-ai-10-hybrid", "spring-ai-20-bm25",
    }  # fmt: skip
    again()
    asked = []
    make = module._make

    def making(each, *rest):
        asked.append(each)
        return make(each, *rest)

    monkeypatch.setattr(module, "_make", making)
    bench(docs, questions, output=tmp_path / "out", **GRID)
    assert asked[0].name == "spring-ai-20-dense"
    assert len(asked) == 5
    assert files(tmp_path / "out") == files(tmp_path / "whole")
    asked.clear()
    bench(docs, questions, output=tmp_path / "out", **GRID)
    assert asked == []
    assert files(tmp_path / "out") == files(tmp_path / "whole")


def test_sweeps_with_other_settings_never_mix(docs, questions, tmp_path, monkeypatch):
    out = tmp_path / "out"
    bench(docs, questions, output=out, sizes=[10, 800])
    before = files(out)
    mine = out / "spring-ai-10-bm25" / "notes.txt"
    again = interrupting(monkeypatch, at="800")
    with pytest.raises(KeyboardInterrupt):
        bench(docs, questions, output=out, sizes=[10, 800], k=1)
    assert {name: content for name, content in files(out).items() if name[0] != "."} == before
    again()
    bench(docs, questions, output=out, sizes=[800], k=1)
    folders = {path.name for path in out.iterdir() if path.is_dir()}
    assert folders == {"spring-ai-800-bm25"}
    assert json.loads((out / "spring-ai-800-bm25" / "result.json").read_text())["k"] == 1
    bench(docs, questions, output=out, sizes=[10], k=1)
    assert {path.name for path in out.iterdir() if path.is_dir()} == {
        "spring-ai-800-bm25", "spring-ai-10-bm25",
    }  # fmt: skip
    mine.write_text("precious")
    bench(docs, questions, output=out, sizes=[800], k=2)
    assert mine.read_text() == "precious"


def test_a_full_disk_is_said_and_leaves_nothing(docs, questions, tmp_path, monkeypatch):
    from tophit.benching import store

    def full(chunks, path):
        path.write_text("half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store, "write_chunks", full)
    with pytest.raises(OutputError, match="spring-ai-800-bm25: No space left on device"):
        bench(docs, questions, output=tmp_path / "out")
    assert [path for path in (tmp_path / "out").rglob("*") if path.is_file()] == []


def test_progress(docs, questions, tmp_path):
    seen = []
    bench(docs, questions, output=tmp_path / "out", progress=lambda *step: seen.append(step))
    assert [what for what, done, total in seen if done == total] == [
        "split spring-ai-800",
        "retrieve spring-ai-800-bm25",
        "evaluate spring-ai-800-bm25",
        "configurations",
    ]


def test_documents_of_the_questions_get_the_names_of_the_corpus(questions):
    known = with_known_documents(questions, list(DOCS))
    assert known.judgments["doc_id"].to_list() == ["fees.md", "taxes.md", "elsewhere"]
    (warning,) = known.warnings
    assert (warning.code, warning.count) == ("unknown_documents", 1)
    assert "elsewhere" in warning.message
    assert questions.judgments["doc_id"].to_list()[0] == "fees"


def test_chroma(shared_data, tmp_path):
    result = bench(
        shared_data / "chroma" / "corpora",
        shared_data / "chroma" / "questions_df.csv",
        output=tmp_path,
        sizes=[200, 800],
    )
    found = {row.configuration.size: row for row in result.rows}
    assert {size: row.chunks for size, row in found.items()} == {200: 1791, 800: 421}
    assert all(row.result.questions.answerable == 472 for row in result.rows)
    assert found[800].result["Hit@4"].value == pytest.approx(0.962, abs=0.001)
    assert found[200].result["Hit@4"].value == pytest.approx(0.864, abs=0.001)
    assert found[800].result["Partial@4"].value >= found[800].result["Hit@4"].value
    assert found[200].max_context_tokens <= 4 * 201
    assert 3000 < found[800].context_tokens < 3204
    assert result.warnings == ()
