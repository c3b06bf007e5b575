"""The evaluation tools' sample files: what stands in for what, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tophit import errors
from tophit.errors import InputError, MissingExtraError
from tophit.formats import read_chunks, read_questions, read_run, recognise


def put(folder: Path, whole: Any, name: str = "a.json") -> Path:
    path = folder / name
    path.write_text(whole if isinstance(whole, str) else json.dumps(whole), "utf-8")
    return path


def faults(error: pytest.ExceptionInfo[InputError]) -> list[tuple[int | None, str | None]]:
    return [(fault.line, fault.field) for fault in error.value.faults]


def test_ragas_without_passages_falls_back_on_the_answer(tmp_path: Path) -> None:
    path = put(tmp_path, [{"user_input": "?", "reference": "yes", "retrieved_contexts": []}])
    questions = read_questions(path)
    assert questions.judgments["text"].to_list() == ["yes"]
    assert [(w.code, w.count) for w in questions.warnings] == [("answer_as_passage", 1)]


def test_ragas_empty_passages_are_unanswerable(tmp_path: Path) -> None:
    path = put(tmp_path, [{"user_input": "?", "reference": "none", "reference_contexts": []}])
    questions = read_questions(path)
    assert questions.judgments.is_empty()
    assert questions.queries.height == 1
    assert questions.warnings == ()


def test_every_fault_of_ragas_at_once(tmp_path: Path) -> None:
    records = [
        {"user_input": "?", "reference_contexts": None, "reference": None},
        {"user_input": "?", "reference_contexts": "not a list"},
        {"user_input": 3, "reference_contexts": ["a", 4, " "]},
        {"user_input": "?", "reference_contexts": ["a"], "reference_context_ids": [1, 2]},
        {"user_input": "?", "reference_context_ids": [None]},
    ]
    with pytest.raises(InputError) as error:
        read_questions(put(tmp_path, "\n".join(map(json.dumps, records)), "a.jsonl"))
    assert faults(error) == [
        (1, "reference"),
        (3, "reference_contexts[1]"),
        (3, "reference_contexts[1]"),
        (3, "question"),
        (4, "reference_context_ids"),
        (5, "reference_context_ids[0]"),
    ]


def test_a_run_without_contexts_is_a_fault(tmp_path: Path) -> None:
    records = [
        {"user_input": "a", "retrieved_contexts": ["x"], "reference_contexts": []},
        {"user_input": "b", "retrieved_contexts": None, "reference_contexts": []},
    ]
    with pytest.raises(InputError, match="expected retrieved_contexts or retrieved_context_ids"):
        read_run(put(tmp_path, records))


def test_deepeval_in_camel_case(tmp_path: Path) -> None:
    record = {
        "input": "?",
        "expectedOutput": "a",
        "retrievalContext": ["x", "y"],
        "actualOutput": "b",
    }
    run = read_run(put(tmp_path, [record]))
    assert run.retrieved["text"].to_list() == ["x", "y"]
    assert run.answers is not None
    assert run.answers["answer"].to_list() == ["b"]
    assert read_questions(tmp_path / "a.json").judgments["text"].to_list() == ["a"]


def test_trulens_faults(tmp_path: Path) -> None:
    records = [
        {"query": "a", "expected_chunks": [{"text": ""}, {"title": "t"}, 3]},
        {"query": "b", "expected_chunks": [{"text": "x", "expect_score": "high"}]},
        {"query": "c"},
    ]
    with pytest.raises(InputError) as error:
        read_questions(put(tmp_path, "\n".join(map(json.dumps, records)), "a.jsonl"))
    assert faults(error) == [
        (1, "expected_chunks[0].text"),
        (1, "expected_chunks[1]"),
        (1, "expected_chunks[2]"),
        (2, "expected_chunks[0].expect_score"),
        (3, None),
    ]


def test_dpr_answers_are_alternatives_and_may_be_none(tmp_path: Path) -> None:
    path = put(tmp_path, [{"question": "a", "answers": ["x", "y"], "ctxs": []},
                          {"question": "b", "answers": [], "ctxs": []}])  # fmt: skip
    questions = read_questions(path)
    assert questions.judgments["item_id"].to_list() == ["e1", "e1"]
    assert questions.queries.height == 2


def test_dpr_faults(tmp_path: Path) -> None:
    ctxs = [{"id": "a", "score": "high"}, {"text": "x"}, "b"]
    path = put(tmp_path, {"q1": {"question": "a", "answers": "x", "contexts": ctxs}})
    with pytest.raises(InputError) as error:
        read_run(path)
    assert faults(error) == [
        (None, "'q1': contexts[0].score"),
        (None, "'q1': contexts[1].docid"),
        (None, "'q1': contexts[2]"),
    ]
    with pytest.raises(InputError, match="answers: expected a list"):
        read_questions(path)


def test_squad_faults(tmp_path: Path) -> None:
    qas = [{"id": "1", "question": "a"}, {"id": "2", "answers": [{"answer_start": 1}]}, 3]
    paragraphs = [{"context": "text", "qas": qas}, {"qas": []}]
    with pytest.raises(InputError) as error:
        read_questions(put(tmp_path, {"data": [{"title": "t", "paragraphs": paragraphs}, {}]}))
    assert faults(error) == [
        (None, "data[0].paragraphs[0].qas[0].answers"),
        (None, "data[0].paragraphs[0].qas[1].answers[0]"),
        (None, "data[0].paragraphs[0].qas[2]"),
        (None, "data[0].paragraphs[1]"),
        (None, "data[1].paragraphs"),
    ]


@pytest.mark.parametrize("language", ["en", "de", "zh", "hi"])
def test_xquad(language: str, shared_data: Path) -> None:
    path = shared_data / "xquad" / f"xquad.{language}.json"
    assert recognise(path).name == "squad"
    questions, chunks = read_questions(path), read_chunks(path)
    assert questions.queries.height == 1190
    assert chunks.height == 240
    assert chunks["chunk_id"].is_unique().all()
    # Every answer stands at its offsets in the paragraph that its document names.
    spans = questions.judgments.join(chunks, on="doc_id", suffix="_chunk")
    assert spans.height == questions.judgments["start"].count()
    for text, start, end, whole in spans.select("text", "start", "end", "text_chunk").iter_rows():
        assert whole[start:end] == text


def test_legalbench_faults(tmp_path: Path) -> None:
    snippets = [
        {"file_path": "a", "span": [1]},
        {"span": [1, 2]},
        {"file_path": "a", "span": [2, 1]},
    ]
    with pytest.raises(InputError) as error:
        read_questions(put(tmp_path, {"tests": [{"query": "a", "snippets": snippets}]}))
    assert faults(error) == [
        (None, "tests[0].snippets[0]"),
        (None, "tests[0].snippets[1].file_path"),
        (None, "tests[0].snippets[2].span[1]"),
    ]


def test_llama_index_faults(tmp_path: Path) -> None:
    whole = {"queries": {"a": "A?", "b": "B?"}, "corpus": {"n": 1},
             "relevant_docs": {"a": ["n", None], "c": []}}  # fmt: skip
    path = put(tmp_path, whole)
    with pytest.raises(InputError) as error:
        read_questions(path)
    assert faults(error) == [
        (None, "relevant_docs: 'a'[1]"),
        (None, "relevant_docs: 'b'"),
        (None, "relevant_docs: 'c'"),
    ]
    with pytest.raises(InputError, match="corpus: 'n': expected text, found 1"):
        read_chunks(path)


def test_longprobe_needs_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(tmp_path, "questions:\n  - id: a\n    required_chunks: [b]\n", "a.yaml")
    assert read_questions(path).judgments.rows() == [("a", "b", 1.0)]

    def missing(*_: object, **__: object) -> None:
        raise MissingExtraError("pyyaml", extra="yaml", purpose="reading the golden sets")

    monkeypatch.setattr("tophit.formats.reading.yamltext.import_extra", missing)
    with pytest.raises(errors.MissingExtraError, match=r"pip install 'tophit\[yaml\]'"):
        read_questions(path)


def test_longprobe_faults_have_lines(tmp_path: Path) -> None:
    text = (
        "questions:\n"
        "  - id: a\n    question: A?\n    required_chunks: b\n"
        "  - question: B?\n    match_mode: fuzzy\n    required_chunks: ['', c]\n"
        "  - just text\n"
    )
    with pytest.raises(InputError) as error:
        read_questions(put(tmp_path, text, "a.yaml"))
    assert faults(error) == [
        (2, "required_chunks"),
        (5, "match_mode"),
        (5, "required_chunks[0]"),
        (None, "questions[2]"),
    ]
    with pytest.raises(InputError, match="line 3: expected YAML, found expected"):
        read_questions(put(tmp_path, "questions:\n  - a: [required_chunks\n", "b.yaml"))


def test_spring_ai_layouts(tmp_path: Path) -> None:
    documents = [{"id": "c1", "text": "a", "metadata": {}, "score": 0.9}]
    context = {"qa_retrieved_documents": documents}
    layouts = [
        {"id": "q1", "metadata": context},
        {"query_id": "q1", "chatResponse": None, "context": context},
        {"qid": "q1", "chatResponse": {"metadata": context}, "context": {}},
        [{"id": "q1", "metadata": context}],
        {"q1": {"metadata": context}},
        {"q1": {"chatResponse": {"metadata": {}}, "context": context}},
        [{"id": "q1", "response": {"chatResponse": {}, "context": context}}],
    ]
    for layout in layouts:
        path = put(tmp_path, layout)
        assert recognise(path, "run").name == "spring-ai"
        assert read_run(path).retrieved.rows() == [("q1", "c1", 1, 0.9, "a")]


def test_spring_ai_faults(tmp_path: Path) -> None:
    lines = [
        {"query_id": "q1", "context": {"qa_retrieved_documents": [{"text": "a"}, 3]}},
        {"query_id": "q2", "context": {"qa_retrieved_documents": "none"}},
        {"query_id": "q3", "context": {}},
    ]
    with pytest.raises(InputError) as error:
        read_run(put(tmp_path, "\n".join(map(json.dumps, lines)), "a.jsonl"))
    assert faults(error) == [
        (1, "context.qa_retrieved_documents[0].id"),
        (1, "context.qa_retrieved_documents[1]"),
        (2, "context.qa_retrieved_documents"),
        (3, "qa_retrieved_documents"),
    ]


def test_ragchecker_faults(tmp_path: Path) -> None:
    results = [
        {"query_id": None, "query": None, "gt_answer": "x", "retrieved_context": []},
        {"query_id": "1", "query": "b", "gt_answer": None, "retrieved_context": [{"doc_id": "a"}]},
        3,
    ]
    path = put(tmp_path, {"results": results})
    with pytest.raises(InputError) as error:
        read_questions(path)
    fields = ["results[0].query_id", "results[1].gt_answer", "results[2]"]
    assert [fault.field for fault in error.value.faults] == fields
    with pytest.raises(InputError, match=r"results\[1\]\.retrieved_context\[0\]: expected"):
        read_run(path)


def test_beir_faults(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    qrels = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td1\t1\n"
    (tmp_path / "qrels" / "test.tsv").write_text(qrels)
    put(
        tmp_path,
        '{"_id": "q1", "text": "a"}\n{"_id": "q1", "text": "a"}\n{"text": 3}',
        "queries.jsonl",
    )
    with pytest.raises(InputError) as error:
        read_questions(tmp_path)
    assert faults(error) == [(2, "_id"), (3, None)]
    put(tmp_path, '{"_id": "q1", "text": "a"}', "queries.jsonl")
    with pytest.raises(InputError, match=r"expected the query 'q2' of .*test\.tsv, found none"):
        read_questions(tmp_path)
    with pytest.raises(InputError, match=r"expected a folder with corpus\.jsonl, found none there"):
        read_chunks(tmp_path, format="beir")
