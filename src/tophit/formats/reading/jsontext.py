"""JSON in a file: one object a line, an array, or one object over many lines, with line numbers."""

from __future__ import annotations

import io
import json
import re
from typing import Any, NamedTuple, NoReturn

from tophit.errors import InputError
from tophit.formats.reading.files import HEAD_BYTES, Source
from tophit.formats.reading.yamltext import looks_like_yaml, yaml_values
from tophit.records.values import Description, Faults

_BLANK = " \t\r\n"
# Half of a surrogate pair: one that the other half does not follow, or does not stand before.
_HALF = re.compile(
    r"\\u[dD](?:[89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..\\u[dD])[c-fC-F]..)"
)


class Record(NamedTuple):
    """A JSON value of a file and the line where it begins."""

    line: int
    value: Any


class _RepeatedKeyError(ValueError):
    pass


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise _RepeatedKeyError(f"the key {repeated!r} twice in one object")
    return made


_DECODER = json.JSONDecoder(object_pairs_hook=_object)


def looks_like_json(source: Source) -> bool:
    """Whether the first mark of the file is one that JSON records begin with."""
    return source.head.lstrip()[:1] in (b"{", b"[")


def holds_records(source: Source) -> bool:
    """Whether the file holds JSON, or YAML, which is read as the JSON that it stands for."""
    return source.once("holds records", lambda _: looks_like_json(source) or _is_yaml(source))


def _is_yaml(source: Source) -> bool:
    return not looks_like_json(source) and looks_like_yaml(source)


def records(source: Source) -> list[Record]:
    """Every top-level value of a file; the elements, where the file is one array.

    Errors: `InputError` with every line that is not whole JSON.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "q.jsonl"
    >>> _ = path.write_text('{"id": 1}\\n\\n{"id": 2}\\n')
    >>> records(Source(path))
    [Record(line=1, value={'id': 1}), Record(line=3, value={'id': 2})]
    """
    return source.once("json records", _records)


def document(source: Source) -> Any:
    """The one JSON value that the file holds, or None where it holds several or no JSON at all.

    A file that is broken JSON gives None too: `records` names its faults.
    """
    return source.once("json document", _document)


def _document(source: Source) -> Any:
    if not holds_records(source) or _is_lines(source):
        return None
    try:
        found = records(source)
    except InputError:
        return None
    if source.text.lstrip()[0] in "[-":
        return [record.value for record in found]
    return found[0].value if len(found) == 1 else None


def first_values(source: Source, *, most: int = 20) -> list[Any]:
    """Up to `most` first records, as far as they can be parsed, to recognise a format by."""
    if not holds_records(source):
        return []
    if _is_yaml(source):
        return [record.value for record in records(source)[:most]]
    if not _is_lines(source):
        try:
            return [record.value for record in records(source)[:most]]
        except InputError:
            return []
    values = []
    for line in _first_lines(source, most):
        try:
            values.append(_DECODER.decode(line))
        except (ValueError, RecursionError):
            continue
    return values


def _is_lines(source: Source) -> bool:
    """Whether each line is a value of its own: the first one is whole, and others follow."""
    return source.once("json is lines", _find_lines)


def _find_lines(source: Source) -> bool:
    lines = [] if _is_yaml(source) else _first_lines(source, 2)
    return len(lines) == 2 and _whole_value(lines[0]) is not None


def _first_lines(source: Source, most: int) -> list[str]:
    """The first lines that are not blank, all of them whole."""
    data = source.head
    if len(data) == HEAD_BYTES and (data.count(b"\n") < 3 or most > 2):
        # One record with the texts of many chunks may well be longer than the head.
        whole, _, _ = data.rpartition(b"\n")
        data = whole if whole.count(b"\n") >= 2 else source.data
    filled: list[str] = []
    for line in io.BytesIO(data):
        if len(filled) == most:
            break
        if line.strip():
            filled.append(line.decode("utf-8", errors="replace"))
    return filled


