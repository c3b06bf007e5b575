"""Faults of question sets: what `check` finds, says and corrects."""

from __future__ import annotations

import json

import polars as pl
import pytest

import tophit
from tophit.checking import CODES
from tophit.errors import InputError, UsageError
from tophit.formats import read_questions

DOCUMENTS = {
    "a.md": "Intro.\n\nNet income was 5 million euros in 2024. It rose by 4 percent.\n",
    "b.md": "See the terms. See the terms. The “smart” oﬃces are concatenated.",
}


def ask(*expected, question="What?", **more):
    rows = [{"id": f"q{n}", "question": f"{question} {n}", "expected": entry} for n, entry in
            enumerate(expected, 1)]  # fmt: skip
    return [row | more for row in rows]


@pytest.fixture
def checked(tmp_path):
    def run(rows, documents=DOCUMENTS, **options):
        path = tmp_path / "questions.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return tophit.check(str(path), documents=documents, **options)

    return run


def only(report, code):
    assert report.counts == {code: 1}
    return report.findings[0]


class TestElements:
    def test_nothing_to_find(self, checked):
        report = checked(ask(["Net income was 5 million euros"], ['"smart" offices are'], []))
        assert report.ok
        assert report.counts == {}
        assert (report.total, report.answerable, report.elements) == (3, 2, 2)
        assert report.not_checked == ("if the index holds them whole: pass --chunks FILE",)

    def test_not_found_says_where_it_differs(self, checked):
        finding = only(checked(ask(["Net income was 6 million euros in 2024."])), "not_found")
        assert finding.message == (
            "'Net income was 6 million euros in 2024.' stands in no document; nearest in a.md: "
            "net income was [6 → 5] million euros in 2024."
        )
        assert finding.query_id == "q1"

    def test_not_found_at_all(self, checked):
        report = checked(ask(["Quarks decay violently"]))
        assert only(report, "not_found").message == "'Quarks decay violently' stands in no document"
        assert not report.ok

    def test_missing_words_and_words_too_many(self, checked):
        report = checked(ask(["Net income was million euros in the year 2024."]))
        assert only(report, "not_found").message.endswith(
            "; nearest in a.md: net income was [nothing → 5] million euros in [the year → nothing] "
            "2024."
        )

    def test_repeated(self, checked):
        finding = only(checked(ask(["See the terms."])), "repeated")
        assert (finding.count, finding.level) == (2, "warning")
        assert finding.message == "'See the terms.' occurs 2 times in the document"

    def test_repeated_over_documents(self, checked):
        documents = {"a": "See it.", "b": "See it. See it."}
        assert only(checked(ask(["see it"]), documents), "repeated").count == 3

    def test_copies_inside_words_do_not_count(self, checked):
        assert checked(ask(["cat"]), {"a": "concatenate a cat"}).counts == {}
        assert only(checked(ask(["cat"]), {"a": "cat, concatenate, cat"}), "repeated").count == 2

    def test_inside_a_word(self, checked):
        """That it does not stand there comes first."""
        report = checked(ask(["cat"]))
        assert [(finding.level, finding.message) for finding in report.findings] == [
            ("error", "'cat' stands in no document; only inside a word, in b.md: 'concatenated'"),
            ("warning", "'cat' stands only inside a word"),
        ]

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("Net-income was 5", "a.md: net[- → blank]income was 5"),
            ("million euros in 2024 It rose", "a.md: million euros in 2024[nothing → .] it rose"),
            ("wellknown men", "c.md: [wellknown → well known] men"),
        ],
    )
    def test_a_blank_or_a_hyphen_is_no_inside_of_a_word(self, checked, text, says):
        report = checked(ask([text]), {**DOCUMENTS, "c.md": "The well known men."})
        message = only(report, "not_found").message
        assert message == f"{text!r} stands in no document; its letters and digits do, in {says}"

    def test_what_was_tried_and_helps(self, checked):
        documents = {"a": "The **net** income was [5 million](x.md) euros. A <b>red</b> cat's."}
        report = checked(ask(["net income was 5 million"], ["A red cat"], ["quarks"]), documents)
        assert [found.remedy for found in report.findings] == ["use --strip-markup"] * 2 + [None]
        assert report.summary["action"].to_list() == [
            "use --strip-markup (2 of 3); copy it from the document, or correct the words that "
            "differ"
        ]
        assert report.to_dict()["levels"] == [
            {"use": None, "found": 0, "n": 3}, {"use": "use --strip-markup", "found": 2, "n": 3}
        ]  # fmt: skip
        assert checked(ask(["A red cat"]), documents, strip_markup=True).levels == ()

    def test_exact_is_a_level_too(self, checked):
        report = checked(ask(["NET INCOME"]), match_exact=True)
        assert only(report, "not_found").remedy == "leave out --match-exact"

    def test_empty_after_normalisation(self, checked):
        assert "empty after normalisation" in only(checked(ask(["\u00ad\u200b"])), "empty").message

    def test_any_alternative_is_checked(self, checked):
        report = checked(ask([{"any_of": ["See the dogs", "Net income"]}]))
        assert only(report, "not_found").item_id == "e1"

    def test_unknown_document(self, checked):
        report = checked(ask([{"text": "Net income", "doc": "aa.md"}]))
        finding = only(report, "unknown_document")
        assert finding.message == "'aa.md' is not among the documents; is it 'a.md'?"

    def test_an_unknown_document_is_said_once(self, checked):
        entries = [[{"text": text, "doc": "zz"}] for text in ("Net income", "It rose", "Intro")]
        finding = only(checked(ask(*entries)), "unknown_document")
        assert finding.message == "'zz' is not among the documents (3 elements)"
        assert finding.count == 3

    def test_a_copy_in_another_document_does_not_hide_a_cut_label(self, checked):
        """`Manning` in `Mannings` is inside a word, though another document has it whole."""
        documents = {"a": "Mannings pass", "b": "Peyton Manning"}
        rows = ask([{"text": "Manning", "doc": "a", "start": 0, "end": 7}])
        assert checked(rows, documents).counts == {"inside_word": 1}

    def test_a_name_without_its_ending_is_known(self, checked):
        assert checked(ask([{"text": "Net income", "doc": "a"}])).ok

    def test_wrong_document_is_corrected_where_it_is_certain(self, checked):
        report = checked(ask([{"text": "It rose by 4 percent", "doc": "b.md"}]))
        assert "stands in a.md, not in b.md" in only(report, "wrong_document").message
        row = report.fixed.judgments.row(0, named=True)
        assert row["doc_id"] == "a.md"
        assert DOCUMENTS["a.md"][row["start"] : row["end"]] == "It rose by 4 percent"


