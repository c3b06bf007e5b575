"""Options of retrieving that commands share: which retriever, and how it is asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tophit.cli.help import Names, Rows, option
from tophit.cli.options import RETRIEVAL, named_values, table_rows, together

if TYPE_CHECKING:
    from tophit.relations import Run

F = TypeVar("F", bound=Callable[..., Any])


class _RetrieverType(Names):
    """A name of the table, or anything that a door opens."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name as the table has it, or the text as it is."""
        from tophit.retrieval import is_retriever

        return value if is_retriever(value) else super().convert(value, param, ctx)


RETRIEVER = _RetrieverType("retriever", "tophit.retrieval:RETRIEVERS")

retriever_option = option(
    "--retriever-option", "retriever_options", multiple=True, metavar="NAME=VALUE",
    group=RETRIEVAL, help="An option of the retriever itself (below); may be given several times.",
)  # fmt: skip

reranker_options = together(
    option(
        "--reranker", metavar="WHAT", group=RETRIEVAL,
        help="Order the first places again by this model: PACKAGE.MODULE:NAME, or an address.",
    ),
    option(
        "--rerank-depth", type=click.IntRange(min=1), default=50, metavar="N", group=RETRIEVAL,
        help="How many places the reranker orders.",
    ),
)  # fmt: skip

asking_options = together(
    option(
        "--concurrency", type=click.IntRange(min=1), metavar="N", group=RETRIEVAL,
        help="How many questions are asked at once.  [default: 1; endpoints 4]",
    ),
    option(
        "--time-limit", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS",
        group=RETRIEVAL, help="How long a question may take before it is asked again.",
    ),
    option(
        "--retries", type=click.IntRange(min=0), default=3, metavar="N", group=RETRIEVAL,
        help="How often a question is asked again where that may help.",
    ),
)  # fmt: skip


def retriever_choice(*, multiple: bool = False) -> Callable[[F], F]:
    """The option `--retriever`, for one retriever or for several."""
    names = ["--retriever", "retrievers"] if multiple else ["--retriever"]
    said = "How, may be several" if multiple else "How"
    return option(
        *names, type=RETRIEVER, default=["bm25"] if multiple else "bm25",
        multiple=multiple, metavar="WHAT", group=RETRIEVAL,
        help=f"{said} (below): NAMES.",
    )  # fmt: skip


def retriever_values(pairs: Sequence[str], retrievers: Sequence[str]) -> dict[str, Any]:
    """Options written NAME=VALUE, of the types that the retrievers' own options have.

    What a door takes stays text but for numbers of seconds. Errors: `UsageError`.
    """
    from tophit.retrieval import RETRIEVERS

    known = {
        name: default
        for each in retrievers
        if each in RETRIEVERS
        for name, default in RETRIEVERS[each].options.items()
    }
    doors = [each for each in retrievers if each not in RETRIEVERS]
    for written in doors:
        known |= _door_options(written)
    kind = f"option of the retriever {retrievers[0]!r}"
    return named_values(
        pairs, known, kind=kind if len(retrievers) == 1 else "option of these retrievers"
    )


def _door_options(written: str) -> dict[str, Any]:
    from tophit.retrieval.doors.table import DOORS

    starts = [door for door in DOORS if door.prefixes and written.startswith(door.prefixes)]
    found = starts or [door for door in DOORS if door.objects]
    names = dict.fromkeys(name for door in found for name in door.options)
    return {name: 60.0 if name == "time_limit" else "" for name in names}


def retriever_rows() -> Rows:
    """The retrievers over chunks, for a help text."""
    from tophit.retrieval import RETRIEVERS

    return table_rows(RETRIEVERS)


def door_rows() -> Rows:
    """The retrievers that bring their own index, for a help text."""
    from tophit.retrieval import DOORS

    rows: dict[str, list[str]] = {}
    for door in DOORS:
        own = f". Options: {', '.join(door.options)}" if door.options else ""
        rows.setdefault(door.written, []).append(f"{door.summary}{own}.")
    return [(written, " ".join(said)) for written, said in rows.items()]


def latency_text(run: Run) -> str:
    """How long the questions took; nothing where nobody measured."""
    from tophit.retrieval.results import latency_percentiles

    if run.latency is None:
        return ""
    found = latency_percentiles(run.latency)
    shown = ", ".join(f"{name} {value:,.1f}" for name, value in found.items())
    return f"milliseconds a question: {shown}" if shown else ""
