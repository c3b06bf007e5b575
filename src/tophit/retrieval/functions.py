"""Any Python function from a question to a list as a retriever."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tophit.errors import UsageError
from tophit.retrieval.places import Place, places_of


def call(
    function: Callable[[str], Iterable[Any]], questions: list[str], *, depth: int
) -> Iterator[list[Place]]:
    """The first `depth` places of `function(question)` for each question, in the given order.

    What an item may be: `records.places.place_from`. Scores are kept and do not decide.
    Errors: `UsageError` for a function that must be awaited, `InputError` for a result that is not
    a list; what the function raises is not caught.

    >>> list(call(lambda question: ["b", ("a", 0.5)], ["?"], depth=1))
    [[Place(id='b', score=None, text=None, doc=None, start=None, end=None, tokens=None)]]
    """
    if inspect.iscoroutinefunction(function):
        raise UsageError("the retriever is an async function; pass one that returns its list")
    return (places_of(function(question), depth=depth) for question in questions)