class TestOffsets:
    def place(self, text, start, end=None, doc="a.md"):
        end = start + len(text) if end is None else end
        return [{"text": text, "doc": doc, "start": start, "end": end}]

    def test_right(self, checked):
        start = DOCUMENTS["a.md"].index("Net")
        assert checked(ask(self.place("Net income", start))).counts == {}

    def test_right_but_for_what_normalisation_equalises(self, checked):
        start = DOCUMENTS["b.md"].index("“smart")
        assert checked(ask(self.place('"smart" offices', start, start + 14, "b.md"))).counts == {}

    def test_moved(self, checked):
        report = checked(ask(self.place("Net income", 3)))
        finding = only(report, "wrong_offsets")
        assert finding.message.endswith("; it stands 5 characters further on")
        assert report.frame["fix"].to_list() == ["start 8, end 18"]
        assert report.fixed.judgments.select("start", "end").row(0) == (8, 18)
        # what was given stays as it was
        assert report.questions.judgments.select("start", "end").row(0) == (3, 13)

    def test_beyond_the_end(self, checked):
        report = checked(ask(self.place("Net income", 9000)))
        assert "found the document ends at" in only(report, "wrong_offsets").message

    @pytest.mark.parametrize(
        ("document", "reason", "offset"),
        [
            ("😀😀 a cat and a cat", "they count UTF-16 units", 7),
            ("éé a cat and a cat", "they count bytes", 7),
            ("1\r\n2\r\n a cat and a cat", "they count a line break of two characters as one", 7),
        ],
    )
    def test_counted_in_other_units(self, checked, document, reason, offset):
        report = checked(ask(self.place("cat", offset, doc="d")), {"d": document})
        assert report.counts == {"wrong_offsets": 1, "repeated": 1}
        assert report.findings[0].message.endswith(reason)
        start, end = report.fixed.judgments.select("start", "end").row(0)
        assert document[start:end] == "cat"
        assert start < 12

    def test_another_unit_and_another_case(self, checked):
        """What agrees but for what normalisation equalises agrees in another unit, too."""
        report = checked(ask(self.place("THE  cat", 3, 10, doc="d")), {"d": "😀 The cat, the cat"})
        assert report.findings[0].message.endswith("they count UTF-16 units")
        assert report.fixed.judgments.select("start", "end").row(0) == (2, 9)

    def test_a_span_beyond_the_end_in_another_unit(self, checked):
        report = checked(ask([{"doc": "d", "start": 3, "end": 7}]), {"d": "😀 cat"})
        assert only(report, "wrong_offsets").message == (
            "3 to 7: d ends at 5; perhaps they count bytes"
        )

    def test_not_certain(self, checked):
        report = checked(ask(self.place("See the terms.", 3, doc="b.md")))
        finding = report.findings[0]
        assert finding.code == "wrong_offsets"
        assert finding.message.endswith("it stands 2 times, the nearest at 0")
        assert finding.fix is None
        assert report.fix is not None

    def test_after_normalisation_only(self, checked):
        report = checked(ask(self.place("offices ARE", 0, doc="b.md")))
        start, end = report.fixed.judgments.select("start", "end").row(0)
        assert DOCUMENTS["b.md"][start:end] == "oﬃces are"

    def test_a_span_without_text(self, checked):
        report = checked(ask([{"doc": "a.md", "start": 6, "end": 8}, {"doc": "a.md", "start": 0,
                                                                      "end": 5000}]))  # fmt: skip
        assert report.match == "spans"
        assert report.counts == {"empty": 1, "wrong_offsets": 1}


