"""Asking a retriever every question: how many at once, how often again, how long to wait.

One at a time, a retriever is called where `ask_all` was called, since some systems (SQLite, event
loops) belong to their thread. Several at once are threads, or tasks of one event loop where the
retriever is async. What is answered is given to `keep` at once, so that a failure loses nothing:
the others that were asked at the time are waited for and kept, and the error names its question.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, TypeVar

from tophit.endpoints.retries import again, again_async
from tophit.errors import (
    InputError,
    MissingExtraError,
    TophitError,
    UnansweredError,
    UsageError,
)
from tophit.retrieval.answers import found_of
from tophit.retrieval.protocol import Found, Live, Request
from tophit.retrieval.waiting import LATE, driven, within

T = TypeVar("T")
Keep = Callable[[Request, Found], None]
_BATCH = 32


@dataclass(frozen=True, kw_only=True)
class Patience:
    """How a retriever is asked: None leaves it to the retriever.

    `concurrency`: how many questions at once. `time_limit`: seconds for one try. `retries`: how
    often a question is asked again when another try may help; `backoff`: seconds before the first
    of these, doubled each time, at most a minute, or what the system asks for.
    """

    concurrency: int | None = None
    time_limit: float | None = None
    retries: int = 3
    backoff: float = 0.5

    def check(self) -> None:
        """Errors: `UsageError` for numbers that cannot be."""
        if self.concurrency is not None and self.concurrency < 1:
            raise UsageError(f"concurrency must be at least 1, not {self.concurrency}")
        if self.time_limit is not None and not self.time_limit > 0:
            raise UsageError(f"the time limit must be above 0 seconds, not {self.time_limit:g}")
        if self.retries < 0:
            raise UsageError(f"retries must be 0 or more, not {self.retries}")


def ask_all(live: Live, requests: Sequence[Request], *, patience: Patience, keep: Keep) -> None:
    """Ask every request, and call `keep` with each answer when it is there.

    Errors: `UnansweredError` naming the question; `InputError` for an answer that is no list of
    places; `UsageError` for a patience that cannot be.
    """
    patience.check()
    at_once = patience.concurrency or live.at_once
    limit = patience.time_limit or live.time_limit
    if live.many is not None:
        _in_batches(live, requests, patience, limit, keep)
    elif live.awaited is not None and (live.one is None or at_once > 1):
        driven(_as_tasks(live, requests, patience, limit, at_once, keep))
    elif at_once == 1:
        for request in requests:
            keep(request, _asked(live, request, patience, limit))
    else:
        _in_threads(live, requests, patience, limit, at_once, keep)


def _asked(live: Live, request: Request, patience: Patience, limit: float | None) -> Found:
    def attempt() -> Found:
        assert live.one is not None
        ask, begun = live.one, time.perf_counter()
        returned = within(limit, lambda: ask(request))
        return _timed(found_of(returned, depth=request.depth), begun)

    with _naming(live, request):
        return again(attempt, retries=patience.retries, backoff=patience.backoff)


def _timed(found: Found, begun: float) -> Found:
    if found.latency_ms is not None:
        return found
    return replace(found, latency_ms=1000 * (time.perf_counter() - begun))


@contextlib.contextmanager
def _naming(live: Live, request: Request) -> Iterator[None]:
    """Turns what a retriever raises into an error that names the question."""
    try:
        yield
    except (UnansweredError, UsageError, MissingExtraError):
        raise
    except InputError as error:
        where = f"{live.name} on {request.named}"
        raise InputError(
            (replace(each, file=where) for each in error.faults), hint=error.hint
        ) from error
    except Exception as error:
        said = str(error).strip()
        kind = "" if isinstance(error, TophitError) else type(error).__name__
        what = ": ".join(filter(None, (kind, said)))
        raise UnansweredError(f"{live.name} on {request.named}: {what}") from error


def _in_batches(
    live: Live, requests: Sequence[Request], patience: Patience, limit: float | None, keep: Keep
) -> None:
    """Batches; one that fails is asked again one by one, so that the error names a question."""
    assert live.many is not None
    many, rest = live.many, iter(requests)
    while batch := list(islice(rest, _BATCH)):
        begun = time.perf_counter()
        try:
            answers = list(within(limit, lambda batch=batch: many(batch)))  # type: ignore[misc]
        except Exception:
            answers = []
        share = 1000 * (time.perf_counter() - begun) / len(batch)
        single = replace(live, many=None, one=lambda request: _only(many([request])))
        for at, request in enumerate(batch):
            if len(answers) != len(batch):
                keep(request, _asked(single, request, patience, limit))
                continue
            with _naming(live, request):
                found = found_of(answers[at], depth=request.depth)
            keep(request, replace(found, latency_ms=found.latency_ms or share))


def _only(answers: Sequence[Any]) -> Any:
    (answer,) = answers
    return answer


def _in_threads(
    live: Live, requests: Sequence[Request], patience: Patience, limit: float | None,
    at_once: int, keep: Keep,
) -> None:  # fmt: skip
    waiting = deque(requests)
    done: queue.SimpleQueue[tuple[Request, Found | BaseException] | None] = queue.SimpleQueue()

    def work() -> None:
        try:
            while waiting:
                try:
                    request = waiting.popleft()
                except IndexError:
                    break
                try:
                    done.put((request, _asked(live, request, patience, limit)))
                except BaseException as error:
                    waiting.clear()
                    done.put((request, error))
        finally:
            done.put(None)

    workers = min(at_once, len(requests))
    for _ in range(workers):
        threading.Thread(target=work, daemon=True).start()
    failed: BaseException | None = None
    while workers:
        answer = done.get()
        if answer is None:
            workers -= 1
        elif isinstance(answer[1], BaseException):
            failed = failed or answer[1]
        else:
            keep(answer[0], answer[1])
    if failed is not None:
        raise failed


async def _as_tasks(
    live: Live, requests: Sequence[Request], patience: Patience, limit: float | None,
    at_once: int, keep: Keep,
) -> None:  # fmt: skip
    waiting = iter(requests)
    failed: list[Exception] = []

    async def work() -> None:
        for request in _until(waiting, failed):
            try:
                keep(request, await _awaited(live, request, patience, limit))
            except Exception as error:
                failed.append(error)

    await asyncio.gather(*(work() for _ in range(min(at_once, len(requests)))))
    if failed:
        raise failed[0]


def _until(waiting: Iterator[Request], failed: list[Exception]) -> Iterator[Request]:
    for request in waiting:
        yield request
        if failed:
            return


async def _awaited(
    live: Live, request: Request, patience: Patience, limit: float | None
) -> Found:  # fmt: skip
    async def attempt() -> Found:
        assert live.awaited is not None
        begun = time.perf_counter()
        try:
            returned = await asyncio.wait_for(live.awaited(request), limit)
        except TimeoutError as error:
            if limit is None or str(error):
                raise
            raise TimeoutError(LATE.format(limit)) from None
        return _timed(found_of(returned, depth=request.depth), begun)

    with _naming(live, request):
        return await again_async(attempt, retries=patience.retries, backoff=patience.backoff)
