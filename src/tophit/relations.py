"""The relations that flow through tophit: the one place where a column is named.

    queries     query_id [, question, tags...]              one row a question that was asked
    judgments   query_id, item_id, grade
                [, chunk_id, text, doc_id, start, end]      what a question should find
    retrieved   query_id, chunk_id, rank and/or score
                [, text, doc_id, start, end, tokens]        one place of a ranked list
    answers     query_id [, answer, abstained]              what the system said, a row a query
    stages      query_id, stage, and the columns of retrieved   the place lists on the way
    latency     query_id, latency_ms                        how long a query took
    chunks      chunk_id, text
                [, doc_id, start, end, tokens]              the whole index
    hits        query_id, item_id, chunk_id, rank, grade, share
                [, tokens_through, item_start, item_end, chunk_start, chunk_end]
    pieces      query_id, item_id, alternative, rank, grade, item_start, item_end, blank_start,
                item_length, item_chars, chunk_start, chunk_end [, tokens_through]
                                                            which part of an item a place holds
    scores      query_id, one column a measure              the product

Ids are text everywhere (1 and "1" are the same id). Offsets are code points, end exclusive.
`judgments.chunk_id` is the id to match where that is not the item's own: several rows with one
`item_id` are alternatives of one item. `start`, `end` may be null where only the text is known.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import narwhals as nw
    import polars as pl

    from tophit.errors import DataWarning

Lazy: TypeAlias = "nw.LazyFrame[Any]"  # a relation on any engine

QUERY = "query_id"
ITEM = "item_id"
CHUNK = "chunk_id"
GRADE = "grade"
RANK = "rank"
SCORE = "score"
TEXT = "text"
DOC = "doc_id"
START = "start"
END = "end"
TOKENS = "tokens"
SHARE = "share"
ALTERNATIVE = "alternative"
ITEM_START = "item_start"
ITEM_END = "item_end"
BLANK_START = "blank_start"
ITEM_LENGTH = "item_length"
ITEM_CHARS = "item_chars"
CHUNK_START = "chunk_start"
CHUNK_END = "chunk_end"
PLACE_CHARS = "place_chars"
RANK_BEST = "rank_best"
RANK_WORST = "rank_worst"
N_RETRIEVED = "n_retrieved"
N_REPEATED = "n_repeated"
N_TIED = "n_tied"
TOKENS_THROUGH = "tokens_through"
QUESTION = "question"
EXPECTED = "expected"
EXPECTED_IDS = "expected_ids"
RETRIEVED_LIST = "retrieved"
RETRIEVED_IDS = "retrieved_ids"
ANSWER = "answer"
ABSTAINED = "abstained"
STAGE = "stage"
STAGES_LIST = "stages"
LATENCY = "latency_ms"
HISTORY = "history"
FILTER = "filter"
TAG_PREFIX = "tag."

# Polars type names, so that this module imports no engine; `schema` turns them into types.
QUERIES = {QUERY: "String", QUESTION: "String"}
JUDGMENTS = {
    QUERY: "String", ITEM: "String", GRADE: "Float64",
    CHUNK: "String", TEXT: "String", DOC: "String", START: "Int64", END: "Int64",
}  # fmt: skip
RETRIEVED = {
    QUERY: "String", CHUNK: "String", RANK: "Int64", SCORE: "Float64",
    TEXT: "String", DOC: "String", START: "Int64", END: "Int64", TOKENS: "Int64",
}  # fmt: skip
CHUNKS = {
    CHUNK: "String", TEXT: "String", DOC: "String", START: "Int64", END: "Int64", TOKENS: "Int64",
}  # fmt: skip
ANSWERS = {QUERY: "String", ANSWER: "String", ABSTAINED: "Boolean"}
STAGES = {QUERY: "String", STAGE: "String"} | RETRIEVED
LATENCIES = {QUERY: "String", LATENCY: "Float64"}

# What other people call these columns and fields, in files, frames and objects. Compared as
# `records.vocabulary.plain` writes them: small letters, `pageContent` and `Page Content` are
# page_content. The first of several that a record has is read.
SYNONYMS: dict[str, tuple[str, ...]] = {
    QUERY: ("qid", "topic", "topic_id", "user_id", "user", "q_id", "question_id", "query"),
    QUESTION: ("query_text", "question_text", "query", "user_input"),
    EXPECTED: (
        "evidence", "evidences", "anchor", "anchors", "expected_answers", "expected_texts",
        "expected_contexts", "expected_passages", "expected_chunks", "reference_contexts",
        "relevant_texts", "relevant_passages", "gold_contexts", "gold_passages",
    ),
    EXPECTED_IDS: (
        "relevant_doc_ids", "relevant_ids", "relevant_chunk_ids", "relevant_docs", "relevant",
        "expected_doc_ids", "expected_chunk_ids", "gold_ids", "gold_doc_ids", "positive_ids",
        "expect_path_contains", "expected_paths", "expected_files",
    ),
    RETRIEVED_LIST: (
        "contexts", "retrieved_contexts", "retrieved_context", "retrieval_context", "documents",
        "docs", "results", "hits", "source_documents", "nodes", "source_nodes", "passages",
        "places", "matches", "context", "retrieved_documents", "retrieved_docs",
        "retrieved_chunks", "retrieved_texts", "chunks",
    ),
    RETRIEVED_IDS: (
        "retrieved_context_ids", "retrieved_doc_ids", "retrieved_chunk_ids", "ranked_ids",
    ),
    CHUNK: ("docno", "doc_no", "docid", "pid", "passage_id", "node_id", "document_id", "corpus_id",
            "doc_id", "item_id", "id"),
    ITEM: ("docno", "doc_no", "docid", "pid", "passage_id", "node_id", "document_id", "corpus_id",
           "doc_id", "chunk_id", "id"),
    GRADE: ("relevance", "rel", "label", "rating", "score", "judgment"),
    SCORE: ("sim", "similarity", "prediction", "rsv", "relevance_score", "_score"),
    RANK: ("position", "place"),
    TEXT: ("content", "page_content", "passage", "chunk", "contents", "chunk_text"),
    DOC: ("doc", "document", "source", "file_path", "file", "file_name", "filename"),
    START: ("start_index", "begin", "start_char", "char_start", "start_char_idx",
            "split_idx_start"),
    END: ("end_index", "stop", "end_char", "char_end", "end_char_idx"),
    TOKENS: ("n_tokens", "token_count"),
}  # fmt: skip


# The columns of a ranking that its hits carry on.
CARRIED = (RANK_BEST, RANK_WORST, TOKENS_THROUGH)


def schema(relation: dict[str, str], *, only: list[str] | None = None) -> dict[str, Any]:
    """The Polars schema of a relation, or of some of its columns in the relation's order.

    >>> schema(QUERIES)
    {'query_id': String, 'question': String}
    """
    import polars as pl

    wanted = (
        relation if only is None else {name: relation[name] for name in relation if name in only}
    )
    return {name: getattr(pl, type_name) for name, type_name in wanted.items()}


@dataclass(frozen=True, kw_only=True)
class Questions:
    """The questions and what each should find, as read from a file or made from Python objects.

    `queries` has every question asked, answerable or not; `judgments` has none for an
    unanswerable one. Tags stand in `queries` as columns `tag.NAME`; `history` and `filter`, which
    a retriever may want beside the question, as JSON text in columns of these names.
    """

    queries: pl.DataFrame
    judgments: pl.DataFrame
    source: str = "questions"
    warnings: tuple[DataWarning, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Run:
    """What one system retrieved: `retrieved`, and `answers` where the system answered too.

    `retrieved` has `rank` where the given order counts, else `score` alone (ranking.py settles it).
    A query whose list is empty has no row in `retrieved`; `answers` has a row for every query of
    the run where the format knows of answers or abstentions. `queries` has the queries of the run,
    empty lists among them, and their question where the format knows it. `stages` holds the place
    lists on the way to `retrieved`, each under its name, `latency` how many milliseconds each query
    took.
    """

    retrieved: pl.DataFrame
    name: str = "run"
    answers: pl.DataFrame | None = None
    queries: pl.DataFrame | None = None
    source: str = "run"
    warnings: tuple[DataWarning, ...] = field(default=())
    stages: pl.DataFrame | None = None
    latency: pl.DataFrame | None = None