class TestWhiteSpace:
    def test_offsets_move_with_it(self, checked, tmp_path):
        rows = ask([{"text": " Net income\n", "doc": "a.md", "start": 7, "end": 19}])
        report = checked(rows)
        assert only(report, "white_space").level == "note"
        assert report.ok
        assert report.fix(tmp_path / "fixed.jsonl") == 1
        fixed = read_questions(tmp_path / "fixed.jsonl").judgments
        assert fixed.select("text", "start", "end").row(0) == ("Net income", 8, 18)

    def test_looked_up_offsets_win_over_moved_ones(self, checked):
        report = checked(ask([{"text": " Net income", "doc": "a.md", "start": 0, "end": 11}]))
        assert report.counts == {"wrong_offsets": 1, "white_space": 1}
        row = report.fixed.judgments.row(0, named=True)
        assert (row["text"], row["start"], row["end"]) == ("Net income", 8, 18)

    def test_a_corrected_copy_has_nothing_left_to_correct(self, checked, tmp_path):
        rows = ask(
            [{"text": " Net income\n", "doc": "a.md", "start": 7, "end": 19}, "It rose"],
            [{"text": "It rose by", "doc": "b.md", "start": 0, "end": 10}],
            [{"text": "in 2024", "doc": "a.md", "start": 1, "end": 2}],
        )
        report = checked(rows)
        assert report.fix(tmp_path / "fixed.jsonl") == 3
        again = tophit.check(tmp_path / "fixed.jsonl", documents=DOCUMENTS)
        assert again.counts == {}
        assert again.questions.queries.equals(report.questions.queries)


class TestQuestions:
    def test_asked_twice(self, checked):
        rows = ask(["Net income"], ["Net income"])
        rows = [
            row | {"question": question}
            for row, question in zip(rows, ["Why  so?", "why so?"], strict=True)
        ]
        finding = only(checked(rows), "duplicate_question")
        assert (finding.query_id, finding.message) == ("q2", "'why so?' is asked by 'q1', too")

    def test_an_id_twice_in_a_frame(self):
        queries = pl.DataFrame({"query_id": ["q", "q"], "question": ["a", "b"]})
        judgments = pl.DataFrame({"query_id": ["q"], "item_id": ["e"], "grade": [1.0]})
        report = tophit.check(tophit.Questions(queries=queries, judgments=judgments))
        assert report.counts == {"duplicate_id": 1}

    def test_an_id_twice_in_a_file_is_a_fault_of_the_file(self, checked):
        rows = ask(["a"]) * 2
        with pytest.raises(InputError, match="an id of its own, found 'q1' again, as in line 1"):
            checked(rows)

    def test_the_answer_in_the_question(self, checked):
        rows = [{"id": "q", "question": "Is it true that net income was 5 million euros?",
                 "expected": ["Net income was 5 million"]}]  # fmt: skip
        assert only(checked(rows), "answer_in_question").query_id == "q"


class TestIndex:
    CHUNKS = pl.DataFrame(
        {
            "chunk_id": ["1", "2", "3"],
            "doc_id": ["a.md"] * 3,
            "text": ["Intro. Net income was 5", "million euros in 2024.", "It rose by 4 percent."],
        }
    )

    def test_cut(self, checked):
        report = checked(ask(["was 5 million euros"]), chunks=self.CHUNKS)
        assert only(report, "cut").message.endswith(
            "is whole in no chunk; the best one holds 68 % of it"
        )

    def test_longer_than_any_chunk(self, checked):
        report = checked(ask(["Net income was 5 million euros in 2024."]), chunks=self.CHUNKS)
        assert only(report, "too_long").level == "warning"

    def test_longer_than_the_size_to_come(self, checked):
        report = checked(ask(["Net income was 5 million euros in 2024."], ["It rose"]), size=8)
        finding = only(report, "too_long")
        assert (finding.query_id, finding.count) == ("q1", 12)

    def test_not_indexed(self, checked):
        report = checked(ask(['The "smart" offices']), chunks=self.CHUNKS)
        assert only(report, "not_indexed").level == "warning"

    def test_spans(self, checked):
        chunks = pl.DataFrame(
            {"chunk_id": ["1", "2"], "doc_id": ["a.md"] * 2, "start": [0, 30], "end": [30, 70]}
        )
        spans = [{"doc": "a", "start": 8, "end": 18}, {"doc": "a", "start": 25, "end": 35},
                 {"doc": "a", "start": 0, "end": 60}]  # fmt: skip
        report = checked(ask(spans), chunks=chunks)
        assert report.counts == {"too_long": 1, "cut": 1}

    def test_ids(self):
        report = tophit.check({"q": ["1", "9"]}, chunks=self.CHUNKS)
        assert only(report, "unknown_id").message == "'9' is not in the index"
        assert report.match == "ids"


