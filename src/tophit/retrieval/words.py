"""Text to the words that BM25 counts, in any script."""

from __future__ import annotations

import functools
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from regex import Pattern

_NO_SPACES = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"


def words(text: str) -> list[str]:
    """The words of `text`: NFKC, case folded; letters, marks and digits, all else divides them.

    A script without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese) gives every character
    and every pair of neighbours: pairs find words, characters find what a pair misses.

    >>> words('Find "A AND b*" in naïve_x: 3.14')
    ['find', 'a', 'and', 'b', 'in', 'naïve', 'x', '3', '14']
    >>> words("台灣 हिन्दी")
    ['台', '灣', '台灣', 'हिन्दी']
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    word, spaceless = _patterns()
    runs: list[str] = word.findall(folded)
    if not spaceless.search(folded):
        return runs
    found: list[str] = []
    for run in runs:
        if spaceless.match(run):
            found += run
            found += (run[at : at + 2] for at in range(len(run) - 1))
        else:
            found.append(run)
    return found


@functools.cache
def _patterns() -> tuple[Pattern[str], Pattern[str]]:
    """A word of a script with spaces or a run of one without; a character of one without."""
    import regex  # takes 50 ms to import

    word = rf"[{_NO_SPACES}]+|[\p{{L}}\p{{M}}\p{{N}}--[{_NO_SPACES}]]+"
    return (
        regex.compile(word, regex.VERSION1),
        regex.compile(rf"[{_NO_SPACES}]", regex.VERSION1),
    )
