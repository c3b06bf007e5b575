"""The outcome of every question, each shown on a case small enough to see."""

from __future__ import annotations

import json

import pandas as pd
import polars as pl
import pytest

import tophit
from tophit.diagnosis import OUTCOMES
from tophit.diagnosis.joined import joined_documents
from tophit.errors import InputError, UsageError

DOCUMENTS = {
    "a": "First words. The net income was 5 million euros in 2024. More words follow here.",
    "b": "Another page speaks of offices and cats.",
}
CHUNKS = pl.DataFrame(
    {
        "chunk_id": ["a1", "a2", "b1"],
        "doc_id": ["a", "a", "b"],
        "text": [
            "First words. The net income was 5 million",
            "euros in 2024. More words follow here.",
            DOCUMENTS["b"],
        ],
        "start": [0, 42, 0],
        "end": [41, 80, 40],
    }
)


def asked(**questions):
    rows = [
        (query, f"e{n}", text)
        for query, texts in questions.items()
        for n, text in enumerate(texts, 1)
    ]
    judgments = pl.DataFrame(rows, schema=["query_id", "item_id", "text"], orient="row")
    queries = pl.DataFrame({"query_id": list(questions)})
    return tophit.Questions(queries=queries, judgments=judgments.with_columns(grade=pl.lit(1.0)))


def retrieved(**lists):
    rows = [
        (query, chunk, rank)
        for query, chunks in lists.items()
        for rank, chunk in enumerate(chunks, 1)
    ]
    run = pl.DataFrame(rows, schema=["query_id", "chunk_id", "rank"], orient="row")
    return run.join(CHUNKS, on="chunk_id", how="left", maintain_order="left")


def outcome(text, places, **options):
    found = tophit.diagnose(asked(q=[text]), retrieved(q=places, other=["b1"]), **options)
    return found.outcomes["q"], found.questions.row(0, named=True)


CUT = "The net income was 5 million euros in 2024."


