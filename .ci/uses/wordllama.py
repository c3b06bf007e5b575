"""Dense retrieval offline: the model is inside the wheel."""

import polars as pl

from tophit.retrieval import retrieve

chunks = pl.DataFrame(
    {"chunk_id": ["a", "b"], "text": ["A loan lasts three weeks.", "The cafe opens at nine."]}
)
run = retrieve(chunks, {"q1": "How long may I keep a book?"}, retriever="dense", depth=1)
assert run.retrieved["chunk_id"].to_list() == ["a"], run.retrieved
