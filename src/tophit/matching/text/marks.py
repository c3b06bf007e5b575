"""What text shows before it is folded, and what folding would lose, kept as marks inside it.

A mark is one noncharacter. Those of line ends stand for a hyphen or a soft hyphen and the break
behind it, until all readings have been tried (lineends.py). `OPEN` says that a word may begin and
end here, `BOUND` that the blank behind it is inside a number (boundaries.py). A few signs are
spelled out, since folding would make another number of them: 10² is not 102, and 3½ not 31/2.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

JOINED, KEPT, SPACED, SOFT = "\ufdd0", "\ufdd1", "\ufdd2", "\ufdd3"
OPEN, BOUND = "\ufdd4", "\ufdd5"
# What each mark of a line end usually reads as; the other reading is the joined word or the hyphen.
USUAL: Mapping[str, str] = {JOINED: "", KEPT: "-", SPACED: "- ", SOFT: " "}
MARKS = "".join([*USUAL, OPEN, BOUND])

_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_LOWERED = "₀₁₂₃₄₅₆₇₈₉"
_VULGAR = "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞⅟↉"
_NUMBER_BLANKS = "\u00a0\u2007\u2008\u2009\u202f"
_BREAKS = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"


class Rule(NamedTuple):
    """A pattern and what stands in its place; a text with none of `needs` has no match."""

    needs: str
    pattern: re.Pattern[str]
    new: str | Callable[[re.Match[str]], str]


def apply(rules: Iterable[Rule], text: str) -> str:
    """Apply rules in order.

    >>> apply(BEFORE_FOLDING, "10\\u00b2 cells").replace(OPEN, "|")
    '10^² cells'
    """
    for rule in rules:
        if any(char in text for char in rule.needs):
            text = rule.pattern.sub(rule.new, text)
    return text


def settle(marked: str) -> str:
    """Give every line end its usual reading, and drop what else is marked.

    >>> settle(f"inter{JOINED}national 2024{KEPT}25, 1{BOUND} 000")
    'international 2024-25, 1 000'
    """
    return settle_line_ends(marked).replace(OPEN, "").replace(BOUND, "")


def settle_line_ends(marked: str) -> str:
    """Give every line end its usual reading, and keep the marks of boundaries.

    >>> settle_line_ends(f"capabili{SPACED}ties")
    'capabili- ties'
    """
    if not marked.isascii():
        for mark, usual in USUAL.items():
            marked = marked.replace(mark, usual)
    return marked


def _rule(needs: str, pattern: str, new: str | Callable[[re.Match[str]], str]) -> Rule:
    return Rule(needs, re.compile(pattern), new)


def _base_before(match: re.Match[str]) -> str:
    """The character before a match, without the marks that combine with it; empty at the start."""
    at = match.start() - 1
    while at > 0 and unicodedata.combining(match.string[at]):
        at -= 1
    return match.string[at] if at >= 0 else ""


# ------------------------------------------------------------------------------ line ends


def _hyphen(match: re.Match[str]) -> str:
    before, after = _base_before(match), match.string[match.end()]
    if not before.isalnum():
        return match.group()
    if not _one_break(match[2]) or match[1] in "\u2013\u2212":
        return SPACED
    return JOINED if before.islower() and after.islower() else KEPT


def _soft_hyphen(match: re.Match[str]) -> str:
    if not _base_before(match).isalnum():
        return match.group()
    return "" if _one_break(match.group().replace("\u00ad", "")) else SOFT


def _one_break(blanks: str) -> bool:
    lines = blanks.replace("\r\n", "\n")
    return sum(lines.count(char) for char in _BREAKS) == 1


LINE_ENDS = (
    # A line break written as a backslash and a letter, as in JSON; \\nabla and C:\\temp hold none.
    _rule("\\", r"\\(?:[nrt](?![a-z])|[NRT](?![A-Za-z]))", " "),
    _rule("\u2010", "\u2010", "-"),
    _rule("\u00ad", r"(?:(?<!\u00ad)\u00ad+\s+|(?<!\s)\s+\u00ad)\u00ad*(?=[^\W_])", _soft_hyphen),
    _rule("-", r"(-)(\s+)(?=[^\W_])", _hyphen),
    _rule(
        "\u2011\u2013\u2212\u00ac\ufe63\uff0d",
        r"([\u2011\u2013\u2212\u00ac\ufe63\uff0d])(\s+)(?=[^\W_])",
        _hyphen,
    ),
)

# ------------------------------------------------------------------------------ boundaries


def _glued_stop(match: re.Match[str]) -> str:
    """A full stop whose blank was lost: "8 euros.Late", "J.Smith", but not "U.S." or "setup.py"."""
    before, after = _base_before(match), match.string[match.end()]
    following = match.string[match.end() + 1 : match.end() + 2]
    if not before.isalpha():
        return match.group()
    if not _has_case(before) or not _has_case(after):
        return f"{OPEN}.{OPEN}"
    sentence = after.isupper() and (
        following.islower() or (before.islower() and following not in (".", "", "\x00"))
    )
    return f"{OPEN}.{OPEN}" if sentence else match.group()


def _has_case(char: str) -> bool:
    return char.lower() != char.upper()


def _blank_in_number(match: re.Match[str]) -> str:
    """A blank that no line may break between groups of three digits: 1 234 with U+202F."""
    head = re.search(rf"\d+(?:[{_NUMBER_BLANKS}]\d{{3}})*\Z", match.string[: match.start()][-40:])
    grouped = head is not None and len(re.split(r"\D", head.group())[0]) <= 3
    return BOUND + match.group() if grouped else match.group()


DROPPED_MARKS = _rule(MARKS, f"[{MARKS}]", "")
# Kept under every level of folding.
BOUNDARIES = (
    _rule(".", r"\.(?=[^\W\d_])", _glued_stop),
    _rule(_NUMBER_BLANKS, rf"[{_NUMBER_BLANKS}](?=\d{{3}}(?!\d))", _blank_in_number),
)

# ------------------------------------------------------------------------------ spelled out


def _spelled_out(before: str = "", after: str = "") -> Callable[[re.Match[str]], str]:
    return lambda match: before + match.group() + after


BEFORE_FOLDING = (
    _rule(_VULGAR, rf"(?<=\d)[{_VULGAR}]", _spelled_out(" ")),
    _rule(_RAISED, rf"(?<!\w)[{_RAISED}]+(?=[^\W\d_])", _spelled_out(after=OPEN)),
    _rule(
        _RAISED + "\u2071\u207f",
        rf"(?<=\d)[\u207a\u207b]?[{_RAISED}\u2071\u207f]+",
        _spelled_out("^"),
    ),
    _rule(_LOWERED, rf"(?<=\d)[{_LOWERED}]+", _spelled_out("_")),
    # A raised number behind a word is a note; behind one or two letters it is a power: m², km².
    _rule(_RAISED, rf"(?<=[^\W\d_]{{3}})[{_RAISED}]+", _spelled_out(OPEN)),
    # The ordinal sign that stands for a degree.
    _rule("\u00ba", r"(?<=\d)\u00ba|(?<=\d\s)\u00ba|\u00ba(?=[CF]\b)", "\u00b0"),
    # Thai and Lao am, composed or not, with a tone before or inside; two e that look like one ae.
    _rule("\u0e4d", r"\u0e4d([\u0e48-\u0e4b])\u0e32", "\\1\u0e33"),
    _rule("\u0ecd", r"\u0ecd([\u0ec8-\u0ecb])\u0eb2", "\\1\u0eb3"),
    _rule("\u0e40", "\u0e40\u0e40", "\u0e41"),
)
AFTER_FOLDING = (
    # The escaped break again, after case went, so that the result is stable.
    _rule("\\", r"\\[nrt](?![a-z])", " "),
    # What folding leaves of the Turkish dotted capital I.
    _rule("\u0307", r"(i[\u0316-\u0333]*)\u0307", r"\1"),
)
