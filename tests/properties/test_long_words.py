"""Words of 63 characters and more (URLs, hashes) are counted together and found all the same."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest

import tophit
from matching_reference import best_run, read
from tophit.matching.text.common_words import longest_runs
from tophit.matching.text.words import words_of

SIZES = (1, 2, 61, 62, 63, 64, 65, 130)


def hash_of(size: int, letter: str) -> str:
    return letter * size


@pytest.mark.parametrize("run", SIZES[2:])
def test_the_longer_of_a_run_and_a_long_word_is_found(run):
    """The element holds a run of two words and a single word; the chunk holds both apart."""
    pairs = []
    for size, letter in itertools.product(SIZES, "xy"):
        single, couple = hash_of(size, letter), f"{hash_of(run - 2, 'a')} b"
        pairs += [(f"{couple} q {single}", f"{single} z {couple}")]
        pairs += [(f"{single} q {couple}", f"{couple} z {single}")]
    # all at once, so that the words of one element stand beside those of the next
    elements = words_of("".join(f"{element}\n" for element, _ in pairs), side=0)
    chunks = words_of("".join(f"{chunk}\n" for _, chunk in pairs), side=1)
    index = np.arange(len(pairs))
    found = longest_runs(elements, chunks, index, index).T.tolist()
    assert [tuple(row) for row in found] == [best_run(*map(read, pair)) for pair in pairs]


@pytest.mark.parametrize("size", SIZES[2:])
def test_a_long_word_is_whole_alone_and_not_inside_another(size):
    word = hash_of(size, "f")
    asked = pl.DataFrame({"query_id": ["q"], "item_id": ["e"], "text": [word]})
    for shown, hit in ((word, 1.0), (f"{word}f", 0.0)):
        run = {"q": [{"chunk_id": "c", "text": f"see {shown} there"}]}
        assert tophit.evaluate(asked, run, measures="Hit@1")["Hit@1"].value == hit
