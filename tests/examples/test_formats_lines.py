"""Lines that are not what they seem: blanks inside ids, other line ends, marks without width."""

from __future__ import annotations

from pathlib import Path

import pytest

from tophit.errors import InputError
from tophit.formats import question_lines, read_questions, read_run

ENDS = ["\n", "\r\n", "\r", "\f", "\v", "\r\f", "\n\n"]
BLANKS = ["\u00a0", "\ufeff", "\u200b", "\u3000", "\u2009"]


def put(folder: Path, text: str, name: str = "a.txt") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize("separator", [" ", "\t", "  "])
@pytest.mark.parametrize(
    "lines",
    [
        ["q1 Q0 doc one 1 0.5 t", "q1 Q0 d2 2 0.4 t"],
        ["q1 Q0 d2 1 0.5 t", "q1 Q0 doc two 2 0.4 t"],
        ["q1 Q0 doc one two 1 0.5 t"],
        ["q1 Q0 doc 2020 1 0.5 t"],
        ["q1 Q0 doc 2020 1 0.5 t", "q1 Q0 d2 2 0.4 t"],
        ["q1 Q0 doc 2020 1 0.5", "q1 Q0 doc 2021 2 0.4"],
        ["q1 Q0 doc one 1 0.5", "q1 Q0 doc two 2 0.4"],
        ["q1 Q0 doc 1 1 0.5 t", "q1 Q0 doc 2 1 0.5 t", "q1 Q0 d 3 0.1 t"],
    ],
)
def test_a_blank_inside_a_document_id(lines: list[str], separator: str, tmp_path: Path) -> None:
    text = "".join(f"{line}\n".replace(" ", separator) for line in lines)
    if separator == "\t":
        text = text.replace("doc\t", "doc ")
    with pytest.raises(InputError) as error:
        read_run(put(tmp_path, text))
    wrong = [number for number, line in enumerate(lines, start=1) if "doc" in line]
    assert [fault.line for fault in error.value.faults] == wrong


@pytest.mark.parametrize(
    ("tags", "name"),
    [
        (["bm25 and more"] * 2, "bm25 and more"),
        (["20 runs"] * 2, "20 runs"),
        (["1", "1"], "1"),
        (["1", "1", "1", "2", "2"], "1"),
        (["a 1", "b 2"], "a 1"),
    ],
)
def test_tags_that_are_no_shifted_columns(tags: list[str], name: str, tmp_path: Path) -> None:
    lines = [f"q1 Q0 d{at} {at} {1 / (at + 1)} {tag}\n" for at, tag in enumerate(tags)]
    run = read_run(put(tmp_path, "".join(lines)))
    assert (run.name, run.retrieved.height) == (name, len(tags))


def test_a_word_may_stand_for_a_rank(tmp_path: Path) -> None:
    rows = read_run(put(tmp_path, "q1 Q0 d1 - 0.5 t\nq1 Q0 d2 - 0.4 t\n")).retrieved.rows()
    assert rows == [("q1", "d1", 0.5), ("q1", "d2", 0.4)]


def test_a_blank_inside_the_id_of_qrels(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"line 2: expected 4 columns .* found 5"):
        read_questions(put(tmp_path, "q1 0 d1 1\nq1 0 doc 7 1\nq1 0 d2 1\n"))


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("last", [True, False])
def test_line_ends_of_trec(end: str, last: bool, tmp_path: Path) -> None:
    lines = ["q1 Q0 d1 1 0.5 t", "q1 Q0 d2 2 0.4 t", "q2 Q0 d1 1 0.5 t"]
    path = put(tmp_path, end.join(lines) + end * last)
    assert read_run(path).retrieved.rows() == [
        ("q1", "d1", 0.5), ("q1", "d2", 0.4), ("q2", "d1", 0.5),
    ]  # fmt: skip
    path = put(tmp_path, end.join(["q1 0 d1 1", "q1 0 d2 1", "q2 0 d1 1"]) + end * last)
    assert read_questions(path).judgments.height == 3
    step = len(end.replace("\r\n", "\n"))
    assert question_lines(path) == {"q1": 1, "q2": 1 + 2 * step}


def test_line_ends_of_two_kinds_in_one_file(tmp_path: Path) -> None:
    text = "q1 Q0 d1 1 0.5 t\r\nq1 Q0 d2 2 0.4 t\rq2 Q0 d1 1 0.5 t\n"
    assert read_run(put(tmp_path, text)).retrieved.height == 3
    with pytest.raises(InputError, match="line 3: expected 6 columns"):
        read_run(put(tmp_path, text.replace("q2 Q0 d1", "q2 Q0")))


@pytest.mark.parametrize("blank", BLANKS)
def test_blanks_around_the_ids_of_trec(blank: str, tmp_path: Path) -> None:
    text = f"{blank}q1 Q0 d1{blank} 1 0.5 t\n\ufeffq1 Q0 {blank}d2 2 0.4 t\n"
    rows = [("q1", "d1", 0.5), ("q1", "d2", 0.4)]
    assert read_run(put(tmp_path, text)).retrieved.rows() == rows
    assert read_run(put(tmp_path, text.replace(" ", "  \t"))).retrieved.rows() == rows
    text = f"{blank}q1 0 d1{blank} 1\n\ufeffq1 0 {blank}d2 1\n"
    assert read_questions(put(tmp_path, text)).judgments["item_id"].to_list() == ["d1", "d2"]


def test_an_id_of_nothing_but_marks(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 2: expected 6 columns"):
        read_run(put(tmp_path, "q1 Q0 d1 1 0.5 t\nq1 Q0 \u00a0 2 0.4 t\n"))
