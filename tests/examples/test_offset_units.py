"""Offsets that count bytes, UTF-16 units or from each chunk's own start, beside texts that tell."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from tophit import check, evaluate
from tophit.errors import InputError
from tophit.records.offsets import refuse_offsets

DOCUMENT = "Grüße aus Köln. Die Gebühr beträgt 5 €. \U0001f63a Katzen zahlen nichts. The end."
SENTENCES = ["Grüße aus Köln.", "Die Gebühr beträgt 5 €.", "\U0001f63a Katzen zahlen nichts."]
UNITS = {
    "characters": len,
    "bytes": lambda text: len(text.encode()),
    "UTF-16 units": lambda text: len(text.encode("utf-16-le")) // 2,
}


def chunks(unit: str) -> list[dict[str, Any]]:
    count = UNITS[unit]
    found = []
    for at, text in enumerate(SENTENCES):
        start = DOCUMENT.index(text)
        first = count(DOCUMENT[:start])
        place = {"id": f"c{at}", "text": text, "doc": "a.md", "start": first}
        found.append({**place, "end": first + count(text)})
    return found


def frame(records: list[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(records).rename({"id": "chunk_id", "doc": "doc_id"})


def questions() -> list[dict[str, Any]]:
    start = DOCUMENT.index("5 €")
    return [{"id": "q", "expected": [{"doc": "a.md", "start": start, "end": start + 3}]}]


@pytest.mark.parametrize("unit", ["bytes", "UTF-16 units"])
def test_other_units_of_a_run_are_refused_under_spans(unit: str) -> None:
    run = [{"id": "q", "retrieved": chunks(unit)}]
    with pytest.raises(InputError, match=f"run, start, end: expected characters, found {unit}"):
        evaluate(questions(), run, match="spans")


def test_characters_are_fine() -> None:
    run = [{"id": "q", "retrieved": chunks("characters")}]
    assert evaluate(questions(), run, match="spans", measures="MRR")["MRR"].value == 0.5


def test_other_units_of_questions_are_refused_under_spans() -> None:
    asked = [{"id": "q", "expected": [
        {key: value for key, value in chunk.items() if key != "id"} for chunk in chunks("bytes")
    ]}]  # fmt: skip
    run = [{"id": "q", "retrieved": chunks("characters")}]
    with pytest.raises(InputError, match=r"questions, start, end: .* found bytes"):
        evaluate(asked, run, match="spans")


@pytest.mark.parametrize("end", ["of the text", "far away"])
def test_a_start_of_nought_for_every_chunk(end: str) -> None:
    places = [
        {**chunk, "start": 0, "end": len(chunk["text"]) if end == "of the text" else 1000}
        for chunk in chunks("characters")
    ]
    with pytest.raises(InputError, match=r"start: expected where each text begins .* found 0 for"):
        evaluate(questions(), [{"id": "q", "retrieved": places}], match="spans")


@pytest.mark.parametrize(
    "texts", [["a b c", "a b", " a b "], ["a b"], ["a b c", "a b c"]], ids=range(3)
)
def test_texts_that_begin_alike_may_begin_at_one_place(texts: list[str]) -> None:
    rows = [
        {"chunk_id": str(at), "text": text, "doc_id": "d", "start": 0, "end": len(text)}
        for at, text in enumerate(texts)
    ]
    assert refuse_offsets(pl.DataFrame(rows), name="run") == ()


def test_trimmed_texts_and_titles_are_no_other_unit() -> None:
    rows = [
        {"chunk_id": "a", "text": "Die Gebühr.", "doc_id": "d", "start": 0, "end": 14},
        {"chunk_id": "b", "text": "Title: Die Gebühr.", "doc_id": "d", "start": 20, "end": 32},
    ]
    assert refuse_offsets(pl.DataFrame(rows), name="run") == ()


def test_lengths_that_fit_no_unit_are_counted() -> None:
    rows = [{"chunk_id": "a", "text": "ab", "doc_id": "d", "start": 3, "end": 90}]
    (warning,) = refuse_offsets(pl.DataFrame(rows), name="run")
    assert (warning.code, warning.count) == ("offsets_and_lengths_differ", 1)


@pytest.mark.parametrize("unit", ["bytes", "UTF-16 units"])
def test_check_finds_chunks_in_other_units(unit: str) -> None:
    report = check({"q": ["c1"]}, chunks=frame(chunks(unit)))
    messages = [f.message for f in report.findings if f.code == "wrong_chunk_offsets"]
    assert len(messages) == 1
    assert f"found {unit}" in messages[0]


def test_check_finds_chunks_that_stand_elsewhere_in_the_document() -> None:
    ascii_only = [
        {"id": "c", "text": "The end.", "doc": "a.md",
         "start": len(DOCUMENT.encode()) - 8, "end": len(DOCUMENT.encode())},
    ]  # fmt: skip
    report = check({"q": ["c"]}, chunks=frame(ascii_only), documents={"a.md": DOCUMENT})
    (found,) = [f for f in report.findings if f.code == "wrong_chunk_offsets"]
    assert "they count bytes" in found.message
    right = check({"q": ["c1"]}, chunks=frame(chunks("characters")), documents={"a.md": DOCUMENT})
    assert not [f for f in right.findings if f.code == "wrong_chunk_offsets"]
