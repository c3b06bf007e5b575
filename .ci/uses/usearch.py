"""An index of vectors on disk, with an embedder of one's own."""

import polars as pl

from tophit.retrieval import retrieve


def embed(texts: list[str]) -> list[list[float]]:
    """How often a text has each of three letters."""
    return [[float(text.count(letter)) for letter in "xyz"] for text in texts]


chunks = pl.DataFrame({"chunk_id": ["a", "b"], "text": ["x x", "z z"]})
run = retrieve(
    chunks, {"q1": "z"}, retriever="dense", embedder=embed, index="usearch", depth=1, threshold=0.5
)
assert run.retrieved["chunk_id"].to_list() == ["b"], run.retrieved
