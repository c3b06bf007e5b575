"""Covered, Coverage, Density and Ceiling on cases small enough to count by hand."""

from __future__ import annotations

import polars as pl
import pytest

import tophit
from tophit.errors import InputError, UsageError
from tophit.evaluation.covered import covered_beside_hit, covered_lines
from tophit.formats import write_chunks

MEASURES = "Hit@4 Partial@4 Covered@4 Coverage@4 Density@4"


def questions(*items, doc="a"):
    """Items as (start, end) or (start, end, text), all of one question."""
    rows = [(*item, None)[:3] for item in items]
    return pl.DataFrame(
        {
            "query_id": ["q"] * len(rows),
            "item_id": [f"e{n}" for n in range(len(rows))],
            "grade": [1.0] * len(rows),
            "doc_id": [doc] * len(rows),
            "start": [row[0] for row in rows],
            "end": [row[1] for row in rows],
            "text": pl.Series([row[2] for row in rows], dtype=pl.String),
        }
    )


def run(*chunks, doc="a"):
    return pl.DataFrame(
        {
            "query_id": ["q"] * len(chunks),
            "chunk_id": [f"c{n}" for n in range(len(chunks))],
            "rank": list(range(1, len(chunks) + 1)),
            "doc_id": [doc] * len(chunks),
            "start": [chunk[0] for chunk in chunks],
            "end": [chunk[1] for chunk in chunks],
        }
    )


def values(judged, retrieved, measures=MEASURES, **options):
    result = tophit.evaluate(judged, retrieved, measures=measures, **options)
    return [score.value for score in result.values()]


