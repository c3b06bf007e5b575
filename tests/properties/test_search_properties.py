"""The search over a whole index against a look at every pair."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tophit.matching.text import search
from tophit.matching.text.hits import longest_pieces
from tophit.matching.text.search import Corpus

# Short words make chance matches, the long one windows of every size, the others line ends, words
# inside words, scripts without blanks and characters beyond 16 bits.
WORDS = ["a", "b", "ab", "aba", "long-word-of-many-parts", "well-\nknown", "well-known", "é",
         "北京", "京", "😀", "1", "1.5", " "]  # fmt: skip
TEXTS = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)
PROSE = "It was the best of times, it was the worst of times, it was the age of wisdom. " * 2


def shares(elements, texts):
    element, text = (index.ravel() for index in np.indices((len(elements), len(texts))))
    return longest_pieces(elements, texts, element, text).share.reshape(len(elements), len(texts))


@pytest.mark.parametrize("block", [1, 7, 1 << 20])
@given(elements=st.lists(TEXTS, min_size=1, max_size=5), texts=st.lists(TEXTS, max_size=6))
def test_the_first_text_that_holds_an_element(monkeypatch, block, elements, texts):
    monkeypatch.setattr(search, "_BLOCK", block)
    found = Corpus(texts=texts).first_whole(elements)
    every = shares(elements, texts)
    expected = [np.flatnonzero(row >= 1)[:1].tolist() or [-1] for row in every]
    assert found.tolist() == [first for (first,) in expected]


@given(
    cuts=st.sets(st.integers(1, len(PROSE) - 1), max_size=6),
    span=st.tuples(st.integers(0, 20), st.integers(4, 24)),
)
def test_the_text_that_holds_most_of_an_element(cuts, span):
    words = PROSE.split()
    element = " ".join(words[span[0] : span[0] + span[1]])
    bounds = [0, *sorted(cuts), len(PROSE)]
    texts = [PROSE[a:b] for a, b in itertools.pairwise(bounds)]
    best, share = Corpus(texts=texts).best_parts([element])
    every = shares([element], texts)[0]
    # samples of eight characters find every part that is long enough to hold one
    if every.max() * len(element) >= 24:
        assert share[0] == every.max()
        assert every[best[0]] == every.max()
    else:
        assert share[0] <= every.max()


def test_counts_are_those_of_plain_text():
    corpus = Corpus(texts=["cat cat", "concatenate", "dog", ""])
    found = corpus.candidates(["cat", "dog", "cat cat", ""])
    rows = zip(found.element.tolist(), found.text.tolist(), found.count.tolist(), strict=True)
    assert list(rows) == [(0, 0, 2), (0, 1, 1), (1, 2, 1), (2, 0, 1)]


def test_nothing_to_search():
    assert Corpus(texts=[]).first_whole(["a"]).tolist() == [-1]
    assert Corpus(texts=["a"]).first_whole([]).tolist() == []
    best, share = Corpus(texts=["a"]).best_parts(["", "zzz"])
    assert (best.tolist(), share.tolist()) == ([-1, -1], [0.0, 0.0])
