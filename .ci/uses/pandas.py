"""pandas beside tophit, without PyArrow: its frames go in and come back."""

import importlib.util

import pandas as pd

import tophit

assert importlib.util.find_spec("pyarrow") is None

judgments = pd.DataFrame({"query_id": ["q1", "q2"], "item_id": ["a", "b"]})
run = pd.DataFrame({"query_id": ["q1", "q2"], "chunk_id": ["a", "x"], "rank": [1, 1]})
result = tophit.evaluate(judgments, run, measures="Hit@4")
assert result["Hit@4"].value == 0.5, result
assert isinstance(result.scores, pd.DataFrame), type(result.scores)
assert result.scores["Hit@4"].tolist() == [1.0, 0.0], result.scores

expected = pd.DataFrame({"query_id": ["q1"], "item_id": ["a"], "text": ["whole answer"]})
found = run.assign(text=["the whole answer", None])
assert tophit.evaluate(expected, found, measures="Hit@4").match == "text"

better = run.assign(chunk_id=["a", "b"])
compared = tophit.compare(judgments, {"old": run, "new": better}, measures="Hit@4")
assert compared.between("old", "new", "Hit@4").value_b == 1.0, compared
