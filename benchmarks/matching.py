"""The time of matching beside other ways to decide whether a chunk holds a passage.

    python benchmarks/matching.py [--data FOLDER] [--part text] [--part million] [--part spans]

text     790 passages of Chroma's chunking evaluation, each with the first 20 chunks of its question
         (recursive splitter, 800 tokens, BM25): 15,800 pairs, every way on the same ones
million  50,000 elements with 20 of 100,000 chunks each, in a process of its own, with its memory
spans    10 million retrieved places and a million items with offsets, on Polars and on DuckDB,
         beside range scoring in plain Python as chunking_evaluation does it, on fewer rows

Prints Markdown tables: the best of `--repeat` runs, and the ratio to tophit. RapidFuzz and DuckDB
are optional and named when they are skipped. Everything but the BM25 run is inside the time:
normalising, splitting into words, matching.
"""

from __future__ import annotations

import argparse
import difflib
import importlib.util
import json
import multiprocessing
import resource
import time
import unicodedata
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
import polars as pl
import regex

from tophit.matching.spans import span_hits
from tophit.matching.text.hits import longest_pieces
from tophit.retrieval import retrieve
from tophit.splitting import split

PARTS = ("text", "million", "spans")
DATA = Path(__file__).parents[2] / "shared" / "data"


class Pairs(NamedTuple):
    elements: list[str]
    chunks: list[str]
    element: np.ndarray
    chunk: np.ndarray

    def rows(self) -> Iterator[tuple[int, int]]:
        return zip(self.element.tolist(), self.chunk.tolist(), strict=True)


class Row(NamedTuple):
    name: str
    seconds: float
    note: str = ""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA, help="the folder that holds chroma/")
    parser.add_argument("--part", action="append", choices=PARTS, help="all of them by default")
    parser.add_argument("--repeat", type=int, default=5, help="runs, of which the best counts")
    parser.add_argument("--places", type=int, default=10_000_000, help="rows of the part spans")
    chosen = parser.parse_args()
    parts = chosen.part or PARTS
    if "text" in parts:
        text_part(chosen.data / "chroma", repeat=chosen.repeat)
    if "million" in parts:
        million_part(chosen.data / "chroma")
    if "spans" in parts:
        spans_part(chosen.places)


def show(title: str, rows: list[Row]) -> None:
    print(f"\n### {title}\n\n| | seconds | times tophit's | |\n| --- | --- | --- | --- |")
    for row in rows:
        print(
            f"| {row.name} | {row.seconds:.3f} | {row.seconds / rows[0].seconds:.1f} | {row.note} |"
        )


def best(work: Callable[[], Any], repeat: int) -> tuple[float, Any]:
    times = []
    for _ in range(repeat):
        began = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - began)
    return min(times), result


# ------------------------------------------------------------------------------ text


def documents(folder: Path) -> dict[str, str]:
    files = sorted((folder / "corpora").glob("*.md"))
    return {file.stem: file.read_bytes().decode("utf-8") for file in files}


def chroma_pairs(folder: Path) -> Pairs:
    chunks = split(documents(folder), splitter="recursive", size=800)
    table = pl.read_csv(folder / "questions_df.csv")
    questions = {str(row): text for row, text in enumerate(table["question"])}
    run = retrieve(chunks, questions, retriever="bm25", depth=20).retrieved
    row_of = {chunk: row for row, chunk in enumerate(chunks["chunk_id"])}
    found = {
        query: [row_of[chunk] for chunk in rows["chunk_id"]]
        for (query,), rows in run.group_by("query_id")
    }
    elements, element, chunk = [], [], []
    for row, references in enumerate(table["references"]):
        for reference in json.loads(references):
            places = found[str(row)]
            element += [len(elements)] * len(places)
            chunk += places
            elements.append(reference["content"])
    return Pairs(elements, chunks["text"].to_list(), np.array(element), np.array(chunk))


