"""The levels of folding: what else could make two texts equal, and how to ask for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tophit.settings import Folding


@dataclass(frozen=True, kw_only=True)
class Level:
    """A way to forgive more: what to do to have it, what it does (after "if"), and its fields.

    >>> LEVELS[1].of(Folding()) == Folding(strip_markup=True)
    True
    """

    use: str
    says: str
    changes: Mapping[str, bool] = field(compare=False)

    def of(self, folding: Folding) -> Folding:
        """The folding that this level makes of another one."""
        return replace(folding, exact=False, **self.changes)


# The first that finds an element is the one to use: those that forgive less come first.
LEVELS = (
    Level(
        use="leave out --match-exact",
        says="case, quotes and dashes are folded",
        changes={},
    ),
    Level(
        use="use --strip-markup",
        says="the marks of Markdown and HTML are dropped",
        changes={"strip_markup": True},
    ),
    Level(
        use="use --match-letters",
        says="only letters and digits are compared",
        changes={"letters": True},
    ),
    Level(
        use="use --match-letters --strip-markup",
        says="markup is dropped and only letters and digits are compared",
        changes={"letters": True, "strip_markup": True},
    ),
)


def levels_beyond(folding: Folding) -> Iterator[tuple[Level, Folding]]:
    """The levels that forgive more than a folding does, with the folding of each.

    >>> [level.use for level, _ in levels_beyond(Folding(exact=True))]
    ['leave out --match-exact', 'use --strip-markup', 'use --match-letters', ...]
    >>> list(levels_beyond(Folding(strip_markup=True, letters=True)))
    []
    """
    seen = {folding}
    for level in LEVELS:
        if (other := level.of(folding)) not in seen:
            seen.add(other)
            yield level, other


def worth_naming(counts: Mapping[Level, int], *, over: float = 0) -> list[tuple[Level, int]]:
    """The levels that find more than `over`, and more than the levels before them in the table.

    >>> counts = {LEVELS[3]: 9, LEVELS[2]: 9, LEVELS[1]: 4}
    >>> [(level.use, count) for level, count in worth_naming(counts)]
    [('use --strip-markup', 4), ('use --match-letters', 9)]
    """
    named: list[tuple[Level, int]] = []
    for level in LEVELS:
        count = counts.get(level, 0)
        if count > over:
            named.append((level, count))
            over = count
    return named


def found_by_level(
    elements: Sequence[str], texts: Sequence[str], folding: Folding
) -> dict[str, list[Level]]:
    """The levels beyond `folding` on which a text holds the elements, for those that have any.

    >>> found = found_by_level(["3Ms cash flow", "dog"], ["The 3M's cash-flow"], Folding())
    >>> {element: levels[0].use for element, levels in found.items()}
    {'3Ms cash flow': 'use --match-letters'}
    """
    from tophit.matching.text.search import Corpus

    found: dict[str, list[Level]] = {}
    if not elements:
        return found
    for level, other in levels_beyond(folding):
        first = Corpus(texts=texts, folding=other).first_whole(elements)
        for element, number in zip(elements, first.tolist(), strict=True):
            if number >= 0:
                found.setdefault(element, []).append(level)
    return found
