"""Ids that tophit makes up: from the text, readable, and told from ids that somebody gave."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable

_SLUG = 32
_MADE = re.compile(r"[\w-]*~[0-9a-f]{12}(~\d+)?")
_GAPS = re.compile(r"[\W_]+")


def made_id(text: str) -> str:
    """The id of something without one: the same text has the same id in every file.

    It begins with the text's first words and ends in 12 digits of its hash.

    >>> made_id("Which fees are due?")
    'which-fees-are-due~a320214de66c'
    """
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    words = _GAPS.sub("-", text[: 2 * _SLUG].lower()).strip("-")
    if len(words) > _SLUG:
        words = words[:_SLUG].rpartition("-")[0] or words[:_SLUG]
    return f"{words}~{digest}"


def question_id(question: str) -> str:
    """The id of a question without one; capitals and blanks make no other question.

    >>> question_id("Which  fees?") == question_id("which fees?")
    True
    """
    return made_id(" ".join(unicodedata.normalize("NFKC", question).casefold().split()))


def is_made(key: str) -> bool:
    """Whether `made_id` made this id, in this file or in one that was written from it.

    >>> is_made(made_id("Which fees are due?")), is_made(made_id("?") + "~2"), is_made("q1")
    (True, True, False)
    """
    return "~" in key and _MADE.fullmatch(key) is not None


_EDGES = "\"'“”‘’«»()[].,;:!?"
_LOOKED_AT = 400  # characters
# Scripts without blanks between words: Thai to Khmer, Kana, Han.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u9fff]{5}")


def looks_like_text(value: str) -> bool:
    """Whether a bare string is a text, not an id: two words of letters, or a script without blanks.

    >>> looks_like_text("late fees"), looks_like_text("doc 1"), looks_like_text("old report.pdf")
    (True, False, False)
    """
    start = value[:_LOOKED_AT]
    words = [word.strip(_EDGES).replace("'", "").replace("-", "") for word in start.split()]
    return sum(len(word) > 1 and word.isalpha() for word in words) > 1 or bool(
        _UNSPACED.search(start)
    )


def look_like_texts(values: Iterable[str]) -> bool:
    """Whether most of these strings are texts.

    >>> look_like_texts(["late fees", "the rate", "4"]), look_like_texts(["a", "late fees"])
    (True, False)
    """
    seen = [looks_like_text(value) for value in values]
    return sum(seen) * 2 > len(seen)
