"""Matching by text, slow and obvious: what the fast way must agree with.

Every rule of docs/matching.md is here a second time, word by word and in plain strings.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import regex

from tophit.matching.text.boundaries import CLOSED_SUFFIXES, ELISIONS, ENGLISH
from tophit.matching.text.lineends import Reading, endings, reread
from tophit.matching.text.marks import BOUND, OPEN, settle, settle_line_ends
from tophit.matching.text.normalize import normalize_all
from tophit.settings import DEFAULT_FOLDING, Folding

_KATAKANA = r"\p{Word_Break=Katakana}"
_MARK = r"[\p{Word_Break=Extend}\p{Word_Break=Format}\p{Word_Break=ZWJ}]"
_LETTER = r"[\p{Word_Break=ALetter}\p{Word_Break=Hebrew_Letter}]"
_HEBREW = r"\p{Word_Break=Hebrew_Letter}"
_DIGIT = r"\p{Word_Break=Numeric}"
_MID = r"[\p{Word_Break=Single_Quote}\p{Word_Break=MidNumLet}\p{Word_Break=MidLetter}]"
# The default rules of UAX #29 in the package `regex`; then also on both sides of any Katakana, and
# of a semicolon between digits.
_BOUNDARY = regex.compile(
    rf"(?w)\b|(?={_KATAKANA})|(?<={_KATAKANA}{_MARK}*)(?!{_MARK})"
    rf"|(?<={_DIGIT}{_MARK}*)(?=[;\u037e\u0589])|(?<=[;\u037e\u0589]{_MARK}*)(?={_DIGIT})"
)
# Where UAX #29 holds a word together and it is cut all the same.
_HELD = regex.compile(
    rf"(?<={_LETTER}{_MARK}*)(?={_DIGIT})|(?<={_DIGIT}{_MARK}*)(?={_LETTER})"
    rf"|(?<={_LETTER}{_MARK}*)(?={_MID}{_MARK}*{_LETTER})"
    rf"|(?<={_LETTER}{_MARK}*{_MID}{_MARK}*)(?={_LETTER})"
)
# A geresh between Hebrew letters belongs to the word.
_GERESH = regex.compile(
    rf"(?<={_HEBREW}{_MARK}*)(?='{_MARK}*{_HEBREW})|(?<={_HEBREW}{_MARK}*'{_MARK}*)(?={_HEBREW})"
    rf"|(?<={_HEBREW}{_MARK}*)(?=')"
)


def cuts(text: str) -> list[int]:
    """Every place where a segment begins or ends, the edges among them."""
    found = {0, len(text)}
    found |= {match.start() for match in _BOUNDARY.finditer(text)}
    found |= held(text)
    return sorted(found)


def held(text: str) -> set[int]:
    """The places inside what UAX #29 takes for one word."""
    places = {match.start() for match in _HELD.finditer(text)}
    return places - {match.start() for match in _GERESH.finditer(text)}


@dataclass(frozen=True)
class Word:
    """A word and its place; `boundary` and `number` are about the place before it."""

    text: str
    start: int
    end: int
    boundary: bool = True
    number: bool = False
    attached: bool = False  # a sign, and the number follows

    @property
    def solid(self) -> bool:
        """Letters or digits."""
        return regex.match(r"[\p{L}\p{N}\p{M}\p{Pc}]", self.text) is not None

    @property
    def is_number(self) -> bool:
        return regex.match(_DIGIT, self.text) is not None


@dataclass(frozen=True)
class Text:
    """A normalised text, and its words; behind the last there is always a boundary."""

    plain: str
    words: list[Word]
    exact: bool

    def gap(self, number: int) -> str:
        """How the next word follows."""
        word, following = self.words[number], self.words[number + 1]
        if word.attached:
            return "sign"
        blank = word.end < following.start
        return "blank" if blank and (self.exact or (word.solid and following.solid)) else ""

    def boundary(self, number: int) -> bool:
        """Whether the place before this word is a boundary; behind the last it is one."""
        return number in (0, len(self.words)) or self.words[number].boundary


def marked(text: str, *, folding: Folding = DEFAULT_FOLDING) -> str:
    """A text after normalisation, with its marks, but for those of line ends."""
    return settle_line_ends(normalize_all([text], folding=folding)[:-1])


def read(line: str, *, exact: bool = False) -> Text:
    """Take a marked text apart."""
    plain, opened, bound = "", set(), set()
    for char in line:
        if char == OPEN:
            opened.add(len(plain))
        elif char == BOUND:
            bound.add(len(plain) + 1)
        else:
            plain += char
    found = [(a, b) for a, b in pairwise(cuts(plain)) if plain[a:b] != " "]
    words = [Word(plain[a:b], a, b) for a, b in found]
    view = _View(plain, words, held(plain), opened, bound)
    return Text(plain, [view.judged(number) for number in range(len(words))], exact)


