"""What must hold for every element and every chunk."""

from __future__ import annotations

import random
import unicodedata
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from matching_reference import best_piece, best_run, cuts, held, read
from tophit.matching.text import common_words as runs
from tophit.matching.text import hits as text
from tophit.matching.text import words
from tophit.matching.text.exact import exact_run
from tophit.matching.text.hits import longest_pieces
from tophit.matching.text.marks import settle
from tophit.matching.text.normalize import normalize, normalize_all
from tophit.matching.text.origin import original_span, trace
from tophit.matching.text.segmentation import codes_of, cuts_of, segments
from tophit.settings import DEFAULT_FOLDING, Folding

WORDS = [
    "a", "b", "the", "cat", "concatenate", "3.1", "3.14", "well-known", "don't", "x_1", ".", ",",
    "(", "中", "文", "タ", "ー", "ที่", "ไ", "हिन्दी", "e\u0301", "\u0301", "🇩🇪", "🇫", "👩\u200d🔬",
    "שלום", "'", "s", "l'", "can't", "O'", "-", "-5", "5", "$", "$5", "±", ".5", "1/2", "3",
    "10:30", ":45", "^", "%", "10^2", "mp3", "setup.py", "a:b", "5.Kat", "νόμος", "νομός", "νομος",
    "كتاب", "كِتَاب",
    "1\u202f234", "- ", "well", "known", "/", "’s", "n'",
]  # fmt: skip
# Characters that mean something to one of the steps.
CHARACTERS = (
    "aAbnNrt1 \n\n\t--\\\"'`()[]*_#><|&;.,:!\x00\u00ad\u2010\u2019\u201c\u2014\ufb03"
    "\u00bd\u00b4\u00a8"
    "\u0301\u0327\u0345\u0130ßẞςµ\u3131\u314f\u1100\u1161\u11a8가ｶ\uff9e\u309bか\u3099中文ター。กำद\u094d\u093c"
    "\u200b\u200d\ufeff\u3164\u3000\u00a0\u0640\ufdd0\ufdd1\uff3c\u0149🇩🇪👩❤\ufe0f"
)
odd_text = st.text(st.sampled_from(CHARACTERS), max_size=12)
any_text = st.text(max_size=40) | odd_text
sentence = st.lists(st.sampled_from([*WORDS, *" " * 12]), max_size=14).map("".join)
foldings = st.sampled_from(
    [Folding(), Folding(exact=True), Folding(strip_markup=True), Folding(letters=True)]
)


def share(element: str, chunk: str, folding: Folding = DEFAULT_FOLDING) -> float:
    pair = np.array([0])
    return float(longest_pieces([element], [chunk], pair, pair, folding=folding).share[0])


def has_words(element: str) -> bool:
    return normalize(element) != ""


# ------------------------------------------------------------------------------ normalisation


@given(any_text, foldings)
def test_normalising_again_changes_nothing(given_text: str, folding: Folding) -> None:
    once = normalize(given_text, folding=folding)
    assert normalize(once, folding=Folding(exact=folding.exact)) == once
    assert once == once.strip()
    assert "\n" not in once
    assert "  " not in once


@given(any_text)
def test_canonically_equal_texts_are_normalised_to_one(given_text: str) -> None:
    for form in ("NFC", "NFD"):
        assert normalize(unicodedata.normalize(form, given_text)) == normalize(given_text)


@given(st.lists(any_text, max_size=6), foldings)
def test_many_texts_are_normalised_as_each_alone(texts: list[str], folding: Folding) -> None:
    joined = normalize_all(texts, folding=folding)
    lines = settle(joined).split("\n")
    assert lines == [*(normalize(one, folding=folding) for one in texts), ""]


@given(any_text, foldings)
def test_the_traced_text_is_the_normalised_one(given_text: str, folding: Folding) -> None:
    traced = trace(given_text, folding=folding)
    assert traced.text == normalize(given_text, folding=folding)
    assert (traced.starts < traced.ends).all()
    assert (np.diff(traced.starts) >= 0).all()


