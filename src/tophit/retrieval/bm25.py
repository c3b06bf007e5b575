"""BM25 on Tantivy: an index on disk, and questions as plain words.

A question never meets Tantivy's query parser: its words become term queries, so `AND`, quotes,
colons and stars mean nothing. Chunks are indexed by descending id, and ties in score go to the
higher id, as in `ranking`, so that the same chunks and questions give the same run.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from tophit.errors import OutputError, import_extra, unknown
from tophit.records.places import Place
from tophit.relations import CHUNK, TEXT
from tophit.retrieval.corpus import Corpus
from tophit.retrieval.kept import index_bytes, kept_folder
from tophit.retrieval.protocol import Live, Request
from tophit.retrieval.words import words

LANGUAGES = (
    "none", "arabic", "danish", "dutch", "english", "finnish", "french", "german", "greek",
    "hungarian", "italian", "norwegian", "portuguese", "romanian", "russian", "spanish", "swedish",
    "tamil", "turkish",
)  # fmt: skip
_ANALYSIS = 1  # raise it when `words` changes: an index that was kept is then built anew
_HEAP_BYTES = 128_000_000
_WORDS, _ROW = "words", "row"


def open_bm25(corpus: Corpus, *, language: str = "english") -> Live:
    """Search by BM25; only chunks that share a word with the question are found.

    `language` stems words as that language does (Snowball), or "none". English is the default
    since it measured no worse than none on English, German, Hindi and Chinese alike.
    `corpus.folder` keeps the index; one that is there for the same chunks and language is used
    again, one that is damaged is built again.
    Errors: `UsageError` for an unknown language, or a folder that holds something else;
    `OutputError` when the index cannot be written; `MissingExtraError` without Tantivy.

    >>> chunks = pl.DataFrame({"chunk_id": ["a", "b"], "text": ["late fees", "no fee, no fuss"]})
    >>> live = open_bm25(Corpus(chunks=chunks))
    >>> [(place.id, round(place.score, 3)) for place in live.one(Request(question="A fee?"))]
    [('a', 0.211), ('b', 0.16)]
    >>> live.one(Request(question="?!"))
    []
    """
    if language not in LANGUAGES:
        raise unknown("language", language, LANGUAGES)
    ids: list[str] = corpus.ordered[CHUNK].to_list()
    kept = contextlib.ExitStack()
    folder = kept.enter_context(_folder(corpus, language))
    index = _Index(folder, language)

    def one(request: Request) -> list[Place]:
        depth = min(request.depth, len(ids))
        return [Place(ids[row], score) for row, score in index.top(request.question, depth)]

    return Live(
        name="bm25", one=one, close=kept.close, identity=f"bm25 {language} {_ANALYSIS}",
        index_bytes=lambda: index_bytes(folder),
    )  # fmt: skip


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
def _folder(corpus: Corpus, language: str) -> Iterator[Path]:
    """The folder of a complete index: a temporary one, or `corpus.folder`, built unless kept."""
    if corpus.folder is None:
        with tempfile.TemporaryDirectory(prefix="tophit-", ignore_cleanup_errors=True) as folder:
            _build(corpus.ordered, Path(folder), language)
            yield Path(folder)
        return
    of = f"{_ANALYSIS} {language} {_tantivy().__version__} {corpus.fingerprint}"
    with kept_folder(corpus.folder, of, lambda folder: _build(corpus.ordered, folder, language)):
        yield corpus.folder


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


def _tantivy() -> Any:
    return import_extra("tantivy", extra="bench", purpose="BM25 retrieval")
