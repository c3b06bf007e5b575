"""The one protocol: a request goes in, ranked places come out.

Everything that retrieves is used through it: an index of tophit, a function, an object of a
framework, an endpoint, a process. `doors/` says how each of these is opened as a `Live`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tophit.records.places import Place

DEPTH = 20


@dataclass(frozen=True, kw_only=True)
class Request:
    """What a retriever is asked: a question, and how many places it should return at most.

    `history` (earlier turns), `filter` and `tags` are what the questions file has of them.

    >>> Request(question="What is the fee?").depth
    20
    """

    question: str
    depth: int = DEPTH
    id: str = ""
    history: Any = None
    filter: Any = None
    tags: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The request as JSON: what a command reads, and what a template may take from."""
        return {
            "id": self.id, "question": self.question, "depth": self.depth,
            "history": self.history, "filter": self.filter, "tags": dict(self.tags),
        }  # fmt: skip

    @cached_property
    def key(self) -> str:
        """The same for the same request, so that its answer can be found again."""
        text = json.dumps(self.to_dict(), sort_keys=True, ensure_ascii=False, default=str)
        return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

    @property
    def named(self) -> str:
        """The question in a message: its id, and the beginning of its text.

        >>> Request(id="q7", question="What is the late fee?").named
        "question 'q7' (What is the late fee?)"
        """
        shown = self.question if len(self.question) <= 60 else f"{self.question[:57]}..."
        return f"question {self.id!r} ({shown})" if self.id else f"question {shown!r}"


@dataclass(frozen=True, kw_only=True)
class Found:
    """What came back for one request: the places, best first, and what else the system said.

    `stages` are the place lists on the way, by name. `latency_ms` is the time of the attempt that
    answered, None where nobody measured. `too_many`: there were more places than asked for.
    """

    places: tuple[Place, ...] = ()
    stages: Mapping[str, tuple[Place, ...]] = field(default_factory=dict)
    answer: str | None = None
    abstained: bool | None = None
    latency_ms: float | None = None
    too_many: bool = False


def _nothing() -> None:
    """What a retriever does that has nothing to look after or to close."""


@dataclass(frozen=True, kw_only=True)
class Live:
    """A retriever that is open: at least one way to ask it, each giving what `answers.py` reads.

    `one` takes a request, `many` a list of them (and gives a list as long), `awaited` is the async
    form of `one`. `check` raises before any work where the system is not there; `close` ends what
    was opened. `at_once` is how many questions it may be asked at the same time unless the caller
    says otherwise, `time_limit` how many seconds one may take. `identity` is what tells one system
    from another when answers are kept. `index_bytes` is how large the index is, where one is made.
    """

    name: str
    one: Callable[[Request], Any] | None = None
    many: Callable[[Sequence[Request]], Sequence[Any]] | None = None
    awaited: Callable[[Request], Awaitable[Any]] | None = None
    check: Callable[[], None] = _nothing
    close: Callable[[], None] = _nothing
    at_once: int = 1
    time_limit: float | None = None
    identity: str = ""
    index_bytes: Callable[[], int] | None = None
