"""What may be chosen by name, apart from the code behind it: a help text must load no engine."""

from __future__ import annotations

CL100K = "cl100k_base"

MATCHES = ("auto", "text", "spans", "ids")

POPULATIONS = {
    "answerable": "questions with an item of at least the relevance level",
    "trec_eval": "judged queries that the run has, those without a relevant item as 0",
    "trec_eval-c": "all judged queries, those that the run lacks as 0 (trec_eval -c)",
}

OUTCOMES = {
    "found": "whole within the first k places",
    "late": "whole, but beyond the first k places",
    "cut": "no chunk of the index holds it whole, but chunks of its document do together",
    "unretrieved": "whole in a chunk of the index that was not retrieved",
    "absent": "not in the index, not even in parts: a wrong label, or a document left out",
    "empty": "nothing was retrieved",
    "missed": "not whole in what was retrieved; without the index, the reason is not known",
}

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