@dataclass(frozen=True)
class _View:
    plain: str
    words: list[Word]
    held: set[int]
    opened: set[int]
    bound: set[int]

    def judged(self, number: int) -> Word:
        word = self.words[number]
        inside = number > 0 and (self._in_number(number) or word.start in self.bound)
        seen = word.start in self.opened or any(self._opened(number))
        return Word(
            word.text,
            word.start,
            word.end,
            boundary=not inside and (word.start not in self.held or seen),
            number=inside,
            attached=self._is_sign(number) or self._is_leading_point(number),
        )

    def _text(self, number: int) -> str:
        return self.words[number].text if 0 <= number < len(self.words) else ""

    def _is_number(self, number: int) -> bool:
        return 0 <= number < len(self.words) and self.words[number].is_number

    def _glued(self, number: int) -> bool:
        """Whether a word follows the one before it without a blank."""
        return (
            0 < number < len(self.words) and self.words[number - 1].end == self.words[number].start
        )

    # -------------------------------------------------------------- held, yet open

    def _opened(self, number: int) -> Iterator[bool]:
        yield ":" in (self._text(number), self._text(number - 1))
        if self._is_apostrophe(number):
            before, after = self._text(number - 1), self._text(number + 1)
            latin = regex.match(r"\p{Latin}", _skeleton(before)[-1:]) is not None
            yield (
                latin
                and _skeleton(after).lower() not in CLOSED_SUFFIXES
                and (len(before) > 1 or _skeleton(after).lower() in ENGLISH)
            )
        if self._is_apostrophe(number - 1):
            before = _skeleton(self._text(number - 2))
            yield before.lower() in ELISIONS or regex.match(r"\p{Greek}", before[-1:]) is not None

    def _is_apostrophe(self, number: int) -> bool:
        """Whether this is an apostrophe between letters, and not around a single one."""
        if self._text(number) not in ("'", "\u2019") or not self._between_letters(number):
            return False
        following = self._text(number + 2) in ("'", "\u2019") and self._between_letters(number + 2)
        before = self._text(number - 2) in ("'", "\u2019") and self._between_letters(number - 2)
        return not (following and len(self._text(number + 1)) == 1) and not (
            before and len(self._text(number - 1)) == 1
        )

    def _between_letters(self, number: int) -> bool:
        return (
            0 < number < len(self.words) - 1
            and self.words[number].start in self.held
            and self.words[number + 1].start in self.held
        )

    # -------------------------------------------------------------- inside numbers

    def _is_sign(self, number: int) -> bool:
        if self._text(number) not in tuple("-\u2010\u2011\u2013\u2212\ufe63\uff0d"):
            return False
        if not self._glued(number + 1) or not self._free(number):
            return False
        if self._is_number(number + 1):
            return True
        between = self._text(number + 1) == "." or _is_currency(self._text(number + 1))
        return between and self._glued(number + 2) and self._is_number(number + 2)

    def _is_leading_point(self, number: int) -> bool:
        if self._text(number) != "." or not self._glued(number + 1):
            return False
        if not self._is_number(number + 1):
            return False
        return self._free(number) or self._is_sign(number - 1)

    def _free(self, number: int) -> bool:
        if not self._glued(number):
            return True
        before = self.words[number - 1]
        if _is_currency(before.text):
            return not (self._glued(number - 1) and self.words[number - 2].solid)
        return not before.solid and before.text[0] not in ")]}%\u2030\u00b0-.\u2013\u2212"

    def _in_number(self, number: int) -> bool:
        before = self._text(number - 1)
        return (
            self._is_sign(number - 1)
            or (self._is_sign(number - 2) and not self._is_number(number - 1))
            or self._is_leading_point(number - 1)
            or (
                before in ("\u00b1", "\u2213")
                and (self._is_number(number) or _is_currency(self._text(number)[:1]))
            )
            or (
                before == "^"
                and self._glued(number - 1)
                and self._is_number(number - 2)
                and self._glued(number)
            )
            or any(self._in_fraction(number, slash) for slash in (number - 1, number, number + 1))
            or self._in_time(number)
        )

    def _in_fraction(self, number: int, slash: int) -> bool:
        if self._text(slash) != "/" or not (self._glued(slash) and self._glued(slash + 1)):
            return False
        parts = (slash - 1, slash + 1)
        if not all(self._is_number(n) and len(self._text(n)) <= 2 for n in parts):
            return False
        if self._glued(slash - 1) and self._text(slash - 2)[:1] in ("/", ".", ":"):
            return False
        if self._glued(slash + 2) and self._text(slash + 2)[:1] in ("/", ":"):
            return False
        if number == slash - 1:
            whole = self._is_number(slash - 2) and len(self._text(slash - 2)) <= 3
            return whole and not self._glued(slash - 1)
        return True

    def _in_time(self, number: int) -> bool:
        for colon in (number, number - 1):
            if self._text(colon) != ":" or not (self._glued(colon) and self._glued(colon + 1)):
                continue
            hours, minutes = self._text(colon - 1), self._text(colon + 1)
            clock = self._is_number(colon - 1) and len(hours) <= 2
            clock = clock and self._is_number(colon + 1) and len(minutes) == 2
            seconds = self._glued(colon - 1) and self._text(colon - 2)[:1] == ":"
            if clock and (number == colon + 1 or not seconds):
                return True
        return False