class TestOutcomes:
    @pytest.mark.parametrize(
        ("text", "places", "k", "expected", "why"),
        [
            ("First words", ["b1", "a1"], 4, "found", "whole at rank 2"),
            ("First words", ["b1", "a1"], 1, "late", "whole at rank 2, and k is 1"),
            (CUT, ["b1", "a1"], 4, "cut", "no chunk holds it whole; 65 % of it at rank 2"),
            (
                CUT, ["b1"], 4, "cut",
                "no chunk holds it whole; only stray words of it were retrieved",
            ),
            (
                "offices and cats", ["a1"], 4, "unretrieved",
                "whole in the index, not among the 1 retrieved",
            ),
            (
                "Quarks decay", ["a1"], 4, "absent",
                "not in the documents: the label is wrong, or a document is missing",
            ),
            ("First words", [], 4, "empty", "nothing was retrieved"),
        ],
    )  # fmt: skip
    def test_with_index_and_documents(self, text, places, k, expected, why):
        found, row = outcome(text, places, k=k, chunks=CHUNKS, documents=DOCUMENTS)
        assert (found, row["why"]) == (expected, why)

    def test_without_the_index_it_says_what_to_pass(self):
        assert outcome(CUT, ["a1"])[0] == "missed"
        found = tophit.diagnose(asked(q=[CUT]), retrieved(q=["a1"]))
        assert found.hint == (
            "pass all chunks of the index (chunks=, or --chunks FILE) to tell cut, unretrieved and "
            "absent apart"
        )
        assert found.questions["why"].item() == "65 % of it at rank 1; the index would tell why"

    def test_the_documents_alone_tell_wrong_labels(self):
        assert outcome("Quarks decay", ["a1"], documents=DOCUMENTS)[0] == "absent"
        assert outcome("offices and cats", ["a1"], documents=DOCUMENTS)[0] == "missed"

    def test_the_index_alone_joins_its_chunks(self):
        assert outcome(CUT, ["b1"], chunks=CHUNKS)[0] == "cut"
        assert outcome("Quarks decay", ["b1"], chunks=CHUNKS)[0] == "absent"

    def test_chunks_without_documents_or_offsets(self):
        chunks = CHUNKS.select("chunk_id", "text")
        assert outcome(CUT, ["b1"], chunks=chunks)[0] == "cut"

    def test_longer_than_any_chunk(self):
        assert outcome(DOCUMENTS["a"], ["a1"], chunks=CHUNKS)[0] == "cut"

    def test_a_document_that_was_not_indexed(self):
        """The splitter did not cut it: the index lacks it. It is not absent: it can be found."""
        found, row = outcome("offices and cats", ["a1"], chunks=CHUNKS.head(2), documents=DOCUMENTS)
        assert found == "unindexed"
        assert row["why"] == "in the documents, but not in the index: its document was not indexed"
        assert (row["in_index"], row["in_documents"]) == (False, True)

    def test_a_question_has_the_outcome_of_its_best_item(self):
        questions = asked(
            q1=[CUT, "First words"], q2=["offices and cats", CUT], q3=[CUT, "Quarks decay"]
        )
        run = retrieved(q1=["a1"], q2=["a1"], q3=["a1"])
        found = tophit.diagnose(questions, run, chunks=CHUNKS)
        assert found.outcomes == {"q1": "found", "q2": "unretrieved", "q3": "cut"}
        assert found.items["outcome"].to_list() == [
            "cut", "found", "unretrieved", "cut", "cut", "absent"
        ]  # fmt: skip
        assert found.questions["item_id"].to_list() == ["e2", "e1", "e1"]

    def test_found_late_and_unretrieved_make_the_ceiling(self):
        questions = asked(a=["First words"], b=["offices and cats"], c=[CUT], d=["Quarks"])
        run = retrieved(a=["b1", "a1"], b=["a1"], c=["a1"], d=["a1"])
        found = tophit.diagnose(questions, run, chunks=CHUNKS, k=1)
        ceiling = tophit.evaluate(questions, run, measures="Ceiling", chunks=CHUNKS)["Ceiling"]
        counted = sum(found.totals[name] for name in ("found", "late", "unretrieved"))
        assert counted == ceiling.value * ceiling.n == 2

    def test_any_alternative_is_enough(self):
        questions = asked(q=["Quarks", "First words"])
        judgments = questions.judgments.with_columns(item_id=pl.lit("e"))
        questions = tophit.Questions(queries=questions.queries, judgments=judgments)
        found = tophit.diagnose(questions, retrieved(q=["a2"]), chunks=CHUNKS)
        assert found.outcomes == {"q": "unretrieved"}
        assert found.items.height == 1


class TestOtherMatches:
    def test_ids(self):
        questions = {"q1": ["c1"], "q2": ["c2"], "q3": ["c3"], "q4": ["c4"], "q5": ["c1"], "q6": []}
        run = {"q1": ["c1"], "q2": ["x", "c2"], "q3": ["x"], "q4": ["x"], "q5": []}
        index = pl.DataFrame({"chunk_id": ["c1", "c2", "c3", "x"]})
        found = tophit.diagnose(questions, run, chunks=index, k=1)
        assert found.outcomes == {
            "q1": "found", "q2": "late", "q3": "unretrieved", "q4": "absent", "q5": "empty"
        }  # fmt: skip
        assert found.unanswerable == ("q6",)
        assert tophit.diagnose(questions, run, k=1).outcomes["q4"] == "missed"

    def test_spans(self):
        items = {"cut": (30, 50), "found": (0, 10), "unretrieved": (42, 60), "absent": (200, 220)}
        judged = pl.DataFrame(
            [(name, "e", "a.md", *span) for name, span in items.items()],
            schema=["query_id", "item_id", "doc_id", "start", "end"],
            orient="row",
        )
        run = retrieved(**{name: ["a1"] for name in items}).drop("text")
        found = tophit.diagnose(judged, run, chunks=CHUNKS.drop("text"), documents=DOCUMENTS)
        assert found.match == "spans"
        assert found.outcomes == {name: name for name in sorted(items)}
        cut = found.questions.filter(pl.col("query_id") == "cut").row(0, named=True)
        assert (cut["share"], cut["index_share"], cut["index_chunk"]) == (0.55, 0.55, "a1")

    def test_chunks_that_lack_what_the_match_needs(self):
        with pytest.raises(InputError, match="chunks, text: expected for matching by text"):
            outcome(CUT, ["a1"], chunks=CHUNKS.drop("text"))

    def test_a_cutoff_that_cannot_be(self):
        with pytest.raises(UsageError, match="k=0"):
            outcome(CUT, ["a1"], k=0)


