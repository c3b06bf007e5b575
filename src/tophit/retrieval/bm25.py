"""BM25 on Tantivy: an index on disk, and questions as plain words.

A question never meets Tantivy's query parser: its words become term queries, so `AND`, quotes,
colons and stars mean nothing. Chunks are indexed by descending id, and ties in score go to the
higher id, as in `ranking`, so that the same chunks and questions give the same run.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from tophit.errors import OutputError, UsageError, import_extra, unknown
from tophit.formats.writing.folders import whole_folder
from tophit.relations import CHUNK, TEXT
from tophit.retrieval.places import Place
from tophit.retrieval.words import words

LANGUAGES = (
    "none", "arabic", "danish", "dutch", "english", "finnish", "french", "german", "greek",
    "hungarian", "italian", "norwegian", "portuguese", "romanian", "russian", "spanish", "swedish",
    "tamil", "turkish",
)  # fmt: skip
_ANALYSIS = 1  # raise it when `words` changes: an index that was kept is then built anew
_MARKER = "tophit-index.json"
_HEAP_BYTES = 128_000_000
_WORDS, _ROW = "words", "row"


def search(
    chunks: pl.DataFrame,
    questions: list[str],
    *,
    depth: int,
    index_dir: Path | None = None,
    language: str = "english",
) -> Iterator[list[Place]]:
    """The `depth` chunks of highest BM25 score for each question; only those that share a word.

    `language` stems words as that language does (Snowball), or "none". English is the default
    since it measured no worse than none on English, German, Hindi and Chinese alike.
    `index_dir` keeps the index; one that is there for the same chunks and language is used again.
    Errors: `UsageError` for an unknown language, or a folder that holds something else;
    `OutputError` when the index cannot be written; `MissingExtraError` without Tantivy.

    >>> chunks = pl.DataFrame({"chunk_id": ["a", "b"], "text": ["late fees", "no fee, no fuss"]})
    >>> for places in search(chunks, ["What is a fee?", "?!"], depth=4):
    ...     print([(place.id, round(place.score, 3)) for place in places])
    [('a', 0.211), ('b', 0.16)]
    []
    """
    if language not in LANGUAGES:
        raise unknown("language", language, LANGUAGES)
    ordered = chunks.select(CHUNK, TEXT).sort(CHUNK, descending=True)
    return _search(ordered, questions, depth, index_dir, language)


def _search(
    chunks: pl.DataFrame, questions: list[str], depth: int, index_dir: Path | None, language: str
) -> Iterator[list[Place]]:
    ids: list[str] = chunks[CHUNK].to_list()
    with _folder(chunks, index_dir, language) as folder:
        index = _Index(folder, language)
        for question in questions:
            yield [Place(ids[row], score) for row, score in index.top(question, depth)]


class _Index:
    """An index that is complete, open for searching."""

    def __init__(self, folder: Path, language: str) -> None:
        self._tantivy = _tantivy()
        index = self._tantivy.Index.open(str(folder))
        self._analyzer = _analyzer(self._tantivy, language)
        self._schema = index.schema
        self._searcher = index.searcher()

    def top(self, question: str, depth: int) -> list[tuple[int, float]]:
        """Rows of the best chunks and their scores; equal scores in the order of the rows."""
        query = self._query(question)
        if query is None:
            return []
        limit = depth + 1
        while True:
            hits = self._searcher.search(query, limit=limit, count=False).hits
            # A tie across the cutoff is settled among all that share the score.
            if len(hits) < limit or hits[depth - 1][0] != hits[-1][0]:
                break
            limit *= 2
        found = [
            (self._searcher.doc(address).get_first(_ROW), float(score)) for score, address in hits
        ]
        return sorted(found, key=lambda hit: (-hit[1], hit[0]))[:depth]

    def _query(self, question: str) -> Any:
        counts = Counter(self._analyzer.analyze(" ".join(words(question))))
        if not counts:
            return None
        make = self._tantivy.Query
        terms = (
            (make.term_query(self._schema, _WORDS, word, "freq"), counts[word]) for word in counts
        )
        should = self._tantivy.Occur.Should
        return make.boolean_query(
            [(should, make.boost_query(term, n) if n > 1 else term) for term, n in terms]
        )


@contextlib.contextmanager
def _folder(chunks: pl.DataFrame, index_dir: Path | None, language: str) -> Iterator[Path]:
    """The folder of a complete index: a temporary one, or `index_dir`, built there unless kept."""
    if index_dir is None:
        with tempfile.TemporaryDirectory(prefix="tophit-", ignore_cleanup_errors=True) as folder:
            _build(chunks, Path(folder), language)
            yield Path(folder)
        return
    fingerprint = _fingerprint(chunks, language)
    if _kept(index_dir) != fingerprint:
        _replace(index_dir, chunks, language, fingerprint)
    yield index_dir


def _replace(folder: Path, chunks: pl.DataFrame, language: str, fingerprint: str) -> None:
    if folder.exists() and _kept(folder) is None and not _is_empty(folder):
        raise UsageError(f"{folder} is there and is not an index of tophit; name another folder")
    with whole_folder(folder) as building:
        _build(chunks, building, language)
        (building / _MARKER).write_text(json.dumps({"fingerprint": fingerprint}) + "\n")


def _build(chunks: pl.DataFrame, folder: Path, language: str) -> None:
    tantivy = _tantivy()
    builder = tantivy.SchemaBuilder()
    builder.add_text_field(_WORDS, tokenizer_name=language, index_option="freq")
    builder.add_integer_field(_ROW, stored=True)
    try:
        index = tantivy.Index(builder.build(), path=str(folder))
        index.register_tokenizer(language, _analyzer(tantivy, language))
        writer = index.writer(heap_size=_HEAP_BYTES, num_threads=1)
        for row, text in enumerate(chunks[TEXT]):
            writer.add_document(tantivy.Document(**{_WORDS: " ".join(words(text)), _ROW: row}))
        writer.commit()
        writer.wait_merging_threads()
    except ValueError as error:  # what Tantivy raises for a full disk, among others
        raise OutputError(f"cannot write the index in {folder}: {error}") from error


def _analyzer(tantivy: Any, language: str) -> Any:
    """Words are divided already; what is left to Tantivy is stemming."""
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
    if language != "none":
        builder = builder.filter(tantivy.Filter.stemmer(language))
    return builder.build()


def _fingerprint(chunks: pl.DataFrame, language: str) -> str:
    digest = hashlib.sha256(f"{_ANALYSIS} {language} {_tantivy().__version__}".encode())
    for chunk, text in chunks.select(CHUNK, TEXT).iter_rows():
        for part in (chunk.encode(), text.encode()):
            digest.update(len(part).to_bytes(8, "big"))
            digest.update(part)
    return digest.hexdigest()


def _kept(folder: Path) -> str | None:
    """The fingerprint of the index in `folder`, None where there is none."""
    try:
        kept = json.loads((folder / _MARKER).read_text())["fingerprint"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return str(kept)


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and next(folder.iterdir(), None) is None


def _tantivy() -> Any:
    return import_extra("tantivy", extra="bench", purpose="BM25 retrieval")