def text_part(folder: Path, *, repeat: int) -> None:
    pairs = chroma_pairs(folder)

    def ours() -> int:
        pieces = longest_pieces(pairs.elements, pairs.chunks, pairs.element, pairs.chunk)
        return int((pieces.share == 1).sum())

    ways: list[tuple[str, Callable[[], int]]] = [
        ("tophit: whole, share and place", ours),
        ("difflib: substring, then the longest run of words", lambda: by_difflib(pairs)),
        ("difflib, what it knows of an element kept", lambda: by_kept_difflib(pairs)),
        ("DPR's has_answers: token by token, whole only", lambda: by_tokens(pairs)),
    ]
    if importlib.util.find_spec("rapidfuzz"):
        ways.append(
            ("RapidFuzz partial_ratio: similarity of characters", lambda: by_rapidfuzz(pairs))
        )
    else:
        print("(RapidFuzz is not installed: skipped)")
    rows = []
    for name, way in ways:
        seconds, whole = best(way, repeat)
        rows.append(Row(name, seconds, f"{whole:,} whole"))
    show(f"Text: {len(pairs.element):,} pairs of {len(pairs.elements)} passages and "
         f"{len(pairs.chunks)} chunks", rows)  # fmt: skip


def folded(texts: list[str]) -> list[str]:
    return [" ".join(text.split()) for text in texts]


def by_difflib(pairs: Pairs) -> int:
    elements, chunks = folded(pairs.elements), folded(pairs.chunks)
    element_words, chunk_words = [e.split() for e in elements], [c.split() for c in chunks]
    whole = 0
    for element, chunk in pairs.rows():
        if elements[element] in chunks[chunk]:
            whole += 1
            continue
        matcher = difflib.SequenceMatcher(None, chunk_words[chunk], element_words[element], False)
        matcher.find_longest_match()
    return whole


def by_kept_difflib(pairs: Pairs) -> int:
    elements, chunks = folded(pairs.elements), folded(pairs.chunks)
    chunk_words = [chunk.split() for chunk in chunks]
    matcher = difflib.SequenceMatcher(None, autojunk=False)
    whole = 0
    for element, rows in groupby(pairs.rows(), key=lambda row: row[0]):
        matcher.set_seq2(elements[element].split())
        for _, chunk in rows:
            if elements[element] in chunks[chunk]:
                whole += 1
                continue
            matcher.set_seq1(chunk_words[chunk])
            matcher.find_longest_match()
    return whole


def by_tokens(pairs: Pairs) -> int:
    token = regex.compile(r"[\p{L}\p{N}\p{M}]+|[^\p{Z}\p{C}]")

    def tokens(text: str) -> list[str]:
        return token.findall(unicodedata.normalize("NFD", text).lower())

    elements, chunks = list(map(tokens, pairs.elements)), list(map(tokens, pairs.chunks))
    return sum(holds(chunks[chunk], elements[element]) for element, chunk in pairs.rows())


def holds(words: list[str], wanted: list[str]) -> bool:
    size = len(wanted)
    return any(words[at : at + size] == wanted for at in range(len(words) - size + 1))


def by_rapidfuzz(pairs: Pairs) -> int:
    from rapidfuzz.fuzz import partial_ratio

    elements, chunks = folded(pairs.elements), folded(pairs.chunks)
    return sum(
        partial_ratio(elements[element], chunks[chunk]) == 100 for element, chunk in pairs.rows()
    )


# ------------------------------------------------------------------------------ a million pairs


def million_pairs(folder: Path) -> Pairs:
    text = "\n".join(documents(folder).values())
    rng = np.random.default_rng(1)
    starts = rng.integers(0, len(text) - 3500, 100_000)
    begins = rng.integers(0, len(text) - 200, 50_000)
    chunks = [text[start : start + 3400] for start in starts.tolist()]
    elements = [text[begin : begin + 150] for begin in begins.tolist()]
    return Pairs(
        elements, chunks, np.repeat(np.arange(50_000), 20), rng.integers(0, 100_000, 1_000_000)
    )


def million_in_process(folder: Path) -> tuple[float, float, float, float]:
    pairs = million_pairs(folder)
    characters = sum(map(len, pairs.chunks)) + sum(map(len, pairs.elements))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    began = time.perf_counter()
    longest_pieces(pairs.elements, pairs.chunks, pairs.element, pairs.chunk)
    seconds = time.perf_counter() - began
    return seconds, before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, characters