def texts(element: str, *chunks: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    judged = pl.DataFrame({"query_id": ["q"], "item_id": ["e"], "text": [element]})
    retrieved = pl.DataFrame(
        {
            "query_id": ["q"] * len(chunks),
            "chunk_id": [f"c{n}" for n in range(len(chunks))],
            "rank": list(range(1, len(chunks) + 1)),
            "text": list(chunks),
        }
    )
    return judged, retrieved


# name: the items as (start, end[, text]), the chunks, and the values of MEASURES
SPAN_CASES = {
    "an item cut in two is covered": ([(10, 20)], [(0, 16), (16, 30)], [0, 1, 1, 1, 10 / 30]),
    "a gap is a gap": ([(10, 20)], [(0, 16), (17, 30)], [0, 1, 0, 0.9, 9 / 29]),
    "the blank between two pieces is no gap": (
        [(10, 20, "six ch\n\nab")], [(0, 16), (18, 30)], [0, 1, 1, 1, 8 / 28]
    ),
    "a chunk that starts inside a blank": (
        [(10, 20, "six ch\n\nab")], [(0, 16), (17, 30)], [0, 1, 1, 1, 9 / 29]
    ),
    "a text of another length says nothing about blanks": (
        [(10, 20, "six  ch\n\nab")], [(0, 16), (18, 30)], [0, 1, 0, 0.8, 8 / 28]
    ),
    # of the items: 8 of 10 and 3 of 10; of the chunks: every character, items overlapping too
    "overlap counts once": ([(0, 10), (5, 15)], [(0, 8), (2, 5), (0, 8)], [0, 1, 0, 11 / 20, 1]),
    "the fifth place is cut off": (
        [(10, 20)], [(0, 16), (40, 50), (40, 50), (40, 50), (16, 30)], [0, 1, 0, 0.6, 6 / 46]
    ),
    "every item weighs by its characters": (
        [(0, 10), (50, 80)], [(0, 10)], [1, 1, 1, 0.25, 1]
    ),
    "nothing retrieved": ([(0, 10)], [], [0] * 5),
}  # fmt: skip


def test_spans_on_every_engine(engine):
    judged = pl.concat(
        questions(*items, doc=name).with_columns(query_id=pl.lit(name))
        for name, (items, _, _) in SPAN_CASES.items()
    )
    retrieved = pl.concat(
        run(*chunks, doc=name).with_columns(query_id=pl.lit(name))
        for name, (_, chunks, _) in SPAN_CASES.items()
        if chunks
    )
    result = tophit.evaluate(engine.frame(judged), engine.frame(retrieved), measures=MEASURES)
    assert result.match == "spans"
    scores = {row[0]: row[1:] for row in engine.collect(result.scores).iter_rows()}
    for name, (_, _, expected) in SPAN_CASES.items():
        assert scores[name] == pytest.approx(expected), name


class TestSpans:
    def test_the_cutoff_cuts(self):
        judged, retrieved = questions((10, 20)), run((0, 16), (40, 50), (16, 30))
        found = values(judged, retrieved, "Covered@2 Covered@3 Coverage@1 Density@2 Density@3")
        assert found == pytest.approx([0, 1, 0.6, 6 / 26, 10 / 40])

    def test_grades_below_the_level_do_not_count(self):
        judged = questions((0, 10), (20, 30)).with_columns(grade=pl.Series([1.0, 0.0]))
        found = values(judged, run((0, 5), (20, 30)), "Covered@4 Coverage@4 Density@4")
        assert found == pytest.approx([0, 0.5, 5 / 15])

    def test_alternatives_are_covered_each_for_itself(self):
        judged = questions((0, 10), (100, 120)).drop("text")
        judged = judged.with_columns(item_id=pl.lit("e"))
        halves, whole = run((0, 5), (110, 120)), run((100, 110), (110, 120))
        assert values(judged, halves, "Covered@4 Coverage@4") == [0, 0.5]
        assert values(judged, whole, "Covered@4 Coverage@4") == [1, 1]

    def test_other_documents_do_not_count(self):
        assert values(questions((0, 10)), run((0, 10), doc="b")) == [0] * 5

    def test_documents_named_without_their_ending_are_the_same(self):
        judged = questions((0, 10), doc="guide").drop("text")
        assert values(judged, run((0, 6), (6, 10), doc="guide.md")) == [0, 1, 1, 1, 1]


class TestText:
    def test_cut_by_the_splitter(self):
        """60 % at the end of one chunk, 40 % at the start of the next."""
        judged, retrieved = texts("abcde fghij klmno", "first abcde fghij", "klmno last")
        assert values(judged, retrieved) == pytest.approx([0, 1, 1, 1, 16 / 27])

    def test_cut_inside_a_word(self):
        judged, retrieved = texts("very efficient offices", "so very effi", "cient offices rule")
        assert values(judged, retrieved, "Covered@4 Coverage@4") == [1, 1]

    def test_chinese_has_no_blank_to_lose(self):
        whole = texts("北京是中国的首都也是", "在北京是中国的", "首都也是大")
        lacks = texts("北京是中国的首都也是", "在北京是中国的", "都也是大")
        assert values(*whole, measures="Covered@4 Coverage@4") == [1, 1]
        assert values(*lacks, measures="Covered@4 Coverage@4") == [0, 0.9]

    def test_the_blank_at_a_cut_is_not_held(self):
        """Three letters of seven: the blank belongs to whoever holds both its sides."""
        assert values(*texts("aaa bbb", "xxx aaa"), "Coverage@4") == [3 / 7]
        assert values(*texts("aaa bbb", "xxx aaa", "bbb y"), "Covered@4 Coverage@4") == [1, 1]
        assert values(*texts("aaa b ccc", "xxx aaa", "ccc y"), "Coverage@4") == [6 / 9]

    @pytest.mark.parametrize(
        ("common", "held"), [(4, 0), (5, 0), (6, 0), (7, 0), (8, 0.8), (9, 0.9)]
    )
    def test_a_run_inside_a_chunk_is_a_piece_from_eight_words_on(self, common, held):
        """Whether it is half of the element or not."""
        element = " ".join(f"w{n}" for n in range(10))
        chunk = " ".join(["before", *(f"w{n}" for n in range(common)), "and after"])
        found = values(*texts(element, chunk), "Coverage@4")
        assert found == pytest.approx([held and (held * 30 - 1) / 29])

    def test_a_character_of_chinese_is_a_word(self):
        element = "北京是中国的首都也是大城市"
        assert values(*texts(element, "在北京是中国的首都南"), "Coverage@4") == [8 / 13]
        assert values(*texts(element, "在北京是中国的首南"), "Coverage@4") == [0]

    def test_a_word_in_common_is_no_piece(self):
        """Neither stands at an edge of its chunk, and each is less than eight words."""
        judged, retrieved = texts(
            "the net income of the year rose", "see the net result", "an income of note"
        )
        assert values(judged, retrieved, "Covered@4 Coverage@4 Density@4") == [0, 0, 0]

    def test_whole_among_other_text(self):
        judged, retrieved = texts("red cat", "Title: pets\nThe Red  cat sat")
        assert values(judged, retrieved) == pytest.approx([1, 1, 1, 1, 7 / 27])

    def test_alternatives_by_text(self):
        judged = pl.DataFrame(
            {
                "query_id": ["q"] * 2,
                "item_id": ["e"] * 2,
                "text": ["new york city", "new york"],
            }
        )
        _, retrieved = texts("", "in new", "york city hall")
        assert values(judged, retrieved, "Covered@4 Coverage@4") == [1, 1]

    def test_on_the_other_engines_too(self, engine):
        judged, retrieved = texts("abcde fghij klmno", "first abcde fghij", "klmno last")
        found = values(engine.frame(judged), engine.frame(retrieved))
        assert found == pytest.approx([0, 1, 1, 1, 16 / 27])


class TestCeiling:
    def test_by_text(self, engine):
        judged = pl.DataFrame(
            {
                "query_id": ["q1", "q2", "q3"],
                "item_id": ["e"] * 3,
                "text": ["red cat", "efficient offices", "not there"],
            }
        )
        retrieved = pl.DataFrame(
            {"query_id": ["q1"], "chunk_id": ["c1"], "rank": [1], "text": ["nothing"]}
        )
        chunks = pl.DataFrame(
            {"chunk_id": ["c1", "c2", "c3"], "text": ["nothing", "A red cat.", "eﬃcient\nofﬁces"]}
        )
        given = [engine.frame(frame) for frame in (judged, retrieved, chunks)]
        result = tophit.evaluate(*given[:2], measures="Hit@4 Ceiling", chunks=given[2])
        assert (result["Hit@4"].value, result["Ceiling"].value) == (0, pytest.approx(2 / 3))
        assert result["Ceiling"].n == 3

    def test_by_spans(self, engine):
        judged = questions((10, 20), (60, 90)).drop("text")
        judged = judged.with_columns(query_id=pl.Series(["q1", "q2"]))
        retrieved = run((0, 5)).with_columns(query_id=pl.lit("q1"))
        chunks = pl.DataFrame(
            {
                "chunk_id": ["1", "2", "3"],
                "doc_id": ["a", "a", "b"],
                "start": [0, 50, 0],
                "end": [20, 80, 99],
            }
        )
        given = [engine.frame(frame) for frame in (judged, retrieved, chunks)]
        result = tophit.evaluate(*given[:2], measures="Ceiling", chunks=given[2])
        assert result["Ceiling"].value == 0.5

    @pytest.mark.parametrize("name", ["chunks.jsonl", "chunks.csv", "chunks.parquet"])
    def test_by_spans_of_chunks_without_text(self, tmp_path, name):
        index = pl.DataFrame({"chunk_id": ["1"], "doc_id": ["a"], "start": [0], "end": [20]})
        path = tmp_path / name
        write_chunks(index, path)
        judged = questions((10, 20), (15, 90)).drop("text")
        judged = judged.with_columns(query_id=pl.Series(["q1", "q2"]))
        retrieved = run((0, 5)).with_columns(query_id=pl.lit("q1"))
        result = tophit.evaluate(judged, retrieved, measures="Ceiling", chunks=path)
        assert result["Ceiling"].value == 0.5
        found = tophit.diagnose(judged, retrieved, chunks=path)
        assert found.outcomes == {"q1": "unretrieved", "q2": "empty"}
        with pytest.raises(InputError, match="chunks, text: expected for matching by text"):
            values(*texts("a", "a"), "Ceiling", chunks=path)

    def test_by_ids(self, engine):
        judged = pl.DataFrame({"query_id": ["q1", "q2"], "item_id": ["c1", "c9"]})
        retrieved = pl.DataFrame({"query_id": ["q1"], "chunk_id": ["c2"], "rank": [1]})
        chunks = pl.DataFrame({"chunk_id": ["c1", "c2"], "text": ["", ""]})
        given = [engine.frame(frame) for frame in (judged, retrieved, chunks)]
        result = tophit.evaluate(*given[:2], measures="Hit@4 Ceiling", chunks=given[2])
        assert (result["Hit@4"].value, result["Ceiling"].value) == (0, 0.5)

    def test_an_element_longer_than_any_chunk(self):
        judged, retrieved = texts("one two three four", "one two", "three four")
        chunks = pl.DataFrame({"chunk_id": ["c0", "c1"], "text": ["one two", "three four"]})
        assert values(judged, retrieved, "Ceiling Covered@4", chunks=chunks) == [0, 1]

    def test_a_hyphen_at_a_line_end(self):
        judged, retrieved = texts("a well-known man", "a well-\nknown man")
        chunks = pl.DataFrame({"chunk_id": ["c0"], "text": ["a well-\nknown man"]})
        assert values(judged, retrieved, "Hit@4 Ceiling", chunks=chunks) == [1, 1]

    def test_an_index_of_another_run(self):
        judged, retrieved = texts("a", "a", "of another index")
        chunks = pl.DataFrame({"chunk_id": ["1", "2"], "text": [" a\n", "b"]})
        result = tophit.evaluate(judged, retrieved, measures="Ceiling", chunks=chunks)
        assert [(w.code, w.count) for w in result.warnings] == [("not_in_index", 1)]
        found = tophit.diagnose(judged, retrieved, chunks=chunks)
        assert [w.code for w in found.warnings] == ["not_in_index"]
        assert tophit.diagnose(judged, retrieved.head(1), chunks=chunks).warnings == ()

    def test_without_the_chunks_it_says_what_to_pass(self):
        with pytest.raises(UsageError, match="Ceiling is about the whole index: pass all of its"):
            values(*texts("a", "a"), measures="Ceiling")

    def test_chunks_without_text_are_an_error(self):
        chunks = pl.DataFrame({"chunk_id": ["c0"], "doc_id": ["a"]})
        with pytest.raises(InputError, match="chunks, text: expected for matching by text"):
            values(*texts("a", "a"), measures="Ceiling", chunks=chunks)


@pytest.mark.parametrize("measure", ["Covered@4", "Coverage@4", "Density@4"])
def test_ids_do_not_say_which_part(measure):
    with pytest.raises(UsageError, match=f"{measure} needs to know which part of an item"):
        tophit.evaluate({"q": ["a"]}, {"q": ["a"]}, measures=measure)


def test_nothing_retrieved_is_nothing_held():
    judged = pl.concat([questions((0, 9)), questions((5, 9)).with_columns(query_id=pl.lit("p"))])
    result = tophit.evaluate(judged, run((0, 9)), measures=MEASURES)
    assert [score.value for score in result.values()] == [0.5] * 5
    assert result["Covered@4"].n == 2


class TestCoveredBesideHit:
    """`tophit eval` shows Covered@k where it says more than Hit@k."""

    def scored(self, *chunks):
        judged, retrieved = texts("red cat sat", *chunks)
        return tophit.evaluate(judged, retrieved, measures="Hit Partial MRR Covered")

    def test_where_they_differ(self):
        (found,) = covered_beside_hit([self.scored("a red cat", "sat on")])
        assert list(found.measures) == ["Hit@4", "Covered@4", "Partial@4", "MRR"]
        assert found.scores.columns == ["query_id", *found.measures]
        assert covered_lines([found]) == [
            "1 more question has the answer whole over neighbouring chunks: Covered counts them, "
            "Hit does not"
        ]

    def test_where_they_are_one(self):
        (found,) = covered_beside_hit([self.scored("a red cat sat", "on")])
        assert list(found.measures) == ["Hit@4", "Partial@4", "MRR"]
        assert covered_lines([found]) == []

    def test_of_several_runs_all_or_none_show_it(self):
        results = [self.scored("a red cat sat"), self.scored("a red cat", "sat on")]
        found = covered_beside_hit(results)
        assert [list(each.measures)[:2] for each in found] == [["Hit@4", "Covered@4"]] * 2


class TestLevels:
    """A warning names the level of folding that would find more."""

    def warned(self, element, chunk, n=3, **options):
        judged = pl.DataFrame(
            {"query_id": [f"q{i}" for i in range(n)], "item_id": "e",
             "text": [element, *["plain words"] * (n - 1)]}
        )  # fmt: skip
        run = pl.DataFrame(
            {"query_id": [f"q{i}" for i in range(n)], "chunk_id": "c", "rank": 1,
             "text": [chunk, *["Plain words."] * (n - 1)]}
        )  # fmt: skip
        result = tophit.evaluate(judged, run, measures="Hit@4", **options)
        return [(w.count, w.message) for w in result.warnings if w.code == "level_finds_more"]

    def test_markup(self):
        assert self.warned("a red cat", "a [red](x.md) cat") == [
            (1, "1 more question is a hit at k = 4 if the marks of Markdown and HTML are dropped: "
                "use --strip-markup"),
        ]  # fmt: skip
        assert self.warned("a red cat", "a [red](x.md) cat", strip_markup=True) == []

    def test_not_for_a_point_or_less(self):
        assert self.warned("a red cat", "a [red](x.md) cat", n=100) == []
        assert len(self.warned("a red cat", "a [red](x.md) cat", n=99)) == 1

    def test_not_where_it_finds_no_more(self):
        assert self.warned("a red cat", "a blue cat") == []

    def test_not_beyond_k(self):
        judged, retrieved = texts("a red cat", "x", "a [red](x.md) cat")
        assert tophit.evaluate(judged, retrieved, k=1).warnings == ()
        assert tophit.evaluate(judged, retrieved, k=2).warnings[0].code == "level_finds_more"

    def test_on_every_engine(self, engine):
        judged, retrieved = texts("a red cat", "a [red](x.md) cat")
        result = tophit.evaluate(engine.frame(judged), engine.frame(retrieved))
        assert [warning.code for warning in result.warnings] == ["level_finds_more"]
