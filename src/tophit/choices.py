"""What may be chosen by name, apart from the code behind it: a help text must load no engine."""

from __future__ import annotations

from tophit.outcomes import TABLE

CL100K = "cl100k_base"

MATCHES = ("auto", "text", "spans", "ids")

POPULATIONS = {
    "answerable": "questions with an item of at least the relevance level",
    "trec_eval": "judged queries that the run has, those without a relevant item as 0",
    "trec_eval-c": "all judged queries, those that the run lacks as 0 (trec_eval -c)",
}

# The one that got furthest first.
OUTCOMES = {each.name: each.summary for each in sorted(TABLE, key=lambda each: each.order)}

# Each is a module of tophit.formats.known, with _ for -. Where several recognise a file, the first
# one that does reads it: particular before general.
FORMAT_NAMES = (
    "beir",
    "squad",
    "llama-index",
    "legalbench-rag",
    "ragchecker",
    "longprobe",
    "spring-ai",
    "dpr",
    "chroma",
    "autorag",
    "trulens",
    "deepeval",
    "continuous-eval",
    "ragas",
    "jsonl",
    "table",
    "trec",
    "msmarco",
    "json-dict",
)

# The endings of files, and the format that is written under each.
ENDINGS = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json-dict", ".csv": "table",
    ".tsv": "table", ".parquet": "table", ".pq": "table", ".trec": "trec", ".run": "trec",
    ".qrels": "trec", ".qrel": "trec", ".txt": "trec",
}  # fmt: skip
