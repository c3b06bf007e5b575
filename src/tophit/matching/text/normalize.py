"""One form for text that means the same: the first step of matching, on both sides alike.

    marks of Markdown and HTML dropped (only with strip_markup)
    -> line ends, boundaries and signs marked -> characters folded -> white space folded

`normalize` gives the text; `original_span` leads back from a place in it to the original.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tophit.matching.text import marks, markup
from tophit.matching.text.marks import settle
from tophit.matching.text.segmentation import codes_of
from tophit.settings import DEFAULT_FOLDING, Folding

# Stands between texts while they are one string.
_END = "\x00"
# From here on a table of all characters is quicker than a set of them.
_LONG = 10_000

_SINGLE_QUOTES = (
    "`\u00b4\u2018\u2019\u201a\u201b\u2039\u203a\u2032\u2035"
    "\u02b9\u02bb\u02bc\u02bd\u02ca\u02cb\u05f3"
)
_DOUBLE_QUOTES = (
    "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u2036\u02ba\u05f4\u2e42"
    "\u301d\u301e\u301f\u300c\u300d\u300e\u300f\ufe41\ufe42\ufe43\ufe44\uff62\uff63"
)
_DASHES = (
    "\u058a\u05be\u1806\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212"
    "\u2e3a\u2e3b\ufe31\ufe32\ufe58\ufe63\uff0d"
)
_TATWEEL = "\u0640"  # stretches an Arabic word and says nothing
# Unicode's Default_Ignorable_Code_Point: soft hyphen, zero-width and direction marks, selectors.
_IGNORED = (
    "\u00ad\u034f\u061c\u115f-\u1160\u17b4-\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# Scripts written without spaces, and the punctuation that goes with them: a blank there is layout.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u19e0-\u19ff\ua9e0-\ua9ff\uaa60-\uaa7f"
    "\u2e80-\u2fdf\u3001-\u3011\u3014-\u301b\u3021-\u3029\u3031-\u3035\u3038-\u303d\u3041-\u312f\u31a0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
_ASCII_SPACE = "\n\t\r\x0b\x0c\x1c\x1d\x1e\x1f"
_OTHER_SPACE = (
    "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_UNFOLDED_SPACE = "\x85\u1680\u2028\u2029"  # NFKC makes a blank of the others


def _members(ranges: str) -> Iterator[str]:
    for first, last in re.findall(r"(.)(?:-(.))?", ranges, re.DOTALL):
        yield from map(chr, range(ord(first), ord(last or first) + 1))


# Letters and signs that look the same, or that a keyboard has in place of each other.
_ALIKE = {
    "\u06cc": "\u064a", "\u0649": "\u064a",  # Persian yeh, alef maksura: Arabic yeh
    "\u06a9": "\u0643", "\u06c1": "\u0647",  # Persian kaf, Urdu heh: Arabic kaf and heh
    "\u015e": "\u0219", "\u015f": "\u0219",  # s and t with a cedilla for Romanian's comma below
    "\u0162": "\u021b", "\u0163": "\u021b",
    "\u0130": "i",  # Turkish capital I with a dot
    "\u2044": "/", "\u2215": "/",
    "\u301c": "~", "\u3030": "~", "\u223c": "~", "\u2053": "~",  # wave dashes: full-width tilde
    "\u30fb": "\u00b7", "\u2027": "\u00b7", "\u2219": "\u00b7", "\u22c5": "\u00b7",
    "\u02da": "\u00b0",  # ring above: degree
    "\u2122": "(tm)", "\u2120": "(sm)",
}  # fmt: skip
_FOLDED_TO = (
    dict.fromkeys(_members(_IGNORED + _TATWEEL), "")
    | dict.fromkeys(_SINGLE_QUOTES, "'")
    | dict.fromkeys(_DOUBLE_QUOTES, '"')
    | dict.fromkeys(_DASHES, "-")
    | _ALIKE
)


def normalize(text: str, *, folding: Folding = DEFAULT_FOLDING) -> str:
    """Bring text into the form in which it is compared.

    Characters: NFKC and full case folding (Unicode's NFKC_Casefold: ligatures, widths and marks
    such as the soft hyphen and the zero-width space go), all quotes to ' or ", all dashes to -.
    A hyphen at a line end between two small letters is dropped with the break, elsewhere between
    letters or digits only the break goes (`longest_pieces` tries the other readings).
    White space: every run is one blank, none at the edges, and none beside a character of a script
    that is written without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese). A break written
    as a backslash and n, r or t, as in logs, is white space unless a small letter follows.

    `folding.exact` leaves every character as it is (but NUL) and folds white space alone, since
    splitters rewrap and trim. `folding.strip_markup` first drops the marks of Markdown and HTML and
    keeps the text. The result is stable: normalising it again changes nothing (with
    `strip_markup`, normalising it again without).

    >>> normalize("  “E\\ufb03cient” inter-\\nnational\\u00a0TRADE \\u2013 2024-\\n25 ")
    '"efficient" international trade - 2024-25'
    >>> normalize(" “Two”\\n words ", folding=Folding(exact=True))
    '“Two” words'
    >>> text = "# The **bold** <b>word</b> &amp; [a link](http://x)"
    >>> normalize(text, folding=Folding(strip_markup=True))
    'the bold word & a link'
    """
    return settle(normalize_all([text], folding=folding))[:-1]


def says_nothing(form: str, *, folding: Folding = DEFAULT_FOLDING) -> bool:
    """Whether of a text after normalisation nothing is left to compare.

    >>> says_nothing("?"), says_nothing("?", folding=Folding(letters=True))
    (False, True)
    """
    return not form or (folding.letters and not any(map(str.isalnum, form)))


def normalize_all(texts: Sequence[str], *, folding: Folding = DEFAULT_FOLDING) -> str:
    """Normalise many texts in one go; each ends in a line feed, which none of them holds.

    The texts hold the marks of marks.py, which `settle` turns into the usual reading.

    >>> settle(normalize_all(["A\\n cat", "", "well-\\nknown"]))
    'a cat\\n\\nwellknown\\n'
    """
    if folding.strip_markup:
        texts = [markup.strip(text) for text in texts]
    # On one long string each step runs at the speed of memchr.
    joined = "".join([text.replace(_END, "") + _END for text in texts])
    for rules in rules_before(folding):
        joined = marks.apply(rules, joined)
    if not folding.exact:
        joined = _fold(joined)
    joined = _fold_space(joined, _OTHER_SPACE if folding.exact else _UNFOLDED_SPACE)
    while not folding.exact and (dropped := _drop_unspaced_blanks(joined)) != joined:
        joined = fold_characters(dropped)
    return joined.replace(_END, "\n")


def rules_before(folding: Folding) -> tuple[tuple[marks.Rule, ...], ...]:
    """The rules that run before characters are folded.

    >>> len(rules_before(Folding(exact=True))) < len(rules_before(Folding()))
    True
    """
    if folding.exact:
        return ((marks.DROPPED_MARKS,), marks.BOUNDARIES)
    return ((marks.DROPPED_MARKS,), marks.LINE_ENDS, marks.BOUNDARIES, marks.BEFORE_FOLDING)


def _fold(text: str) -> str:
    folded = fold_characters(text)
    while (after := marks.apply(marks.AFTER_FOLDING, folded)) != folded:
        folded = fold_characters(after)
    return folded


# ------------------------------------------------------------------------------ characters


def fold_characters(text: str) -> str:
    """Fold case, compatibility forms, quotes and dashes, and drop what nobody sees.

    >>> fold_characters("\\u201cStra\\u00dfe\\u201d \\u2460")
    '"strasse" 1'
    >>> fold_characters("caf\\u00e9 `a`") == "caf\\u00e9 'a'"
    True
    """
    text = text.replace("`", "'")  # besides capitals the one character of ASCII that folds
    while not text.isascii():
        composes = False
        for char in _distinct(text):
            folded = _fold_character(char)
            composes |= _composes(char) or _composes(folded)
            if folded != char and not unicodedata.combining(char):
                text = text.replace(char, folded)
        lowered = text.casefold()
        if not composes or (_is_nfkc(text) and _is_nfkc(lowered)):
            return lowered
        again = _nfkc_casefold(text)
        if again == text:
            return text
        text = again
    return text.lower()


def _distinct(text: str) -> Iterable[str]:
    """The characters beyond ASCII that occur in text, and perhaps some of ASCII."""
    if len(text) < _LONG:
        return set(text)
    codes = codes_of(text)
    met = np.zeros(int(codes.max()) + 1, dtype=bool)
    met[codes] = True
    return map(chr, (np.flatnonzero(met[128:]) + 128).tolist())


@cache
def _fold_character(char: str) -> str:
    folded = "".join(map(_alike, char))
    while (again := "".join(map(_alike, _nfkc_casefold(folded)))) != folded:
        folded = again
    return folded


def _alike(char: str) -> str:
    digit = unicodedata.decimal(char, None)  # every script's digits are the same numbers
    return _FOLDED_TO.get(char, char) if digit is None else str(digit)


def may_join(char: str) -> bool:
    """Whether folding has to look at this character together with the one before it.

    >>> may_join("\\u0301"), may_join("e")
    (True, False)
    """
    folded = _fold_character(char)
    return not folded or _composes(char) or _composes(folded[0])


@cache
def _composes(text: str) -> bool:
    """Whether a character may join the one before it, so that NFKC has to look at both."""
    import regex

    return regex.search(r"[\p{M}\p{NFC_Quick_Check=Maybe}]", text) is not None


def _is_nfkc(text: str) -> bool:
    return unicodedata.is_normalized("NFKC", text)


def _nfkc_casefold(text: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


# ------------------------------------------------------------------------------ white space

UNSPACED_BLANK = re.compile(f" (?=[{_UNSPACED}])|(?<=[{_UNSPACED}]) ")
_BLANKS = re.compile("  +")
_BLANK = 0x20


def _fold_space(text: str, beyond_ascii: str) -> str:
    for char in _ASCII_SPACE:
        text = text.replace(char, " ")
    if not text.isascii():
        for char in beyond_ascii:
            text = text.replace(char, " ")
    return _END.join([part.strip(" ") for part in _BLANKS.sub(" ", text).split(_END)])


def _drop_unspaced_blanks(text: str) -> str:
    """As `UNSPACED_BLANK` does, at a fifth of the time."""
    if text.isascii():
        return text
    codes = codes_of(text)
    unspaced = _unspaced_table().take(codes, mode="clip")
    beside = np.zeros(len(codes), dtype=bool)
    beside[1:] = unspaced[:-1]
    beside[:-1] |= unspaced[1:]
    dropped = beside & (codes == _BLANK)
    if not dropped.any():
        return text
    kept: bytes = codes[~dropped].tobytes()
    return kept.decode("utf-32-le", "surrogatepass")


@cache
def _unspaced_table() -> NDArray[np.bool_]:
    table = np.zeros(0x40001, dtype=bool)
    table[[ord(char) for char in _members(_UNSPACED)]] = True
    return table