class TestWords:
    def test_the_words_at_the_cut(self):
        _, row = outcome(CUT, ["b1", "a1"], chunks=CHUNKS)
        assert row["piece"] == "The net income was 5 million"
        assert (row["missing_before"], row["missing_after"]) == ("", "euros in 2024.")
        assert (row["chunk_before"], row["chunk_after"]) == ("first words.", "")
        assert row["cut_at"] == "end"

    def test_a_word_that_differs_is_no_cut(self):
        _, row = outcome("The net income was 6 million", ["a1"])
        assert (row["piece"], row["missing_after"]) == ("The net income was", "6 million")
        assert (row["chunk_after"], row["cut_at"]) == ("5 million", "")

    def test_the_index_shows_its_best_piece_where_nothing_was_retrieved(self):
        _, row = outcome(CUT, [], chunks=CHUNKS)
        assert row["outcome"] == "empty"
        assert row["piece"] == "The net income was 5 million"
        assert (row["share"], row["index_chunk"]) == (0.0, "a1")

    def test_chinese(self):
        questions = asked(q=["北京是中国的首都也是文化中心"])
        run = pl.DataFrame(
            {"query_id": ["q"], "chunk_id": ["c"], "rank": [1], "text": ["我们说北京是中国的首都"]}
        )
        row = tophit.diagnose(questions, run).questions.row(0, named=True)
        assert (row["piece"], row["missing_after"]) == ("北京是中国的首都", "也是文化中心")
        assert row["cut_at"] == "end"


class TestShape:
    def questions(self):
        base = asked(q1=["First words"], q2=[CUT], q3=[])
        queries = base.queries.with_columns(
            pl.Series("question", ["one?", "two?", "three?"]),
            pl.Series("tag.topic", ["x", None, "x"]),
        )
        return tophit.Questions(queries=queries, judgments=base.judgments)

    def test_totals_and_tags(self):
        found = tophit.diagnose(self.questions(), retrieved(q1=["a1"], q2=["a1"]), chunks=CHUNKS)
        assert list(found.totals) == list(OUTCOMES)
        assert {name: n for name, n in found.totals.items() if n} == {"found": 1, "cut": 1}
        columns = ["tag", "value", "questions", "found", "cut"]
        assert found.by_tag.select(columns).rows() == [
            ("topic", "x", 1, 1, 0), ("topic", None, 1, 0, 1)
        ]  # fmt: skip
        assert found.unanswerable == ("q3",)
        assert found.questions["question"].to_list() == ["one?", "two?"]

    def test_to_dict_is_plain(self):
        found = tophit.diagnose(self.questions(), retrieved(q1=["a1"], q2=["a1"]), chunks=CHUNKS)
        data = found.to_dict()
        assert json.loads(json.dumps(data)) == data
        assert data["outcomes"] == found.totals
        assert [row["outcome"] for row in data["questions"]] == ["found", "cut"]

    def test_only_unanswerable_questions(self):
        found = tophit.diagnose(asked(q=[]), retrieved(q=["a1"]), chunks=CHUNKS, match="auto")
        assert sum(found.totals.values()) == 0
        assert found.unanswerable == ("q",)

    def test_pandas_frames(self):
        judged = pd.DataFrame({"query_id": ["q"], "item_id": ["e"], "text": ["First words"]})
        run = retrieved(q=["a1"]).to_pandas()
        assert tophit.diagnose(judged, run, chunks=CHUNKS.to_pandas()).totals["found"] == 1

    def test_frames_of_duckdb(self):
        import duckdb

        tables = {"judged": asked(q=[CUT]).judgments.to_arrow(),
                  "run": retrieved(q=["a1"]).to_arrow(), "chunks": CHUNKS.to_arrow()}  # fmt: skip
        connection = duckdb.connect()
        for name, table in tables.items():
            connection.register(name, table)
        given = {name: connection.table(name) for name in tables}
        found = tophit.diagnose(given["judged"], given["run"], chunks=given["chunks"])
        assert found.outcomes == {"q": "cut"}

    def test_depth_and_grade(self):
        base = asked(q=["First words"])
        low = tophit.Questions(
            queries=base.queries, judgments=base.judgments.with_columns(grade=pl.lit(0.0))
        )
        run = retrieved(q=["b1", "a1"])
        assert tophit.diagnose(low, run).unanswerable == ("q",)
        assert tophit.diagnose(base, run, depth=1, chunks=CHUNKS).outcomes == {"q": "unretrieved"}


