"""Another try where it may help: after connection errors, time limits, HTTP 429 and 5xx.

A system that says how long to wait (`Retry-After`) is taken at its word, up to a minute.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from tophit.errors import EndpointError, TophitError

T = TypeVar("T")

PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
LONGEST_WAIT = 60.0
# What clients of other libraries call what is worth another try.
_NAMES = re.compile(r"Timeout|Connect|RateLimit|TooManyRequests|Unavailable|RemoteProtocol")


def may_help(error: BaseException) -> bool:
    """Whether another try may help.

    >>> may_help(ConnectionResetError()), may_help(KeyError("id"))
    (True, False)
    """
    if isinstance(error, EndpointError):
        return error.passing
    if isinstance(error, TophitError):
        return False
    if isinstance(error, ConnectionError | TimeoutError):
        return True
    status = _status(error)
    return status in PASSING if status is not None else bool(_NAMES.search(type(error).__name__))


def asked_wait(error: BaseException) -> float:
    """How many seconds the system asked to wait, 0.0 where it did not say.

    >>> asked_wait(EndpointError("slow down", wait=2.5))
    2.5
    """
    if isinstance(error, EndpointError):
        return error.wait
    headers = getattr(getattr(error, "response", None), "headers", None)
    return 0.0 if headers is None else seconds_of(dict(headers).get("retry-after"))


def seconds_of(written: Any) -> float:
    """The seconds of a `Retry-After`; 0.0 for a date or nothing.

    >>> seconds_of("2"), seconds_of("Fri, 01 Jan 2027 00:00:00 GMT"), seconds_of(None)
    (2.0, 0.0, 0.0)
    """
    try:
        seconds = float(written)
    except (TypeError, ValueError):
        return 0.0
    return min(seconds, LONGEST_WAIT) if seconds > 0 else 0.0


def _status(error: BaseException) -> int | None:
    for holder in (error, getattr(error, "response", None)):
        found = getattr(holder, "status_code", None)
        if isinstance(found, int):
            return found
    return None


def again(attempt: Callable[[], T], *, retries: int, backoff: float) -> T:
    """What `attempt` returns, tried up to `retries` times more while that may help.

    >>> again(lambda: 4, retries=3, backoff=0.5)
    4
    """
    from tenacity import Retrying

    return Retrying(**_policy(retries, backoff))(attempt)


async def again_async(
    attempt: Callable[[], Awaitable[T]], *, retries: int, backoff: float
) -> T:  # fmt: skip
    """As `again`, awaited."""
    from tenacity import AsyncRetrying

    return await AsyncRetrying(**_policy(retries, backoff))(attempt)


def _policy(retries: int, backoff: float) -> dict[str, Any]:
    import tenacity

    # the jitter keeps those that failed together from coming back together
    doubled = tenacity.wait_exponential(multiplier=backoff, max=LONGEST_WAIT)
    longer = doubled + tenacity.wait_random(0, backoff)

    def wait(state: Any) -> float:
        error = state.outcome.exception()
        return max(asked_wait(error), float(longer(state)))

    return {
        "stop": tenacity.stop_after_attempt(retries + 1),
        "wait": wait,
        "retry": tenacity.retry_if_exception(may_help),
        "reraise": True,
    }