@given(st.text("abc é中\n\t-.“”ﬁA", max_size=30), st.data())
def test_the_original_span_normalises_to_the_piece(given_text: str, data: st.DataObject) -> None:
    normal = normalize(given_text)
    places = cuts(normal)
    start = data.draw(st.sampled_from(places))
    end = data.draw(st.sampled_from([place for place in places if place >= start]))
    first, last = original_span(given_text, start, end)
    piece = normal[start:end]
    assume("fi" not in normal[max(0, start - 1) : end + 1])  # half a ligature cannot be cut out
    assert normalize(given_text[first:last]).strip() == piece.strip()


# ------------------------------------------------------------------------------ segments


@given(st.text(max_size=30) | odd_text | sentence)
@settings(max_examples=300)
def test_segments_are_those_of_unicode(given_text: str) -> None:
    found = segments(given_text)
    apart = [place for place in cuts(given_text) if place not in held(given_text)]
    assert [start for start, _ in found] + [len(given_text)] == apart or not found
    assert np.flatnonzero(cuts_of(codes_of(given_text)).starts).tolist() == cuts(given_text)[:-1]
    assert "".join(given_text[start:end] for start, end in found) == given_text


@given(st.lists(sentence, max_size=5))
def test_segments_do_not_depend_on_neighbouring_texts(texts: list[str]) -> None:
    together = cuts_of(codes_of("\n".join([*texts, ""]))).starts
    apart = [cuts_of(codes_of(f"{one}\n")).starts for one in texts]
    assert together.tolist() == [start for one in apart for start in one.tolist()]


# ------------------------------------------------------------------------------ shares


@given(sentence | any_text, sentence | any_text, foldings)
def test_share_lies_between_0_and_1(element: str, chunk: str, folding: Folding) -> None:
    assert 0.0 <= share(element, chunk, folding) <= 1.0


@given(sentence | any_text, sentence | any_text, sentence | any_text)
def test_an_element_between_blanks_is_whole(element: str, before: str, after: str) -> None:
    assume(has_words(element))
    element, before = normalize(element), normalize(before)
    assume(not unicodedata.combining(element[0]) and not element.startswith("\u200d"))
    assert share(element, f"{before} {element} {normalize(after)}") == 1.0


@given(sentence, sentence, sentence)
def test_text_around_a_chunk_never_lowers_the_share(element: str, chunk: str, more: str) -> None:
    alone = share(element, chunk)
    assert share(element, f"{more} . {normalize(chunk)}") >= alone
    assert share(element, f"{chunk} . {more}") >= alone


@given(sentence, sentence)
def test_typographic_variants_have_the_same_share(element: str, chunk: str) -> None:
    assume("- " not in f"{element}|{chunk}")  # a line end, where the blank is one
    expected = share(element, chunk)
    variants = str.maketrans({"'": "’", '"': "”", "-": "\u2010", " ": "\u2009\n ", "a": "\u00adA"})
    assert share(element, chunk.translate(variants)) == expected
    assert share(element.translate(variants), chunk) == expected
    assert share(unicodedata.normalize("NFD", element), chunk.upper().lower()) == expected


@given(st.lists(st.sampled_from(["a", "b", "ab", "cat", "-", "."]), max_size=12), sentence)
def test_wrapped_words_are_found_again(words: list[str], chunk: str) -> None:
    element = " ".join(words)
    assume(has_words(element))
    wrapped = element.replace(" ", " \n ")
    assert share(element, f"x {wrapped} {chunk}") == 1.0


@given(
    st.sampled_from(["well", "inter", "co", "pre"]),
    st.sampled_from(["known", "op", "war"]),
    sentence,
)
def test_every_reading_of_a_line_end_is_found(left: str, right: str, more: str) -> None:
    chunk = f"{more} . the {left}-\n{right} men {more}"
    for reading in ("", "-", "- "):
        element = f"the {left}{reading}{right} men"
        assert share(element, chunk) == 1.0
        assert share(chunk, f"{more} . {element} {more}") == 1.0


# ------------------------------------------------------------------------------ the fast way