def million_part(folder: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        seconds, before, after, characters = pool.apply(million_in_process, (folder,))
    print("\n### A million pairs\n\n| | |\n| --- | --- |")
    print(f"| seconds | {seconds:.1f} |")
    print(f"| characters of text | {characters / 1e6:,.0f} million |")
    print(f"| highest memory before, with these texts | {before:,.0f} MB |")
    print(f"| highest memory in all | {after:,.0f} MB |")


# ------------------------------------------------------------------------------ spans


def span_frames(places: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    rng = np.random.default_rng(2)
    queries = max(1, places // 10)
    ids = pl.Series("query_id", [f"q{n}" for n in range(queries)])
    documents = pl.Series("doc_id", [f"document-{n}.md" for n in range(1000)])
    wanted = rng.integers(0, 1000, queries)
    start = rng.integers(0, 50_000, queries)
    judgments = pl.DataFrame({
        "query_id": ids, "item_id": "e1", "grade": 1.0, "doc_id": documents[wanted],
        "start": start, "end": start + rng.integers(20, 700, queries),
    })  # fmt: skip
    query = np.repeat(np.arange(queries), 10)
    # Half of the places lie in the right document, near the item.
    near = rng.random(len(query)) < 0.5
    doc = np.where(near, wanted[query], rng.integers(0, 1000, len(query)))
    begin = np.maximum(0, start[query] + rng.integers(-4000, 1000, len(query)))
    retrieved = pl.DataFrame({
        "query_id": ids[query], "chunk_id": pl.Series(query).cast(pl.String),
        "rank": np.tile(np.arange(1, 11), queries), "doc_id": documents[doc],
        "start": begin, "end": begin + rng.integers(500, 3500, len(query)),
    })  # fmt: skip
    return judgments, retrieved


def spans_part(places: int) -> None:
    judgments, retrieved = span_frames(places)
    rows = []

    def on(frames: list[Any]) -> Callable[[], int]:
        return lambda: len(span_hits(*(nw.from_native(frame).lazy() for frame in frames)).collect())

    seconds, hits = best(on([judgments, retrieved]), 2)
    rows.append(Row("tophit on Polars", seconds, f"{hits:,} hits"))
    if importlib.util.find_spec("duckdb"):
        import duckdb

        connection = duckdb.connect()
        tables = {"judgments": judgments.to_arrow(), "retrieved": retrieved.to_arrow()}
        for name, table in tables.items():
            connection.register(f"{name}_given", table)
            connection.execute(f"CREATE TABLE {name} AS SELECT * FROM {name}_given")
        seconds, hits = best(on([connection.table(name) for name in tables]), 2)
        rows.append(Row("tophit on DuckDB", seconds, f"{hits:,} hits"))
    else:
        print("(DuckDB is not installed: skipped)")
    fewer = min(places, 200_000)
    parts = judgments.head(fewer // 10).to_dicts(), retrieved.head(fewer).to_dicts()
    seconds, hits = best(lambda: by_ranges(*parts), 2)
    factor = places / fewer
    rows.append(Row(f"range scoring in Python, {fewer:,} rows x {factor:.0f}", seconds * factor,
                    f"{hits:,} hits in these"))  # fmt: skip
    show(f"Spans: {places:,} places, {len(judgments):,} items", rows)


def by_ranges(judgments: list[dict[str, Any]], retrieved: list[dict[str, Any]]) -> int:
    """For each question the part of each passage that each chunk of its list covers."""
    lists: dict[str, list[dict[str, Any]]] = {}
    for place in retrieved:
        lists.setdefault(place["query_id"], []).append(place)
    hits = 0
    for item in judgments:
        for place in lists.get(item["query_id"], []):
            if place["doc_id"] != item["doc_id"]:
                continue
            first, last = max(place["start"], item["start"]), min(place["end"], item["end"])
            if first < last:
                hits += 1
    return hits


if __name__ == "__main__":
    main()
