"""A token budget is a cutoff: what n places fit into measures as the first n places do."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tophit
from tophit.measures import MEASURES

CUT = [name for name, definition in MEASURES.items() if definition.cutoff != "none"]
VARIANTS = [*CUT, "nDCG(gain=exp)", "ERR(max=1)", "ERR(max=30)", "RBP(p=0.1)", "Partial(share=0.2)"]
WORDS = ("red", "cat", "sat", "mat", "on", "a")
SIZE = 10  # of a chunk by spans, in characters


@st.composite
def rankings(draw):
    """Places of one question, as what stands in each and its tokens; items; and a budget."""
    places = draw(
        st.lists(
            st.tuples(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5), st.integers(0, 9)),
            min_size=1, max_size=6,
        )
    )  # fmt: skip
    gaps = draw(st.lists(st.sampled_from([1, 1, 1, 2]), min_size=len(places), max_size=len(places)))
    item = st.tuples(st.sampled_from(WORDS), st.sampled_from([0.0, 1.0, 2.0, 3.0]))
    items = draw(st.lists(item, min_size=1, max_size=5, unique_by=lambda pair: pair[0]))
    return places, gaps, items, draw(st.integers(1, 40))


def by_text(places, items):
    judged = {"text": [word for word, _ in items]}
    return judged, {"text": [" ".join(words) for words, _ in places]}


def by_spans(places, items):
    """The words are places of one document; a chunk is the stretch over those that it has."""
    at = {word: SIZE * number for number, word in enumerate(WORDS)}
    spans = [[at[word] for word in words] for words, _ in places]
    judged = {
        "doc_id": ["d"] * len(items),
        "start": [at[word] for word, _ in items],
        "end": [at[word] + SIZE - 1 for word, _ in items],
    }
    retrieved = {
        "doc_id": ["d"] * len(places),
        "start": [min(span) for span in spans],
        "end": [max(span) + SIZE // 2 for span in spans],
    }
    return judged, retrieved


def by_ids(places, items):
    """A place holds the first of its words."""
    return {"chunk_id": [word for word, _ in items]}, {}


@settings(max_examples=25)  # each is some 40 measures
@pytest.mark.parametrize("make", [by_text, by_spans, by_ids])
@given(case=rankings())
def test_a_budget_that_n_places_fit_is_the_cutoff_n(make, case):
    places, gaps, items, budget = case
    judged, retrieved = make(places, items)
    ranks = pl.Series(gaps).cum_sum().to_list()
    ids = [words[0] for words, _ in places] if make is by_ids else [f"c{rank}" for rank in ranks]
    tokens = [count for _, count in places]
    questions = pl.DataFrame(
        {"query_id": "q", "item_id": [word for word, _ in items],
         "grade": [grade for _, grade in items], **judged}
    )  # fmt: skip
    run = pl.DataFrame(
        {"query_id": "q", "chunk_id": ids, "rank": ranks, "tokens": tokens, **retrieved}
    )
    through = pl.Series(tokens).cum_sum().to_list()
    last = max(
        (rank for rank, sum_ in zip(ranks, through, strict=True) if sum_ <= budget), default=0
    )
    names = [n for n in VARIANTS if make is not by_ids or MEASURES[n.split("(")[0]].reads == "hits"]
    cuts = [f"{budget}tok", *([str(last)] if last else [])]
    match = make.__name__.removeprefix("by_")
    found = tophit.evaluate(
        questions, run, measures=[f"{name}@{cut}" for name in names for cut in cuts], match=match
    )
    for name in names:
        value = found[f"{name}@{budget}tok"].value
        expected = found[f"{name}@{last}"].value if last else 0.0
        assert value == pytest.approx(expected, abs=1e-12), name
        assert value <= 1, name
