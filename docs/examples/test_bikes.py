"""The hit rate of the bicycle rental's retriever, as a test."""


def test_bikes(tophit_eval):
    """Four of five questions must be answered by the first four chunks."""
    tophit_eval("questions.jsonl", "run.jsonl", "Hit@4 >= 0.8", chunks="chunks.jsonl")
