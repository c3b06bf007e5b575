"""The grid: every combination of splitter, size, overlap and retriever that makes sense."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tophit.errors import UsageError, unknown
from tophit.retrieval import RETRIEVERS
from tophit.splitting import SPLITTERS


@dataclass(frozen=True, kw_only=True)
class Configuration:
    """One way to split and retrieve. `size` and `overlap` are in tokens."""

    splitter: str
    size: int
    overlap: int
    retriever: str

    @property
    def chunking(self) -> tuple[str, int, int]:
        """What decides the chunks: configurations that share it share them."""
        return self.splitter, self.size, self.overlap

    @property
    def name(self) -> str:
        """A readable name that is safe as a folder.

        >>> Configuration(splitter="recursive", size=800, overlap=100, retriever="bm25").name
        'recursive-800-overlap100-bm25'
        """
        overlap = f"-overlap{self.overlap}" if self.overlap else ""
        return f"{self.splitter}-{self.size}{overlap}-{self.retriever}"

    def to_dict(self) -> dict[str, Any]:
        """The configuration as in the JSON output."""
        return {
            "name": self.name,
            "splitter": self.splitter,
            "size": self.size,
            "overlap": self.overlap,
            "retriever": self.retriever,
        }


def grid(
    *,
    splitters: Sequence[str] = ("spring-ai",),
    sizes: Sequence[int] = (800,),
    overlaps: Sequence[int] = (0,),
    retrievers: Sequence[str] = ("bm25",),
) -> list[Configuration]:
    """Every combination, in the given order, each once.

    A splitter that has no overlap takes part with overlap 0 alone.
    Errors: `UsageError` for an unknown name, an empty list, or a size or overlap that cannot be;
    all of it is known before anything is read.

    >>> [each.name for each in grid(sizes=[200, 800])]
    ['spring-ai-200-bm25', 'spring-ai-800-bm25']
    """
    for kind, given in (
        ("splitter", splitters), ("size", sizes), ("overlap", overlaps), ("retriever", retrievers),
    ):  # fmt: skip
        if not given or isinstance(given, str):
            raise UsageError(f"{kind}s: expected a list of at least one, found {given!r}")
    for retriever in retrievers:
        if retriever not in RETRIEVERS:
            raise unknown("retriever", retriever, list(RETRIEVERS))
    found: dict[Configuration, None] = {}
    for splitter in splitters:
        if splitter not in SPLITTERS:
            raise unknown("splitter", splitter, list(SPLITTERS))
        for size in sizes:
            for overlap in _overlaps(splitter, overlaps):
                SPLITTERS[splitter].check(size=size, overlap=overlap)
                for retriever in retrievers:
                    made = Configuration(
                        splitter=splitter, size=size, overlap=overlap, retriever=retriever
                    )
                    found[made] = None
    return list(found)


def _overlaps(splitter: str, overlaps: Sequence[int]) -> Sequence[int]:
    return overlaps if SPLITTERS[splitter].overlaps or 0 not in overlaps else (0,)
