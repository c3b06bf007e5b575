"""Warnings about the matching: what cannot match, and where text and offsets disagree."""

from __future__ import annotations

import polars as pl
import pytest

import tophit


def judged(*items):
    columns = {"query_id": pl.String, "item_id": pl.String, "text": pl.String,
               "doc_id": pl.String, "start": pl.Int64, "end": pl.Int64}  # fmt: skip
    rows = [("q", f"e{n}", *item) for n, item in enumerate(items)]
    return pl.DataFrame(rows, schema=columns, orient="row")


def run(*chunks):
    columns = {"query_id": pl.String, "chunk_id": pl.String, "rank": pl.Int64, "text": pl.String,
               "doc_id": pl.String, "start": pl.Int64, "end": pl.Int64}  # fmt: skip
    rows = [("q", f"c{n}", n, *chunk) for n, chunk in enumerate(chunks, 1)]
    return pl.DataFrame(rows, schema=columns, orient="row")


def warned(questions, retrieved, **options):
    result = tophit.evaluate(questions, retrieved, **options)
    return {warning.code: warning.count for warning in result.warnings}


HERE, THERE = ("a red cat", "d", 0, 9), ("a red cat", "d", 100, 109)


def test_nothing_to_say():
    assert warned(judged(("red cat", "d", 2, 9)), run(HERE)) == {}


def test_a_copy_elsewhere(engine):
    questions, retrieved = judged(("red cat", "d.md", 2, 9)), run(HERE, THERE)
    result = tophit.evaluate(engine.frame(questions), engine.frame(retrieved), match="text")
    warning = next(w for w in result.warnings if w.code == "text_and_spans_differ")
    assert (warning.count, warning.message) == (
        1,
        "text and offsets disagree at 1 place: 1 whole by text alone (a copy elsewhere, or wrong "
        "offsets), 0 by offsets alone",
    )


def test_a_text_that_was_changed():
    changed = ("a green cat", "d", 0, 9)
    assert warned(judged(("red cat", "d", 2, 9)), run(changed)) == {"text_and_spans_differ": 1}


def test_rows_without_offsets_say_nothing():
    questions = judged(("red cat", None, None, None), ("dog", "d", 50, 53))
    assert warned(questions, run(HERE, ("dog", "d", None, None))) == {}


def test_offsets_that_cannot_be_are_left_to_matching_by_spans():
    assert warned(judged(("red cat", "d", 9, 2)), run(HERE)) == {}


@pytest.mark.parametrize(("match", "fields"), [("text", "text"), ("spans", "doc_id, start, end")])
def test_items_that_cannot_match(match, fields):
    questions = judged(("red cat", "d", 2, 9), (None, "d", 2, 9), ("red cat", None, None, None))
    result = tophit.evaluate(questions, run(HERE), match=match)
    warning = next(w for w in result.warnings if w.code == "unmatchable")
    assert warning.count == 1
    assert warning.message == (
        f"1 expected item has no {fields}: matched by {match}, nothing can hold it"
    )


def test_an_alternative_that_can_match_is_enough():
    questions = judged(("red cat", "d", 2, 9), (None, "d", 2, 9)).with_columns(item_id=pl.lit("e"))
    assert warned(questions, run(HERE), match="text") == {}


def test_places_that_cannot_match():
    bare = (None, "d", 0, 9)
    assert warned(judged(("red cat", "d", 2, 9)), run(HERE, bare), match="text") == {
        "places_unmatchable": 1
    }


def test_copies_in_real_passages(shared_data):
    """97 of the 790 passages have a copy; what is retrieved of these is counted."""
    from tophit.documents import read_documents
    from tophit.formats import read_questions
    from tophit.splitting import split

    questions = read_questions(shared_data / "chroma" / "questions_df.csv")
    chunks = split(read_documents(shared_data / "chroma" / "corpora"), size=800)
    finance = chunks.filter(pl.col("doc_id") == "finance.md").with_row_index("rank", offset=1)
    run = questions.queries.select("query_id").join(finance, how="cross").filter(
        pl.col("query_id").is_in(
            questions.judgments.filter(pl.col("doc_id") == "finance")["query_id"].head(60).implode()
        )
    )  # fmt: skip
    found = warned(questions, run)
    assert found["text_and_spans_differ"] > 0
    assert "unmatchable" not in found
