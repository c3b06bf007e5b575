"""How each element stands in the documents: how often, how if not whole, and what would find it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tophit.checking.places import Library, Standing, standings
from tophit.diagnosis.nearest import Nearest, nearest_passages
from tophit.diagnosis.stands import Searched, Stand
from tophit.matching.levels import Level, found_by_level, worth_naming

# Less in common than this is chance, and no nearest passage.
_LIKE = 0.3


@dataclass(frozen=True, kw_only=True)
class Looked:
    """What the documents of a library hold of the elements, by their texts.

    `stands` and `nearest` are of those that stand in none, `found_by` the levels of folding that
    find one of these, in the order of the table.
    """

    library: Library
    standing: Mapping[str, Standing]
    stands: Mapping[str, Stand] = field(default_factory=dict)
    nearest: Mapping[str, Nearest] = field(default_factory=dict)
    found_by: Mapping[str, Sequence[Level]] = field(default_factory=dict)

    def counts(self, texts: Iterable[str | None]) -> tuple[LevelCount, ...]:
        """How many of the texts stand in the documents as asked, and on each level that finds more.

        Nothing where all of them do.
        """
        asked = [text for text in texts if text is not None and text in self.standing]
        found = sum(self.standing[text].total > 0 for text in asked)
        if found == len(asked):
            return ()
        more = Counter(level for text in asked for level in self.found_by.get(text, ()))
        return (
            LevelCount(level=None, found=found, n=len(asked)),
            *(
                LevelCount(level=level, found=found + count, n=len(asked))
                for level, count in worth_naming(more)
            ),
        )


@dataclass(frozen=True, kw_only=True)
class LevelCount:
    """How many of `n` elements stand in the documents on a level of folding; None is as asked."""

    level: Level | None
    found: int
    n: int

    def to_dict(self) -> dict[str, Any]:
        """It as plain Python objects: what to do for it (null: as asked), and the counts."""
        return {"use": self.level and self.level.use, "found": self.found, "n": self.n}


def levels_said(levels: Sequence[LevelCount]) -> str:
    """A sentence about what each level would find.

    >>> from tophit.matching.levels import LEVELS
    >>> pairs = ((None, 39), (LEVELS[0], 85))
    >>> said = [LevelCount(level=level, found=n, n=85) for level, n in pairs]
    >>> print(levels_said(said))
    39 of 85 elements stand in the documents; 85 if case, quotes ... folded: leave out --match-exact
    """
    said = []
    for each in levels:
        if each.level is None:
            said.append(f"{each.found:,} of {each.n:,} elements stand in the documents")
        else:
            said.append(f"{each.found:,} if {each.level.says}: {each.level.use}")
    return "; ".join(said)


def looked_up(texts: Sequence[str], library: Library) -> Looked:
    """Look for every text in every document, and again on other levels for those that are lost.

    >>> found = looked_up(["a **red** cat", "dog"], Library({"d": "see a red cat."}))
    >>> {text: levels[0].use for text, levels in found.found_by.items()}
    {'a **red** cat': 'use --strip-markup'}
    """
    told = [text for text in dict.fromkeys(texts) if library.says_something(text)]
    standing = dict(zip(told, standings(told, library), strict=True))
    lost = [text for text in told if not standing[text].total]
    stands = dict(zip(lost, Searched(library.corpus).stands(lost), strict=True))
    unlike = [text for text in lost if stands[text] is None]
    near = dict(zip(unlike, nearest_passages(unlike, library.corpus, least=_LIKE), strict=True))
    return Looked(
        library=library,
        standing=standing,
        stands={text: stand for text, stand in stands.items() if stand is not None},
        nearest={text: passage for text, passage in near.items() if passage is not None},
        found_by=found_by_level(lost, library.corpus.texts, library.folding),
    )
