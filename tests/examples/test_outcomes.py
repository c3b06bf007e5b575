"""What is said of an element that is whole nowhere: never absent where its letters can be found."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tophit
from tophit.choices import OUTCOMES
from tophit.diagnosis.nearest import compared
from tophit.diagnosis.stands import Searched
from tophit.matching.text.search import Corpus
from tophit.outcomes import BY_NAME, TABLE

ROOT = Path(__file__).parents[2]
LONG = (
    "The net income for the fiscal year 2023 was 5 million euros, which is 3 percent more than in "
    "the year before, as the board said in its annual letter."
)


def diagnosed(text, chunks, *, places=None, index=True, **options):
    """The outcome and the sentence about one element; all chunks are retrieved unless said."""
    ids = [f"c{n}" for n in range(len(chunks))]
    whole = pl.DataFrame({"chunk_id": ids, "text": chunks, "doc_id": ["d"] * len(chunks)})
    chosen = list(range(len(chunks))) if places is None else places
    run = whole[chosen].with_row_index("rank", 1).with_columns(query_id=pl.lit("q"))
    asked = pl.DataFrame({"query_id": ["q"], "item_id": ["e"], "text": [text]})
    if index:
        options["chunks"] = whole
    found = tophit.diagnose(asked, run, match="text", **options)
    return found.questions.select("outcome", "why").row(0)


ALTERED = {
    "punctuation at another extractor": (
        "3Ms cash flow", ["The 3M's cash-flow rose.", "Other."],
        "stands at rank 1 but for punctuation and blanks: [3ms → 3m's] cash[blank → -]flow",
    ),
    "no word in common": (
        "wellknown", ["A well known man."],
        "stands in c0 but for punctuation and blanks: [wellknown → well known]",
    ),
    "inside a word": ("cat", ["We concatenate."], "stands in c0 only inside a word: 'concatenate'"),
    "a number cut": ("202", ["In 2024."], "stands in c0 only inside a word: '2024'"),
    "one word differs": (
        LONG.replace("5 million", "6 million"), ["Letter. " + LONG + " End."],
        "99 % of it at rank 1; no chunk of the index has the rest: … fiscal year 2023 was [6 → 5] "
        "million euros, which is …",
    ),
    "the tail is in no chunk": (
        LONG, ["Letter. " + LONG.removesuffix(" letter.")],
        "95 % of it at rank 1; no chunk of the index has the rest: … board said in its "
        "annual [letter. → nothing]",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", ALTERED)
def test_altered(case):
    text, chunks, why = ALTERED[case]
    found, sentence = diagnosed(text, [*chunks, "Nothing of it."], documents={"d": "Else."})
    assert (found, sentence) == ("altered", why)


def test_altered_in_the_documents_alone():
    found = diagnosed("3Ms cash flow", ["Other."], documents={"a.md": "The 3M's cash-flow."})
    assert found == (
        "altered",
        "stands in a.md but for punctuation and blanks: [3ms → 3m's] cash[blank → -]flow",
    )


def test_altered_over_two_chunks_is_cut():
    found = diagnosed("3Ms cash flow rose", ["The 3M's cash-", "flow rose in 2023."])
    assert found[0] == "cut"
    assert found[1].startswith("it stands over two chunks, but for punctuation and blanks; ")


def test_altered_shows_without_the_index_too():
    assert diagnosed("3Ms cash flow", ["The 3M's cash-flow."], index=False)[0] == "altered"
    assert diagnosed("Quarks decay", ["The 3M's cash-flow."], index=False)[0] == "missed"


def test_what_a_retrieved_chunk_cuts_may_be_whole_elsewhere():
    cut = "Letter. " + LONG.removesuffix("letter.")
    assert diagnosed(LONG, [cut], index=False)[0] == "missed"
    assert diagnosed(LONG, [cut])[0] == "altered"


def test_a_piece_whose_rest_is_nowhere_is_said():
    text = "The red cat sat on the mat and slept there"
    assert diagnosed(text, ["The red cat sat on the mat", "Else."]) == (
        "absent", "62 % of it at rank 1; no chunk of the index has the rest"
    )  # fmt: skip


def test_offsets_that_lead_elsewhere():
    asked = pl.DataFrame(
        {"query_id": ["q"], "item_id": ["e"], "doc_id": ["a"], "start": [900], "end": [907],
         "text": ["red cat"]}
    )  # fmt: skip
    chunks = pl.DataFrame(
        {"chunk_id": ["c"], "doc_id": ["a"], "start": [0], "end": [12], "text": ["The red cat."]}
    )
    run = chunks.with_columns(query_id=pl.lit("q"), rank=pl.lit(1))
    found = tophit.diagnose(asked, run, chunks=chunks, match="spans").questions
    assert found.select("outcome", "why").row(0) == (
        "altered", "its text stands in c, where its document and offsets do not lead"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        (["red cats hat", "quark"], "only letters and digits are compared: use --match-letters"),
        (["blue dog", "quark"], "the marks of Markdown and HTML are dropped: use --strip-markup"),
    ],
)
def test_the_hint_names_the_level_that_finds_what_is_altered_or_absent(texts, says):
    chunks = pl.DataFrame({"chunk_id": ["c"], "text": ["a red cat's hat, a [blue](x.md) dog"]})
    asked = pl.DataFrame({"query_id": ["q", "p"], "item_id": ["e", "e"], "text": texts})
    run = chunks.with_columns(rank=1).join(asked.select("query_id"), how="cross")
    found = tophit.diagnose(asked, run, chunks=chunks)
    assert found.hint == f"1 of the 2 items that are altered or absent is whole if {says}"


class TestTable:
    def test_names_and_orders_are_unique(self):
        assert len(BY_NAME) == len(TABLE) == len({each.order for each in TABLE})
        assert list(OUTCOMES) == [each.name for each in sorted(TABLE, key=lambda each: each.order)]

    def test_the_schema_of_the_outputs_knows_them(self):
        schema = json.loads((ROOT / "docs" / "schema.json").read_text(encoding="utf-8"))
        assert schema["$defs"]["outcome"]["enum"] == list(OUTCOMES)

    def test_the_last_one_always_applies(self):
        assert TABLE[-1].applies({})


class TestLine:
    def test_of_a_long_element_only_the_first_differences(self):
        words = [f"word{n}" for n in range(400)]
        other = [word.upper() + ("x" if n % 40 == 20 else "") for n, word in enumerate(words)]
        line = compared(" ".join(words), " ".join(other)).line
        assert len(line) < 250
        assert line.startswith("… word16 word17 word18 word19 [word20 → word20x] word21 ")
        assert line.endswith(" more differences)")

    def test_a_blank_and_nothing_have_names(self):
        assert compared("5% of it", "about 5 % of it").line == "5[nothing → blank]% of it"
        assert compared("do not stop", "do stop now").line == "do [not → nothing] stop"

    def test_what_surrounds_it_is_not_shown(self):
        assert compared("six cats sat", "There were seven cats sitting on it").passage == (
            "seven cats sitting"
        )


WORDS = ["red", "cat", "concatenate", "3M's", "3Ms", "5 %", "5%", "well-known", "wellknown", "…"]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)


def letters(text):
    return re.sub(r"[\W_]+", "", text.casefold())


@given(
    elements=st.lists(TEXTS.filter(letters), min_size=1, max_size=4),
    chunks=st.lists(TEXTS, min_size=1, max_size=5),
    documents=st.none() | st.lists(TEXTS, min_size=1, max_size=3),
    retrieved=st.integers(0, 2),
    k=st.integers(1, 3),
)
def test_every_question_has_one_outcome_and_absent_means_absent(
    elements, chunks, documents, retrieved, k
):
    ids = [f"c{n}" for n in range(len(chunks))]
    index = pl.DataFrame({"chunk_id": ids, "text": chunks})
    asked = pl.DataFrame(
        {"query_id": [f"q{n}" for n in range(len(elements))], "item_id": "e", "text": elements}
    )
    run = asked.select("query_id").join(
        index.head(retrieved).with_row_index("rank", 1), how="cross"
    )
    texts = None if documents is None else {f"d{n}": text for n, text in enumerate(documents)}
    found = tophit.diagnose(asked, run, chunks=index, documents=texts, k=k, match="text")
    assert sum(found.totals.values()) == len(elements)
    searched = [letters(text) for text in [*chunks, *(documents or [])]]
    for name, text in zip(found.questions["outcome"], elements, strict=True):
        if any(letters(text) in there for there in searched):
            assert name != "absent", text
        assert (name == "empty") == (retrieved == 0)


@given(element=TEXTS.filter(letters), text=TEXTS)
def test_a_text_stands_where_a_plain_search_finds_its_letters(element, text):
    (found,) = Searched(Corpus(texts=[text])).stands([element])
    whole = Corpus(texts=[text]).first_whole([element])[0] >= 0
    if whole:
        assert found is None
    elif letters(element) in letters(text):
        assert found is not None
