"""A cell of a table that may hold a list: as JSON has it, or as Python, NumPy and pandas print it.

What begins and ends like a list and cannot be read is an error, never one text: NumPy's
`['a' 'b']` is Python for the one text `ab`. Prose in brackets stays prose: `[1] Smith ... [2]`,
`(see above)`, `[[wiki]] links`.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import polars as pl

from tophit.records.values import BLANK_MARKS, Description, Faults, shown

_CLOSERS = {"[": "]", "(": ")", "{": "}"}
_TOKEN = re.compile(
    r"""(?P<blank>\s+)
      | (?P<text>[rRuU]?(?:'''.*?'''|\"{3}.*?\"{3}|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))
      | (?P<number>[-+]?(?:0|[1-9][0-9_]*)(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?(?![\w.])
                 | [-+]?\.[0-9]+(?:[eE][-+]?[0-9]+)?(?![\w.])
                 | [-+]inf\b)
      | (?P<gap>\.\.\.)
      | (?P<opaque><[^<>]*>)
      | (?P<word>[^\s\[\](){},:='"<>]+)
      | (?P<mark>[\[\](){},:=])""",
    re.VERBOSE | re.DOTALL,
)
_NAMED = {
    "None": None, "null": None, "nan": None, "NaN": None, "NaT": None, "<NA>": None,
    "True": True, "true": True, "False": False, "false": False, "inf": float("inf"),
}  # fmt: skip
# Calls that wrap one value, after `np.` or any other module: the value is meant.
_WRAPPERS = re.compile(
    r"(\w+\.)*(array|list|tuple|Series|Index|str_|bytes_|u?int\d+|float\d+|bool_|UUID|Timestamp)"
)
_SETS = re.compile(r"(\w+\.)*(set|frozenset|dict_keys)")
# A quote right behind the bracket, or an object: nobody begins a sentence so.
_SURELY = re.compile(
    r"""(?:[\[{]|(?:\w+\.)*\w+\(\[)\s*"""
    r"""(?:['"]|(?:\w+\.)*[A-Za-z_]\w*\(|<[\w.]+ object at )"""
)
_TUPLE = re.compile(r"""\(\s*(['"]).*\1\s*,""", re.DOTALL)
_CALLED = re.compile(r"(?:\w+\.)*(?:array|set|frozenset|Series|Index|dict_keys)\(")


_LIST = 'a list as JSON: ["...", "..."]'
_NOTHING = frozenset(name for name, value in _NAMED.items() if value is None)


class UnreadableError(ValueError):
    """A cell that begins like a list and is none that can be read; says why."""


class Unordered(list[Any]):
    """The elements of a set, which have no order."""


class _Token(NamedTuple):
    kind: str
    text: str


def list_in(value: Any, *, words: bool = False, prose: bool = False) -> list[Any] | None:
    """The list that a cell holds; None where it is one value. Nothing is the empty list.

    Objects that Python prints, `Document(page_content='a')`, become dicts, sets `Unordered`.
    `words` takes elements without quotes, as Java prints ids: `[c7, c3]`. `prose` says that the
    column holds texts and not lists, so that `[Music playing]` is one.

    Errors: `UnreadableError` for what begins and ends like a list and is none.

    >>> list_in('["a", "b"]'), list_in("['a' 'b']"), list_in(None), list_in("a"), list_in("[1] a")
    (['a', 'b'], ['a', 'b'], [], None, None)
    """
    if value is None or value != value:
        return []
    if isinstance(value, list | tuple):
        return list(value)
    if not isinstance(value, str):
        return None
    text = value.strip(BLANK_MARKS)
    if text[:1] not in _CLOSERS and not _CALLED.match(text):
        return None
    try:
        found = _read(text, words=words)
    except UnreadableError:
        if _is_prose(text, prose=prose):
            return None
        raise
    return found if isinstance(found, list) else [found]


def listed(
    value: Any,
    faults: Faults,
    *,
    line: int | None,
    field: str,
    words: bool = False,
    ordered: bool = False,
) -> list[Any] | None:
    """As `list_in`; a cell that cannot be read is a fault of its line, and an empty list.

    `ordered` says that the order counts, which a set does not have.

    >>> faults = Faults("a.csv")
    >>> listed("['a' 'b'", faults, line=2, field="contexts")
    []
    >>> faults.found[0].found.endswith("which is cut off")
    True
    """
    if isinstance(value, str) and value.strip() in _NOTHING:
        # What pandas writes for nothing would be looked for as a word.
        faults.add(expected=f"nothing, or {_LIST}", value=value, line=line, field=field)
        return []
    try:
        found = list_in(value, words=words)
    except UnreadableError as error:
        said = Description(f"{shown(value)}, which {error}")
        faults.add(expected=_LIST, value=said, line=line, field=field)
        return []
    if ordered and isinstance(found, Unordered) and len(found) > 1:
        said = Description("a set, which has none")
        faults.add(expected="a list in ranked order", value=said, line=line, field=field)
        return []
    return found


def lists_printed_in(column: pl.Series) -> Iterator[tuple[int, str]]:
    """The rows of a column of texts that are lists, each with what is unusual: "" for JSON.

    >>> list(lists_printed_in(pl.Series(["['a' 'b']", "[1] a", '["a"]', None])))
    [(0, 'is a list as Python prints it'), (2, '')]
    """
    may_be = column.str.contains(r"^\s*(?:[\[({]|\w+\()")
    for at in may_be.fill_null(False).arg_true():
        try:
            found = list_in(column[at], prose=True)
        except UnreadableError as error:
            yield at, str(error)
            continue
        if found is not None:
            yield at, "" if _is_json(column[at]) else "is a list as Python prints it"


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def unwrapped(found: list[Any]) -> list[Any]:
    """A list that holds one list and nothing else is that list: `[array(['a', 'b'])]`.

    >>> unwrapped([["a", "b"]]), unwrapped(["a"])
    (['a', 'b'], ['a'])
    """
    return found[0] if len(found) == 1 and isinstance(found[0], list) else found


def _read(text: str, *, words: bool) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return _Parser(text, words=words).whole()
    except RecursionError:
        raise UnreadableError("is nested too deeply") from None


def _is_prose(text: str, *, prose: bool) -> bool:
    """Whether a text in brackets is no list but a text after all."""
    closer = _CLOSERS.get(text[0])
    if closer == ")":
        return not (_TUPLE.match(text) and text.endswith(closer))
    if _SURELY.match(text) or closer is None:
        # With another end it is a list that was cut off, unless its bracket is closed on the way.
        return closer is not None and not text.endswith(closer) and closer in text
    if closer == "}" or not text.endswith(closer) or _closes_early(text):
        return True
    return prose and "," not in text


def _closes_early(text: str) -> bool:
    depth = 0
    for at, mark in enumerate(text):
        depth += (mark == "[") - (mark == "]")
        if depth == 0 and at < len(text) - 1:
            return True
    return False


def _tokens(text: str) -> Iterator[_Token]:
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise UnreadableError("is cut off" if text[at] in "'\"" else "is no list of values")
        at = match.end()
        yield _Token(match.lastgroup or "", match[0])
    yield _Token("end", "")


class _Parser:
    """What Python and NumPy print: values between brackets, commas or blanks between values."""

    def __init__(self, text: str, *, words: bool) -> None:
        self._tokens = list(_tokens(text))
        self._at = 0
        self._words = words

    def whole(self) -> Any:
        """The one value of the text: a list, or an object."""
        value = self._value()
        self._blanks()
        if self._next.kind != "end":
            raise UnreadableError("goes on after its end")
        if not isinstance(value, list | dict):
            raise UnreadableError("is no list of values")
        return value

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _take(self) -> _Token:
        self._at += 1
        return self._tokens[self._at - 1]

    def _blanks(self) -> bool:
        before = self._at
        while self._next.kind == "blank":
            self._at += 1
        return self._at > before

    def _value(self, *, inside: bool = False) -> Any:
        """The next value; `inside` an object's fields, words and `<...>` say what nobody reads."""
        self._blanks()
        token = self._take()
        if token.text in _CLOSERS and token.kind == "mark":
            return self._group(token.text, _CLOSERS[token.text])
        if token.kind == "word" and self._next.text == "(":
            self._take()
            return self._call(token.text)
        return self._scalar(token, inside=inside)

    def _scalar(self, token: _Token, *, inside: bool) -> Any:
        if token.kind in ("text", "number"):
            try:
                return ast.literal_eval(token.text)
            except (ValueError, SyntaxError):
                raise UnreadableError(f"holds {shown(token.text)}") from None
        if token.text in _NAMED:
            return _NAMED[token.text]
        if token.kind == "gap":
            raise UnreadableError("was printed with elements left out (...)")
        if token.kind == "end":
            raise UnreadableError("is cut off")
        if token.kind == "word" and (self._words or inside):
            return token.text
        if token.kind == "opaque" and inside:
            return token.text
        raise UnreadableError(f"holds {shown(token.text)} without quotes")

    def _group(self, opener: str, closer: str) -> Any:
        """A list, tuple, set or dict; one value in parentheses is that value."""
        entries, commas, pairs = self._entries(closer)
        if opener == "{" and (pairs or not entries):
            return dict(entries) if pairs else {}
        if opener == "(" and len(entries) == 1 and not commas:
            raise UnreadableError("is one value in parentheses")
        values = [value for _, value in entries]
        return Unordered(values) if opener == "{" else values

    def _entries(self, closer: str) -> tuple[list[tuple[Any, Any]], bool, bool]:
        """The (key, value) pairs up to `closer`; whether there were commas, and keys."""
        found: list[tuple[Any, Any]] = []
        commas = blanks = pairs = False
        while True:
            gap = self._blanks()
            if self._next.kind == "end":
                raise UnreadableError("is cut off")
            if self._next.text == closer and self._next.kind == "mark":
                self._take()
                break
            if found and not self._comma():
                blanks = True
                if not gap and self._tokens[self._at - 1].text not in "])}":
                    raise UnreadableError("has no comma or blank between two values")
            elif found:
                commas = True
                self._blanks()
                if self._next.text == closer:
                    continue
            key, value, named = self._entry(closer)
            pairs |= named
            found.append((key, value))
        if commas and blanks:
            raise UnreadableError("has commas between some of its values and none between others")
        return found, commas, pairs

    def _comma(self) -> bool:
        if self._next.text != ",":
            return False
        self._take()
        return True

    def _entry(self, closer: str) -> tuple[Any, Any, bool]:
        if closer == ")" and self._tokens[self._at + 1].text == "=":
            name = self._take().text
            self._take()
            return name, self._value(inside=True), True
        value = self._value(inside=closer == "}" and self._next.kind == "opaque")
        before = self._at
        self._blanks()
        if self._next.text != ":" or self._next.kind != "mark":
            self._at = before
            return None, value, False
        if closer != "}":
            # Haystack prints its documents so, and only the beginning of their texts.
            raise UnreadableError("holds objects whose texts are not printed whole")
        self._take()
        key = value if isinstance(value, str | int | float | None) else repr(value)
        return key, self._value(inside=True), True

    def _call(self, name: str) -> Any:
        entries, _, _ = self._entries(")")
        given = [value for key, value in entries if key is None]
        fields = {key: value for key, value in entries if key is not None}
        if len(given) == 1 and _SETS.fullmatch(name):
            return Unordered(given[0])
        if not given and not fields and _SETS.fullmatch(name):
            return Unordered()
        if given and _WRAPPERS.fullmatch(name):
            return given[0]
        if given or not fields:
            raise UnreadableError(f"holds {name}(...)")
        return fields
