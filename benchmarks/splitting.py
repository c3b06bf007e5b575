"""Splitting beside encoding the text once, and beside LangChain's splitter where it is installed.

    python benchmarks/splitting.py CORPORA [--copies 6] [--size 400]

CORPORA is a folder of text files (Chroma's corpora: 1.4 million characters); `copies` of it are
split, so that start-up does not count. All in one process and one run: the ratios are what counts.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
from collections.abc import Callable
from pathlib import Path

from tophit.splitting import SPLITTERS, split
from tophit.tokens import cl100k


def langchain(texts: dict[str, str], size: int) -> None:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    encode = cl100k().encode
    splitter = RecursiveCharacterTextSplitter(
        chunk_size=size, chunk_overlap=0, length_function=lambda text: len(encode(text))
    )
    for text in texts.values():
        splitter.split_text(text)


def ways(texts: dict[str, str], size: int) -> dict[str, Callable[[], object]]:
    encode = cl100k().encode
    found: dict[str, Callable[[], object]] = {
        "encoding once": lambda: [encode(text) for text in texts.values()]
    }
    for name in SPLITTERS:
        found[f"tophit {name}"] = lambda name=name: split(texts, splitter=name, size=size)
    if importlib.util.find_spec("langchain_text_splitters"):
        found["LangChain recursive"] = lambda: langchain(texts, size)
    return found


def seconds(work: Callable[[], object], *, runs: int) -> float:
    best = float("inf")
    for _ in range(runs):
        started = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - started)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--copies", type=int, default=6)
    parser.add_argument("--size", type=int, default=400)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    files = sorted(path for path in options.corpora.iterdir() if path.suffix in {".md", ".txt"})
    texts = {
        f"{copy}/{path.name}": path.read_text(encoding="utf-8")
        for copy in range(options.copies)
        for path in files
    }
    print(f"{sum(map(len, texts.values())):,} characters in {len(texts)} documents")
    print(f"{'':22} {'seconds':>8} {'x encoding once':>16}")
    once = None
    for name, work in ways(texts, options.size).items():
        taken = seconds(work, runs=options.runs)
        once = once or taken
        print(f"{name:22} {taken:8.2f} {taken / once:16.2f}")


if __name__ == "__main__":
    main()
