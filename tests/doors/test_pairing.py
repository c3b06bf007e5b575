"""Questions and run are paired by the ids that both really have, else by the question's text."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import tophit
from tophit.errors import InputError
from tophit.formats import convert, read_questions, write_run
from tophit.records.made import made_id, question_id
from tophit.retrieval import retrieve

ASKED = ["Which fees are due?", "Who may borrow?", "When is it open?", "What is lent?", "Free?"]
TEXTS = ["late fees are due", "every resident may", "open at nine", "books and maps", "it is free"]
RANKS = [1, 2, None, 1, 4]
MRR = (1 + 1 / 2 + 0 + 1 + 1 / 4) / 5


def places(n: int) -> list[str]:
    noise = [f"nothing of use here, page {page}" for page in range(4)]
    rank = RANKS[n]
    return noise if rank is None else [*noise[: rank - 1], f"We say: {TEXTS[n]}.", *noise[rank:]]


def questions(ids: str | None = None) -> list[dict[str, Any]]:
    return [
        {"question": asked, "expected": [TEXTS[n]], **({"id": ids.format(n)} if ids else {})}
        for n, asked in enumerate(ASKED)
    ]


def run(
    ids: str | None = None, *, texts: bool = True, key: str = "contexts"
) -> list[dict[str, Any]]:
    return [
        {
            "contexts": places(n),
            **({"question": asked} if texts else {}),
            **({"id": ids.format(n)} if ids else {}),
        }
        for n, asked in enumerate(ASKED)
    ]


def lines(folder: Path, name: str, records: list[Any]) -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def mrr(asked: Any, found: Any, **options: Any) -> float:
    return tophit.evaluate(asked, found, measures="MRR", **options)["MRR"].value


@pytest.mark.parametrize("door", ["python", "files"])
@pytest.mark.parametrize("asked_ids", [None, "q{}", "hr-{}"])
@pytest.mark.parametrize("run_ids", [None, "q{}", "row {}", "{}"])
@pytest.mark.parametrize("order", [1, -1])
def test_any_ids_in_any_order_give_the_same_number(asked_ids, run_ids, order, door, tmp_path):
    asked: Any = questions(asked_ids)
    found: Any = run(run_ids)[::order]
    if door == "files":
        asked, found = lines(tmp_path, "q.jsonl", asked), lines(tmp_path, "r.jsonl", found)
    assert mrr(asked, found) == MRR


def test_ids_on_some_records_of_either_side():
    asked = [*questions("q{}")[:3], *questions()[3:]]
    found = [*run("q{}")[:2], *run()[2:4], *run("other-{}")[4:]]
    assert mrr(asked, found[::-1]) == MRR


@pytest.mark.parametrize(
    "spelt",
    [str.upper, lambda text: f"  {text.replace(' ', '   ')} ", lambda text: text + "\u200b"],
)
def test_a_question_is_compared_as_texts_are(spelt):
    found = [{**record, "question": spelt(record["question"])} for record in run()]
    assert mrr(questions(), found) == MRR
    assert mrr(questions("q{}"), found) == MRR


def test_composed_and_decomposed_characters_are_one_question():
    asked = [{"question": "Was kostet das Büro?", "expected": ["late fees"]}]
    found = [{"question": "Was kostet das Bu\u0308ro?", "retrieved": ["the late fees"]}]
    assert mrr(asked, found) == 1.0


def test_the_same_id_with_another_question_is_an_error_that_shows_both():
    found = run("q{}")
    found[1]["question"] = "Who may not borrow?"
    with pytest.raises(InputError, match=r"'Who may borrow\?'.*'Who may not borrow\?'"):
        mrr(questions("q{}"), found)
    frame = pl.DataFrame({"query_id": ["q1"], "question": ["No?"], "text": ["a"], "rank": [1]})
    with pytest.raises(InputError, match=r"'Who may borrow\?'.*'No\?'"):
        mrr(questions("q{}"), frame)


def test_ids_of_tables_never_come_from_the_line(tmp_path):
    table = tmp_path / "q.csv"
    rows = [f'{asked},"[{{""content"": ""{TEXTS[n]}""}}]"' for n, asked in enumerate(ASKED)]

    def write(kept: list[str]) -> Path:
        table.write_text("\n".join(["question,references", *kept]) + "\n", encoding="utf-8")
        return table

    asked = read_questions(write(rows))
    chunks = pl.DataFrame({"chunk_id": [f"c{n}" for n in range(5)], "text": TEXTS})
    path = tmp_path / "run.jsonl"
    write_run(retrieve(chunks, asked), path)
    whole = tophit.evaluate(table, path, measures="MRR")
    assert whole["MRR"].value > 0.5
    by_id = dict(whole.scores.iter_rows())
    for kept in (rows[::-1], rows[1:], [rows[3]]):
        scores = tophit.evaluate(write(kept), path, measures="MRR").scores
        assert dict(scores.iter_rows()) == {key: by_id[key] for key in scores["query_id"]}
    edited = [rows[0].replace("Which fees", "Which taxes"), *rows[1:]]
    scores = dict(tophit.evaluate(write(edited), path, measures="MRR").scores.iter_rows())
    assert {key: scores[key] for key in by_id if key in scores} == dict(list(by_id.items())[1:])


def test_a_run_that_was_retrieved_carries_its_questions(tmp_path):
    chunks = pl.DataFrame({"chunk_id": ["a"], "text": ["late fees"]})
    path = tmp_path / "run.jsonl"
    write_run(retrieve(chunks, {"q1": "Which fees?", "q2": "?!"}), path)
    records = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(r["id"], r["question"]) for r in records] == [("q1", "Which fees?"), ("q2", "?!")]


def test_made_up_ids_pass_through_files(tmp_path):
    asked, found = lines(tmp_path, "q.jsonl", questions()), lines(tmp_path, "r.jsonl", run())
    again = tmp_path / "again.jsonl"
    convert(found, again, role="run")
    assert "id" not in json.loads(again.read_text().splitlines()[0])
    assert mrr(asked, again) == MRR
    table = tmp_path / "r.csv"
    convert(again, table, role="run")
    assert mrr(asked, table) == MRR
    judged = tmp_path / "q.parquet"
    convert(asked, judged, role="questions")
    assert mrr(judged, table) == MRR
    assert mrr(judged, found) == MRR


# Nothing in common --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "found",
    [
        {"q1": ["e1", "e7"], "q2": ["e1"]},
        {f"q{n}": places(n) for n in range(5)},
        run("q{}", texts=False),
        pl.DataFrame({"query_id": ["q1"], "chunk_id": ["e1"], "score": [1.0]}),
    ],
)
def test_made_up_ids_meet_nothing_of_a_run(found):
    with pytest.raises(InputError, match="expected ids that the run has, too, found 5 without ids"):
        mrr(questions(), found)


def test_a_trec_run_against_questions_without_ids(tmp_path):
    path = tmp_path / "run.trec"
    path.write_text("q1 Q0 d1 1 0.5 bm25\n")
    with pytest.raises(InputError, match="found 5 without ids, and a run without their text: q1"):
        mrr(questions(), path)


def test_lists_without_ids_against_questions_without_texts():
    with pytest.raises(
        InputError, match="expected ids of the questions, found 5 lists without ids"
    ):
        mrr({"q1": {"a": 1}}, run())


def test_a_run_about_other_questions():
    found = [{"question": "Who else?", "retrieved": ["late fees are due"]}]
    with pytest.raises(InputError, match=r"'Which fees are due\?', found 'Who else\?', for one"):
        mrr(questions(), found)
    # with ids of its own, such a run is counted and named
    result = tophit.evaluate(questions("q{}"), [{"id": "z", **found[0]}], measures="MRR")
    assert {warning.code for warning in result.warnings} >= {"not_asked", "without_results"}


def test_a_query_that_nobody_asked_stays_ignored():
    found = [*run(), {"question": "Who else?", "retrieved": ["x"]}]
    result = tophit.evaluate(questions(), found, measures="MRR")
    assert result["MRR"].value == MRR
    assert result.questions.not_asked == 1


# The same question twice --------------------------------------------------------------------------


def test_one_list_serves_questions_of_one_text():
    twice = [
        *questions("q{}"),
        {"id": "again", "question": ASKED[0], "expected": ["no such words"]},
    ]
    result = tophit.evaluate(twice, run(), measures="MRR")
    assert dict(result.scores.iter_rows())["q0"] == 1.0
    assert dict(result.scores.iter_rows())["again"] == 0.0
    assert "same_question" in {warning.code for warning in result.warnings}


def test_as_many_lists_as_questions_go_in_their_order():
    asked = [{"question": "Why?", "expected": [text]} for text in ("late fees", "old maps")]
    found = [
        {"question": "Why?", "retrieved": [text]} for text in ("the late fees", "the old maps")
    ]
    result = tophit.evaluate(asked, found, measures="MRR")
    assert result["MRR"].value == 1.0
    assert result.scores["query_id"].to_list() == [question_id("Why?"), question_id("Why?") + "~2"]
    assert [w.count for w in result.warnings if w.code == "same_question"] == [1, 1]


def test_two_lists_for_one_question():
    found = [{"question": "Which fees are due?", "id": key, "retrieved": ["a b"]} for key in "xy"]
    with pytest.raises(
        InputError, match=r"expected one list for the question of q0, found 2: x, y"
    ):
        mrr(questions("q{}"), found)


def test_two_questions_under_one_id_of_a_frame(tmp_path):
    rows = {"query_id": ["q1", "q1"], "question": ["One?", "Two?"], "text": ["a b", "c d"]}
    with pytest.raises(InputError, match=r"one question for the id 'q1', 'One\?', found 'Two\?'"):
        mrr(pl.DataFrame(rows), {"q1": ["x"]})
    path = tmp_path / "q.csv"
    pl.DataFrame(rows).write_csv(path)
    with pytest.raises(InputError, match=r"one question for the id 'q1', 'One\?', found 'Two\?'"):
        read_questions(path)


# Dicts and objects --------------------------------------------------------------------------------


def test_dicts_keyed_by_the_question():
    asked = {text: [TEXTS[n]] for n, text in enumerate(ASKED)}
    found = {text: places(n) for n, text in enumerate(ASKED)}
    for one in (asked, questions(), questions("q{}")):
        for other in (found, run(), dict(reversed(found.items()))):
            assert mrr(one, other) == MRR


@dataclass
class Case:
    question: str
    expected: list[str]
    tags: dict[str, str] = field(default_factory=dict)


@dataclass
class Answer:
    query: str
    documents: list[Any]


def test_lists_of_dataclasses():
    asked = [Case(text, [TEXTS[n]], {"topic": "all"}) for n, text in enumerate(ASKED)]
    found = [Answer(text, places(n)) for n, text in enumerate(ASKED)]
    result = tophit.evaluate(asked, iter(found), measures="MRR", cluster="topic")
    assert result["MRR"].value == MRR


def test_one_string_and_one_element():
    asked = [{"question": "Which?", "expected": "late fees"}]
    assert mrr(asked, [{"question": "which?", "retrieved": ["the late fees"]}]) == 1.0
    assert mrr([{"id": 1, "expected": {"id": "c7"}}], {1: ["c7"]}) == 1.0
    assert mrr([{"id": 1, "expected": ("c 7", "late fees")}], {1: ["the late fees"]}) == 1.0


@pytest.mark.parametrize("key", ["answer", "reference", "expected_output", "Reference Answer"])
def test_an_answer_is_no_evidence(key, tmp_path):
    record = {"question": "Which?", key: "The late fees."}
    for door in ([record], lines(tmp_path, "q.jsonl", [{"id": "q", **record}])):
        with pytest.raises(
            InputError, match=r"an answer is no evidence.*under expected the passage"
        ):
            mrr(door, {"q": ["a"]})


# Texts and ids ------------------------------------------------------------------------------------


def test_strings_that_are_texts_are_read_as_texts_and_said_so():
    found = {f"q{n}": places(n) for n in range(5)}
    result = tophit.evaluate(questions("q{}"), found, measures="MRR")
    assert result["MRR"].value == MRR
    assert result.match == "text"
    assert "strings_as_texts" in {warning.code for warning in result.warnings}


def test_ids_against_texts_are_an_error_that_names_the_remedy():
    found = {f"q{n}": ["c1", "c2"] for n in range(5)}
    with pytest.raises(InputError, match="expected texts, as the questions hold, found only ids"):
        mrr(questions("q{}"), found)


@pytest.mark.parametrize("place", ["c1", {"id": "c1", "text": "Your late fees are due."}])
def test_matching_by_ids_asks_for_ids_of_the_expected_items(place):
    found = {f"q{n}": [place] for n in range(5)}
    with pytest.raises(InputError, match=r"questions.*expected ids to match by, found only texts"):
        mrr(questions("q{}"), found, match="ids")


def test_the_index_gives_texts_to_ids():
    ids, chunks = {}, []
    for n in range(5):
        ids[f"q{n}"] = [f"{n}-{at}" for at in range(len(places(n)))]
        chunks += [{"id": f"{n}-{at}", "content": text} for at, text in enumerate(places(n))]
    assert mrr(questions("q{}"), ids, chunks=chunks) == MRR
    assert mrr(questions("q{}"), ids, chunks=pl.DataFrame(chunks)) == MRR
    found = tophit.diagnose(questions("q{}"), ids, chunks=chunks)
    assert found.match == "text"
    with pytest.raises(InputError, match="only ids"):
        mrr(questions("q{}"), ids, chunks=[{"id": "other", "doc": "a", "start": 1, "end": 2}])


def test_ids_stay_ids_where_the_questions_have_them():
    asked = [{"id": "q", "expected": [{"id": "annual report"}, {"text": "some words"}]}]
    result = tophit.evaluate(asked, {"q": ["old papers", "annual report"]}, measures="MRR")
    assert (result.match, result["MRR"].value) == ("ids", 0.5)
    assert [w.count for w in result.warnings if w.code == "unmatchable"] == [1]
    both = {"q": ["annual report"]}
    assert tophit.evaluate(both, {"q": ["old papers", "annual report"]}).match == "ids"


def test_a_set_has_no_order():
    for found in ({"q": {"a", "b"}}, {"q": frozenset("ab")}, [{"id": "q", "retrieved": {"a"}}]):
        with pytest.raises(InputError, match="a set has no order"):
            mrr({"q": {"a": 1}}, found)
    with pytest.raises(InputError, match="a set has no order"):
        tophit.hit_at_k([tophit.Retrieval({"a"}, {"a"})])
    assert mrr({"q": {"a"}}, {"q": ["a"]}) == 1.0


def test_a_made_id_is_readable_and_stable():
    assert made_id("Which fees are due?") == "which-fees-are-due~a320214de66c"
