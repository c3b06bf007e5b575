"""`tophit bench`: split, retrieve and score over a grid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from tophit.cli.help import Section, argument, command, option
from tophit.cli.options import (
    OUTPUTS,
    RETRIEVAL,
    SCORES,
    SPLITTER,
    SPLITTING,
    cluster_option,
    depth_option,
    format_names,
    k_option,
    matching_options,
    measure_names,
    measures_option,
    named_values,
    population_options,
    questions_argument,
    splitter_option,
    splitter_rows,
    tokenizer_option,
    window_option,
)
from tophit.cli.outputs import Outputs
from tophit.cli.pages import HTML, html_options, page_of_bench
from tophit.cli.retrievers import (
    asking_options,
    door_rows,
    reranker_options,
    retriever_choice,
    retriever_option,
    retriever_rows,
    retriever_values,
)
from tophit.cli.screen import note, phases, quoted, show, width

if TYPE_CHECKING:
    from tophit.benching import BenchResult

EXAMPLES = (
    (
        "Which size of chunks finds more answers",
        "tophit bench docs/ questions.jsonl -o out --size 200 --size 400 --size 800",
    ),
    (
        "Two splitters, with and without overlap",
        "tophit bench docs/ questions.jsonl -o out --splitter spring-ai --splitter recursive \\\n"
        "    --size 300 --overlap 0 --overlap 50",
    ),
    (
        "BM25, embeddings, both, and the system that is running",
        "tophit bench docs/ questions.jsonl -o out --size 200 --size 800 --retriever bm25 \\\n"
        "    --retriever dense --retriever hybrid --retriever http://localhost:8080/search",
    ),
    ("All of it from a file", "tophit bench docs/ questions.jsonl -o out --sweep sweep.toml"),
)
TABLES: list[Section] = [
    ("Splitters", splitter_rows),
    ("Retrievers of chunks", retriever_rows),
    ("Other retrievers", door_rows),
    ("Measures", measure_names),
    ("Formats of questions", format_names),
]


@command("bench", examples=EXAMPLES, tables=TABLES)
@argument("docs", explained="A folder of documents, or one file.")
@questions_argument
@option(
    "-o",
    "--output",
    "output",
    required=True,
    metavar="DIR",
    group=OUTPUTS,
    help="A folder for each configuration with chunks.jsonl, run.jsonl and result.json, and "
    "table.json, results.csv and costs.csv over all. A sweep that was broken off goes on.",
)
@option("--sweep", "sweep", metavar="FILE", group=SPLITTING,
        help="A TOML file with these options, and splitters and retrievers by names of your own; "
        "what is given on the command line goes before it.")  # fmt: skip
@option(
    "--splitter",
    "splitters",
    type=SPLITTER,
    multiple=True,
    default=["spring-ai"],
    metavar="NAME",
    group=SPLITTING,
    help="How, may be several: NAMES.",
)
@option(
    "--size",
    "sizes",
    type=click.IntRange(min=1),
    multiple=True,
    default=[800],
    metavar="TOKENS",
    group=SPLITTING,
    help="How many tokens a chunk has at most; may be several.",
)
@option("--overlap", "overlaps", type=click.IntRange(min=0), multiple=True, default=[0],
        metavar="TOKENS", group=SPLITTING,
        help="How many tokens two neighbours share; may be several.")  # fmt: skip
@html_options
@tokenizer_option(group=SPLITTING)
@splitter_option
@retriever_choice(multiple=True)
@depth_option
@retriever_option
@reranker_options
@option("--tune", "tune", multiple=True, metavar="NAME=VALUE", group=RETRIEVAL,
        help="A value that an option of a retriever may have, several times: the questions choose, "
        "one half for the other, so that nothing is gained by chance.")  # fmt: skip
@option("--cache", metavar="FILE", group=RETRIEVAL,
        help="Keep embeddings there.  [default: in DIR]")  # fmt: skip
@asking_options
@measures_option
@k_option
@option("--budget", type=click.IntRange(min=0), metavar="TOKENS", group=SCORES,
        help="Also score the first chunks that fit into so many tokens (retrieving deeper where "
        "small chunks need it), and the ceiling of the index; 0: do not.  [default: k times the "
        "largest size]")  # fmt: skip
@window_option
@population_options
@cluster_option
@matching_options
@click.pass_context
def main(
    ctx: click.Context,
    /,
    docs: str,
    questions: str,
    output: str,
    sweep: str | None,
    window: int | None,
    **options: Any,
) -> None:
    """Find out how to split and retrieve: try every combination.

    DOCS is split with every splitter, size and overlap; every retriever searches the chunks for
    every question; every run is scored. At a fixed k, large chunks win since the model reads more;
    so where sizes differ the best at an equal budget of tokens comes first. The table says which
    gaps are more than chance, and the ceiling: the share of questions that these chunks can answer.
    """
    from tophit.benching import bench, equal_budget
    from tophit.benching.sweep import read_sweep
    from tophit.report.bench_view import bench_view

    outputs, size = Outputs.taken_from(options), options.pop("html_size")
    chosen = _with_file({} if sweep is None else read_sweep(sweep), options, ctx)
    if (budget := chosen.pop("budget", None)) is None:
        budget = equal_budget(chosen["sizes"], k=chosen["k"])
    with phases() as report:
        found = bench(
            docs, questions, output=output, budget=budget or None, progress=report, **chosen
        )
    outputs.write_text(HTML, lambda: page_of_bench(found, questions, size=size))
    show(bench_view(found, level=chosen["level"], width=width(), window=window))
    note(_next_step(found, questions))


def _with_file(
    written: Mapping[str, Any], options: dict[str, Any], ctx: click.Context
) -> dict[str, Any]:
    """The options, those of the file where the command line does not say otherwise."""
    given = {
        name
        for name in options
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
    }
    merged = {**options, **{name: each for name, each in written.items() if name not in given}}
    splitters, retrievers = merged["splitters"], merged["retrievers"]
    merged["splitter_options"] = {
        **written.get("splitter_options", {}),
        **_splitter_values(options["splitter_options"], splitters),
    }
    merged["retriever_options"] = {
        **written.get("retriever_options", {}),
        **retriever_values(options["retriever_options"], _whats(retrievers, "retriever")),
    }
    merged["tune"] = {**written.get("tune", {}), **_tuned(options["tune"], retrievers)}
    return merged


def _whats(given: Any, kind: str) -> list[str]:
    """What is tried: the names of a list, or what the tables of a file say."""
    if not isinstance(given, Mapping):
        return list(given)
    return [table.get(kind, name) for name, table in given.items()]


def _splitter_values(pairs: Sequence[str], splitters: Any) -> dict[str, Any]:
    from tophit.splitting import open_splitter

    known = {
        name: value
        for each in _whats(splitters, "splitter")
        for name, value in open_splitter(each).options.items()
    }
    return named_values(pairs, known, kind="option of these splitters")


def _tuned(pairs: Sequence[str], retrievers: Any) -> dict[str, list[Any]]:
    """The values of each option, in the order in which they were given."""
    from tophit.retrieval import RETRIEVERS

    known = {"rerank_depth": 50}
    for each in _whats(retrievers, "retriever"):
        known |= RETRIEVERS[each].options if each in RETRIEVERS else {}
    values: dict[str, list[Any]] = {}
    for pair in pairs:
        for name, value in named_values([pair], known, kind="option to tune").items():
            values.setdefault(name, []).append(value)
    return values


def _next_step(found: BenchResult, questions: str) -> str:
    """What to type to learn more about the best configuration."""
    best = found.rows[0].folder
    run, chunks = quoted(best / "run.jsonl"), quoted(best / "chunks.jsonl")
    asked = quoted(questions)
    indexed = "" if found.rows[0].chunks is None else f" --chunks {chunks}"
    lines = [f"Why were some missed? tophit diagnose {asked} {run}{indexed}"]
    if len(found.rows) > 1:
        second = quoted(found.rows[1].folder / "run.jsonl")
        measure = quoted(found.deciding)
        lines.append(f"Which ones differ? tophit compare {asked} {run} {second} -m {measure}")
    return "\n".join(lines)
