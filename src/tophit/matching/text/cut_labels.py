"""Long elements whose label begins or ends inside a word.

Word boundaries keep `cat` out of `concatenate`. A label of many words that starts one letter late
("ases, 4,300 more asylum officers ...") is no such accident: the chunk that holds all of it holds
the answer. So an element of at least `LONG` words stands whole wherever all its characters stand,
except where a number would be cut: `3 million` is never in `13 million`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tophit.matching.text.segmentation import MARK, NUMBER, kinds_of
from tophit.matching.text.words import Words, words_of

_Ints = NDArray[np.int64]

LONG = 8


def complete_cut_labels(
    elements: Words, chunks: Words, element: _Ints, chunk: _Ints, places: _Ints
) -> None:
    """Widen in `places` the pieces of long elements that stand as a whole, inside words or not.

    `places` has four rows, a column a pair: start and end in the element, start and end in the
    chunk, as `longest_runs` gives them.

    >>> element = words_of("ases are heard by judges who were appointed\\n", side=0)
    >>> chunk = words_of("cases are heard by judges who were appointed.\\n", side=1)
    >>> places, pair = np.array([[5], [43], [6], [44]]), np.array([0])
    >>> complete_cut_labels(element, chunk, pair, pair, places)
    >>> places[:, 0].tolist()
    [0, 43, 1, 44]
    """
    held, length = places[1] - places[0], elements.length[element]
    long = _word_counts(elements)[element] >= LONG
    # what is missing at the edges is less than what is there
    for row in np.flatnonzero(long & (held < length) & (2 * held > length)).tolist():
        text = elements.text_of(int(element[row]))
        at = _first_place(text, chunks, int(chunk[row]))
        if at is not None:
            places[:, row] = 0, len(text), at, at + len(text)


def word_count(text: str) -> int:
    """How many words a text has: no marks, and `don't` is one.

    >>> word_count("Don't pay $3.14!!!")
    3
    """
    return int(_word_counts(words_of(f"{text}\n", side=0))[0])


def _word_counts(words: Words) -> _Ints:
    solid = (kinds_of(words.codes[words.start]) != MARK) & words.edges.opens
    total = np.append(0, np.cumsum(solid))
    counts: _Ints = total[words.first[1:]] - total[words.first[:-1]]
    return counts


def _first_place(element: str, chunks: Words, chunk: int) -> int | None:
    text = chunks.text_of(chunk)
    at = text.find(element)
    while at >= 0:
        if not any(_cuts_number(chunks, chunk, edge) for edge in (at, at + len(element))):
            return at
        at = text.find(element, at + 1)
    return None


def _cuts_number(words: Words, text: int, at: int) -> bool:
    """Whether a place lies inside a number, or between it and its sign."""
    place = int(words.offset[text]) + at
    word = int(np.searchsorted(words.start, place, side="left"))
    if word < len(words.start) and words.start[word] == place:
        return bool(words.edges.numbers[word])
    inside = word > 0 and words.end[word - 1] > place
    return inside and int(kinds_of(words.codes[words.start[word - 1 : word]])[0]) == NUMBER
