"""The way back from a place in the normalised text to the text as it was given, for display.

The steps of `normalize` run once more on this one text, and each keeps account of where every
character comes from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from tophit.matching.text import marks, markup, normalize
from tophit.matching.text.segmentation import Ints
from tophit.settings import DEFAULT_FOLDING, Folding

_Edit = tuple[int, int, str]


def original_span(
    text: str, start: int, end: int, *, folding: Folding = DEFAULT_FOLDING
) -> tuple[int, int]:
    """Find the place in `text` that became characters `start` to `end` of `normalize(text)`.

    Start and end are code points, end exclusive, as in `Pieces`. Normalising that part of the text
    gives the piece again; only where the piece begins or ends inside what one character became (a
    third of a ligature) does the part hold the whole of that character. An empty piece gives an
    empty span at 0.

    >>> text = "He said: “E\\ufb03cient   of\\ufb01ces”."
    >>> start, end = original_span(text, 10, 27)
    >>> normalize.normalize(text)[10:27], text[start:end]
    ('efficient offices', 'Eﬃcient   ofﬁces')
    """
    if end <= start:
        return 0, 0
    traced = trace(text, folding=folding)
    return int(traced.starts[start]), int(traced.ends[end - 1])


@dataclass(frozen=True)
class Traced:
    """A text, and for each of its characters the span of the original that it comes from."""

    text: str
    starts: Ints
    ends: Ints

    def edited(self, edits: Iterable[_Edit]) -> Traced:
        """Replace spans of the text, given in order."""
        parts: list[str] = []
        starts: list[Ints] = []
        ends: list[Ints] = []
        last = 0
        for start, end, new in [*edits, (len(self.text), len(self.text), "")]:
            parts += [self.text[last:start], new]
            starts.append(self.starts[last:start])
            ends.append(self.ends[last:start])
            if new:
                starts.append(np.full(len(new), self.starts[start]))
                ends.append(np.full(len(new), self.ends[end - 1]))
            last = end
        return Traced("".join(parts), np.concatenate(starts), np.concatenate(ends))

    def replaced(
        self, pattern: re.Pattern[str], new: str | Callable[[re.Match[str]], str]
    ) -> Traced:
        """Replace every match of a pattern."""
        return self.edited(
            (match.start(), match.end(), match.expand(new) if isinstance(new, str) else new(match))
            for match in pattern.finditer(self.text)
        )

    def ruled(self, rules: Iterable[marks.Rule]) -> Traced:
        """Apply rules in order."""
        traced = self
        for rule in rules:
            traced = traced.replaced(rule.pattern, rule.new)
        return traced


def trace(text: str, *, folding: Folding = DEFAULT_FOLDING) -> Traced:
    """Normalise a text and keep account of where each character comes from.

    >>> traced = trace(" A  \\u00bd ")
    >>> traced.text, traced.starts.tolist(), traced.ends.tolist()
    ('a 1/2', [1, 2, 4, 4, 4], [2, 4, 5, 5, 5])
    """
    traced = Traced(text, np.arange(len(text)), np.arange(1, len(text) + 1))
    if folding.strip_markup:
        for pattern, new in markup.rules():
            traced = traced.replaced(pattern, new)
    traced = traced.replaced(_NUL, "")
    for rules in normalize.rules_before(folding):
        traced = traced.ruled(rules)
    if not folding.exact:
        traced = _folded(traced)
    traced = _fold_space(traced)
    while not folding.exact and normalize.UNSPACED_BLANK.search(traced.text):
        traced = traced.replaced(normalize.UNSPACED_BLANK, "")
        traced = traced.edited(_folded_clusters(traced.text))
    return traced.replaced(_MARK, lambda match: marks.settle(match.group()))


_NUL = re.compile("\x00")
_SPACE = re.compile(r"\s+")
_EDGE = re.compile(r"\A | \Z")
_MARK = marks.DROPPED_MARKS.pattern


def _folded(traced: Traced) -> Traced:
    traced = traced.edited(_folded_clusters(traced.text))
    while (after := traced.ruled(marks.AFTER_FOLDING)).text != traced.text:
        traced = after.edited(_folded_clusters(after.text))
    return traced


def _fold_space(traced: Traced) -> Traced:
    return traced.replaced(_SPACE, " ").replaced(_EDGE, "")


def _folded_clusters(text: str) -> Iterator[_Edit]:
    """Fold apart what folds apart: a character with all that may join it."""
    start = 0
    for end in [*range(1, len(text)), len(text)]:
        if end < len(text) and normalize.may_join(text[end]):
            continue
        cluster = text[start:end]
        if cluster and (folded := normalize.fold_characters(cluster)) != cluster:
            yield start, end, folded
        start = end
