"""Matching by text: the cases that users met elsewhere, and their neighbours."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tophit.errors import InputError
from tophit.matching.text.exact import exact_run
from tophit.matching.text.hits import Pieces, empty_elements, longest_pieces, text_hits
from tophit.matching.text.lineends import endings, reread
from tophit.matching.text.marks import KEPT
from tophit.matching.text.normalize import normalize
from tophit.matching.text.origin import original_span
from tophit.matching.text.segmentation import segments
from tophit.matching.text.words import words_of
from tophit.settings import DEFAULT_FOLDING, Folding

SENTENCE = "The energy E = m c² of a mass at rest is the most famous equation of all."
WRAPPED = (
    "The energy E\u2009=\u2009m c² of a mass\nat rest is the most\r\n  famous equation of all."
)
CHINESE = "防守截锋卡万肖肖特以"
SMART = "“smart” quotes – dash"
PLAIN = '"smart" quotes - dash'


def piece(element: str, chunk: str, **folding: bool) -> Pieces:
    return longest_pieces(
        [element], [chunk], np.array([0]), np.array([0]), folding=Folding(**folding)
    )


def share(element: str, chunk: str, **folding: bool) -> float:
    return float(piece(element, chunk, **folding).share[0])


WHOLE = {
    "ligatures from a PDF": ("efficient offices", "our e\ufb03cient of\ufb01ces in Bonn"),
    "curly quotes and en dash": (SMART, f"with {PLAIN}."),
    "the same, the other way": (PLAIN, f"with {SMART}."),
    "German quotes": ("„Guten Tag“, sagte er", 'Und: "Guten Tag", sagte er.'),
    "guillemets and corner brackets": ("«東京»は", "「東京」は首都"),
    "apostrophes": ("don’t can`t won´t", "I don't can't won't"),
    "minus, em dash, non-breaking hyphen": ("\u22125 \u2014 state\u2011of", "at -5 - state-of it"),
    "wrapped, with thin spaces": (SENTENCE, WRAPPED),
    "wrapped element, flat chunk": (WRAPPED, f"Say: {SENTENCE} Yes."),
    "case": ("STRASSE und Straße", "die Straße UND STRASSE hier"),
    "final sigma": ("ΣΊΣΥΦΟΣ", "ο Σίσυφος"),
    "decomposed accents": ("cafe\u0301 nai\u0308ve", "a café naïve"),
    "full-width letters": ("ＡＢＣ　１２３", "abc 123"),
    "soft hyphens and zero-width marks": (
        "inter\u00adnational\u200b law",
        "\ufeffInternational law",
    ),
    "title put in front": ("Revenue rose by 4 %.", "Report 2024\n\nRevenue rose by 4 %. So"),
    "at the very start": ("a cat", "A cat sat"),
    "at the very end": ("a cat", "I saw a cat"),
    "the whole chunk": ("a cat", "a cat"),
    "punctuation alone": ("???", "Well ??? no"),
    "number with separators": ("1,000.5", "about 1,000.5 tons"),
    "special token": ("<|endoftext|>", "text <|endoftext|> more"),
    "Thai": ("ภาษาไทย", "นี่คือภาษาไทยที่ดี"),
    "Chinese inside a run": ("防守截锋", "黑豹队防守截锋卡万"),
    "Chinese, wrapped": ("防守截锋卡万", "防守\n截锋卡\n万"),
    "Chinese, blanks around digits": ("只丢了308分", "只丢了 308 分，"),
    "Japanese, Katakana inside a run": ("タワー", "東京タワービル"),
    "Devanagari": ("हिन्दी भाषा", "यह हिन्दी भाषा है"),
    "Arabic, stretched": ("السلام", "قال الســــلام عليكم"),
    "Hebrew, quotes of an abbreviation": ('צה"ל', "של צה״ל היום"),
    "right-to-left marks": ("\u200fשלום עולם\u200e", "אמר שלום עולם"),
    "hyphen at a line end": ("international law", "under inter-\nnational law it"),
    "hyphen at a line end, indented, CRLF": ("international", "inter- \r\n   national"),
    "soft hyphen at a line end": ("international", "inter\u00ad\nnational"),
    "compound at a line end": ("a well-known man", "was a well-\nknown man."),
    "compound at a line end, in the element": ("a well-\nknown man", "was a well-known man."),
    "both kinds in one element": (
        "the well-known international court",
        "the well-\nknown inter-\nnational court",
    ),
    "suspended hyphen": ("pre- and post-war years", "in pre-\nand post-war years"),
    "the same line end on both sides": ("inter-\nnational", "an inter-\nnational one"),
    "other line ends on both sides": ("inter-\nnational", "an interna-\ntional one"),
    "number at a line end": ("2024-25", "in 2024-\n25 they"),
    "capital after a line end": ("Franco-German", "the Franco-\nGerman pact"),
    "capital, joined": ("MacArthur", "General Mac-\nArthur"),
    "long, labelled a letter late": (
        "sor, on my first day in the office, said so",
        "My predecessor, on my first day in the office, said so.",
    ),
    "long, a number would be cut in the first place": (
        "3 million people were asked in May and June",
        "13 million people were asked in May and June, 3 million people were asked in May and "
        "Juneau",
    ),
    "long, labelled without its last letters": (
        "The house was sold by the heirs of the own",
        "“The house was sold by the heirs of the owner.”",
    ),
    "escaped line breaks of a log": (
        "However, it rained",
        "ended.\\n\\nHowever, it rained\\n2. No",
    ),
}


@pytest.mark.parametrize(("element", "chunk"), WHOLE.values(), ids=WHOLE)
def test_whole(element: str, chunk: str) -> None:
    found = piece(element, chunk)
    assert found.share[0] == 1.0
    assert found.element_start[0] == 0
    assert found.element_end[0] == found.element_length[0] == len(normalize(element))


NOTHING = {
    "inside a word": ("cat", "concatenate"),
    "start of a word": ("cat", "category"),
    "end of a word": ("cat", "bobcat"),
    "decimal": ("3.1", "3.14"),
    "decimal, the other end": ("14", "3.14"),
    "digits of a year": ("4", "2024"),
    "thousands": ("000", "1,000"),
    "apostrophe": ("don", "don't"),
    "underscore": ("cat", "my_cat_2"),
    "letters and digits": ("covid", "covid19"),
    "without its combining mark": ("e", "e\u0323"),
    "Devanagari without its vowel sign": ("हिन्द", "हिन्दी"),
    "Thai base without its vowel": ("ท", "ที่"),
    "empty chunk": ("cat", ""),
    "chunk of blanks": ("cat", " \n\u200b"),
    "Hangul inside a word": ("서울", "서울은"),
    "two words that only look like one": ("international", "inter national"),
}


@pytest.mark.parametrize(("element", "chunk"), NOTHING.values(), ids=NOTHING)
def test_no_hit(element: str, chunk: str) -> None:
    found = piece(element, chunk)
    assert found.share[0] == 0.0
    assert found.element_end[0] == found.chunk_start[0] == found.chunk_end[0] == 0


SHARES = {
    "long, and a number would be cut": (
        "3 million people were asked in May and June",
        "13 million people were asked in May and June",
        41 / 43,
    ),
    "seven words, the first one cut": (
        "able to pay for the old house",
        "unable to pay for the old house",
        24 / 29,
    ),
    "half of a Chinese answer ends the chunk": (CHINESE, "他是" + CHINESE[:5], 0.5),
    "one word of three": ("the red cat", "cat", 3 / 11),
    "punctuation is a word": ("the red cat.", "a red cat. So", 8 / 12),
    "blanks inside count, at the edges not": ("one two three", "two three four", 9 / 13),
    "characters decide, not words": (
        "a b c internationalisation",
        "a b c; internationalisation",
        20 / 26,
    ),
    "blank or none is a difference": ("red cat sat", "redcat sat", 3 / 11),
    "Thai, half": ("กขคง", "xกขy", 0.5),
    "compound at a line end, cut": ("a well-known man", "was a well-\nknown woman", 12 / 16),
    "line end of the element, cut": ("a well-\nknown man", "was a well-known woman", 11 / 15),
}


@pytest.mark.parametrize(("element", "chunk", "expected"), SHARES.values(), ids=SHARES)
def test_share(element: str, chunk: str, expected: float) -> None:
    assert share(element, chunk) == pytest.approx(expected, abs=1e-12)


def test_an_element_cut_in_two_by_the_splitter() -> None:
    element = "The cat sat on the mat and looked at the moon over the sea."
    first, second = element[:36], element[37:]
    chunks = [f"Once upon a time. {first}", f"{second} The end."]
    found = longest_pieces([element], chunks, np.array([0, 0]), np.array([0, 1]))
    assert found.share.sum() == pytest.approx((len(element) - 1) / len(element))
    assert found.element_end[0] + 1 == found.element_start[1]
    assert found.share[0] >= 0.5 > found.share[1]


def test_an_element_longer_than_any_chunk_is_partial() -> None:
    assert 0 < share("one two three four five six", "three four") < 0.5


@pytest.mark.parametrize(
    ("element", "chunk", "expected"),
    [
        ("Red  Cat", "a Red\nCat sat", 1.0),
        ("Red Cat", "a red cat sat", 0.0),
        (SMART, PLAIN, 6 / 21),  # "quotes"
        ("e\ufb03cient", "efficient", 0.0),
        ("inter\u00adnational", "international", 0.0),
        ("inter-\nnational", "inter- national", 1.0),
        ("inter-\nnational", "international", 0.0),
        ("中\n国", "中 国", 1.0),
        ("中国", "中 国", 0.5),
    ],
)
def test_exact_folds_white_space_alone(element: str, chunk: str, expected: float) -> None:
    assert share(element, chunk, exact=True) == pytest.approx(expected)


MARKED = {
    "emphasis": ("Net income was high", "**Net income** was *high*"),
    "emphasis by underscores": ("Net income was high", "__Net income__ was _high_"),
    "emphasis inside Chinese": ("这是重点内容", "这是**重点**内容"),
    "emphasis cut by the splitter": ("net income was", "high** net **income was"),
    "struck out": ("not this but that", "~~not this~~ but that"),
    "link": ("see the report now", 'see [the report](https://x.org/a_(b)?c=1 "T") now'),
    "reference link": ("see the report now", "see [the report][1] now\n\n[1]: https://x.org 'T'"),
    "image": ("a chart of sales", "![a chart](c.png) of sales"),
    "image in a link": ("the logo here", "[![the logo](l.png)](https://x.org) here"),
    "footnote": ("as shown before", "as shown[^1] before"),
    "heading": ("Results. We found", "## Results. ##\n\nWe found"),
    "heading with a line below": ("Results We found", "Results\n=====\nWe found"),
    "quotation": ("to be or not to be", "> to be\n> or not to be"),
    "list": ("milk bread eggs", "- milk\n* bread\n+ [x] eggs"),
    "list with bullets": ("milk bread eggs", "• milk\n•bread\n  ◦ eggs"),
    "table": ("Year Profit 2023 4.5", "| Year | Profit |\n|:-----|-------:|\n| 2023 | 4.5 |"),
    "table, flat element with tabs": (
        "Year\tProfit\n2023\t4.5",
        "|Year|Profit|\n|---|---|\n|2023|4.5|",
    ),
    "table on both sides": ("| 2023 | 4.5 |", "2023 4.5"),
    "code": ("call print now", "call `print` now"),
    "fence": ("x = 1 y = 2 is run", "```python\nx = 1\ny = 2\n```\nis run"),
    "escapes": ("2 * 3 [sic]", "2 \\* 3 \\[sic\\]"),
    "HTML inline": (
        "Net income was high",
        "<b>Net</b> <a href='x'>in<i>come</i></a> was <em>high</em>",
    ),
    "HTML blocks": (
        "one two three four",
        '<p>one</p><p>two</p><div class="c">three<br/>four</div>',
    ),
    "HTML table": ("2023 4.5", "<tr><td>2023</td><td>4.5</td></tr>"),
    "HTML list": ("milk bread", "<ul><li>milk</li><li>bread</li></ul>"),
    "comment and script": ("one two", "one <!-- not --><script>var x = '<b>';</script> two"),
    "entities": ("R&D – 5 < 6", "R&amp;D &ndash; 5 &#60; 6"),
    "autolink": ("see https://x.org/a now", "see <https://x.org/a> now"),
}


@pytest.mark.parametrize(("element", "chunk"), MARKED.values(), ids=MARKED)
def test_strip_markup_drops_marks_on_both_sides(element: str, chunk: str) -> None:
    assert share(element, chunk, strip_markup=True) == 1.0
    assert share(element, chunk) < 1.0


@pytest.mark.parametrize(
    "text",
    [
        "a < b and c > d",
        "x<y and z>w",
        "snake_case and 2**3 and 4*5 and 6 * 7",
        "<|endoftext|>".replace("|", ""),
        "[Alice]: hello there",
        "1. first, 2024. second",
        "issue #42 and C#",
        "AT&T; a & b",
        "a ___ to fill",
    ],
)
def test_strip_markup_keeps_what_is_no_markup(text: str) -> None:
    assert normalize(text, folding=Folding(strip_markup=True)) == normalize(text)


def test_the_piece_is_the_first_of_the_longest() -> None:
    found = piece("cat dog cat", "dog; cat dog; dog cat")
    assert (found.element_start[0], found.chunk_start[0]) == (0, 5)
    found = piece("dog cat dog", "cat, dog, cat")
    assert (found.element_start[0], found.element_end[0], found.chunk_start[0]) == (0, 3, 5)


def test_segments_keep_marks_with_their_base() -> None:
    text = "e\u0301 ที่ हिन्दी 👩\u200d🔬 🇩🇪🇫🇷 שָׁלוֹם"
    assert [text[a:b] for a, b in segments(text)] == [
        "e\u0301", " ", "ที่", " ", "हिन्दी", " ", "👩\u200d🔬", " ", "🇩🇪", "🇫🇷", " ", "שָׁלוֹם",
    ]  # fmt: skip
    assert segments("") == []


@pytest.mark.parametrize(
    "text",
    ["a " * 10_000, ". " * 10_000, "a b " * 5_000, "a" * 100_000, "中" * 10_000, "\u0301" * 10_000],
)
@pytest.mark.parametrize(
    "element", ["a " * 2_000, "a b " * 1_000 + "c", "中" * 3_000, "a \u0301 ."]
)
def test_repetition_ends_soon_and_is_right(text: str, element: str) -> None:
    found = piece(element, text)
    start, end = int(found.element_start[0]), int(found.element_end[0])
    there = int(found.chunk_start[0])
    assert normalize(element)[start:end] == normalize(text)[there : there + end - start]
    if element.split() == text.split()[: len(element.split())]:
        assert found.share[0] == 1.0


def test_markup_that_never_closes_ends_soon() -> None:
    for unclosed in ("<!-- ", "<script>", "[a](", "<b ", "[", "**a", "| - ", "```\n", "&amp", "\\"):
        assert normalize(unclosed * 20_000, folding=Folding(strip_markup=True)) is not None


@pytest.mark.parametrize(
    ("characters", "folded"),
    [
        (
            "\u058a\u05be\u1806\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\u2e3a\ufe58\ufe63\uff0d",
            "-",
        ),
        ("`\u00b4\u2018\u2019\u201a\u201b\u2032\u2039\u203a\u02bc\u02bb\u05f3\uff07", "'"),
        (
            "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u05f4\u300c\u300d\u300e\u300f\u301d\uff02",
            '"',
        ),
        ("\u00a0\u1680\u2002\u2009\u2028\u2029\u202f\u205f\u0085\x1c\x0b\x0c\t\r\n", " "),
        ("\u00ad\u200b\u200c\u200d\u200e\u202b\u2060\u2066\ufe0f\ufeff\u180e\u0640\U000e0041", ""),
    ],
)
def test_every_variant_is_folded(characters: str, folded: str) -> None:
    for char in characters:
        assert normalize(f"a{char}b") == f"a{folded}b", hex(ord(char))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("inter-\nnational", "international"),
        ("2024-\n25 Franco-\nGerman MAC-\nARTHUR", "2024-25 franco-german mac-arthur"),
        ("e\u0301-\nb", "\u00e9b"),
        ("a -\nb", "a - b"),
        ("end-\n\nNext", "end- next"),
        ("a--\nb", "a-- b"),
        ("- a-\n- b", "- a- - b"),
        ("\\nabla C:\\temp \\N1 x\\n\\tY", "\\nabla c:\\temp 1 x y"),
    ],
)
def test_line_ends(text: str, expected: str) -> None:
    assert normalize(text) == expected


def test_places_are_those_of_the_usual_reading() -> None:
    chunk = "one well-\nknown two pre-\nand post-war three"
    assert normalize(chunk) == "one wellknown two preand post-war three"
    found = piece("pre- and post-war three so", chunk)
    start, end = int(found.chunk_start[0]), int(found.chunk_end[0])
    assert normalize(chunk)[start:end] == "preand post-war three"
    found = piece("x well-known two pre- and z", "so well-\nknown two pre-\nand y")
    assert (found.chunk_start[0], found.chunk_end[0]) == (3, 23)
    assert (found.element_start[0], found.element_end[0]) == (2, 25)


def test_places_inside_a_reading() -> None:
    marked = f"a 24{KEPT}and"
    reading = reread(marked, endings(marked), "24- and")
    assert reading is not None
    assert reading.text == "a 24- and"
    assert [reading.usual_place(place) for place in range(3, 10)] == [3, 4, 5, 5, 6, 7, 8]


@pytest.mark.parametrize(
    ("element", "chunk", "expected"),
    [
        ("cat dog cat", "x cat", (0, 3, 2, 5)),
        ("cat dog cat dog", "x dog cat y", (4, 11, 2, 9)),
        ("a , a b", "b , a", (2, 5, 2, 5)),
    ],
)
def test_the_slow_way_takes_the_first_of_the_longest(
    element: str, chunk: str, expected: tuple[int, int, int, int]
) -> None:
    ours, theirs = words_of(f"{element}\n", side=0), words_of(f"{chunk}\n", side=1)
    first, last, there, end = exact_run(ours, 0, theirs, 0)
    found = (ours.start[first], ours.end[last], theirs.start[there], theirs.end[end])
    assert found == expected


# ------------------------------------------------------------------------------ relations


def judgments(*rows: tuple[str, str, str | None]) -> pl.DataFrame:
    return pl.DataFrame(
        [(query, item, 1.0, text) for query, item, text in rows],
        schema={
            "query_id": pl.String,
            "item_id": pl.String,
            "grade": pl.Float64,
            "text": pl.String,
        },
        orient="row",
    )


def retrieved(*rows: tuple[str, str, int, str | None]) -> pl.DataFrame:
    return pl.DataFrame(
        list(rows),
        schema={"query_id": pl.String, "chunk_id": pl.String, "rank": pl.Int64, "text": pl.String},
        orient="row",
    )


def test_hits_have_a_row_a_query_item_and_place() -> None:
    judged = judgments(("q1", "e1", "red cat"), ("q1", "e2", "blue bird"), ("q2", "e1", "red cat"))
    run = retrieved(
        ("q1", "c1", 1, "nothing"),
        ("q1", "c2", 2, "A Red\nCat and a blue bird"),
        ("q1", "c2", 3, "A Red\nCat and a blue bird"),
        ("q2", "c2", 1, "A Red\nCat and a blue bird"),
        ("q3", "c2", 1, "A Red\nCat and a blue bird"),
    )
    hits = text_hits(judged, run)
    assert hits.select("query_id", "item_id", "rank", "share").rows() == [
        ("q1", "e1", 2, 1.0),
        ("q1", "e2", 2, 1.0),
        ("q1", "e1", 3, 1.0),
        ("q1", "e2", 3, 1.0),
        ("q2", "e1", 1, 1.0),
    ]
    first = hits.row(0, named=True)
    assert (first["item_start"], first["item_end"], first["item_length"]) == (0, 7, 7)
    assert (first["chunk_start"], first["chunk_end"], first["chunk_id"]) == (2, 9, "c2")


def test_alternatives_count_as_one_item_by_their_best_share() -> None:
    judged = judgments(("q", "e", "green dog"), ("q", "e", "red cat"), ("q", "e", "red catfish"))
    hits = text_hits(judged, retrieved(("q", "c", 1, "a red cat"), ("q", "d", 2, "a dog")))
    assert hits.select("chunk_id", "share", "item_length").rows() == [
        ("c", 1.0, 7),
        ("d", 3 / 9, 9),
    ]


def test_rows_without_text_match_nothing() -> None:
    judged = judgments(("q", "e1", None), ("q", "e2", "cat"))
    hits = text_hits(judged, retrieved(("q", "c1", 1, None), ("q", "c2", 2, "cat")))
    assert hits.select("item_id", "chunk_id").rows() == [("e2", "c2")]
    assert text_hits(judged.clear(), retrieved(("q", "c", 1, "cat"))).height == 0
    assert text_hits(judged, retrieved()).height == 0


def test_columns_of_the_ranking_are_carried() -> None:
    run = retrieved(("q", "c", 1, "cat")).with_columns(rank_best=1, rank_worst=2, tokens_through=9)
    assert text_hits(judgments(("q", "e", "cat")), run).select(
        "rank_best", "rank_worst", "tokens_through"
    ).rows() == [(1, 2, 9)]


@pytest.mark.parametrize("text", ["", "  \n", "\u00ad\u200b\ufeff", "\u0640", "\u3000\u2009"])
def test_an_element_that_normalises_away_is_an_error(text: str) -> None:
    judged = judgments(("q1", "e1", "cat"), ("q2", "e2", text))
    assert [fault.field for fault in empty_elements(judged)] == ["query 'q2', item 'e2', text"]
    with pytest.raises(InputError, match="query 'q2', item 'e2'"):
        text_hits(judged, retrieved(("q1", "c", 1, "cat")))


def test_marks_alone_are_empty_only_when_stripped() -> None:
    judged = judgments(("q", "e", "**"))
    assert empty_elements(judged) == []
    assert len(empty_elements(judged, folding=Folding(strip_markup=True))) == 1


# ------------------------------------------------------------------------------ the way back


@pytest.mark.parametrize(
    ("text", "wanted", "folding"),
    [
        ("He said: “E\ufb03cient   of\ufb01ces”.", "E\ufb03cient   of\ufb01ces", DEFAULT_FOLDING),
        ("under inter-\n  national law", "inter-\n  national", DEFAULT_FOLDING),
        ("它 只丢了 308 分", "只丢了 308", DEFAULT_FOLDING),
        ("x\u200b  cafe\u0301  y", "cafe\u0301", DEFAULT_FOLDING),
        (
            "see **[the report](http://x)** now",
            "[the report](http://x)",
            Folding(strip_markup=True),
        ),
        ("R&amp;D  costs", "R&amp;D", Folding(strip_markup=True)),
        ("A  Red \n Cat", "Red \n Cat", Folding(exact=True)),
        ("x.\\n\\nHowever, it", "However", DEFAULT_FOLDING),
    ],
)
def test_original_span_leads_back(text: str, wanted: str, folding: Folding) -> None:
    normal = normalize(text, folding=folding)
    piece_text = normalize(wanted, folding=folding)
    at = normal.index(piece_text)
    start, end = original_span(text, at, at + len(piece_text), folding=folding)
    assert text[start:end] == wanted
    assert original_span(text, at, at, folding=folding) == (0, 0)
