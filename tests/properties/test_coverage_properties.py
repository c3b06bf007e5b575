"""Covered, Coverage, Density against sets of characters, Ceiling against a look at each pair."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tophit

ALPHABET = "ab \n"
K = 3


@st.composite
def evidence(draw):
    """A document, items in it with their alternatives, and chunks of it in some order."""
    text = draw(st.text(ALPHABET, min_size=4, max_size=40))
    span = st.tuples(st.integers(0, len(text) - 1), st.integers(1, 12)).map(
        lambda pair: (pair[0], min(len(text), pair[0] + pair[1]))
    )
    items = draw(st.lists(st.lists(span, min_size=1, max_size=2), min_size=1, max_size=3))
    chunks = draw(st.lists(span, min_size=1, max_size=5))
    return text, items, chunks


def frames(text, items, chunks, *, with_text=True):
    rows = [
        ("q", f"e{n}", "d", start, end, text[start:end])
        for n, alternatives in enumerate(items)
        for start, end in alternatives
    ]
    names = ["query_id", "item_id", "doc_id", "start", "end", "text"]
    judged = pl.DataFrame(rows, schema=names, orient="row")
    places = [("q", f"c{n}", n, "d", *span) for n, span in enumerate(chunks, 1)]
    columns = {"query_id": pl.String, "chunk_id": pl.String, "rank": pl.Int64,
               "doc_id": pl.String, "start": pl.Int64, "end": pl.Int64}  # fmt: skip
    retrieved = pl.DataFrame(places, schema=columns, orient="row")
    return judged if with_text else judged.drop("text"), retrieved


def held(text, start, end, chunks, *, with_text):
    """The characters of a span that some chunk holds, and the blanks between two that are held.

    The edges of the span count as held: a blank beside one is no gap.
    """
    found = {place for a, b in chunks for place in range(max(a, start), min(b, end))}
    if not with_text or not found:
        return found

    def reaches(place, step):
        while start <= place < end and text[place].isspace() and place not in found:
            place += step
        return place in found or not start <= place < end

    blanks = {place for place in range(start, end) if text[place].isspace()}
    return found | {place for place in blanks if reaches(place, -1) and reaches(place, 1)}


def reference(text, items, chunks, *, with_text):
    shares, sizes = [], []
    for alternatives in items:
        parts = [
            len(held(text, a, b, chunks, with_text=with_text)) / (b - a) for a, b in alternatives
        ]
        shares.append(max(parts))
        sizes.append(max(b - a for a, b in alternatives))
    evidence = {place for options in items for a, b in options for place in range(a, b)}
    characters = [place for a, b in chunks for place in range(a, b)]
    return (
        float(any(share == 1 for share in shares)),
        sum(share * size for share, size in zip(shares, sizes, strict=True)) / sum(sizes),
        sum(place in evidence for place in characters) / len(characters) if characters else 0.0,
    )


@pytest.mark.parametrize("with_text", [True, False])
@given(case=evidence())
def test_spans_against_sets_of_characters(case, with_text):
    text, items, chunks = case
    judged, retrieved = frames(text, items, chunks, with_text=with_text)
    measures = f"Covered@{K} Coverage@{K} Density@{K} Hit@{K}"
    result = tophit.evaluate(judged, retrieved, measures=measures, match="spans")
    covered, coverage, density = reference(text, items, chunks[:K], with_text=with_text)
    found = [result[name].value for name in measures.split()]
    assert found[:3] == pytest.approx([covered, coverage, density])
    assert found[0] >= found[3]


@given(case=evidence())
def test_more_places_never_cover_less(case):
    judged, retrieved = frames(*case)
    measures = [f"{name}@{k}" for name in ("Covered", "Coverage") for k in range(1, 6)]
    result = tophit.evaluate(judged, retrieved, measures=measures, match="spans")
    values = [result[name].value for name in measures]
    assert values[:5] == sorted(values[:5])
    assert values[5:] == pytest.approx(sorted(values[5:]))
    assert all(0 <= value <= 1 + 1e-12 for value in values)


@given(case=evidence())
def test_the_ceiling_of_spans_against_each_pair(case):
    text, items, chunks = case
    judged, retrieved = frames(text, items, chunks)
    index = retrieved.select("chunk_id", "doc_id", "start", "end")
    result = tophit.evaluate(
        judged, retrieved, measures="Ceiling Hit@9", match="spans", chunks=index
    )
    expected = any(a <= s and e <= b for options in items for s, e in options for a, b in chunks)
    assert result["Ceiling"].value == expected == result["Hit@9"].value


# ------------------------------------------------------------------------------ text


@st.composite
def split_documents(draw):
    """A document of different words, cut into chunks, and an element of whole words of it."""
    words = [f"w{n}x{n * 7}" for n in range(draw(st.integers(3, 14)))]
    gaps = draw(
        st.lists(st.sampled_from([" ", "\n", "  "]), min_size=len(words), max_size=len(words))
    )
    text = "".join(word + gap for word, gap in zip(words, gaps, strict=True)).strip()
    first = draw(st.integers(0, len(words) - 1))
    last = draw(st.integers(first, len(words) - 1))
    start = text.index(words[first])
    end = text.index(words[last]) + len(words[last])
    anywhere = draw(st.booleans())
    places = range(1, len(text)) if anywhere else [n for n, c in enumerate(text) if c.isspace()]
    cuts = sorted(draw(st.sets(st.sampled_from(list(places)), max_size=5))) if places else []
    bounds = list(zip([0, *cuts], [*cuts, len(text)], strict=True))
    order = draw(st.permutations(bounds))
    return text, (start, end), order, anywhere


def trimmed(text, start, end):
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


@given(case=split_documents())
def test_text_finds_the_pieces_that_spans_have(case):
    text, (start, end), order, inside_words = case
    chunks = [span for span in (trimmed(text, *bounds) for bounds in order) if span[0] < span[1]]
    judged, retrieved = frames(text, [[(start, end)]], chunks)
    retrieved = retrieved.with_columns(text=pl.Series([text[a:b] for a, b in chunks]))
    measures = f"Covered@{K} Coverage@{K} Hit@{K} Partial@{K}"
    by_text, by_spans = (
        tophit.evaluate(judged, retrieved, measures=measures, match=match)
        for match in ("text", "spans")
    )
    for name in measures.split():
        if not inside_words and name != f"Coverage@{K}":
            assert by_text[name].value == by_spans[name].value, name
        elif name != f"Coverage@{K}":
            assert by_text[name].value <= by_spans[name].value, name
    assert by_text[f"Covered@{K}"].value >= by_text[f"Hit@{K}"].value
    assert 0 <= by_text[f"Coverage@{K}"].value <= 1


WORDS = st.sampled_from(
    [
        "cat",
        "red cat",
        "concatenate",
        "well-\nknown",
        "well-known",
        "pre- and post",
        "4",
        "2024",
        "ﬁne",
        "fine",
        "3.1",
        "3.14",
        "a",
        "北京",
        "京都",
    ]
)


@given(
    elements=st.lists(
        st.lists(WORDS, min_size=1, max_size=3).map(" ".join), min_size=1, max_size=6
    ),
    texts=st.lists(st.lists(WORDS, min_size=1, max_size=8).map(" ".join), min_size=1, max_size=8),
)
def test_the_ceiling_of_texts_is_the_hit_over_all_of_them(elements, texts):
    judged = pl.DataFrame(
        {
            "query_id": [f"q{n}" for n in range(len(elements))],
            "item_id": ["e"] * len(elements),
            "text": elements,
        }
    )
    index = pl.DataFrame({"chunk_id": [f"c{n}" for n in range(len(texts))], "text": texts})
    everything = judged.select("query_id").join(index.with_row_index("rank", offset=1), how="cross")
    result = tophit.evaluate(judged, everything, measures=f"Hit@{len(texts)} Ceiling", chunks=index)
    hits = result.scores.sort("query_id")
    assert hits[f"Hit@{len(texts)}"].to_list() == hits["Ceiling"].to_list()
