"""Any Python function from a question to a list as a retriever."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tophit.errors import Fault, InputError, UsageError
from tophit.retrieval.places import Place, place_of


def call(
    function: Callable[[str], Iterable[Any]], questions: list[str], *, depth: int
) -> Iterator[list[Place]]:
    """The first `depth` places of `function(question)` for each question, in the given order.

    What an item may be: `places.place_of`. Scores are kept and do not decide.
    Errors: `UsageError` for a function that must be awaited, `InputError` for a result that is not
    a list; what the function raises is not caught.

    >>> list(call(lambda question: ["b", ("a", 0.5)], ["?"], depth=1))
    [[Place(chunk_id='b', score=None, columns={})]]
    """
    if inspect.iscoroutinefunction(function):
        raise UsageError("the retriever is an async function; pass one that returns its list")
    return (_places(function(question), depth) for question in questions)


def _places(found: Any, depth: int) -> list[Place]:
    if found is None or isinstance(found, str | bytes) or not isinstance(found, Iterable):
        fault = Fault(file="retriever", expected="a list", found=repr(found)[:80])
        raise InputError(fault)
    return [place_of(item) for item, _ in zip(found, range(depth), strict=False)]
