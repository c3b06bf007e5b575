"""Templates: a request into JSON or an address, and a path into what came back."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from tophit.errors import UsageError

_PLACEHOLDER = re.compile(r"\{(\w+)\}")


def filled(template: Any, values: Mapping[str, Any]) -> Any:
    """The template with `{question}` and the like filled in, a field whose value is None left out.

    A text that is one placeholder becomes the value itself: a number, a list, an object.

    >>> filled({"q": "{question}", "k": "{depth}", "f": "{filter}"},
    ...        {"question": "Why?", "depth": 4, "filter": None})
    {'q': 'Why?', 'k': 4}
    """
    if isinstance(template, Mapping):
        pairs = ((_text(key, values), filled(value, values)) for key, value in template.items())
        return {key: value for key, value in pairs if value is not None}
    if isinstance(template, list):
        return [filled(value, values) for value in template]
    if not isinstance(template, str):
        return template
    if whole := _PLACEHOLDER.fullmatch(template):
        return values.get(whole[1]) if whole[1] in values else template
    return _text(template, values)


def filled_address(template: str, values: Mapping[str, Any]) -> str:
    """The address with its placeholders filled in, as addresses quote text.

    >>> filled_address("http://h/s?q={question}&k={depth}", {"question": "a & b", "depth": 4})
    'http://h/s?q=a%20%26%20b&k=4'
    """
    return _PLACEHOLDER.sub(lambda match: quote(_as_text(match, values), safe=""), template)


def _text(template: str, values: Mapping[str, Any]) -> str:
    return _PLACEHOLDER.sub(lambda match: _as_text(match, values), template)


def _as_text(match: re.Match[str], values: Mapping[str, Any]) -> str:
    if match[1] not in values:
        return match[0]
    value = values[match[1]]
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def template_of(written: Any, *, what: str) -> Any:
    """A template as JSON text, or as Python values. Errors: `UsageError` for text that is no JSON.

    >>> template_of('{"q": "{question}"}', what="body")
    {'q': '{question}'}
    """
    if not isinstance(written, str):
        return written
    try:
        return json.loads(written)
    except ValueError as error:
        raise UsageError(f"{what}: expected JSON, found {written!r} ({error})") from None


def at_path(value: Any, path: str) -> Any:
    """What stands at a dotted path, None where nothing does; a number picks from a list.

    >>> at_path({"hits": {"hits": [{"_id": "a"}]}}, "hits.hits.0._id")
    'a'
    """
    for key in filter(None, path.split(".")):
        if isinstance(value, Mapping) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value