class TestMatch:
    def test_an_element_that_cannot_match_is_an_error(self, checked):
        rows = ask(["Net income", {"doc": "a.md", "start": 8, "end": 18}])
        assert only(checked(rows), "unmatchable").message == (
            "e2 has no text, which matching by text needs"
        )
        report = checked(rows, match="spans")
        assert only(report, "unmatchable").message == (
            "e1 has no doc_id, start, end, which matching by spans needs"
        )
        assert not report.ok

    def test_an_unknown_match(self, checked):
        with pytest.raises(UsageError, match="unknown match 'texts'"):
            checked(ask(["a"]), match="texts")


class TestReport:
    def test_errors_come_first_and_the_summary_says_what_to_do(self, checked):
        report = checked(ask(["See the terms."], ["Quarks"], ["cat"], ["See the terms."]))
        assert [finding.code for finding in report.findings] == [
            "not_found", "not_found", "inside_word", "repeated", "repeated"
        ]  # fmt: skip
        summary = report.summary
        assert summary.select("level", "code", "findings", "questions", "fixable").rows() == [
            ("error", "not_found", 2, 2, 0),
            ("warning", "inside_word", 1, 1, 0),
            ("warning", "repeated", 2, 2, 0),
        ]
        assert summary["action"].to_list() == [CODES[code].action for code in summary["code"]]

    def test_to_dict_is_plain(self, checked):
        report = checked(ask(["See the terms."], []))
        assert json.loads(json.dumps(report.to_dict())) == report.to_dict()
        assert report.to_dict()["questions"] == {"total": 2, "answerable": 1, "unanswerable": 1}

    def test_without_documents_it_says_what_is_not_checked(self):
        report = tophit.check(pl.DataFrame({"query_id": ["q"], "text": ["a"]}))
        assert [entry.split(":")[0] for entry in report.not_checked] == [
            "if elements stand in the documents, where and how often",
            "if the index holds them whole",
        ]


class TestRealData:
    def test_ninety_seven_passages_are_repeated(self, shared_data):
        report = tophit.check(
            shared_data / "chroma" / "questions_df.csv",
            documents=shared_data / "chroma" / "corpora",
        )
        # 8 passages begin inside a word, 217 have white space at an edge; all offsets agree
        assert report.counts == {"inside_word": 8, "repeated": 97, "white_space": 217}
        assert (report.total, report.elements, report.documents) == (472, 790, 5)

    @pytest.mark.parametrize("language", ["en", "zh", "de", "hi"])
    def test_articles_left_out_of_the_index(self, shared_data, language):
        path = shared_data / "xquad" / f"xquad.{language}.json"
        articles = json.loads(path.read_text(encoding="utf-8"))["data"][:4]
        rows, paragraphs = [], {}
        for number, article in enumerate(articles):
            for place, paragraph in enumerate(article["paragraphs"]):
                name = f"{number}-{place}"
                paragraphs[name] = paragraph["context"]
                rows += [
                    {"query_id": qa["id"], "text": qa["answers"][0]["text"], "doc_id": name,
                     "start": qa["answers"][0]["answer_start"]}
                    for qa in paragraph["qas"]
                ]  # fmt: skip
        judged = pl.DataFrame(rows).with_columns(
            end=pl.col("start") + pl.col("text").str.len_chars()
        )
        kept = {name: text for name, text in paragraphs.items() if not name.startswith("3-")}
        chunks = pl.DataFrame({"chunk_id": list(kept), "doc_id": list(kept), "text": kept.values()})
        report = tophit.check(judged, documents=paragraphs, chunks=chunks)
        # but for one or two, labelled inside a word
        assert report.counts.get("not_found", 0) <= 2
        assert "wrong_offsets" not in report.counts
        outside = {f.query_id for f in report.findings if f.code == "not_indexed"}
        left_out = judged.filter(pl.col("doc_id").str.starts_with("3-"))
        # an answer such as "2" may stand in another article, too
        assert outside <= set(left_out["query_id"])
        assert len(outside) > 0.8 * len(left_out)
