"""Hit at a fixed k against an equal budget of tokens, by chunk size; prints Markdown tables.

    python benchmarks/budget.py ../shared/data/chroma

The folder holds the questions and corpora of Chroma's chunking evaluation. Spring AI's splitter,
BM25. Deep enough for the smallest chunks to use the budget up.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import polars as pl

import tophit
from tophit.documents import Documents, read_documents, with_known_documents
from tophit.formats import read_questions
from tophit.relations import QUERY, RANK, TOKENS
from tophit.retrieval import retrieve
from tophit.splitting import split

SIZES = (100, 200, 400, 800)
MEASURES = (
    "Hit@{k}", "Hit@{budget}tok", "Ceiling", "Partial@{k}", "Covered@{k}", "Covered@{budget}tok",
    "Coverage@{k}", "Coverage@{budget}tok", "Density@{k}", "Density@{budget}tok",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("-k", type=int, default=4)
    parser.add_argument("--window", type=int, default=16_384)
    chosen = parser.parse_args()
    budget = chosen.k * SIZES[-1]
    documents = read_documents(chosen.folder / "corpora")
    questions = read_questions(chosen.folder / "questions_df.csv")
    questions = with_known_documents(questions, documents.frame["doc_id"])
    columns = [
        measured(documents, questions, size, k=chosen.k, budget=budget, window=chosen.window)
        for size in SIZES
    ]
    print(f"| tokens per chunk | {' | '.join(map(str, SIZES))} |")
    print(f"| --- |{' --- |' * len(SIZES)}")
    for row in columns[0]:
        print(f"| {row} | {' | '.join(column[row] for column in columns)} |")


def measured(
    documents: Documents,
    questions: tophit.Questions,
    size: int,
    *,
    k: int,
    budget: int,
    window: int,
) -> dict[str, str]:
    """One column of the table."""
    chunks = split(documents, splitter="spring-ai", size=size)
    run = retrieve(chunks, questions, retriever="bm25", depth=max(20, 3 * budget // size))
    names = [name.format(k=k, budget=budget) for name in MEASURES]
    scored = tophit.evaluate(questions, run, measures=names, chunks=chunks)
    context = (
        run.retrieved.filter(pl.col(RANK) <= k).group_by(QUERY).agg(pl.col(TOKENS).sum())[TOKENS]
    )
    whole = tophit.diagnose(questions, run, chunks=chunks, k=k).items["in_index"].sum()
    return {
        "chunks": f"{chunks.height:,}",
        **{name: f"{scored[name].value:.3f}".removeprefix("0") for name in names},
        f"tokens of the first {k} chunks, mean": f"{context.sum() / len(context):,.0f}",
        f"the most of {window:,}": f"{100 * context.max() / window:.1f} %",
        "passages whole in a chunk, of 790": f"{whole}",
    }


if __name__ == "__main__":
    main()
