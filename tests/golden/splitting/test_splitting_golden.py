"""The chunks of real corpora, by their hashes: however fast a splitter is, its chunks stay.

`python tests/golden/splitting/test_splitting_golden.py FOLDER` writes the hashes anew.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tophit.documents import read_documents
from tophit.splitting import split

HASHES = Path(__file__).parent / "hashes.json"
CASES: list[tuple[str, dict[str, Any]]] = [
    ("chroma", {"splitter": "spring-ai", "size": 100}),
    ("chroma", {"splitter": "spring-ai", "size": 800}),
    ("chroma", {"splitter": "spring-ai", "size": 200, "keep_separator": False}),
    ("chroma", {"splitter": "recursive", "size": 100, "overlap": 20}),
    ("chroma", {"splitter": "recursive", "size": 400}),
    ("chroma", {"splitter": "recursive", "size": 400, "trim": False}),
    ("chroma", {"splitter": "markdown", "size": 400}),
    ("chroma", {"splitter": "tokens", "size": 400, "overlap": 100}),
    *(
        (f"xquad.{language}", {"splitter": splitter, "size": 200})
        for language in ("de", "hi", "zh")
        for splitter in ("spring-ai", "recursive", "markdown", "tokens")
    ),
]


def documents(data: Path, name: str) -> Any:
    if name == "chroma":
        return read_documents(data / "chroma" / "corpora")
    articles = json.loads((data / "xquad" / f"{name}.json").read_text(encoding="utf-8"))["data"]
    return {
        f"{number:02}.md": "\n\n".join(each["context"] for each in article["paragraphs"])
        for number, article in enumerate(articles)
    }


def key(name: str, options: dict[str, Any]) -> str:
    return " ".join([name, *(f"{option}={value}" for option, value in options.items())])


def digest(chunks: pl.DataFrame) -> str:
    rows = "\n".join(json.dumps(row, ensure_ascii=False) for row in chunks.iter_rows())
    return f"{chunks.height} {hashlib.sha256(rows.encode()).hexdigest()[:16]}"


@pytest.mark.parametrize(("name", "options"), CASES, ids=[key(*case) for case in CASES])
def test_the_chunks_are_what_they_were(shared_data, name, options):
    expected = json.loads(HASHES.read_text(encoding="utf-8"))
    assert digest(split(documents(shared_data, name), **options)) == expected[key(name, options)]


if __name__ == "__main__":
    found = {
        key(name, options): digest(split(documents(Path(sys.argv[1]), name), **options))
        for name, options in CASES
    }
    HASHES.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