def _is_currency(text: str) -> bool:
    return regex.fullmatch(r"[$\u00a2-\u00a5\u0e3f\ufdfc\uff04\u20a0-\u20cf]", text) is not None


# ------------------------------------------------------------------------------ points

_DROPPED = regex.compile(
    r"[\u0610-\u061a\u064b-\u0652\u0656-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8"
    r"\u06ea-\u06ed\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]"
    r"|(?<=\p{Devanagari})\u093c"
    r"|(?<=\u0627)[\u0653-\u0655]"
    r"|(?<=\p{Greek}\p{Mn}*)[\u0300\u0301\u0313\u0314\u0342]"
    r"|(?<=\u0435)\u0308"
)


def _taken_apart(word: str) -> tuple[str, set[tuple[int, str]]]:
    """A word without its points, and the points with their places."""
    bare, points = "", set()
    for number, char in enumerate(word):
        if char == "\u0671":
            bare, points = bare + "\u0627", points | {(len(bare), char)}
            continue
        before = word[:number][-1:]
        stress = char in "\u0300\u0301" and regex.match(r"[\u0400-\u052f]", before)
        whole = unicodedata.normalize("NFD", char)
        found = [match.start() for match in _DROPPED.finditer(whole)]
        if stress or char == "\u093c":
            found = [0]
        rest = unicodedata.normalize(
            "NFC", "".join(c for n, c in enumerate(whole) if n not in found)
        )
        if len(rest) > 1:
            found, rest = [], char
        bare += rest
        points |= {(len(bare) - 1, whole[n]) for n in found}
    return bare, points


def _skeleton(word: str) -> str:
    return _taken_apart(word)[0]


def same(word: str, other: str) -> bool:
    """Whether two words are equal, where one has all points that the other has."""
    if word == other:
        return True
    (ours, our_points), (theirs, their_points) = _taken_apart(word), _taken_apart(other)
    return ours == theirs and (our_points <= their_points or their_points <= our_points)


# ------------------------------------------------------------------------------ pieces

Piece = tuple[int, int, int, int]


def best_piece(element: str, chunk: str, *, folding: Folding = DEFAULT_FOLDING) -> Piece:
    """The longest run of whole words, or all of a long element that was cut inside a word."""
    lines = [normalize_all([text], folding=folding)[:-1] for text in (element, chunk)]
    ours, theirs = (read(settle_line_ends(line), exact=folding.exact) for line in lines)
    if folding.letters:
        return _completed(ours, theirs, best_letters(ours, theirs))
    found = best_run(ours, theirs)
    if found[1] - found[0] < len(ours.plain):
        found = max(found, _reread(lines, ours, theirs), key=lambda piece: piece[1] - piece[0])
    return _completed(ours, theirs, found)


def _reread(lines: list[str], ours: Text, theirs: Text) -> Piece:
    """The best run where line ends are read as the other text has them, in the usual places."""
    plain = [Reading(settle_line_ends(line), ()) for line in lines]
    chunk = reread(lines[1], endings(lines[1]), ours.plain) or plain[1]
    element = reread(lines[0], endings(lines[0]), settle(chunk.text)) or plain[0]
    run = best_run(read(element.text), read(chunk.text))
    start, end, first, last = run
    return (
        element.usual_place(start), element.usual_place(end),
        chunk.usual_place(first), chunk.usual_place(last),
    )  # fmt: skip


def _completed(ours: Text, theirs: Text, found: Piece) -> Piece:
    start, end, *_ = found
    size = len(ours.plain)
    long = sum(word.solid and ours.boundary(n) for n, word in enumerate(ours.words)) >= 8
    if not (long and size / 2 < end - start < size):
        return found
    at = theirs.plain.find(ours.plain)
    while at >= 0:
        if not any(_cuts_number(theirs, edge) for edge in (at, at + size)):
            return 0, size, at, at + size
        at = theirs.plain.find(ours.plain, at + 1)
    return found


