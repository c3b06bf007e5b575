"""The passage of a text that is most like an element, and where the two differ, in a line."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from tophit.errors import counted
from tophit.matching.text.hits import longest_pieces
from tophit.matching.text.normalize import normalize
from tophit.matching.text.search import Corpus
from tophit.matching.text.segmentation import segments
from tophit.settings import DEFAULT_FOLDING, Folding

_SHOWN = 3  # differences in a line
_CONTEXT = 4  # words beside a difference
_LONGEST = 160  # characters of a line
_WORDS = 2_000  # from here on, words that stand everywhere are no anchors


class Nearest(NamedTuple):
    """The passage of text `number` that is most like an element, after normalisation.

    `share` is the longest common piece as a fraction of the element's characters, `held` all that
    both have in this order, of the longer one's. `line` shows the first differences:
    `net income was [6 → 5] million` has 6 in the element and 5 in the text. `cut` is true where the
    text has nothing for the element's beginning or end.
    """

    number: int
    share: float
    held: float
    passage: str
    line: str
    cut: bool


def nearest_passages(
    elements: Sequence[str], corpus: Corpus, *, least: float = 0.0
) -> list[Nearest | None]:
    """For each element the passage around its longest common piece.

    None where nothing is common, or less than `least` of the element.

    >>> corpus = Corpus(texts=["Net income was 5 million euros. It rose.", "Nothing here."])
    >>> near = nearest_passages(["net income was 6 million euros"], corpus)[0]
    >>> near.number, near.passage, near.line
    (0, 'net income was 5 million euros', 'net income was [6 → 5] million euros')
    """
    best, share = corpus.best_parts(elements)
    return passages_in(elements, np.where(share >= least, best, -1).tolist(), corpus)


def passages_in(
    elements: Sequence[str],
    numbers: Sequence[int],
    corpus: Corpus,
    *,
    forms: Mapping[int, str] | None = None,
) -> list[Nearest | None]:
    """As `nearest_passages`, of the text of this number for each element; -1 is none.

    `forms` are the normalised texts by number, where some are at hand.
    """
    known = np.array([row for row, number in enumerate(numbers) if number >= 0], dtype=np.int64)
    texts = np.array([numbers[row] for row in known.tolist()], dtype=np.int64)
    pieces = longest_pieces(elements, corpus.texts, known, texts, folding=corpus.folding)
    forms = Forms(corpus) if forms is None else forms
    found: list[Nearest | None] = [None] * len(elements)
    for place, (row, number) in enumerate(zip(known.tolist(), texts.tolist(), strict=True)):
        share = float(pieces.share[place])
        if share:
            start = int(pieces.chunk_start[place] - pieces.element_start[place])
            near = compared(elements[row], _passage(forms[number], start, elements[row]),
                            folding=corpus.folding)  # fmt: skip
            found[row] = near._replace(number=number, share=share)
    return found


class Forms(dict[int, str]):
    """The normalised texts of a corpus, each made once."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def __missing__(self, number: int) -> str:
        form = normalize(self._corpus.texts[number], folding=self._corpus.folding)
        self[number] = form
        return form


def _passage(form: str, start: int, element: str) -> str:
    """The part of a text where the element would stand, and a little more on both sides."""
    slack = 16 + len(element) // 4
    first, last = max(0, start - slack), min(len(form), start + len(element) + slack)
    first = form.rfind(" ", 0, first) + 1 if first else 0
    end = form.find(" ", last)
    return form[first : end if end >= 0 else len(form)]


