"""What is common: tables as pandas, Excel and people write them, all read as they are meant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tophit import evaluate
from tophit.errors import InputError
from tophit.formats import read_chunks, read_questions, read_run, recognise
from tophit.records.made import question_id

JUDGED = [("q1", "d1", 1.0), ("q1", "d2", 2.0), ("q2", "d1", 1.0)]
ROWS = ["q1,d1,1", "q1,d2,2", "q2,d1,1"]


def put(folder: Path, text: str, name: str = "a.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(
    "text",
    [
        ",query_id,item_id,grade\n0,q1,d1,1\n1,q1,d2,2\n2,q2,d1,1\n",
        "Unnamed: 0,query_id,item_id,grade\n0,q1,d1,1\n1,q1,d2,2\n2,q2,d1,1\n",
        "query_id,item_id,grade,\nq1,d1,1,\nq1,d2,2,\nq2,d1,1,\n",
        "query_id,item_id,grade,,\nq1,d1,1,,\nq1,d2,2,,\nq2,d1,1,,\n",
        "query_id,item_id,grade\nq1,d1,1,\nq1,d2,2,\nq2,d1,1,,\n",
        "query_id;item_id;grade\nq1;d1;1\nq1;d2;2\nq2;d1;1\n",
        "sep=;\nquery_id;item_id;grade\nq1;d1;1\nq1;d2;2\nq2;d1;1\n",
        '"sep=;"\r\nquery_id;item_id;grade\r\nq1;d1;1\r\nq1;d2;2\r\nq2;d1;1\r\n',
        "sep=,\rquery_id,item_id,grade\rq1,d1,1\rq1,d2,2\rq2,d1,1",
        "query_id|item_id|grade\nq1|d1|1\nq1|d2|2\nq2|d1|1\n",
        "QUERY_ID,Item Id,Grade\nq1,d1,1\nq1,d2,2\nq2,d1,1\n",
        " query_id , item_id , grade \n q1 ,\u00a0d1, 1\nq1,\ufeffd2 ,2 \n\u3000q2,d1\u200b,1\n",
        "query_id;item_id;grade\nq1;d1;1,0\nq1;d2;2,0\nq2;d1;1,0\n",
        'query_id,item_id,grade\nq1,d1,"1,0"\nq1,d2,"2,0"\nq2,d1,"1"\n',
        "query_id,item_id,grade\rq1,d1,1\rq1,d2,2\rq2,d1,1\r",
        "query_id,item_id,grade\r\nq1,d1,1\rq1,d2,2\nq2,d1,1\r",
        "\n\nquery_id,item_id,grade\n\nq1,d1,1\n,,\nq1,d2,2\n\nq2,d1,1\n",
        "\ufeffquery_id,item_id,grade\nq1,d1,1\nq1,d2,2\nq2,d1,1\n",
        "query_id\titem_id\tgrade\rq1\td1\t1\rq1\td2\t2\rq2\td1\t1",
    ],
)
def test_tables_as_programs_write_them(text: str, tmp_path: Path) -> None:
    path = put(tmp_path, text)
    assert recognise(path, "questions").name == "table"
    assert read_questions(path).judgments.rows() == JUDGED


@pytest.mark.parametrize(
    ("scores", "read"),
    [
        (["0,9", "0,8", "1"], [0.9, 0.8, 1.0]),
        (["0.9", "0.8", "1"], [0.9, 0.8, 1.0]),
        (["1,250", "0,875", "12"], [1.25, 0.875, 12.0]),
        (["-0,5", "1,5e-3", ",5"], [-0.5, 0.0015, 0.5]),
    ],
)
@pytest.mark.parametrize("separator", [";", "\t"])
def test_decimal_commas(
    scores: list[str], read: list[float], separator: str, tmp_path: Path
) -> None:
    lines = [separator.join(("q", f"d{at}", score)) for at, score in enumerate(scores)]
    path = put(tmp_path, "\n".join([separator.join(("qid", "docno", "score")), *lines]))
    assert read_run(path).retrieved["score"].to_list() == read


@pytest.mark.parametrize("scores", [["0,9", "0.8"], ["1,5", "x"], ["1,2,3"], ["1,234", "2,345"]])
def test_commas_that_do_not_agree_are_faults(scores: list[str], tmp_path: Path) -> None:
    lines = [f'q,d{at},"{score}"' for at, score in enumerate(scores)]
    with pytest.raises(InputError, match="score: expected a number"):
        read_run(put(tmp_path, "\n".join(["qid,docno,score", *lines])))


def test_a_rank_has_no_decimals(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="rank: expected a whole number from 0, found '1,5'"):
        read_run(put(tmp_path, "qid;docno;rank\nq;d1;1,5\n"))


@pytest.mark.parametrize(
    "header", ["ID,Question,Expected", "id,question,expected", "Id,QUESTION,expected",
               "id,query,text", "query_id,question,evidence", "id,question_text,anchor",
               "qid,user_input,content"],
)  # fmt: skip
@pytest.mark.parametrize("shape", ["rows", "lists"])
def test_our_own_names_as_a_table(header: str, shape: str, tmp_path: Path) -> None:
    rows = {
        "rows": "1,Which fees?,late fees\n" * 2 + "1,Which fees?,no fees\n2,Why?,\n",
        "lists": "1,Which fees?,\"['late fees' 'late fees' 'no fees']\"\n2,Why?,[]\n",
    }[shape]
    questions = read_questions(put(tmp_path, f"{header}\n{rows}"))
    assert questions.queries.rows() == [("1", "Which fees?"), ("2", "Why?")]
    assert questions.judgments.select("query_id", "text").rows() == [
        ("1", "late fees"), ("1", "no fees"),
    ]  # fmt: skip


def test_questions_without_ids_are_called_by_their_texts(tmp_path: Path) -> None:
    text = "question,expected\nWhich fees?,late fees\nWhy?,so\nWhich fees?,no fees\n"
    questions = read_questions(put(tmp_path, text))
    fees = question_id("Which fees?")
    assert questions.queries["query_id"].to_list() == [fees, question_id("Why?")]
    assert questions.judgments.filter(query_id=fees)["text"].to_list() == ["late fees", "no fees"]
    run = read_run(put(tmp_path, "question,text,rank\nWhich fees?,no late fees,1\n"))
    assert run.retrieved["query_id"].to_list() == [fees]
    assert run.queries is not None
    assert run.queries.rows() == [(fees, "Which fees?")]


def test_ids_and_texts_of_a_run_with_lists(tmp_path: Path) -> None:
    text = "id,question,retrieved,answer\n1,Which?,\"['c7' 'c3']\",four\n2,Why?,[],\n"
    run = read_run(put(tmp_path, text))
    assert run.retrieved.rows() == [("1", "c7", 1), ("1", "c3", 2)]
    assert run.answers is not None
    assert run.answers["answer"].to_list() == ["four", None]
    assert run.queries is not None
    assert run.queries["query_id"].to_list() == ["1", "2"]


@pytest.mark.parametrize("cell", ["c7;c3", "c7", '"c7, c3"'])
def test_a_list_that_is_none(cell: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 2, retrieved: expected a list as JSON"):
        read_run(put(tmp_path, f"id,retrieved\n1,{cell}\n"))


@pytest.mark.parametrize("cell", ["d1;d2", "d1|d2", '"d1, d2"', '"d1\nd2"'])
def test_ids_joined_in_one_cell_are_not_one_id(cell: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 2, relevant_doc_ids: expected one id a row"):
        read_questions(put(tmp_path, f"query,relevant_doc_ids\nWhich fees?,{cell}\n"))


def test_relevant_ids_in_a_column(tmp_path: Path) -> None:
    text = 'query,relevant_doc_ids\nWhich fees?,"[""d1"", ""d2""]"\nWhy then?,d3\n'
    questions = read_questions(put(tmp_path, text))
    assert questions.queries["question"].to_list() == ["Which fees?", "Why then?"]
    assert questions.judgments["item_id"].to_list() == ["d1", "d2", "d3"]


def test_id_query_answer_is_refused_and_not_read_crosswise(tmp_path: Path) -> None:
    path = put(tmp_path, "id,query,answer\nq1,How long may I stay?,four weeks\n")
    for format in (None, "table"):
        with pytest.raises(InputError, match="id, query, answer"):
            read_questions(path, format=format)


@pytest.mark.parametrize(
    ("text", "ids", "items"),
    [
        ("id,query,text\nq1,How long may I stay?,four\n", ["q1"], ["four"]),
        ("query,id,grade\nq1,d1,1\n", ["q1"], None),
        ("query,id,grade\nHow long may I stay?,d1,1\n", None, None),
        ("qid,query,id\nq1,How long?,d1\n", ["q1"], None),
    ],
)
def test_id_and_query(
    text: str, ids: list[str] | None, items: list[str] | None, tmp_path: Path
) -> None:
    questions = read_questions(put(tmp_path, text))
    expected = ids or [question_id("How long may I stay?")]
    assert questions.queries["query_id"].to_list() == expected
    if items is None:
        assert questions.judgments["item_id"].to_list() == ["d1"]
    else:
        assert questions.judgments["text"].to_list() == items


def test_two_questions_under_one_id(tmp_path: Path) -> None:
    for header in ("query_id,question,item_id", "query_id,question,text"):
        path = put(tmp_path, f"{header}\nq1,Which?,a\nq2,Why?,b\nq1,Who?,c\n")
        with pytest.raises(InputError, match="line 4, question: expected one question"):
            read_questions(path)
    with pytest.raises(InputError, match="line 3, question: expected one question"):
        read_run(put(tmp_path, "query_id,question,chunk_id,rank\nq1,Which?,a,1\nq1,Who?,b,2\n"))


def test_the_same_text_twice_is_one_item_everywhere(tmp_path: Path) -> None:
    table = put(tmp_path, "query_id,text\nq1,a b\nq1,a b\nq1,c\n")
    line = {"id": "q1", "expected": ["a b", "a b", "c"]}
    lines = put(tmp_path, json.dumps(line), "a.jsonl")
    frame = pl.DataFrame({"query_id": ["q1"] * 3, "text": ["a b", "a b", "c"]})
    frame.write_parquet(tmp_path / "a.parquet")
    frame.write_excel(tmp_path / "a.xlsx")
    run = {"q1": [{"id": "x", "text": "an a b"}, {"id": "y", "text": "a c"}]}
    values = set()
    for path in (table, lines, tmp_path / "a.parquet", tmp_path / "a.xlsx"):
        result = evaluate(read_questions(path), run, measures="MAP F1@2 Rprec Recall@1")
        values.add(tuple(result[name].value for name in result.measures))
    assert len(values) == 1


def test_scores_beside_ranks_are_information(tmp_path: Path) -> None:
    text = "qid,docno,rank,score\nq,d1,1,NaN\nq,d2,2,None\nq,d3,3,high\nq,d4,4,\nq,d5,5,0.5\n"
    run = read_run(put(tmp_path, text))
    assert run.retrieved["rank"].to_list() == [1, 2, 3, 4, 5]
    assert run.retrieved["score"].to_list() == [None, None, None, None, 0.5]
    with pytest.raises(InputError, match="score: expected a number, found 'high'"):
        read_run(put(tmp_path, text.replace("d1,1,", "d1,,")))


def test_a_list_where_one_text_is_wanted(tmp_path: Path) -> None:
    printed = "\"['alpha one' 'beta gamma']\""
    for header, row in (
        ("query_id,text,rank", f"q1,{printed},1"),
        ("query_id,chunk_id,rank", f"q1,{printed},1"),
        ("query_id,chunk_id,text,rank", f"q1,c1,{printed},1"),
    ):
        path = put(tmp_path, f"{header}\n{row.replace(printed, 'a b')}\n{row}\n")
        with pytest.raises(InputError, match=r"line 3, .* in a row, not a list of them"):
            read_run(path)
    with pytest.raises(InputError, match="line 2, text: expected one text in a row"):
        read_chunks(put(tmp_path, f"chunk_id,text\nc1,{printed}\n"))


def test_a_chunk_may_be_a_list_in_json(tmp_path: Path) -> None:
    text = 'chunk_id,text\nc1,"[1, 2]"\nc2,[1] Smith 2020 [2]\nc3,(see above)\nc4,[Music]\n'
    chunks = read_chunks(put(tmp_path, text))
    assert chunks["text"].to_list() == ["[1, 2]", "[1] Smith 2020 [2]", "(see above)", "[Music]"]
    with pytest.raises(InputError, match="line 2, text: expected one text in a row"):
        read_chunks(put(tmp_path, 'chunk_id,text\nc1,"[1, 2]"\nc2,"[3]"\n'))


@pytest.mark.parametrize("column", ["text", "expected", "item_id"])
def test_lists_of_what_is_expected(column: str, tmp_path: Path) -> None:
    path = put(tmp_path, f"query_id,{column}\nq1,\"['a' 'b']\"\nq2,c\n")
    judgments = read_questions(path).judgments
    name = "item_id" if column == "item_id" else "text"
    assert judgments.select("query_id", name).rows() == [("q1", "a"), ("q1", "b"), ("q2", "c")]
    with pytest.raises(InputError, match=f"line 3, {column}: expected a list as JSON"):
        read_questions(put(tmp_path, f"query_id,{column}\nq1,c\nq1,\"['a' 'b\"\n"))


def test_objects_in_a_list(tmp_path: Path) -> None:
    cell = json.dumps(
        [{"text": "a b", "doc": "a.md", "start": 0, "end": 3}, {"any_of": ["c", "d"]}]
    )
    frame = pl.DataFrame({"id": ["q1"], "expected": [cell]})
    frame.write_csv(tmp_path / "a.csv")
    frame.write_excel(tmp_path / "a.xlsx")
    for name in ("a.csv", "a.xlsx"):
        judgments = read_questions(tmp_path / name).judgments
        assert judgments["text"].to_list() == ["a b", "c", "d"]
        assert judgments["end"].to_list() == [3, None, None]
        assert judgments["item_id"].n_unique() == 2


def test_grades_and_offsets_beside_a_text(tmp_path: Path) -> None:
    text = "id,expected,grade,doc,start,end\nq1,a b,2,a.md,0,3\nq1,c,,a.md,5,6\n"
    rows = read_questions(put(tmp_path, text)).judgments
    assert rows.select("grade", "text", "doc_id", "start", "end").rows() == [
        (2.0, "a b", "a.md", 0, 3), (1.0, "c", "a.md", 5, 6),
    ]  # fmt: skip
    with pytest.raises(InputError) as error:
        read_questions(put(tmp_path, text.replace("0,3", "x,3").replace(",2,", ",good,")))
    assert [(f.line, f.field) for f in error.value.faults][:2] == [(2, "grade"), (2, "start")]


def test_lists_in_parquet(tmp_path: Path) -> None:
    frame = pl.DataFrame({"id": [1, 2], "expected": [["a b", "c"], []], "tag.topic": ["x", None]})
    frame.write_parquet(tmp_path / "q.parquet")
    questions = read_questions(tmp_path / "q.parquet")
    assert questions.judgments["text"].to_list() == ["a b", "c"]
    assert questions.queries["tag.topic"].to_list() == ["x", None]
    places = [[{"id": "c7", "text": "a b", "score": 0.5}], []]
    pl.DataFrame({"id": [1, 2], "retrieved": places}).write_parquet(tmp_path / "r.parquet")
    assert read_run(tmp_path / "r.parquet").retrieved.rows() == [("1", "c7", 1, 0.5, "a b")]


def test_columns_of_one_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected columns with names of their own"):
        read_questions(put(tmp_path, "query_id,item_id,item_id\nq1,d1,d2\n"), format="table")


def test_spreadsheets(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "id": [1, 2],
            "question": ["Which?", "Why?"],
            "expected": ["a b", None],
            "grade": [1.0, None],
        }
    )
    frame.write_excel(tmp_path / "a.xlsx")
    questions = read_questions(tmp_path / "a.xlsx")
    assert recognise(tmp_path / "a.xlsx").name == "table"
    assert questions.queries.rows() == [("1", "Which?"), ("2", "Why?")]
    assert questions.judgments["text"].to_list() == ["a b"]
    run = pl.DataFrame({"qid": ["007", "1.0"], "docno": [7, 8], "rank": [1, 1], "score": [0.5, 1]})
    run.write_excel(tmp_path / "r.xlsx")
    assert read_run(tmp_path / "r.xlsx").retrieved.rows() == [
        ("007", "7", 1, 0.5), ("1.0", "8", 1, 1.0),
    ]  # fmt: skip
    bad = frame.with_columns(grade=pl.Series(["x", "y"]))
    bad.write_excel(tmp_path / "b.xlsx")
    with pytest.raises(InputError, match="line 2, grade: expected a number, found 'x'"):
        read_questions(tmp_path / "b.xlsx")


def test_spreadsheets_that_are_none(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    path.write_bytes(b"PK\x03\x04" + bytes(99))
    with pytest.raises(InputError, match="expected a spreadsheet, found damaged data"):
        read_questions(path)
    import xlsxwriter

    with xlsxwriter.Workbook(path) as book:
        for name in ("Questions", "Run"):
            book.add_worksheet(name).write_row(0, 0, ["id", "expected"])
        book.add_worksheet("Empty")
    with pytest.raises(InputError, match=r"one sheet with data, found 2: Questions, Run \(save"):
        read_questions(path)


def test_a_spreadsheet_of_a_sample_tool(tmp_path: Path) -> None:
    rows: dict[str, Any] = {
        "user_input": ["Which?"], "reference_contexts": ["['a b' 'c']"],
        "retrieved_contexts": ['["a b"]'],
    }  # fmt: skip
    pl.DataFrame(rows).write_excel(tmp_path / "a.xlsx")
    assert recognise(tmp_path / "a.xlsx").name == "ragas"
    assert read_questions(tmp_path / "a.xlsx").judgments["text"].to_list() == ["a b", "c"]
    assert read_run(tmp_path / "a.xlsx").retrieved["text"].to_list() == ["a b"]


NEIGHBOURS: dict[str, tuple[Any, list[Any]]] = {
    "hitgate": (
        {"query": "Which fees?", "expect_path_contains": "fees.py", "expect_scope": "code"},
        [("fees.py", None, None, None)],
    ),
    "groundwright": (
        {"kb": "a", "source": "a.md", "k": 5, "cases": [
            {"id": "c1", "question": "Which fees?", "anchor": "late fees"}]},
        [(None, "late fees", None, None)],
    ),
    "spanchor": (
        {"schema_version": "0.1.0", "query_id": "c1", "question": "Which fees?",
         "anchors": [{"document_id": "a.md", "start": 3, "end": 9, "expected_text_hash": "ab"}],
         "tags": ["fees", "kind:late"]},
        [(None, None, "a.md", 3)],
    ),
    "anchor-eval": (
        {"id": "c1", "question": "Which fees?",
         "anchor": {"file": "auth.py", "char_start": 18, "char_end": 21}},
        [(None, None, "auth.py", 18)],
    ),
    "anchor-eval, a set": (
        {"schema_version": "1.0", "questions": [
            {"question_id": "c1", "text": "Which fees?", "archetype_id": "x", "difficulty": 1,
             "anchors": {"requirement": {"kind": "ANY"}, "spans": [
                 {"doc_id": "a.md", "char_start": 1, "char_end": 2},
                 {"doc_id": "b.md", "char_start": 3, "char_end": 4}]}}]},
        [(None, None, "a.md", 1), (None, None, "b.md", 3)],
    ),
    "evret": (
        {"queries": [{"query_id": "c1", "query_text": "Which fees?",
                      "expected_answers": ["late fees"], "expected_doc_ids": ["d1"]}],
         "documents": [{"doc_id": "d1", "text": "the late fees"}]},
        [(None, "late fees", None, None)],
    ),
    "retrieval-eval-gate": (
        {"query": "Which fees?", "relevant_doc_ids": ["d1", "d2"]},
        [("d1", None, None, None), ("d2", None, None, None)],
    ),
    "evidence": (
        {"query": "Which fees?", "evidence": "late fees"}, [(None, "late fees", None, None)],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("record", "items"), NEIGHBOURS.values(), ids=NEIGHBOURS)
def test_the_questions_of_neighbours(record: Any, items: list[Any], tmp_path: Path) -> None:
    questions = read_questions(put(tmp_path, json.dumps(record), "a.json"))
    assert questions.queries["question"].to_list() == ["Which fees?"]
    assert questions.queries["query_id"][0] in ("c1", question_id("Which fees?"))
    judgments = questions.judgments
    rows = [
        tuple(row.get(name) for name in ("chunk_id", "text", "doc_id", "start"))
        for row in judgments.rename(
            {} if "chunk_id" in judgments.columns else {"item_id": "chunk_id"}
        ).iter_rows(named=True)
    ]
    assert rows == items


def test_answers_of_evret_in_a_table(tmp_path: Path) -> None:
    text = 'query_id,query_text,expected_answers,expected_doc_ids\nq1,Which?,"[""late fees""]",d1\n'
    judgments = read_questions(put(tmp_path, text)).judgments
    assert judgments.select("chunk_id", "text").rows() == [(None, "late fees")]