def _whole_value(line: str) -> Any:
    try:
        return _DECODER.decode(line)
    except (ValueError, RecursionError):
        return None


def _records(source: Source) -> list[Record]:
    if _is_yaml(source):
        return [Record(line, value) for line, value in yaml_values(source)]
    if _is_lines(source):
        return _lines(source)
    try:
        return _values(source)
    except InputError:
        second = _first_lines(source, 2)[1:]
        # A first line that breaks off, and a second that is whole: a file of lines after all.
        if second and isinstance(_whole_value(second[0]), dict):
            return _lines(source)
        raise


def _lines(source: Source) -> list[Record]:
    found, faults = [], Faults(source.name)
    for number, line in enumerate(source.text.split("\n"), start=1):
        if not line or line.isspace():
            continue
        try:
            value = _DECODER.decode(line)
            _refuse_surrogates(line, value)
        except (ValueError, RecursionError) as error:
            faults.add(expected="one whole JSON object", value=_says(error, line), line=number)
            continue
        found.append(Record(number, value))
    faults.check()
    return found


def _values(source: Source) -> list[Record]:
    text, found = source.text, []
    at, line = _skip(text, 0), 1
    in_array = text[at : at + 1] == "["
    start, counted = at + 1 if in_array else at, 0
    try:
        while True:
            start = _skip(text, start)
            if in_array and text[start : start + 1] == "]":
                _end(text, start + 1)
                break
            if start >= len(text) and not in_array:
                break
            value, stop = _DECODER.raw_decode(text, start)
            _refuse_halves(source, start, stop, value)
            line, counted = line + text.count("\n", counted, start), start
            found.append(Record(line, value))
            start = _separator(text, stop) if in_array else stop
    except (ValueError, RecursionError) as error:
        _fail(source, error)
    return found


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BLANK:
        at += 1
    return at


def _separator(text: str, at: int) -> int:
    at = _skip(text, at)
    if text[at : at + 1] == ",":
        following = _skip(text, at + 1)
        if text[following : following + 1] != "]":
            return following
    elif text[at : at + 1] == "]":
        return at
    raise json.JSONDecodeError("Expecting ',' and an element, or ']'", text, at)


def _end(text: str, at: int) -> None:
    if (rest := _skip(text, at)) < len(text):
        raise json.JSONDecodeError("Extra data", text, rest)


def _refuse_surrogates(text: str, value: Any) -> None:
    # Half of a surrogate pair is no character: no engine and no file could hold it.
    if "\\ud" in text or "\\uD" in text:
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise ValueError(f"half of a surrogate pair, {error.object[error.start]!r}") from None


def _refuse_halves(source: Source, start: int, stop: int, value: Any) -> None:
    """The same for a value of a whole text, with the line of the first half."""
    if "\\u" not in source.text:
        return
    part = source.text[start:stop]
    try:
        _refuse_surrogates(part, value)
    except ValueError as error:
        half = _HALF.search(part)
        line = source.text.count("\n", 0, start + (half.start() if half else 0)) + 1
        raise source.error("whole JSON", str(error), line=line) from None


def _says(error: ValueError | RecursionError, line: str) -> Description:
    if isinstance(error, RecursionError):
        return Description("JSON that is nested too deeply")
    if not isinstance(error, json.JSONDecodeError):
        return Description(str(error))
    if error.pos >= len(line.rstrip()) or "Unterminated" in error.msg:
        return Description(f"JSON that is cut off ({error.msg}, column {error.pos + 1})")
    return Description(f"{error.msg} at column {error.pos + 1}")


def _fail(source: Source, error: ValueError | RecursionError) -> NoReturn:
    found, line = str(_says(error, "")), None
    if isinstance(error, json.JSONDecodeError):
        cut = error.pos >= len(source.text.rstrip()) or "Unterminated" in error.msg
        reason = f"JSON that is cut off ({error.msg}" if cut else error.msg
        found = f"{reason}, column {error.colno})" if cut else f"{reason} at column {error.colno}"
        line = error.lineno
    raise source.error("whole JSON", found, line=line) from None
