"""A question set in YAML."""

from pathlib import Path

from tophit.formats import read_questions

Path("golden.yaml").write_text(
    'questions:\n  - id: 007\n    question: "When?"\n    required_chunks: ["hours_chunk_1"]\n'
)
assert read_questions("golden.yaml").judgments["query_id"].to_list() == ["007"]
