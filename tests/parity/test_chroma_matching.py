"""Matching on real passages: 790 of them in five corpora, cut by Spring AI's splitter.

By white space alone folded, 637, 769, 779 and 784 of the 790 stand whole in a chunk of 100, 200,
400 and 800 tokens: the same here. Eight labels begin in the middle of a word ("sor, on my first
day" for "predecessor, ..."); they are long, so that they are whole all the same. Offsets agree
wherever a passage occurs once.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import narwhals as nw
import numpy as np
import polars as pl
import pytest

from matching_reference import best_piece, cuts, read
from tophit.matching.spans import span_hits
from tophit.matching.text.hits import longest_pieces
from tophit.matching.text.normalize import normalize
from tophit.matching.text.segmentation import codes_of, cuts_of
from tophit.splitting import split

WHOLE = {100: 637, 200: 769, 400: 779, 800: 784}


@dataclass(frozen=True)
class Chroma:
    documents: dict[str, str]
    passages: list[str]
    doc: list[str]
    start: list[int]
    end: list[int]

    def inside_a_word(self) -> set[int]:
        """The passages whose label begins or ends inside a word of the document."""
        # The chat logs hold line breaks as a backslash and n, which are white space.
        documents = {name: text.replace("\\n", "  ") for name, text in self.documents.items()}
        texts = {name: read(text) for name, text in documents.items()}
        places = {
            name: {0, len(text.plain)}
            | {word.start for word in text.words if word.boundary}
            | {word.end for number, word in enumerate(text.words) if text.boundary(number + 1)}
            | {at for at, char in enumerate(text.plain) if char.isspace()}
            for name, text in texts.items()
        }
        return {
            number
            for number, doc in enumerate(self.doc)
            if not {self.start[number], self.end[number]} <= places[doc]
        }

    def occurs_once(self) -> set[int]:
        folded = {name: " ".join(text.split()) for name, text in self.documents.items()}
        return {
            number
            for number, passage in enumerate(self.passages)
            if folded[self.doc[number]].count(" ".join(passage.split())) == 1
        }


@pytest.fixture(scope="module")
def chroma(shared_data: Path) -> Chroma:
    folder = shared_data / "chroma"
    documents = {
        path.stem: path.read_bytes().decode("utf-8")
        for path in sorted((folder / "corpora").glob("*.md"))
    }
    rows = [
        (reference["content"], doc, reference["start_index"], reference["end_index"])
        for references, doc in pl.read_csv(folder / "questions_df.csv")
        .select("references", "corpus_id")
        .iter_rows()
        for reference in json.loads(references)
    ]
    passages, docs, starts, ends = (list(column) for column in zip(*rows, strict=True))
    return Chroma(documents, passages, docs, starts, ends)


def whole_by_text(chroma: Chroma, chunks: pl.DataFrame) -> set[int]:
    # Only where the normalised passage stands in the normalised chunk can it be whole.
    by_doc = {
        str(doc): [(number, normalize(text)) for number, text in rows.select("row", "text").rows()]
        for (doc,), rows in chunks.with_row_index("row").group_by("doc_id")
    }
    pairs = [
        (number, row)
        for number, passage in enumerate(map(normalize, chroma.passages))
        for row, text in by_doc[chroma.doc[number]]
        if passage in text
    ]
    element, chunk = np.array(pairs).T
    found = longest_pieces(chroma.passages, chunks["text"].to_list(), element, chunk)
    return set(element[found.share == 1].tolist())


def whole_by_spans(chroma: Chroma, chunks: pl.DataFrame) -> set[int]:
    # Chunks are trimmed, so a blank at the edge of a label is none of the passage.
    texts = chroma.passages
    judged = pl.DataFrame(
        {
            "query_id": chroma.doc,
            "item_id": [str(number) for number in range(len(texts))],
            "grade": 1.0,
            "doc_id": chroma.doc,
            "start": [
                s + len(t) - len(t.lstrip()) for s, t in zip(chroma.start, texts, strict=True)
            ],
            "end": [e - len(t) + len(t.rstrip()) for e, t in zip(chroma.end, texts, strict=True)],
        }
    )
    run = chunks.with_columns(query_id="doc_id", rank=pl.int_range(1, pl.len() + 1))
    hits = span_hits(nw.from_native(judged.lazy()), nw.from_native(run.lazy())).collect()
    return {int(item) for item in hits.filter(nw.col("share") == 1)["item_id"]}


def test_eight_labels_begin_inside_a_word(chroma: Chroma) -> None:
    assert len(chroma.passages) == 790
    assert chroma.inside_a_word() == {22, 40, 69, 88, 90, 713, 765, 782}


@pytest.mark.parametrize("size", WHOLE)
def test_whole_passages_at_each_chunk_size(chroma: Chroma, size: int) -> None:
    chunks = split(chroma.documents, splitter="spring-ai", size=size)
    by_text = whole_by_text(chroma, chunks)
    texts = [(doc, " ".join(text.split())) for doc, text in chunks.select("doc_id", "text").rows()]
    folded = {
        number
        for number, passage in enumerate(chroma.passages)
        if any(
            " ".join(passage.split()) in text for doc, text in texts if doc == chroma.doc[number]
        )
    }
    assert len(by_text) == WHOLE[size]
    assert by_text == folded
    by_spans = whole_by_spans(chroma, chunks)
    assert not (by_text ^ by_spans) & chroma.occurs_once()
    assert by_spans <= by_text


def test_the_fast_way_agrees_on_passages_and_chunks(chroma: Chroma) -> None:
    chunks = split(chroma.documents, splitter="spring-ai", size=200)
    generator = np.random.default_rng(4)
    element = generator.integers(0, len(chroma.passages), 400)
    chunk = generator.integers(0, chunks.height, 400)
    holds = chunks.with_row_index("row").select("doc_id", "start", "end", "row").rows()
    near = [
        next(row for doc, _, end, row in holds if doc == chroma.doc[e] and end > chroma.start[e])
        for e in element[:200].tolist()
    ]
    chunk[:200] = near
    texts = chunks["text"].to_list()
    found = longest_pieces(chroma.passages, texts, element, chunk)
    expected = [
        best_piece(normalize(chroma.passages[e]), normalize(texts[c]))
        for e, c in zip(element.tolist(), chunk.tolist(), strict=True)
    ]
    columns = (found.element_start, found.element_end, found.chunk_start, found.chunk_end)
    np.testing.assert_array_equal(np.stack(columns, axis=1), expected)
    assert (found.share[:200] == 1).sum() > 100
    assert (found.share[200:] < 0.5).all()


def test_segments_of_whole_corpora_are_those_of_unicode(chroma: Chroma) -> None:
    for text in chroma.documents.values():
        assert np.flatnonzero(cuts_of(codes_of(text)).starts).tolist() == cuts(text)[:-1]
