"""Waiting for what a retriever does: no longer than a limit, or in an event loop."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

T = TypeVar("T")
LATE = "no answer within {:g} seconds"


def within(limit: float | None, call: Callable[[], T]) -> T:
    """What `call` returns; after `limit` seconds it is left behind. Errors: `TimeoutError`.

    >>> within(5, lambda: 2)
    2
    """
    if limit is None:
        return call()
    done: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()

    def run() -> None:
        try:
            done.put((call(), None))
        except BaseException as error:
            done.put((None, error))

    threading.Thread(target=run, daemon=True).start()
    try:
        returned, error = done.get(timeout=limit)
    except queue.Empty:
        raise TimeoutError(LATE.format(limit)) from None
    if error is not None:
        raise error
    result: T = returned
    return result


def driven(work: Awaitable[T]) -> T:
    """What `work` returns: in this thread, or in another where an event loop runs here already.

    >>> async def found():
    ...     return ["a"]
    >>> driven(found())
    ['a']
    """

    async def whole() -> T:
        return await work

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(whole())
    return within(threading.TIMEOUT_MAX, lambda: asyncio.run(whole()))
