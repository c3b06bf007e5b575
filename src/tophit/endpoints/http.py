"""JSON over HTTP: one request, one JSON value, and errors that say what to do.

What may pass (no connection, a time limit, 429, 5xx) is marked so; the caller tries again.
"""

from __future__ import annotations

import json
import re
import socket
import urllib.request
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from tophit.endpoints.keys import with_keys
from tophit.endpoints.retries import PASSING, seconds_of
from tophit.errors import EndpointError, UsageError, import_extra

TIME_LIMIT = 60.0
_SHOWN = 200
_HINTS = {
    401: "is the key right?", 403: "is the key allowed to do this?",
    404: "is the path right, and is the model there?", 405: "is the method right?",
    413: "send less at once", 429: "it allows fewer questions at once, or a minute",
}  # fmt: skip

# What some servers answer 500 to, and will again.
_TOO_LONG = re.compile(r"too (large|long)|exceed", re.IGNORECASE)


class Client:
    """A connection to one address; may be used from several threads.

    Errors: `UsageError` for an address that is none; `MissingExtraError` without httpx2.
    """

    def __init__(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        time_limit: float = TIME_LIMIT,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(f"an address begins with http:// or https://, not {url!r}")
        httpx = import_extra("httpx2", extra="live", purpose="Asking an endpoint")
        self._errors: Any = httpx.HTTPError
        self._timeouts: Any = httpx.TimeoutException
        self._headers = dict(headers or {})
        self._client = httpx.Client(timeout=time_limit, follow_redirects=True)
        self._host, self._scheme = parts.hostname, parts.scheme
        self._port = parts.port or (443 if parts.scheme == "https" else 80)
        self.origin = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"

    def check(self) -> None:
        """Errors: `EndpointError` where nothing listens, `UsageError` for a key that is missing."""
        for value in self._headers.values():
            with_keys(value)
        proxied = urllib.request.getproxies().get(self._scheme)
        if proxied and not urllib.request.proxy_bypass(self._host):
            return
        try:
            socket.create_connection((self._host, self._port), timeout=10).close()
        except OSError as error:
            said = error.strerror or str(error)
            raise EndpointError(f"nothing answers at {self.origin} ({said}); is it up?") from error

    def ask(self, method: str, url: str, body: Any = None) -> Any:
        """The JSON value that comes back. Errors: `EndpointError`."""
        headers = {name: with_keys(value) for name, value in self._headers.items()}
        content = None
        if body is not None:
            headers = {"Content-Type": "application/json", **headers}
            content = json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")
        try:
            response = self._client.request(method, url, content=content, headers=headers)
        except self._timeouts as error:
            raise EndpointError(f"{self.origin} does not answer in time", passing=True) from error
        except self._errors as error:
            said = str(error) or type(error).__name__
            raise EndpointError(f"{self.origin}: {said}", passing=True) from error
        return self._read(response, method, url)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _read(self, response: Any, method: str, url: str) -> Any:
        status = response.status_code
        what = f"{method} {self.origin}{urlsplit(url).path}"
        if status >= 400:
            hint = _HINTS.get(status)
            said = f"{what} answers {status}{_said(response)}"
            raise EndpointError(
                f"{said}; {hint}" if hint else said,
                status=status,
                passing=status in PASSING and not _TOO_LONG.search(said),
                wait=seconds_of(response.headers.get("retry-after")),
            )
        try:
            return response.json()
        except ValueError as error:
            found = _shortened(response.text) or "nothing"
            raise EndpointError(f"{what}: expected JSON, found {found}", status=status) from error


def _said(response: Any) -> str:
    """What the endpoint says is wrong, from the usual places in its JSON."""
    try:
        body = response.json()
    except ValueError:
        body = response.text
    for key in ("error", "message", "detail"):
        if isinstance(body, Mapping) and body.get(key):
            body = body[key]
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
    return f": {_shortened(text)}" if text.strip() and body else ""


def _shortened(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _SHOWN else f"{flat[: _SHOWN - 3]}..."
