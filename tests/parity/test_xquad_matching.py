"""The fast way beside the obvious one on real text in four languages."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

from matching_reference import best_piece, cuts
from tophit.matching.text.hits import longest_pieces
from tophit.matching.text.normalize import normalize
from tophit.matching.text.segmentation import codes_of, cuts_of

LANGUAGES = ("en", "zh", "de", "hi")
PAIRS = 600


def paragraphs(shared_data: Path, language: str) -> list[tuple[str, list[str]]]:
    file = shared_data / "xquad" / f"xquad.{language}.json"
    return [
        (
            paragraph["context"],
            [answer["text"] for qa in paragraph["qas"] for answer in qa["answers"]],
        )
        for article in json.loads(file.read_text(encoding="utf-8"))["data"]
        for paragraph in article["paragraphs"]
    ]


def drawn_pairs(found: list[tuple[str, list[str]]]) -> list[tuple[str, str]]:
    """Answers and parts of paragraphs as elements; windows that hold them, cut them or do not."""
    source = random.Random(2)
    pairs = []
    for _ in range(PAIRS):
        context, answers = source.choice(found)
        other = source.choice(found)[0]
        begin = source.randrange(len(context))
        part = context[begin : begin + source.randint(20, 120)]
        element = source.choice([source.choice(answers), part])
        at = max(0, context.find(element) - source.randint(-40, 80))
        window = source.choice([context, other])[at : at + source.randint(40, 300)]
        pairs.append((normalize(element), normalize(window)))
    return pairs


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_fast_way_agrees_with_the_obvious_one(shared_data: Path, language: str) -> None:
    pairs = drawn_pairs(paragraphs(shared_data, language))
    index = np.arange(len(pairs))
    elements, chunks = map(list, zip(*pairs, strict=True))
    found = longest_pieces(elements, chunks, index, index)
    columns = (found.element_start, found.element_end, found.chunk_start, found.chunk_end)
    expected = [best_piece(element, chunk) for element, chunk in pairs]
    np.testing.assert_array_equal(np.stack(columns, axis=1), expected)
    partial = (found.share > 0) & (found.share < 1)
    assert (found.share == 1).sum() > 30
    assert partial.sum() > 100


# The answers that do not stand whole in their paragraph: they cut a number, or end inside a word.
CUT: dict[str, set[str]] = {
    "en": {"7,000,000 square kilometres (2,70"},
    "de": {"Manning"},  # Mannings
    "zh": set(),
    "hi": {
        *("19.3%", "7,000,000 वर्ग किलोमीटर (2,70"),  # 119.3%
        *("1850 के बाद", "बर्ट बोलिन", "काउंटियों या पॉविएट्स", "चार  पब्लिक चार्टर स्कूल"),  # a lost blank
    },
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_answer_stands_in_its_paragraph(shared_data: Path, language: str) -> None:
    found = paragraphs(shared_data, language)
    rows = [(answer, number) for number, (_, answers) in enumerate(found) for answer in answers]
    contexts = [context for context, _ in found]
    elements, chunk = map(list, zip(*rows, strict=True))
    pieces = longest_pieces(elements, contexts, np.arange(len(rows)), np.array(chunk))
    assert {elements[row] for row in np.flatnonzero(pieces.share < 1)} == CUT[language]


@pytest.mark.parametrize("language", LANGUAGES)
def test_segments_are_those_of_unicode(shared_data: Path, language: str) -> None:
    for context, _ in paragraphs(shared_data, language):
        assert np.flatnonzero(cuts_of(codes_of(context)).starts).tolist() == cuts(context)[:-1]
