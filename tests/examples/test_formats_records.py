"""Own JSON lines and JSON dicts: every fault with its line and field, and ids of every kind."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tophit.errors import InputError
from tophit.formats import read_chunks, read_questions, read_run
from tophit.records import build

Rows = list[tuple[Any, ...]]


@pytest.fixture
def put(tmp_path: Path) -> Callable[..., Path]:
    def write(*records: Any, name: str = "data.jsonl") -> Path:
        lines = [r if isinstance(r, str) else json.dumps(r) for r in records]
        path = tmp_path / name
        path.write_text("\n".join(lines), "utf-8")
        return path

    return write


def faults(error: pytest.ExceptionInfo[InputError]) -> list[tuple[int | None, str | None]]:
    return [(fault.line, fault.field) for fault in error.value.faults]


def items(path: Path, *columns: str) -> Rows:
    return read_questions(path).judgments.select(columns).rows()


# Questions --------------------------------------------------------------------------------------


def test_items_are_named_by_their_place(put: Any) -> None:
    path = put({"id": "q1", "expected": ["a", {"id": "c7"}, "b"]}, {"id": "q2", "expected": ["a"]})
    assert items(path, "query_id", "item_id", "chunk_id", "text") == [
        ("q1", "e1", None, "a"),
        ("q1", "c7", "c7", None),
        ("q1", "e3", None, "b"),
        ("q2", "e1", None, "a"),
    ]


def test_plain_ids_need_no_chunk_id(put: Any) -> None:
    questions = read_questions(
        put({"id": "q1", "expected": [{"id": "a"}, {"id": "b", "grade": 0}]})
    )
    assert questions.judgments.columns == ["query_id", "item_id", "grade"]
    assert questions.judgments.rows() == [("q1", "a", 1.0), ("q1", "b", 0.0)]


def test_alternatives_share_one_item(put: Any) -> None:
    path = put({"id": "q", "expected": [{"any_of": ["a", {"id": 7}, {"text": "b"}], "grade": 2}]})
    assert items(path, "item_id", "grade", "chunk_id", "text") == [
        ("e1", 2.0, None, "a"),
        ("e1", 2.0, "7", None),
        ("e1", 2.0, None, "b"),
    ]


def test_alternatives_that_are_ids_alone_keep_their_ids(put: Any) -> None:
    path = put({"id": "q", "expected": [{"any_of": [{"id": "a"}, {"id": "b"}]}, {"id": "c"}]})
    assert items(path, "item_id", "chunk_id") == [("e1", "a"), ("e1", "b"), ("c", "c")]


def test_a_given_id_is_never_taken_for_a_made_one(put: Any) -> None:
    path = put({"id": "q", "expected": ["a", {"id": "e1"}, "b", {"id": "e3"}, {"id": "e3_"}]})
    assert items(path, "item_id") == [("e1_",), ("e1",), ("e3__",), ("e3",), ("e3_",)]


@pytest.mark.parametrize(
    "entry",
    ["g", {"id": "g"}, {"text": "g", "doc": "a", "start": 1, "end": 2}, {"any_of": ["g", "h"]}],
)
def test_listed_twice_is_one_item(entry: Any, put: Any) -> None:
    once = items(put({"id": "q", "expected": [entry]}), "item_id")
    assert items(put({"id": "q", "expected": [entry, entry]}), "item_id") == once


def test_the_same_text_in_two_places_is_two_items(put: Any) -> None:
    places = [{"text": "g", "doc": "a", "start": at, "end": at + 1} for at in (0, 9)]
    assert len(items(put({"id": "q", "expected": places}), "item_id")) == 2


def test_two_grades_for_one_item(put: Any) -> None:
    path = put({"id": "q", "expected": [{"id": "g"}, {"id": "g", "grade": 2}]})
    with pytest.raises(
        InputError, match="line 1, grade: expected one grade for 'g', found 1 and 2"
    ):
        read_questions(path)


def test_unanswerable_questions_are_in_queries(put: Any) -> None:
    questions = read_questions(put({"id": "q1", "question": "?", "expected": []}))
    assert questions.queries.rows() == [("q1", "?")]
    assert questions.judgments.is_empty()
    assert questions.judgments.columns == ["query_id", "item_id", "grade"]


def test_tags_are_text(put: Any) -> None:
    tags = {"topic": "billing", "level": 3, "new": True, "none": None, "list": ["a", 1]}
    queries = read_questions(
        put({"id": "q1", "expected": [], "tags": tags}, {"id": "q2", "expected": []})
    ).queries
    assert queries.rows(named=True) == [
        {
            "query_id": "q1",
            "tag.topic": "billing",
            "tag.level": "3",
            "tag.new": "true",
            "tag.none": None,
            "tag.list": '["a", 1]',
        },
        {f"tag.{name}": None for name in tags} | {"query_id": "q2"},
    ]


def test_every_fault_of_the_questions_at_once(put: Any) -> None:
    path = put(
        {"id": None, "expected": []},
        {"expected": []},
        {"id": "", "expected": []},
        {"id": "q1", "question": 3, "expected": []},
        {"id": "q1", "expected": []},
        {"id": "q2"},
        {"id": "q3", "expected": True},
        {
            "id": "q4",
            "expected": [False, {}, {"txt": "a"}, {"text": " "}, {"id": None}, {"id": True}],
        },
        {
            "id": "q5",
            "expected": [{"text": "a", "grade": "1"}, {"any_of": []}, {"any_of": ["", True]}],
        },
        {"id": "q6", "expected": [{"doc": "a", "start": 5}, {"doc": "a", "start": 5, "end": 3}]},
        {"id": "q7", "expected": [{"text": "a", "start": 1, "end": 2}, {"doc": "a"}]},
        {"id": "q8", "expected": [{"text": "a", "doc": "b", "start": -1, "end": 2.5}]},
        {"id": "q8b", "expected": [{"doc": "b", "start": 3, "end": 3}]},
        {"id": "q9", "expected": [], "tags": "a"},
        "[1]",
    )
    with pytest.raises(InputError) as error:
        read_questions(path)
    assert faults(error) == [
        (1, "id"),
        (2, "id"),
        (3, "id"),
        (4, "question"),
        (5, "id"),
        (6, "expected"),
        (7, "expected"),
        (8, "expected[0]"),
        (8, "expected[1]"),
        (8, "expected[2]"),
        (8, "expected[3].text"),
        (8, "expected[4]"),
        (8, "expected[5].id"),
        (9, "expected[0].grade"),
        (9, "expected[1].any_of"),
        (9, "expected[2].any_of[0].text"),
        (9, "expected[2].any_of[1]"),
        (10, "expected[0].end"),
        (10, "expected[1].end"),
        (11, "expected[0].doc"),
        (11, "expected[1]"),
        (12, "expected[0].start"),
        (12, "expected[0].end"),
        (13, "expected[0].end"),
        (14, "tags"),
        (15, None),
    ]


@pytest.mark.parametrize(
    ("record", "field"),
    [
        ({"id": "q", "expected": [], "expcted": []}, "expcted"),
        ({"id": "q", "expected": [], "Tag": {}}, "Tag"),
        ({"id": "q", "expected": [{"id": "a", "grad": 2}]}, "expected[0].grad"),
        ({"id": "q", "expected": [{"any_of": ["a"], "grades": 2}]}, "expected[0].grades"),
        ({"id": "q", "expected": [{"text": "a", "doc": "b", "strat": 2}]}, "expected[0].strat"),
    ],
)
def test_a_misspelled_field_is_a_fault(record: Any, field: str, put: Any) -> None:
    with pytest.raises(InputError) as error:
        read_questions(put(record))
    assert faults(error) == [(1, field)]


def test_other_fields_are_counted(put: Any) -> None:
    path = put(
        {"id": "q1", "expected": [{"id": "a", "note": ""}], "author": "me"},
        {"id": "q2", "expected": [], "author": "me"},
    )
    (warning,) = read_questions(path).warnings
    assert (warning.code, warning.count) == ("ignored_fields", 3)
    assert warning.message == "fields that were not read: author (2), note (1)"


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (1, "1"),
        ("1", "1"),
        (1.0, "1"),
        (1.5, "1.5"),
        (-3, "-3"),
        (9007199254740992, "9007199254740992"),
        (9007199254740993, "9007199254740993"),
        (2**70, str(2**70)),
        ("007", "007"),
        (" a ", "a"),
        ("\ufeffa\u00a0", "a"),
        ("a b", "a b"),
        ("1.0", "1.0"),
        ("Ünï", "Ünï"),
        (1e20, "100000000000000000000"),
    ],
)
def test_numbers_as_ids(given: Any, text: str, put: Any) -> None:
    path = put({"id": given, "expected": [{"id": given}, {"any_of": [{"id": given}, "a"]}]})
    questions = read_questions(path)
    assert questions.queries["query_id"].to_list() == [text]
    assert questions.judgments["chunk_id"].to_list() == [text, text, None]
    run = read_run(put({"id": given, "retrieved": [{"id": given, "doc": given}]}))
    assert run.retrieved.select("query_id", "chunk_id", "doc_id").rows() == [(text, text, text)]
    chunks = read_chunks(put({"id": given, "text": "a"}))
    assert chunks["chunk_id"].to_list() == [text]


def test_number_and_text_are_the_same_id(put: Any) -> None:
    with pytest.raises(InputError, match="line 2, id: expected an id of its own, found '1' again"):
        read_questions(put({"id": 1, "expected": []}, {"id": "1", "expected": []}))


@pytest.mark.parametrize("bad", ["", " ", True, [], {}, float("nan"), float("inf")])
def test_no_ids(bad: Any, put: Any) -> None:
    good: dict[str, Any] = {"id": "a", "text": "a"}
    for read, record in (
        (read_questions, {"id": bad, "expected": []}),
        (read_questions, {"id": "q", "expected": [{"id": bad}]}),
        (read_run, {"id": bad, "retrieved": []}),
        (read_run, {"id": "q", "retrieved": [{"id": bad, "text": "a"}]}),
        (read_run, {"id": "q", "retrieved": [good, {"id": bad, "text": "a"}]}),
        (read_chunks, {"id": bad, "text": "a"}),
    ):
        with pytest.raises(InputError, match="expected an id, found"):
            read(put(record))


# Runs -------------------------------------------------------------------------------------------


def test_the_given_order_counts(put: Any) -> None:
    places = [{"id": key, "score": score} for key, score in (("a", 1), ("b", 1.0), ("c", 5))]
    run = read_run(put({"id": "q1", "retrieved": places}))
    assert run.retrieved.rows() == [("q1", "a", 1, 1.0), ("q1", "b", 2, 1.0), ("q1", "c", 3, 5.0)]
    assert run.answers is None
    assert run.name == "data"


def test_the_same_chunk_twice_fills_two_places(put: Any) -> None:
    run = read_run(put({"id": "q1", "retrieved": [{"id": "a"}, {"id": "a"}]}))
    assert run.retrieved.rows() == [("q1", "a", 1), ("q1", "a", 2)]


def test_a_chunk_without_an_id_is_called_by_its_text(put: Any) -> None:
    places = [{"text": "a"}, {"text": "b"}, {"text": "a"}, {"id": "c7", "text": "a"}]
    ids = read_run(put({"id": "q1", "retrieved": places})).retrieved["chunk_id"].to_list()
    assert ids[0] == ids[2] != ids[1]
    assert ids[3] == "c7"


def test_answers_have_a_row_for_every_query(put: Any) -> None:
    run = read_run(
        put(
            {"id": "q1", "retrieved": [], "answer": None, "abstained": True},
            {"id": "q2", "retrieved": []},
            {"id": "q3", "retrieved": [], "answer": "a", "abstained": False},
        )
    )
    assert run.answers is not None
    assert run.answers.rows() == [("q1", None, True), ("q2", None, None), ("q3", "a", False)]
    assert run.retrieved.is_empty()


def test_every_fault_of_a_run_at_once(put: Any) -> None:
    path = put(
        {"id": "q1", "retrieved": "a"},
        {"id": "q1", "retrieved": []},
        {"id": "q2"},
        {"id": "q3", "retrieved": [" ", {"score": 1}, {"id": "a", "score": "x"}]},
        {"id": "q4", "retrieved": [{"id": "a", "text": 1, "tokens": -1, "start": 1}]},
        {"id": "q5", "retrieved": [], "answer": 1, "abstained": "no"},
        {"id": "q6", "retreived": []},
    )
    with pytest.raises(InputError) as error:
        read_run(path)
    assert faults(error) == [
        (1, "retrieved"),
        (2, "id"),
        (3, "retrieved"),
        (4, "retrieved[0]"),
        (4, "retrieved[1]"),
        (5, "retrieved[0].text"),
        (5, "retrieved[0].end"),
        (5, "retrieved[0].tokens"),
        (6, "answer"),
        (6, "abstained"),
        (7, "retreived"),
        (7, "retrieved"),
    ]


@pytest.mark.parametrize(
    "place",
    [
        {"id": "b", "start": 1},
        {"id": "b", "start": 3, "end": 2},
        {"id": "b", "tokens": -1},
        {"id": "b", "tokens": 2**63},
        {"id": "b", "text": 1},
        {"id": "b", "doc": " "},
        {"id": "b", "scor": 1},
        {"score": 1.0},
        " ",
        ["b", "c", "d"],
    ],
)
def test_one_odd_place_among_plain_ones(place: Any, put: Any) -> None:
    plain = {"id": "a", "score": 1.0}
    with pytest.raises(InputError) as error:
        read_run(put({"id": "q1", "retrieved": [plain, place, plain]}))
    assert error.value.faults[0].line == 1
    assert str(error.value.faults[0].field).startswith("retrieved[1]")


def test_all_at_once_is_the_same_as_one_by_one(put: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = {"id": "a", "score": 1, "text": "", "doc": "d", "start": 0, "end": 0, "tokens": 1}
    path = put(
        {"id": 1, "retrieved": [whole, {"id": "b"}, {"id": "c", "text": None, "score": None}]},
        {"id": "2", "retrieved": []},
        {"id": 3.0, "retrieved": [{"id": "a", "score": 0.5}]},
    )
    at_once = read_run(path).retrieved
    monkeypatch.setattr(build, "plain_places", lambda lists: None)
    assert at_once.equals(read_run(path).retrieved)
    assert at_once.schema == read_run(path).retrieved.schema
    assert at_once["rank"].to_list() == [1, 2, 3, 1]


# Chunks -----------------------------------------------------------------------------------------


def test_every_fault_of_chunks_at_once(put: Any) -> None:
    path = put(
        {"id": "c1", "text": "a"},
        {"id": "c1", "text": "b"},
        {"id": "c2"},
        {"doc": "a"},
        {"id": "c3", "text": "a", "start": 1, "end": 0, "tokens": "4"},
        {"id": "c4", "txt": "a", "text": ""},
    )
    with pytest.raises(InputError) as error:
        read_chunks(path)
    assert faults(error) == [
        (2, "id"),
        (3, "text"),
        (4, None),
        (5, "end"),
        (5, "tokens"),
        (6, "txt"),
    ]


# JSON -------------------------------------------------------------------------------------------


def test_json_cut_off_names_every_broken_line(put: Any) -> None:
    path = put(
        {"id": "q1", "retrieved": []},
        '{"id": "q2", "retr',
        {"id": "q3", "retrieved": []},
        '{"id": "q4",',
        '{"id": "q5" "x"}',
    )
    with pytest.raises(InputError) as error:
        read_run(path)
    assert faults(error) == [(2, None), (4, None), (5, None)]
    text = str(error.value)
    assert "line 2: expected one whole JSON object, found JSON that is cut off" in text
    assert "line 5: expected one whole JSON object, found Expecting ',' delimiter at column" in text


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"id": "q1", "retr', 1),
        ('{"id": "q1", "retr\n{"id": "q2", "retrieved": []}', 1),
        ('[{"id": "q1", "retrieved": []},\n {"id": "q2", "ret', 2),
        ('[{"id": "q1", "retrieved": []}\n', 2),
        ('[{"id": "q1", "retrieved": []},\n]', 1),
        ('{\n "q1": {"d1": 1},\n "q2": {"d', 3),
        ('{\n "q1": {"d1": 1}\n} x', 3),
        ('{"q1": ["a"], "q2": ["b"], "q1": ["c"]}', None),
        ("[" * 100_000, None),
    ],
)
@pytest.mark.parametrize("format", [None, "jsonl", "json-dict"])
def test_broken_json(text: str, line: int | None, format: str | None, put: Any) -> None:
    with pytest.raises(InputError) as error:
        read_run(put(text, name="a.json"), format=format)
    assert [fault.line for fault in error.value.faults] == [line]


def test_a_key_twice_is_a_fault(put: Any) -> None:
    with pytest.raises(InputError, match=r"line 2: expected .* the key 'id' twice in one object"):
        read_run(put({"id": "q1", "retrieved": []}, '{"id": "q2", "id": "q3", "retrieved": []}'))


def test_half_a_surrogate_pair_is_a_fault(put: Any) -> None:
    bad = '{"id": "q2", "retrieved": [{"id": "a\\ud83d"}]}'
    with pytest.raises(InputError, match=r"line 2: .*half of a surrogate pair"):
        read_run(put({"id": "q1", "retrieved": []}, bad))
    whole = '{"id": "q2", "retrieved": [{"id": "a\\ud83d\\ude00"}]}'
    assert read_run(put(whole)).retrieved["chunk_id"].to_list() == ["a😀"]


RECORDS = [{"id": "q1", "expected": ["a"]}, {"id": "q2", "expected": []}]


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(map(json.dumps, RECORDS)),
        "\n\n".join(map(json.dumps, RECORDS)) + "\n\n",
        json.dumps(RECORDS),
        json.dumps(RECORDS, indent=2),
        "\n".join(json.dumps(record, indent=2) for record in RECORDS),
        json.dumps({"questions": RECORDS}),
        json.dumps({"questions": RECORDS}, indent=2),
        "\r\n".join(map(json.dumps, RECORDS)),
    ],
    ids=range(8),
)
def test_layouts_of_json(text: str, put: Any) -> None:
    questions = read_questions(put(text))
    assert questions.queries["query_id"].to_list() == ["q1", "q2"]
    assert questions.judgments.rows() == [("q1", "e1", 1.0, None, "a")]


def test_lines_of_an_array_are_named(put: Any) -> None:
    text = json.dumps([{"id": "q1", "expected": []}, {"id": "q1", "expected": []}], indent=0)
    with pytest.raises(InputError, match="line 6, id: expected an id of its own"):
        read_questions(put(text))


@pytest.mark.parametrize("read", [read_questions, read_run, read_chunks])
def test_no_records_at_all(read: Any, put: Any) -> None:
    found = read(put("[]"))
    frame = found if isinstance(found, pl.DataFrame) else getattr(found, "queries", None)
    assert (found.retrieved if frame is None else frame).is_empty()


def test_records_longer_than_the_first_look(put: Any) -> None:
    place = {"id": "c1", "text": "x" * 200_000}
    path = put({"id": "q1", "retrieved": [place]}, {"id": "q2", "retrieved": [place]})
    assert read_run(path).retrieved["query_id"].to_list() == ["q1", "q2"]


def test_a_line_separator_inside_a_text_is_text(put: Any) -> None:
    path = put('{"id": "q1", "expected": ["a\u2028b\x85c"]}', '{"id": "q2", "expected": []}')
    assert read_questions(path).judgments["text"].to_list() == ["a\u2028b\x85c"]


# JSON dicts -------------------------------------------------------------------------------------


def test_dicts_of_judgments(put: Any) -> None:
    questions = read_questions(put({"q1": {"d1": 1, "d2": 0.2}, "q2": ["a", 7, "a"], "q3": {}}))
    assert questions.queries["query_id"].to_list() == ["q1", "q2", "q3"]
    assert questions.judgments.rows() == [
        ("q1", "d1", 1.0),
        ("q1", "d2", 0.2),
        ("q2", "a", 1.0),
        ("q2", "7", 1.0),
    ]


def test_an_empty_dict_is_no_questions(put: Any) -> None:
    assert read_questions(put("{}")).queries.is_empty()
    assert read_run(put("{}")).retrieved.is_empty()


def test_every_fault_of_a_dict_at_once(put: Any) -> None:
    path = put({"q1": {"a": 1, "b": "x", "": 1}, "q2": 3, "": {"a": 1}, "q3": [None]})
    for read in (read_questions, read_run):
        with pytest.raises(InputError) as error:
            read(path, format="json-dict")
        fields = [fault.field for fault in error.value.faults]
        assert {"'q1': 'b'", "'q1'", "'q2'", "'q3'"} <= set(fields)


def test_scores_and_lists_do_not_mix(put: Any) -> None:
    path = put({"q1": {"a": 1.0}, "q2": ["a"]})
    with pytest.raises(InputError, match="expected scores for all queries, or lists for all"):
        read_run(path)
    assert read_run(put({"q1": {"a": 1.0}, "q2": []})).retrieved.columns[-1] == "score"
