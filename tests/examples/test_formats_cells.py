"""Cells that hold lists as programs print them: split into what they hold, or refused."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from tophit.errors import InputError
from tophit.formats import read_questions, read_run
from tophit.records.cells import UnreadableError, list_in

PRINTED = [
    ('["alpha one", "beta gamma"]', "JSON"),
    ("['alpha one', 'beta gamma']", "Python"),
    ("['alpha one' 'beta gamma']", "NumPy"),
    ("['alpha one'\n 'beta gamma']", "NumPy over lines"),
    ("array(['alpha one', 'beta gamma'], dtype=object)", "an array"),
    ("[array(['alpha one', 'beta gamma'], dtype=object)]", "a list of an array"),
    ("np.array(['alpha one', 'beta gamma'], dtype='<U10')", "an array with its module"),
    ("[np.str_('alpha one'), np.str_('beta gamma')]", "NumPy's texts"),
    ("('alpha one', 'beta gamma')", "a tuple"),
    (
        "[Document(metadata={'source': 'a.md', 'page': 3}, page_content='alpha one'), "
        "Document(id='7', metadata={}, page_content='beta gamma')]",
        "documents of LangChain",
    ),
    (
        "[TextNode(id_='1', embedding=None, relationships={<NodeRelationship.SOURCE: '1'>: "
        "RelatedNodeInfo(node_id='2')}, text='alpha one'), TextNode(id_='2', text='beta gamma')]",
        "nodes of LlamaIndex",
    ),
    ("\ufeff ['alpha one' 'beta gamma']\u00a0", "blanks around"),
]
UNREADABLE = [
    ("['alpha one' 'beta ... gamma' ... 'delta']", "left out"),
    ("['alpha one' 'beta gam", "cut off"),
    ("['alpha one', 'beta gamma'", "cut off"),
    ("['alpha one', 'beta' 'gamma']", "commas between some"),
    ("['alpha one''beta gamma']", "no comma or blank"),
    ("[Document(id=abc, content: 'the first 100 charac', meta: {})]", "content"),
    ("[<Document object at 0x7f3a>]", "object at 0x7f3a"),
    ("[Document(1, 2)]", "Document"),
    ("[alpha one, beta gamma]", "without quotes"),
    ("['alpha one', beta gamma]", "without quotes"),
    ("[" * 5000 + "'a'" + "]" * 5000, "nested too deeply"),
]
PROSE = [
    "[1] Smith 2020 found it, and so did others [2]",
    "(see above)",
    '("see above")',
    "[[Fox]] and [[Hound]]",
    "[Fox](fox.md)",
    "{x: the set of all foxes}",
    "[1] Smith 2020",
    '["Fox" was added] by the editor',
    "[ ] to do [x] done",
    "a fox [sic]",
]


def put(folder: Path, header: list[str], *rows: list[str], name: str = "a.csv") -> Path:
    path = folder / name
    with path.open("w", newline="") as file:
        delimiter = "\t" if name.endswith(".tsv") else ","
        csv.writer(file, delimiter=delimiter).writerows([header, *rows])
    return path


@pytest.mark.parametrize(("cell", "kind"), PRINTED, ids=[kind for _, kind in PRINTED])
@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
@pytest.mark.parametrize(
    ("query", "expected", "retrieved"),
    [
        ("user_input", "reference_contexts", "retrieved_contexts"),
        ("question", "ground_truth_context", "retrieved_context"),
        ("question", "ground_truth_contexts", "retrieved_contexts"),
        ("input", "context", "retrieval_context"),
    ],
)
def test_lists_as_programs_print_them(
    query: str, expected: str, retrieved: str, cell: str, kind: str, name: str, tmp_path: Path
) -> None:
    header = [query, expected, retrieved, "expected_output", "actual_output"]
    path = put(tmp_path, header, ["who?", cell, cell, "a", "b"], name=name)
    texts = ["alpha one", "beta gamma"]
    assert read_questions(path).judgments["text"].to_list() == texts
    assert read_run(path).retrieved["text"].to_list() == texts


@pytest.mark.parametrize(("cell", "says"), UNREADABLE, ids=[says for _, says in UNREADABLE])
def test_what_cannot_be_read_is_a_fault_of_its_line(cell: str, says: str, tmp_path: Path) -> None:
    header = ["user_input", "reference_contexts", "retrieved_contexts"]
    path = put(tmp_path, header, ["who?", '["a"]', '["a"]'], ["when?", cell, cell])
    for read, field in ((read_questions, "reference_contexts"), (read_run, "retrieved_contexts")):
        with pytest.raises(InputError) as error:
            read(path)
        assert [(f.line, f.field) for f in error.value.faults] == [(3, field)]
        assert says in str(error.value)


@pytest.mark.parametrize("cell", PROSE)
def test_prose_in_brackets_is_one_text(cell: str, tmp_path: Path) -> None:
    path = put(tmp_path, ["user_input", "reference_contexts"], ["who?", cell])
    assert read_questions(path).judgments["text"].to_list() == [cell]


@pytest.mark.parametrize(
    ("cell", "ids"),
    [
        ("[7 3]", ["7", "3"]),
        ("[7, 3]", ["7", "3"]),
        ("[7. 3.]", ["7", "3"]),
        ("array([7, 3])", ["7", "3"]),
        ("['c7' 'c3']", ["c7", "c3"]),
        ("[c7, c3]", ["c7", "c3"]),
        ("(c7, c3)", ["c7", "c3"]),
        ("[7]", ["7"]),
        ("7", ["7"]),
        ("[007, a-1.0]", ["007", "a-1.0"]),
    ],
)
def test_ids_as_programs_print_them(cell: str, ids: list[str], tmp_path: Path) -> None:
    header = ["user_input", "reference_context_ids", "retrieved_context_ids"]
    path = put(tmp_path, header, ["who?", cell, cell])
    assert read_questions(path).judgments["item_id"].to_list() == ids
    assert read_run(path).retrieved["chunk_id"].to_list() == ids


@pytest.mark.parametrize("cell", ["{'a', 'b'}", "set(['a', 'b'])", "frozenset({'a', 'b'})"])
def test_a_set_has_no_order(cell: str, tmp_path: Path) -> None:
    header = ["user_input", "reference_contexts", "retrieved_contexts"]
    path = put(tmp_path, header, ["who?", cell, cell])
    assert sorted(read_questions(path).judgments["text"]) == ["a", "b"]
    with pytest.raises(InputError, match="expected a list in ranked order, found a set"):
        read_run(path)


def test_references_of_chroma_and_wanted_ids_of_autorag(tmp_path: Path) -> None:
    cell = "[{'content': 'alpha one', 'start_index': 0, 'end_index': 9}\n {'content': 'beta'}]"
    path = put(tmp_path, ["question", "references", "corpus_id"], ["who?", cell, "a"])
    assert read_questions(path).judgments["text"].to_list() == ["alpha one", "beta"]
    cell = "[array(['a', 'b'], dtype=object) array(['c'], dtype=object)]"
    path = put(tmp_path, ["qid", "query", "retrieval_gt"], ["q", "who?", cell])
    rows = read_questions(path).judgments.select("item_id", "chunk_id").rows()
    assert [chunk for _, chunk in rows] == ["a", "b", "c"]
    assert len({item for item, _ in rows}) == 2
    path = put(tmp_path, ["qid", "query", "retrieval_gt"], ["q", "who?", "['a' 'b"])
    with pytest.raises(InputError, match=r"line 2, retrieval_gt: .* cut off"):
        read_questions(path)


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        ("[]", []),
        ("", None),
        ("[None, 'a', nan]", [None, "a", None]),
        ("[[1 2]\n [3 4]]", [[1, 2], [3, 4]]),
        ("{'a': 1}", [{"a": 1}]),
        ("[\"it's\" 'b']", ["it's", "b"]),
        (r"['a\nb' 'c\'d']", ["a\nb", "c'd"]),
        ("('a',)", ["a"]),
        ("set()", []),
        ("[1_0]", [10]),
    ],
)
def test_list_in(cell: str, found: Any) -> None:
    assert list_in(cell) == found


def test_a_column_of_texts_may_hold_one_in_brackets() -> None:
    assert list_in("[Music playing]", prose=True) is None
    with pytest.raises(UnreadableError):
        list_in("[Music playing]")
    with pytest.raises(UnreadableError):
        list_in("['a' 'b", prose=True)
