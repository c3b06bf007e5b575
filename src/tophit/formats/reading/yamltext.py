"""YAML as the JSON records that it stands for, each with its line; a key twice is refused.

Plain scalars stay the text that they are (`007`, `1_000`, `no`, `1.0`), but for whole numbers,
`true`, `false` and nothing, and for numbers under the names of numbers, such as `score`.
"""

from __future__ import annotations

import re
from typing import Any

from tophit.errors import import_extra
from tophit.formats.reading.files import Source
from tophit.records.vocabulary import ITEMS, PLACES, plain
from tophit.relations import END, GRADE, SCORE, START, TOKENS

_SUFFIXES = (".yaml", ".yml")
_BEGINS = re.compile(r"---\s*$|-\s+[\w'\"]+:(\s|$)|[A-Za-z_]\w*:\s*$")
_WRAPS = re.compile(r"(questions|run|chunks):\s*")
_WHOLE = re.compile(r"-?(0|[1-9]\d*)")
_NUMBERS = {
    name for fields in (PLACES, ITEMS) for field in (GRADE, SCORE, START, END, TOKENS)
    for name in fields.names.get(field, ())
}  # fmt: skip
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}


class Lined(dict[str, Any]):
    """An object and the line where it begins."""

    line: int = 1


def looks_like_yaml(source: Source) -> bool:
    """Whether the file is YAML: by its name, or by a first line such as `questions:`."""
    if source.suffix in _SUFFIXES:
        return True
    head = source.head.decode("utf-8", errors="replace").splitlines()
    lines = [line for line in head if line.strip() and not line.startswith("#")]
    is_wrapped = any(_WRAPS.fullmatch(line) for line in lines)
    return is_wrapped or _BEGINS.match(next(iter(lines), "")) is not None


def yaml_values(source: Source) -> list[tuple[int, Any]]:
    """Every document of the file and its line; the elements, where it is one list.

    Errors: `InputError` for what is no YAML and for a key that is there twice,
    `MissingExtraError` without PyYAML.
    """
    yaml = import_extra("yaml", extra="yaml", package="pyyaml", purpose="reading YAML")
    try:
        # Only this loader keeps scalars as they stand there.
        loader = yaml.BaseLoader(source.text)
    except yaml.YAMLError as error:
        raise source.error("YAML", str(error).split("\n")[0]) from None
    try:
        nodes = []
        while loader.check_node():
            nodes.append(loader.get_node())
        if len(nodes) == 1 and nodes[0].id == "sequence":
            nodes = nodes[0].value
        return [(_line(node), _value(node, source)) for node in nodes]
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error).split("\n")[0]
        line = None if mark is None else mark.line + 1
        raise source.error("YAML", str(problem), line=line) from None
    except RecursionError:
        raise source.error("YAML", "values nested too deeply") from None
    finally:
        loader.dispose()


def _line(node: Any) -> int:
    return int(node.start_mark.line) + 1


def _value(node: Any, source: Source, *, key: str = "") -> Any:
    if node.id == "sequence":
        return [_value(element, source, key=key) for element in node.value]
    if node.id == "scalar":
        return _scalar(node, is_number=plain(key) in _NUMBERS)
    made = Lined()
    made.line = _line(node)
    for name, value in node.value:
        key = str(name.value)
        if key in made:
            found = f"the key {key!r} twice in one object"
            raise source.error("each key once", found, line=_line(name))
        made[key] = _value(value, source, key=key)
    return made


def _scalar(node: Any, *, is_number: bool) -> Any:
    text = node.value
    if node.style is not None:
        return text
    if _WHOLE.fullmatch(text):
        return int(text)
    if text in _WORDS:
        return _WORDS[text]
    try:
        return float(text) if is_number else text
    except ValueError:
        return text