def _cuts_number(text: Text, place: int) -> bool:
    return any(
        (word.start == place and word.number) or (word.start < place < word.end and word.is_number)
        for word in text.words
    )


def best_run(element: Text, chunk: Text) -> Piece:
    """The longest run of whole words of an element in a chunk, between boundaries of both.

    Every run of the element is looked for at every word of the chunk. Start and end in the element,
    start and end in the chunk; zeros where there is none.
    """
    best, found = (0, 0, 0), (0, 0, 0, 0)
    for first in range(len(element.words)):
        for there in range(len(chunk.words)):
            for last, end in _runs(element, first, chunk, there):
                ours = element.words[first].start, element.words[last].end
                theirs = chunk.words[there].start, chunk.words[end].end
                rank = (ours[0] - ours[1], first, there)
                if rank < best:
                    best, found = rank, (*ours, *theirs)
    return found


def _runs(element: Text, first: int, chunk: Text, there: int) -> Iterator[tuple[int, int]]:
    """The last words of every run that begins with these two."""
    if not (element.boundary(first) and chunk.boundary(there)):
        return
    steps = min(len(element.words) - first, len(chunk.words) - there)
    for step in range(steps):
        ours, theirs = first + step, there + step
        if not same(element.words[ours].text, chunk.words[theirs].text):
            return
        if element.boundary(ours + 1) and chunk.boundary(theirs + 1):
            yield ours, theirs
        if step + 1 < steps and element.gap(ours) != chunk.gap(theirs):
            return


# ------------------------------------------------------------------------------ letters

LEAST = 4


@dataclass(frozen=True)
class Unit:
    """A letter, or a number with its sign, and whether a piece may begin or end with it."""

    text: str
    start: int
    end: int
    opens: bool
    closes: bool


def units(text: Text) -> list[Unit]:
    """The letters and numbers of a text."""
    found: list[Unit] = []
    for number, word in enumerate(text.words):
        closes = text.boundary(number + 1)
        if word.is_number:
            found.append(_number(text, number))
        elif word.solid:
            letters = [m for m in regex.finditer(r"[^_]", word.text) if _skeleton_at(word.text, m)]
            for place, match in enumerate(letters):
                last = place == len(letters) - 1
                end = len(word.text) if last else letters[place + 1].start()
                start = match.start()
                found.append(
                    Unit(
                        word.text[start:end].replace("_", ""),
                        word.start + start,
                        word.start + end,
                        place == 0 and text.boundary(number),
                        last and closes,
                    )
                )
    return found


def _skeleton_at(word: str, match: regex.Match[str]) -> bool:
    """Whether a character is more than a point of the one before it."""
    return len(_skeleton(word[: match.end()])) > len(_skeleton(word[: match.start()]))


def _number(text: Text, number: int) -> Unit:
    first, words = number, text.words
    if first and words[first - 1].text == "." and words[first - 1].attached:
        first -= 1
    if first > 1 and _is_currency(words[first - 1].text) and _signed(words[first - 2]):
        first -= 2
    elif first and _signed(words[first - 1]):
        first -= 1
    spelled = words[number].text
    if regex.fullmatch(r"\d{1,3}([,']\d{3})+(\.\d+)?", spelled):
        spelled = spelled.replace(",", "").replace("'", "")
    before = text.plain[words[first].start : words[number].start]
    sign = "".join(char for char in before if char in "-.\u00b1")
    return Unit(
        sign + spelled,
        words[first].start,
        words[number].end,
        text.boundary(first),
        text.boundary(number + 1),
    )


def _signed(word: Word) -> bool:
    return word.attached or word.text == "\u00b1"


def best_letters(ours: Text, theirs: Text) -> Piece:
    """The longest run of letters and numbers, at least four or all of the element."""
    element, chunk = units(ours), units(theirs)
    best, found = (0, 0, 0), (0, 0, 0, 0)
    for first in range(len(element)):
        for there in range(len(chunk)):
            if not (element[first].opens and chunk[there].opens):
                continue
            for step in range(min(len(element) - first, len(chunk) - there)):
                last, end = element[first + step], chunk[there + step]
                if not same(last.text, end.text):
                    break
                long = step + 1 >= LEAST or (first == 0 and step == len(element) - 1)
                if long and last.closes and end.closes:
                    rank = (element[first].start - last.end, first, there)
                    if rank < best:
                        place = chunk[there].start, end.end
                        best, found = rank, (element[first].start, last.end, *place)
    if found[1] and found[0] == element[0].start:
        found = (0, *found[1:])
    if found[1] and found[1] == element[-1].end:
        found = (found[0], len(ours.plain), *found[2:])
    return found
