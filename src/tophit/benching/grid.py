"""The grid: every combination of splitter, size, overlap and retriever that makes sense."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tophit.benching.specs import Retrieving, Splitting, retrievings_of, splittings_of
from tophit.errors import UsageError


@dataclass(frozen=True, kw_only=True)
class Configuration:
    """One way to split and retrieve, by their names. `size` and `overlap` are in tokens.

    `size` is None where the splitter was made with a size of its own, and `splitter` where the
    retriever has an index of its own.
    """

    splitter: str | None
    size: int | None
    overlap: int
    retriever: str

    @property
    def chunking(self) -> tuple[str | None, int | None, int]:
        """What decides the chunks: configurations that share it share them."""
        return self.splitter, self.size, self.overlap

    @property
    def chunking_name(self) -> str:
        """The name of the chunks.

        >>> made = Configuration(splitter="recursive", size=800, overlap=100, retriever="bm25")
        >>> made.chunking_name
        'recursive-800-overlap100'
        """
        overlap = f"overlap{self.overlap}" if self.overlap else ""
        size = "" if self.size is None else str(self.size)
        return "-".join(filter(None, (self.splitter, size, overlap)))

    @property
    def name(self) -> str:
        """A readable name that is safe as a folder.

        >>> Configuration(splitter="recursive", size=800, overlap=100, retriever="bm25").name
        'recursive-800-overlap100-bm25'
        """
        return "-".join(filter(None, (self.chunking_name, self.retriever)))

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
    splitters: Any = ("spring-ai",),
    sizes: Sequence[int] = (800,),
    overlaps: Sequence[int] = (0,),
    retrievers: Any = ("bm25",),
) -> list[Configuration]:
    """Every combination, in the given order, each once.

    A splitter that has no overlap takes part with overlap 0 alone, one that has a size of its own
    with that, a retriever that has an index of its own once.
    Errors: `UsageError` for an unknown name, an empty list, or a size or overlap that cannot be;
    all of it is known before anything is read.

    >>> [each.name for each in grid(sizes=[200, 800])]
    ['spring-ai-200-bm25', 'spring-ai-800-bm25']
    """
    return grid_of(
        splittings_of(splitters, {}), retrievings_of(retrievers, {}), sizes=sizes, overlaps=overlaps
    )


def grid_of(
    splittings: Sequence[Splitting],
    retrievings: Sequence[Retrieving],
    *,
    sizes: Sequence[int],
    overlaps: Sequence[int],
) -> list[Configuration]:
    """As `grid`, of what was opened. Errors: `UsageError` for sizes or overlaps that cannot be."""
    for kind, given in (("size", sizes), ("overlap", overlaps)):
        if not given or isinstance(given, str):
            raise UsageError(f"{kind}s: expected a list of at least one, found {given!r}")
    found: dict[Configuration, None] = {}
    for splitting in splittings:
        for size in sizes if splitting.splitter.sized else (None,):
            for overlap in _overlaps(splitting, overlaps):
                if size is not None:
                    splitting.splitter.check(size=size, overlap=overlap)
                for retrieving in retrievings:
                    own = not retrieving.searches
                    made = Configuration(
                        splitter=None if own else splitting.name,
                        size=None if own else size,
                        overlap=0 if own else overlap,
                        retriever=retrieving.name,
                    )
                    found[made] = None
    return sorted(found, key=lambda each: each.splitter is None)


def _overlaps(splitting: Splitting, overlaps: Sequence[int]) -> Sequence[int]:
    if not splitting.splitter.sized:
        return (0,)
    return overlaps if splitting.splitter.overlaps or 0 not in overlaps else (0,)