def compared(
    element: str, text: str, *, folding: Folding = DEFAULT_FOLDING, surrounded: bool = True
) -> Nearest:
    """An element beside a text that has something like it, without what surrounds it there.

    A text that is not `surrounded` is compared as a whole.

    >>> compared("the 3Ms cash flow", "See: the 3M's cash-flow rose").line
    "the [3ms → 3m's] cash[blank → -]flow"
    >>> compared("not much", "not so much").line, compared("not so much", "not much").line
    ('not [nothing → so] much', 'not [so → nothing] much')
    >>> compared("tail is here", "tail is").line, compared("5% of it", "5 % of it").line
    ('tail is [here → nothing]', '5[nothing → blank]% of it')
    """
    form = normalize(element, folding=folding)
    ours, theirs = _words(form), _words(normalize(text, folding=folding))
    # blanks are no anchors: they stand everywhere
    matcher = difflib.SequenceMatcher(
        lambda word: word == " ", ours, theirs, autojunk=len(theirs) > _WORDS
    )
    steps = [
        ("".join(ours[a:b]), "".join(theirs[c:d]))
        for a, b, c, d in _spans(matcher.get_opcodes(), surrounded=surrounded)
    ]
    held = sum(len(mine) for mine, other in steps if mine == other)
    passage = "".join(other for _, other in steps).strip()
    held_of = held / max(1, len(form), len(passage))
    return Nearest(-1, 0.0, held_of, passage, _line(steps), _is_cut(steps))


def _is_cut(steps: Sequence[tuple[str, str]]) -> bool:
    """Whether the text has less of the first step, or of the last one, and nothing else there."""
    if not steps:
        return False
    (first, theirs), (last, other) = ([side.strip() for side in steps[at]] for at in (0, -1))
    return (len(theirs) < len(first) and first.endswith(theirs)) or (
        len(other) < len(last) and last.startswith(other)
    )


def _spans(
    codes: Sequence[tuple[str, int, int, int, int]], *, surrounded: bool
) -> list[tuple[int, int, int, int]]:
    """What is alike and what differs; at the ends no more of the text than the element has."""
    spans = [code[1:] for code in codes]
    if not surrounded:
        return spans
    if spans and codes[0][0] != "equal":
        a, b, c, d = spans[0]
        spans[0] = (a, b, max(c, d - (b - a)), d)
    if len(spans) > 1 and codes[-1][0] != "equal":
        a, b, c, d = spans[-1]
        spans[-1] = (a, b, c, min(d, c + b - a))
    return [span for span in spans if span[1] > span[0] or span[3] > span[2]]


def _words(text: str) -> list[str]:
    return [text[start:end] for start, end in segments(text)]


def _line(steps: Sequence[tuple[str, str]]) -> str:
    """The first differences with a few words around them."""
    shown: list[str] = []
    differences = [row for row, (mine, other) in enumerate(steps) if mine != other]
    if not differences:
        return " ".join("".join(mine for mine, _ in steps).split())
    last = differences[:_SHOWN][-1]
    for row in range(max(0, differences[0] - 1), min(len(steps), last + 2)):
        mine, other = steps[row]
        part = _context(mine, row, differences[0], last) if mine == other else _change(mine, other)
        if len("".join(shown)) + len(part) > _LONGEST and row > differences[0]:
            last = max(each for each in differences if each < row)
            break
        shown.append(part)
    left = sum(row > last for row in differences)
    more = f" ({counted(left, 'more difference')})" if left else ""
    return "".join(shown).strip() + more


def _context(text: str, row: int, first: int, last: int) -> str:
    """What both have, beside a difference: of much only the words near to one."""
    words = text.split(" ")
    head = [] if row < first else words[: _CONTEXT + 1]
    tail = [] if row > last else words[-_CONTEXT - 1 :]
    if len(words) <= len(head) + len(tail) and len(text) <= _LONGEST // 2:
        return text
    part = _LONGEST // 4
    shown = [" ".join(head)[:part], "…", " ".join(tail)[-part:]]
    return " ".join(each for each in shown if each)


def _change(mine: str, other: str) -> str:
    """`[mine → other]`, the blanks around it outside."""
    sides = [side for side in (mine, other) if side]
    worded = all(side.strip() for side in sides)
    left = " " if worded and all(side.startswith(" ") for side in sides) else ""
    right = " " if worded and all(side.endswith(" ") for side in sides) else ""
    return f"{left}[{_named(mine)} → {_named(other)}]{right}"


def _named(text: str) -> str:
    if not text:
        return "nothing"
    plain = "blank" if text == " " else text.strip()
    if len(plain) <= _LONGEST // 3:
        return plain
    return f"{plain[: _LONGEST // 6]} … {plain[-_LONGEST // 6 :]}"
