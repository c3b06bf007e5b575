"""One corpus of Chroma's, its chunks and questions, and a model of embeddings that needs no net."""

from __future__ import annotations

from dataclasses import dataclass, replace

import polars as pl
import pytest

from tophit.formats import read_questions
from tophit.relations import QUERY, Questions
from tophit.retrieval.embedding.wordllama import open_wordllama
from tophit.splitting import split

CORPUS = "state_of_the_union"


@dataclass(frozen=True)
class Asked:
    chunks: pl.DataFrame
    questions: Questions
    texts: dict[str, str]


@pytest.fixture(scope="session")
def asked(shared_data) -> Asked:
    every = read_questions(shared_data / "chroma" / "questions_df.csv")
    mine = every.judgments.filter(pl.col("doc_id") == CORPUS)[QUERY].unique(maintain_order=True)
    ids = mine.head(40).implode()
    questions = replace(
        every,
        queries=every.queries.filter(pl.col(QUERY).is_in(ids)),
        judgments=every.judgments.filter(pl.col(QUERY).is_in(ids)),
    )
    text = (shared_data / "chroma" / "corpora" / f"{CORPUS}.md").read_text(encoding="utf-8")
    texts = dict(questions.queries.select(QUERY, "question").rows())
    return Asked(split({CORPUS: text}, size=200), questions, texts)


@pytest.fixture(scope="session")
def embed():
    model = open_wordllama()
    return lambda texts: model.embed(list(texts), "document").tolist()