def pairs_of(seed: int, *, count: int = 40) -> tuple[list[str], list[str], np.ndarray, np.ndarray]:
    random_source = random.Random(seed)

    def some_text(most: int) -> str:
        drawn = random_source.choices([*WORDS, *" " * 14], k=random_source.randint(0, most))
        return normalize("".join(drawn))

    elements = [some_text(10) for _ in range(count)]
    chunks = [some_text(24) for _ in range(count)]
    index = np.arange(count * count)
    return elements, chunks, index // count, index % count


def check(
    elements: list[str],
    chunks: list[str],
    element: np.ndarray,
    chunk: np.ndarray,
    *,
    folding: Folding = DEFAULT_FOLDING,
) -> None:
    found = longest_pieces(elements, chunks, element, chunk, folding=folding)
    expected = np.array(
        [
            best_piece(elements[e], chunks[c], folding=folding)
            for e, c in zip(element, chunk, strict=True)
        ]
    ).reshape(-1, 4)
    columns = (found.element_start, found.element_end, found.chunk_start, found.chunk_end)
    np.testing.assert_array_equal(np.stack(columns, axis=1), expected)
    lengths = np.array([len(elements[e]) for e in element], dtype=np.int64)
    np.testing.assert_array_equal(found.element_length, lengths)
    np.testing.assert_array_equal(
        found.share, (expected[:, 1] - expected[:, 0]) / np.maximum(lengths, 1)
    )


@pytest.mark.parametrize("seed", range(3))
def test_the_fast_way_agrees_with_the_obvious_one(seed: int) -> None:
    check(*pairs_of(seed))


@pytest.mark.parametrize("folding", [Folding(letters=True), Folding(letters=True, exact=True)])
def test_the_fast_way_agrees_by_letters(folding: Folding) -> None:
    check(*pairs_of(3), folding=folding)


@given(sentence, sentence)
def test_what_is_whole_is_whole_by_letters(element: str, chunk: str) -> None:
    form = normalize(element)
    assume(form and form[0].isalnum() and form[-1].isalnum())
    for more in (chunk, f"{chunk} {element} {chunk}", f"{chunk}{element}{chunk}"):
        if share(element, more) == 1.0:
            assert share(element, more, folding=Folding(letters=True)) == 1.0


@given(
    st.lists(sentence.map(normalize), min_size=1, max_size=4),
    st.lists(sentence.map(normalize), min_size=1, max_size=4),
)
def test_the_fast_way_agrees_on_drawn_texts(elements: list[str], chunks: list[str]) -> None:
    index = np.arange(len(elements) * len(chunks))
    check(elements, chunks, index // len(chunks), index % len(chunks))


@given(sentence.map(normalize), sentence.map(normalize))
def test_the_way_for_hard_pairs_agrees_with_the_obvious_one(element: str, chunk: str) -> None:
    ours, theirs = words.words_of(f"{element}\n", side=0), words.words_of(f"{chunk}\n", side=1)
    first, last, there, end = exact_run(ours, 0, theirs, 0)
    expected = best_run(read(element), read(chunk))
    if last < 0:
        assert expected == (0, 0, 0, 0)
    else:
        piece = ours.start[first], ours.end[last], theirs.start[there], theirs.end[end]
        assert piece == expected


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "_ELEMENTS", 60)
    monkeypatch.setattr(text, "_CHUNKS", 40)
    monkeypatch.setattr(runs, "_LOOKUPS", 7)
    monkeypatch.setattr(runs, "_COMMON", 3)
    check(*pairs_of(7, count=25))


def test_equal_numbers_of_unequal_words_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def words_of_few_numbers(marked: str, *, side: int, exact: bool = False) -> words.Words:
        whole = words.words_of(marked, side=side, exact=exact)
        few = whole.word >> np.uint64(62)
        couple = words._couples(whole.first, few, whole.gap, side=side)
        return replace(whole, word=few, couple=couple)

    monkeypatch.setattr(text, "words_of", words_of_few_numbers)
    check(*pairs_of(8, count=25))


def test_no_pairs_and_no_texts() -> None:
    none = np.zeros(0, dtype=np.int64)
    assert longest_pieces([], [], none, none).share.tolist() == []
    assert longest_pieces(["a"], [""], np.array([0]), np.array([0])).share.tolist() == [0.0]
    assert longest_pieces([""], ["a"], np.array([0]), np.array([0])).share.tolist() == [0.0]
