"""Conversion between formats: what is carried, what is counted as lost, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tophit.errors import DataWarning, InputError, UsageError
from tophit.formats import convert, read_chunks, read_questions, read_run, recognise

SAMPLES = Path(__file__).parents[1] / "golden" / "formats" / "samples"


def losses(warnings: tuple[DataWarning, ...]) -> dict[str, int]:
    return {warning.message: warning.count for warning in warnings}


def test_the_ending_tells_the_target(tmp_path: Path) -> None:
    for name, format in (
        ("a.jsonl", "jsonl"),
        ("a.jsonl.gz", "jsonl"),
        ("a.json", "json-dict"),
        ("a.csv", "table"),
        ("a.tsv.zst", "table"),
        ("a.parquet", "table"),
        ("a.run", "trec"),
        ("a.TXT", "trec"),
    ):
        lost = convert(SAMPLES / "run_scores.json", tmp_path / name, role="run")
        without = "trec cannot hold queries without results: 1 is not in the output"
        assert [each.message for each in lost] == ([without] if format == "trec" else [])
        assert recognise(tmp_path / name, "run").name == format


def test_an_ending_that_tells_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot tell the format of .*a\.xyz by its ending"):
        convert(SAMPLES / "qrels.txt", tmp_path / "a.xyz")
    with pytest.raises(UsageError, match="unknown format 'trecc'; did you mean trec"):
        convert(SAMPLES / "qrels.txt", tmp_path / "a.xyz", target_format="trecc")
    assert not list(tmp_path.iterdir())


def test_standard_output_is_jsonl(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    convert(SAMPLES / "qrels.txt", "-")
    first = capsysbinary.readouterr().out.splitlines()[0]
    expected = [{"id": "doc#16"}, {"id": "FT911-1", "grade": 0}]
    assert json.loads(first) == {"id": "301", "expected": expected}


def test_everything_a_target_cannot_hold_is_counted(tmp_path: Path) -> None:
    lost = losses(convert(SAMPLES / "questions.jsonl", tmp_path / "a.qrels"))
    assert lost == {
        "trec cannot hold question of questions: 3 are not in the output": 3,
        "trec cannot hold tag.topic of questions: 1 is not in the output": 1,
        "trec cannot hold expected items or alternatives without an id: 3 are not in the output": 3,
        "trec cannot hold questions with none of their items left: 1 is not in the output": 1,
        "trec cannot hold unanswerable questions: 1 is not in the output": 1,
    }
    assert (tmp_path / "a.qrels").read_text() == "2 0 c7 2\n2 0 8 1\n"


def test_a_run_in_trec_keeps_its_order(tmp_path: Path) -> None:
    # Two equal scores in a given order that the tie rule would turn around.
    lost = losses(convert(SAMPLES / "run.jsonl", tmp_path / "a.run"))
    assert (tmp_path / "a.run").read_text() == (
        "q1 Q0 c1 1 2.0 run\nq1 Q0 c7 2 1.0 run\n2 Q0 8 1 1.0 run\n"
    )
    assert [message.split(":")[0] for message in lost] == [
        "trec ranks by score",
        "trec cannot hold text of the run",
        "trec cannot hold doc_id of the run",
        "trec cannot hold start of the run",
        "trec cannot hold end of the run",
        "trec cannot hold tokens of the run",
        "trec cannot hold answer of the run",
        "trec cannot hold abstained of the run",
        "trec cannot hold queries without results",
    ]


def test_scores_that_give_the_order_are_kept(tmp_path: Path) -> None:
    source = tmp_path / "a.jsonl"
    places = [{"id": "b", "score": 0.5}, {"id": "a", "score": 0.5}, {"id": "c", "score": 0.25}]
    source.write_text(json.dumps({"id": "q", "retrieved": places}))
    assert convert(source, tmp_path / "a.run") == ()
    assert read_run(tmp_path / "a.run").retrieved["score"].to_list() == [0.5, 0.5, 0.25]


def test_ids_with_blanks_do_not_fit_between_blanks(tmp_path: Path) -> None:
    source = tmp_path / "a.jsonl"
    source.write_text(
        '{"id": "q 1", "retrieved": [{"id": "a"}]}\n{"id": "#q", "retrieved": [{"id": "b"}]}'
    )
    for name, format in (("a.run", None), ("a.tsv", "msmarco")):
        with pytest.raises(InputError, match="expected an id without blanks") as error:
            convert(source, tmp_path / name, target_format=format)
        assert len(error.value.faults) == 2
        assert not (tmp_path / name).exists()


def test_texts_alone_do_not_become_ids(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="trec holds ids only, and no expected item of"):
        convert(SAMPLES / "chroma.csv", tmp_path / "a.qrels")
    assert not list(tmp_path.iterdir())


def test_items_that_are_not_relevant_do_not_become_so(tmp_path: Path) -> None:
    for target in ("ragas", "llama-index"):
        lost = losses(convert(SAMPLES / "qrels.json", tmp_path / "a", target_format=target,
                              role="questions"))  # fmt: skip
        assert lost == {
            f"{target} cannot hold expected items with a grade below 1: 1 is not in the output": 1,
            f"{target} cannot hold grades above 1 (the items are there): 1 is not in the output": 1,
        }
        judgments = read_questions(tmp_path / "a").judgments
        assert judgments["item_id"].to_list() == ["d1", "d3"]


def test_alternatives_where_there_are_none_are_counted(tmp_path: Path) -> None:
    lost = losses(convert(SAMPLES / "dpr.json", tmp_path / "a", target_format="llama-index",
                          role="questions"))  # fmt: skip
    message = (
        "llama-index cannot hold alternatives (all of them are wanted now): 1 is not in the output"
    )
    assert lost[message] == 1


def test_both_roles_go_into_a_file_that_holds_both(tmp_path: Path) -> None:
    convert(SAMPLES / "dpr.json", tmp_path / "a", target_format="ragas")
    (record,) = [json.loads(line) for line in (tmp_path / "a").read_text().splitlines()]
    assert record["id"].startswith("who-sings-does-he-love-me-with~")
    assert record["reference_contexts"] == ["Linda Davis", "Davis"]
    assert record["retrieved_context_ids"] == ["wiki:11828866", "wiki:11828867"]
    assert len(record["retrieved_contexts"]) == 2


def test_several_roles_need_a_word(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="can be read as questions or run; say which"):
        convert(SAMPLES / "ragas.jsonl", tmp_path / "a.jsonl")
    lost = convert(SAMPLES / "ragas.jsonl", tmp_path / "a.jsonl", role="run")
    assert [warning.code for warning in lost] == ["not_converted"]
    assert lost[0].message == "the source holds questions too, which went nowhere"
    assert read_run(tmp_path / "a.jsonl").retrieved.height == 3


def test_what_went_nowhere_is_named(tmp_path: Path) -> None:
    lost = convert(SAMPLES / "beir", tmp_path / "a.jsonl", role="questions")
    assert [warning.code for warning in lost] == [
        "splits_not_read",
        "queries_without_qrels",
        "not_converted",
    ]


def test_a_role_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"expected a run, found questions \(chroma\)"):
        convert(SAMPLES / "chroma.csv", tmp_path / "a.jsonl", role="run")
    with pytest.raises(UsageError, match="chroma does not hold run"):
        convert(SAMPLES / "chroma.csv", tmp_path / "a.jsonl", source_format="chroma", role="run")
    with pytest.raises(UsageError, match="trec cannot write chunks"):
        convert(SAMPLES / "chunks.jsonl", tmp_path / "a.run", role="chunks")
    with pytest.raises(UsageError, match="trec cannot write what jsonl holds: chunks"):
        convert(SAMPLES / "chunks.jsonl", tmp_path / "a.run")
    with pytest.raises(UsageError, match="squad cannot write questions"):
        convert(SAMPLES / "qrels.txt", tmp_path / "a", target_format="squad", role="questions")


def test_beir_there_and_back(tmp_path: Path) -> None:
    for role in ("questions", "chunks"):
        convert(SAMPLES / "beir", tmp_path / "a", target_format="beir", role=role)
    before, after = read_questions(SAMPLES / "beir"), read_questions(tmp_path / "a")
    assert after.queries.equals(before.queries)
    assert after.judgments.equals(before.judgments)
    assert read_chunks(tmp_path / "a").equals(read_chunks(SAMPLES / "beir"))
    header = (tmp_path / "a" / "qrels" / "test.tsv").read_text().splitlines()[:2]
    assert header == ["query-id\tcorpus-id\tscore", "PLAIN-2\tMED-10\t1"]
    with pytest.raises(UsageError, match="beir is a folder"):
        convert(SAMPLES / "beir", "-", target_format="beir", role="questions")


def test_a_split_of_beir_on_its_own() -> None:
    questions = read_questions(SAMPLES / "beir" / "qrels" / "dev.tsv")
    assert questions.judgments.rows() == [("PLAIN-9", "MED-10", 1.0)]


def test_the_name_of_a_run(tmp_path: Path) -> None:
    convert(SAMPLES / "run_lists.json", tmp_path / "a.run", role="run", name="my run")
    assert read_run(tmp_path / "a.run").name == "my_run"


def test_one_reading_is_not_two_parts(tmp_path: Path) -> None:
    # The same dict may be judgments or a run, but never both at once.
    with pytest.raises(UsageError, match="can be read as questions or run; say which"):
        convert(SAMPLES / "qrels.json", tmp_path / "a", target_format="ragas")


@pytest.mark.parametrize(
    ("target", "expected", "message"),
    [
        ("ragas", ["a", {"id": "b", "text": "x"}], "ids beside passages without one: 1"),
        ("ragas", [{"id": "a", "text": "x"}, {"id": "b"}], "texts beside ids without one: 1"),
        ("ragas", ["a", {"id": "b"}], "expected items without a text: 1"),
        ("llama-index", ["a", {"doc": "d", "start": 1, "end": 2}], "without an id or a text: 1"),
        ("ragas", ["a", {"doc": "d", "start": 1, "end": 2}], "expected items without a text: 1"),
    ],
)
def test_items_of_mixed_kinds(
    target: str, expected: list[object], message: str, tmp_path: Path
) -> None:
    source = tmp_path / "a.jsonl"
    source.write_text(json.dumps({"id": "q", "expected": expected}))
    lost = convert(source, tmp_path / "a", target_format=target)
    assert any(message in warning.message for warning in lost), [w.message for w in lost]


@pytest.mark.parametrize("target", ["json-dict", "ragas", "llama-index"])
def test_a_question_that_loses_its_items_does_not_become_unanswerable(
    target: str, tmp_path: Path
) -> None:
    span = {"doc": "d", "start": 1, "end": 2}
    records = [
        {"id": "q1", "expected": [span]},
        {"id": "q2", "expected": [{"id": "a"}]},
        {"id": "q3", "expected": []},
    ]
    source = tmp_path / "a.jsonl"
    source.write_text("\n".join(map(json.dumps, records)))
    lost = losses(convert(source, tmp_path / "a", target_format=target))
    message = (
        f"{target} cannot hold questions with none of their items left: 1 is not in the output"
    )
    assert lost[message] == 1
    questions = read_questions(tmp_path / "a", format=target)
    assert questions.queries["query_id"].to_list() == ["q2", "q3"]
    assert questions.judgments["item_id"].to_list() == ["a"]