class TestJoined:
    def test_by_offsets_in_any_order(self):
        rows = {"doc_id": ["d"] * 3, "text": ["cat sat", "The red", "red cat"],
                "start": [8, 0, 4], "end": [15, 7, 11]}  # fmt: skip
        assert joined_documents(pl.DataFrame(rows)) == ["The red cat sat"]

    def test_overlap_without_offsets_stands_once(self):
        rows = {"text": ["one two three four", "three four five six", "five six"]}
        assert joined_documents(pl.DataFrame(rows))[0] == "one two three four five six"

    def test_documents_stay_apart(self):
        rows = {"doc_id": ["a", "b", "a"], "text": ["1", "x", "2"]}
        assert joined_documents(pl.DataFrame(rows)) == ["1 2", "12", "x", "x"]

    def test_an_element_over_three_chunks(self):
        chunks = pl.DataFrame({"chunk_id": ["1", "2", "3"], "text": ["a one", "two", "three b"]})
        run = pl.DataFrame({"query_id": ["q"], "chunk_id": ["1"], "rank": [1], "text": ["a one"]})
        found = tophit.diagnose(asked(q=["one two three"]), run, chunks=chunks)
        assert found.outcomes == {"q": "cut"}


@pytest.mark.parametrize("language", ["en", "zh", "de", "hi"])
def test_articles_left_out_of_the_index(shared_data, language):
    """Their questions are unindexed, or unretrieved where a short answer stands elsewhere."""
    path = shared_data / "xquad" / f"xquad.{language}.json"
    articles = json.loads(path.read_text(encoding="utf-8"))["data"][:6]
    paragraphs = {
        f"{number}-{place}": paragraph
        for number, article in enumerate(articles)
        for place, paragraph in enumerate(article["paragraphs"])
    }
    judged = pl.DataFrame(
        [
            (qa["id"], "e", qa["answers"][0]["text"], name)
            for name, paragraph in paragraphs.items()
            for qa in paragraph["qas"]
        ],
        schema=["query_id", "item_id", "text", "doc_id"],
        orient="row",
    )
    texts = {name: paragraph["context"] for name, paragraph in paragraphs.items()}
    index = {name: text for name, text in texts.items() if not name.startswith("5-")}
    chunks = pl.DataFrame({"chunk_id": list(index), "doc_id": list(index), "text": index.values()})
    run = judged.select("query_id").join(chunks.head(3).with_row_index("rank", 1), how="cross")
    found = tophit.diagnose(judged, run, chunks=chunks, documents=texts)
    told = found.items.join(judged, on=["query_id", "item_id"])
    outside = told.filter(pl.col("doc_id_right").str.starts_with("5-"))
    inside = told.filter(~pl.col("doc_id_right").str.starts_with("5-"))
    assert not {"cut", "absent", "unindexed"} & set(inside["outcome"])
    assert (outside["outcome"] == "unindexed").mean() > 0.7
    assert "absent" not in outside["outcome"]
    reasons = outside.filter(pl.col("outcome") == "unindexed")["why"].unique().to_list()
    assert reasons == ["in the documents, but not in the index: its document was not indexed"]
