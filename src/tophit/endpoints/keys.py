"""Variables of the environment in headers: `Authorization: Bearer $MY_KEY`.

A key is read when a request is made. It is named when it is missing, and never printed or stored:
what is written anywhere is the text with the name of the variable in it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from tophit.errors import UsageError

_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")


def with_keys(text: str) -> str:
    """The text with its variables filled in. Errors: `UsageError` naming one that is missing.

    >>> with_keys("Bearer $NOT_SET_ANYWHERE")
    Traceback (most recent call last):
    tophit.errors.UsageError: the environment variable NOT_SET_ANYWHERE is not set; it holds a key
    """

    def value(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        if not os.environ.get(name):
            raise UsageError(f"the environment variable {name} is not set; it holds a key")
        return os.environ[name]

    return _VARIABLE.sub(value, text)


def headers_of(written: str | Mapping[str, str]) -> dict[str, str]:
    """Headers as written, `NAME: VALUE` one a line, or a mapping; keys are not filled in yet.

    Errors: `UsageError` for a line without a colon; it is not shown, since it may hold a key.

    >>> headers_of("Authorization: Bearer $KEY")
    {'Authorization': 'Bearer $KEY'}
    """
    if isinstance(written, Mapping):
        return dict(written)
    headers = {}
    for line in filter(None, map(str.strip, written.splitlines())):
        name, colon, value = line.partition(":")
        if not colon:
            raise UsageError("a header is written 'NAME: VALUE'")
        headers[name.strip()] = value.strip()
    return headers
