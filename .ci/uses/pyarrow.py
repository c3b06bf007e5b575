"""PyArrow beside tophit: its tables go in and come back."""

import pyarrow as pa

import tophit

judgments = pa.table({"query_id": ["q1", "q2"], "item_id": ["a", "b"]})
run = pa.table({"query_id": ["q1", "q2"], "chunk_id": ["a", "x"], "rank": [1, 1]})
result = tophit.evaluate(judgments, run, measures="Hit@4")
assert result["Hit@4"].value == 0.5, result
assert isinstance(result.scores, pa.Table), type(result.scores)
