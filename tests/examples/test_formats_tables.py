"""Tables: the names of columns that people use, ids of every type, and faults by line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tophit.errors import InputError
from tophit.formats import (
    read_chunks,
    read_questions,
    read_run,
    recognise,
    write_questions,
    write_run,
)


def put(folder: Path, text: str, name: str = "a.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def faults(error: pytest.ExceptionInfo[InputError]) -> list[tuple[int | None, str | None]]:
    return [(fault.line, fault.field) for fault in error.value.faults]


@pytest.mark.parametrize(
    "header",
    [
        "query_id,item_id,grade",
        "qid,docno,relevance",
        "query,doc_id,rel",
        "user_id,item_id,rating",
        "topic,docid,label",
        "query-id,corpus-id,score",
        "Query ID,Doc ID,Relevance",
        "QID,PID,REL",
    ],
)
@pytest.mark.parametrize("separator", [",", "\t", ";"])
def test_names_of_judgments(header: str, separator: str, tmp_path: Path) -> None:
    text = f"{header}\n1,7,2\n1,8,0\n".replace(",", separator)
    judgments = read_questions(put(tmp_path, text)).judgments
    assert judgments.rows() == [("1", "7", 2.0), ("1", "8", 0.0)]
    assert judgments.columns == ["query_id", "item_id", "grade"]


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        ("query_id,chunk_id,rank", ["query_id", "chunk_id", "rank"]),
        ("qid,docno,rank", ["query_id", "chunk_id", "rank"]),
        ("user_id,item_id,score", ["query_id", "chunk_id", "score"]),
        ("query,doc_id,similarity", ["query_id", "chunk_id", "score"]),
        ("qid,node_id,position", ["query_id", "chunk_id", "rank"]),
    ],
)
def test_names_of_runs(header: str, columns: list[str], tmp_path: Path) -> None:
    retrieved = read_run(put(tmp_path, f"{header}\n1,7,1\n1,8,2\n")).retrieved
    assert retrieved.columns == columns
    assert retrieved.rows() == [("1", "7", 1), ("1", "8", 2)]


def test_doc_id_is_the_document_where_another_column_holds_the_id(tmp_path: Path) -> None:
    text = "query_id,chunk_id,doc_id,rank,start,end\nq1,c1,a.md,1,0,5\n"
    assert read_run(put(tmp_path, text)).retrieved.rows(named=True) == [
        {"query_id": "q1", "chunk_id": "c1", "rank": 1, "doc_id": "a.md", "start": 0, "end": 5}
    ]
    text = "query_id,id,doc_id,score\nq1,c1,a.md,0.5\n"
    assert read_run(put(tmp_path, text)).retrieved["chunk_id"].to_list() == ["c1"]
    text = "qid,text,doc_id,start,end\nq1,one,a.md,0,5\nq1,two,a.md,7,9\n"
    assert read_questions(put(tmp_path, text)).judgments.rows() == [
        ("q1", "e1", 1.0, None, "one", "a.md", 0, 5),
        ("q1", "e2", 1.0, None, "two", "a.md", 7, 9),
    ]


def test_a_question_text_beside_its_id(tmp_path: Path) -> None:
    text = 'qid,query,docno\n1,"Who, then?",7\n1,"Who, then?",8\n'
    assert read_questions(put(tmp_path, text)).queries.rows() == [("1", "Who, then?")]


def test_a_rank_beside_a_score_is_the_order(tmp_path: Path) -> None:
    run = read_run(put(tmp_path, "qid,docno,rank,score\n1,7,2,0.9\n1,8,1,0.1\n"))
    assert run.retrieved.rows() == [("1", "7", 2, 0.9), ("1", "8", 1, 0.1)]


def test_a_ranked_list_is_no_judgments(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"expected questions, found run \(table\)"):
        read_questions(put(tmp_path, "qid,docno,rank\n1,7,1\n"))


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([1, 2], ["1", "2"]),
        (["1.0", "2.0"], ["1.0", "2.0"]),
        (["1.0", "2.1"], ["1.0", "2.1"]),
        (["007", "8"], ["007", "8"]),
        ([9007199254740992, 9007199254740993], ["9007199254740992", "9007199254740993"]),
        ([2**64 - 1, 0], [str(2**64 - 1), "0"]),
        ([" a", "ü \u00a0"], ["a", "ü"]),
    ],
)
@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_ids_of_every_type(values: list[Any], texts: list[str], name: str, tmp_path: Path) -> None:
    frame = pl.DataFrame({"qid": values, "docno": values, "rel": [1, 1]})
    if name == "a.csv":
        frame.write_csv(tmp_path / name)
    else:
        frame.write_parquet(tmp_path / name)
    judgments = read_questions(tmp_path / name).judgments
    assert judgments["query_id"].to_list() == texts
    assert judgments["item_id"].to_list() == texts


def test_whole_floats_are_whole_numbers_but_not_where_they_are_text(tmp_path: Path) -> None:
    frame = pl.DataFrame({"qid": [1.0, 2.0], "docno": [7, 8], "rel": [1, 1]})
    frame.write_parquet(tmp_path / "a.parquet")
    assert read_questions(tmp_path / "a.parquet").queries["query_id"].to_list() == ["1", "2"]
    frame.write_csv(tmp_path / "a.csv")
    assert read_questions(tmp_path / "a.csv").queries["query_id"].to_list() == ["1.0", "2.0"]


@pytest.mark.parametrize("grade", ["true", "True", "1", "1.0", " 1 "])
def test_grades_of_every_kind(grade: str, tmp_path: Path) -> None:
    text = f"qid,docno,rel\n1,7,{grade}\n1,8,0.2\n"
    assert read_questions(put(tmp_path, text)).judgments["grade"].to_list() == [1.0, 0.2]


def test_grades_of_parquet_may_be_truth_values(tmp_path: Path) -> None:
    frame = pl.DataFrame({"qid": [1, 1], "docno": [7, 8], "label": [True, False]})
    frame.write_parquet(tmp_path / "a")
    assert read_questions(tmp_path / "a").judgments["grade"].to_list() == [1.0, 0.0]


def test_every_fault_of_a_table_at_once(tmp_path: Path) -> None:
    text = 'qid,docno,score,text\n1,7,abc,a\n,7,1,b\n\n1,,2,"two\nlines"\n1,8,nan,c\n1,9,,d\n'
    with pytest.raises(InputError) as error:
        read_run(put(tmp_path, text))
    assert sorted(faults(error), key=str) == [
        (2, "score"),
        (3, "qid"),
        (6, "docno"),
        (7, "score"),
        (None, "score"),
    ]


def test_lines_with_too_many_fields_are_all_named(tmp_path: Path) -> None:
    text = "qid,docno,score\n1,7,1\n1,8,1,2\n1,9,1\n1,10,1,2,3\n"
    with pytest.raises(InputError) as error:
        read_run(put(tmp_path, text))
    assert faults(error) == [(3, None), (5, None)]
    assert "line 3: expected 3 fields, found 4" in str(error.value)


def test_lines_with_too_few_fields_are_all_named(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        read_run(put(tmp_path, "qid,docno,score\n1,7,1\n1\n1,9,1\n,,3\n"))
    assert (3, "docno") in faults(error)
    assert (5, "qid") in faults(error)


def test_a_header_that_lacks_a_column(tmp_path: Path) -> None:
    path = put(tmp_path, "qid,colour\n1,red\n")
    with pytest.raises(
        InputError, match="a column chunk_id or text, found the columns qid, colour"
    ):
        read_run(path, format="table")
    with pytest.raises(InputError, match=r"a column expected or .* or item_id or text or start"):
        read_questions(path, format="table")
    with pytest.raises(InputError, match="expected a column rank or score"):
        read_run(put(tmp_path, "qid,docno\n1,7\n"), format="table")


def test_ranks_from_zero(tmp_path: Path) -> None:
    rows = [("1", "7", 1), ("1", "8", 2), ("2", "7", 1)]
    path = put(tmp_path, "qid,docno,rank\n1,7,0\n1,8,1\n2,7,0\n")
    assert read_run(path).retrieved.rows() == rows
    path = put(tmp_path, "1\t7\t0\n1\t8\t1\n2\t7\t0\n", "a.tsv")
    assert read_run(path, format="msmarco").retrieved.rows() == rows


@pytest.mark.parametrize("rank", ["1.5", "-1", "x", "inf"])
def test_ranks_that_are_none(rank: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 2, rank: expected a whole number from 0"):
        read_run(put(tmp_path, f"qid,docno,rank\n1,7,{rank}\n"))


def test_two_grades_for_one_item(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 4, grade: expected one grade for '7' in query '1'"):
        read_questions(put(tmp_path, "qid,docno,rel\n1,7,1\n1,8,1\n1,7,2\n1,7,1\n"))


def test_a_row_without_an_item_is_unanswerable_or_a_hole(tmp_path: Path) -> None:
    questions = read_questions(put(tmp_path, "qid,docno,rel\n1,7,1\n2,,\n"))
    assert questions.queries["query_id"].to_list() == ["1", "2"]
    assert questions.judgments.rows() == [("1", "7", 1.0)]
    with pytest.raises(InputError, match="line 3, docno: expected an id"):
        read_questions(put(tmp_path, "qid,docno,rel\n1,7,1\n2,,1\n"))
    with pytest.raises(InputError, match="line 3, docno: expected an id"):
        read_questions(put(tmp_path, "qid,docno\n1,7\n2,\n"))


def test_texts_without_ids(tmp_path: Path) -> None:
    text = "query_id,text,score\nq1,one,2\nq1,two,1\nq2,one,1\n"
    ids = read_run(put(tmp_path, text)).retrieved["chunk_id"].to_list()
    assert ids[0] == ids[2] != ids[1]
    questions = read_questions(put(tmp_path, text))
    assert questions.judgments["item_id"].to_list() == ["e1", "e2", "e1"]


def test_chunks(tmp_path: Path) -> None:
    path = put(tmp_path, "id,content,source,start_index,end_index\n1,one,a.md,0,3\n2,,a.md,3,3\n")
    assert read_chunks(path).rows() == [("1", "one", "a.md", 0, 3), ("2", "", "a.md", 3, 3)]
    with pytest.raises(InputError, match="line 3, id: expected an id of its own, found '1'"):
        read_chunks(put(tmp_path, "id,content\n1,one\n1,two\n"))


def test_fields_longer_than_128_kib(tmp_path: Path) -> None:
    long = "x" * 200_000
    frame = pl.DataFrame({"query_id": ["1"], "chunk_id": ["7"], "rank": ["x"], "text": [long]})
    frame.write_csv(tmp_path / "a.csv")
    with pytest.raises(InputError, match="line 2, rank: expected a whole number from 0"):
        read_run(tmp_path / "a.csv")
    contexts = pl.DataFrame({"user_input": ["?"], "retrieved_contexts": [f"['{long}']"]})
    contexts.write_csv(tmp_path / "b.csv")
    assert read_run(tmp_path / "b.csv").retrieved["text"].to_list() == [long]


def test_columns_that_hold_lists(tmp_path: Path) -> None:
    pl.DataFrame({"qid": [["1"]], "docno": ["7"], "rel": [1]}).write_parquet(tmp_path / "a")
    with pytest.raises(InputError, match=r"qid: expected text or numbers, found List\(String\)"):
        read_questions(tmp_path / "a")


def test_answers_travel_with_the_table(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(
        '{"id": "q1", "retrieved": [{"id": "a"}, {"id": "b"}], "answer": "x", "abstained": false}\n'
        '{"id": "q2", "retrieved": [], "answer": null, "abstained": true}\n'
    )
    run = read_run(path)
    for name in ("a.csv", "a.parquet", "a.tsv"):
        assert write_run(run, tmp_path / name, format="table") == ()
        again = read_run(tmp_path / name)
        assert again.retrieved.equals(run.retrieved)
        assert again.answers is not None
        assert again.answers.sort("query_id").equals(run.answers)


def test_chroma_questions_through_every_table(shared_data: Path, tmp_path: Path) -> None:
    path = shared_data / "chroma" / "questions_df.csv"
    assert recognise(path).name == "chroma"
    questions = read_questions(path)
    assert questions.queries.height == 472
    assert questions.judgments.height == 790
    assert (
        questions.judgments["text"]
        .str.len_chars()
        .equals((questions.judgments["end"] - questions.judgments["start"]).cast(pl.UInt32))
    )
    for name in ("a.csv", "a.tsv.gz", "a.parquet.zst"):
        assert write_questions(questions, tmp_path / name, format="table") == ()
        again = read_questions(tmp_path / name)
        assert again.queries.equals(questions.queries)
        assert again.judgments.equals(questions.judgments)


def test_chroma_faults(tmp_path: Path) -> None:
    references = [
        '[{"content": "x", "start_index": 1, "end_index": 2}]',
        "no list",
        '[{"content": ""}, {"start_index": 1}, {"content": "x", "end_index": 1}]',
    ]
    frame = pl.DataFrame({"question": ["a", "b", "c"], "references": references})
    frame.write_csv(tmp_path / "a.csv")
    with pytest.raises(InputError) as error:
        read_questions(tmp_path / "a.csv")
    assert faults(error) == [
        (3, "references"),
        (4, "references[0].content"),
        (4, "references[1]"),
        (4, "references[2].start_index"),
    ]


def test_autorag_tables(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "qid": ["a", "b", "c"],
            "query": ["A?", "B?", "C?"],
            "retrieval_gt": [[["n1", "n2"], ["e1"]], [["x"]], []],
            "generation_gt": [["yes"], ["no"], ["none"]],
        },
        schema_overrides={"retrieval_gt": pl.List(pl.List(pl.String))},
    )
    frame.write_parquet(tmp_path / "qa")
    assert recognise(tmp_path / "qa").name == "autorag"
    questions = read_questions(tmp_path / "qa")
    assert questions.queries.rows() == [("a", "A?"), ("b", "B?"), ("c", "C?")]
    rows = questions.judgments.select("query_id", "item_id", "chunk_id").rows()
    # `e1` is an id here, and the item of the two alternatives is the first one.
    assert rows == [("a", "e1_", "n1"), ("a", "e1_", "n2"), ("a", "e1", "e1"), ("b", "x", "x")]
    corpus = pl.DataFrame({"doc_id": ["n1"], "contents": ["text"], "metadata": [{"a": 1}]})
    corpus.write_parquet(tmp_path / "corpus")
    assert read_chunks(tmp_path / "corpus").rows() == [("n1", "text")]


@pytest.mark.parametrize("value", ["['n1', 'n2']", '["n1", "n2"]', "[['n1'], ['n2']]"])
def test_autorag_as_csv(value: str, tmp_path: Path) -> None:
    pl.DataFrame({"qid": ["a"], "query": ["A?"], "retrieval_gt": [value]}).write_csv(
        tmp_path / "qa.csv"
    )
    assert read_questions(tmp_path / "qa.csv").judgments["item_id"].to_list() == ["n1", "n2"]


@pytest.mark.parametrize(
    ("start", "end", "line"), [("1", "", 3), ("", "2", 3), ("5", "4", 3), ("5", "5", 3)]
)
def test_offsets_that_are_none(start: str, end: str, line: int, tmp_path: Path) -> None:
    text = f"qid,text,doc_id,start,end\n1,a,d,0,1\n1,b,d,{start},{end}\n"
    with pytest.raises(InputError) as error:
        read_questions(put(tmp_path, text))
    assert faults(error) == [(line, "end" if start else "start")]
    run = f"qid,chunk_id,doc_id,start,end,rank\n1,a,d,5,5,1\n1,b,d,{start},{end},2\n"
    if start == end:
        assert read_run(put(tmp_path, run)).retrieved.height == 2
    else:
        with pytest.raises(InputError):
            read_run(put(tmp_path, run))


def test_a_start_without_a_column_of_ends(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected both start and end, or neither, found begin"):
        read_questions(put(tmp_path, "qid,text,doc_id,begin\n1,a,d,0\n"))
