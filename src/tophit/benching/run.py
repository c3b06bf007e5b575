"""The benchmark itself: chunks once for each way to split, then every retriever on them."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import polars as pl

from tophit.benching.budget import budget_measures, depth_for_budget
from tophit.benching.grid import Configuration, grid
from tophit.benching.outcome import BenchResult, BenchRow, best_first, write_json
from tophit.documents import Documents, as_documents, with_known_documents
from tophit.errors import Fault, InputError, OutputError, UsageError, unknown
from tophit.evaluation.evaluate import DEFAULT_MEASURES, evaluate
from tophit.evaluation.fingerprint import corpus_fingerprint
from tophit.evaluation.result import Result
from tophit.formats import read_questions, write_chunks, write_run
from tophit.formats.writing.folders import whole_folder
from tophit.measures import Measure, parse_measures
from tophit.relations import DOC, QUERY, RANK, TOKENS, Questions, Run
from tophit.retrieval import RETRIEVERS, retrieve
from tophit.splitting import SPLITTERS, chunk_warnings, split
from tophit.tokens import CL100K

Progress = Callable[[str, int, int], None]
_CHUNKS, _RUN, _RESULT = "chunks.jsonl", "run.jsonl", "result.json"


@dataclass(frozen=True, kw_only=True)
class _Plan:
    documents: Documents
    questions: Questions
    output: Path
    k: int
    depth: int
    budget: int | None
    measures: Sequence[Measure]
    tokenizer: str
    options: Mapping[str, Mapping[str, Any]]
    scoring: Mapping[str, Any]
    progress: Progress

    @cached_property
    def corpus(self) -> str:
        """The fingerprint of the documents, which all configurations share, unlike their chunks."""
        return corpus_fingerprint(self.documents.frame)


def bench(
    documents: Any,
    questions: Questions | str | os.PathLike[str],
    *,
    output: str | os.PathLike[str],
    splitters: Sequence[str] = ("spring-ai",),
    sizes: Sequence[int] = (800,),
    overlaps: Sequence[int] = (0,),
    retrievers: Sequence[str] = ("bm25",),
    k: int = 4,
    depth: int = 20,
    budget: int | None = None,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    tokenizer: str = CL100K,
    splitter_options: Mapping[str, Any] | None = None,
    retriever_options: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    **scoring: Any,
) -> BenchResult:
    """Split, retrieve and evaluate every combination of the grid.

    `documents`: a path, `Documents`, id to text, or a frame of `doc_id, text`. `questions`: a path
    or `Questions` with their texts. `depth` chunks are retrieved, the first `k` are what the model
    gets. Each option goes to the splitters or retrievers of the grid that have it, and `scoring` to
    `tophit.evaluate` (match, min_grade, population, level, ...). `progress` is called with
    (what, done, in all).

    `output` gets a folder for each configuration with chunks.jsonl, run.jsonl and result.json, and
    table.json and results.csv over all. A folder appears when it is complete; one of an earlier
    benchmark is replaced, anything else in `output` is left alone.

    Errors: `UsageError` for a grid that cannot be, k above the depth, or a folder in the way;
    `InputError` for documents or questions at fault, or documents that give no chunk; `OutputError`
    where nothing can be written.

    >>> import tempfile
    >>> judged = pl.DataFrame({"query_id": ["q"], "item_id": ["e"], "text": ["eight dollars"]})
    >>> asked = pl.DataFrame({"query_id": ["q"], "question": ["What is the fee?"]})
    >>> questions = Questions(queries=asked, judgments=judged.with_columns(grade=1.0))
    >>> found = bench({"a.md": "The fee is eight dollars."}, questions,
    ...               output=tempfile.mkdtemp(), sizes=[200, 800])
    >>> found.table.select("configuration", "chunks", "Hit@4").rows()
    [('spring-ai-200-bm25', 1, 1.0), ('spring-ai-800-bm25', 1, 1.0)]
    """
    if depth < k:
        raise UsageError(f"the depth must be at least k = {k}, not {depth}")
    configurations = grid(
        splitters=splitters, sizes=sizes, overlaps=overlaps, retrievers=retrievers
    )
    options = _options(
        {name: SPLITTERS[name].options for name in splitters}, splitter_options or {}, "splitter"
    ) | _options(
        {name: RETRIEVERS[name].options for name in retrievers},
        retriever_options or {},
        "retriever",
    )
    parsed = parse_measures(measures, k=k)
    folder = _output_folder(Path(output), configurations)
    read = as_documents(documents)
    asked = questions if isinstance(questions, Questions) else read_questions(questions)
    asked = with_known_documents(asked, read.frame[DOC])
    plan = _Plan(
        documents=read,
        questions=asked,
        output=folder,
        k=k,
        depth=depth,
        budget=budget,
        measures=parsed,
        tokenizer=tokenizer,
        options=options,
        scoring=scoring,
        progress=progress or _silent,
    )
    result = _run(configurations, plan)
    result.write()
    return result


def _run(configurations: list[Configuration], plan: _Plan) -> BenchResult:
    rows = [
        row
        for _, same in itertools.groupby(configurations, key=lambda each: each.chunking)
        for row in _run_chunking(list(same), plan)
    ]
    return BenchResult(
        rows=best_first(rows),
        k=plan.k,
        depth=plan.depth,
        documents=len(plan.documents),
        skipped=plan.documents.skipped,
        folder=plan.output,
        warnings=(*plan.documents.warnings, *plan.questions.warnings),
    )


def context_tokens(run: Run, *, k: int, questions: int) -> tuple[float, int]:
    """Tokens in the first k chunks together: the mean over all questions, and the maximum.

    A question without results has an empty context, 0 tokens.

    >>> places = pl.DataFrame({"query_id": ["a", "a", "b"], "rank": [1, 2, 1], "tokens": [5, 7, 6]})
    >>> context_tokens(Run(retrieved=places), k=2, questions=3)
    (6.0, 12)
    """
    first = run.retrieved.filter(pl.col(RANK) <= k)
    sums = first.group_by(QUERY).agg(pl.col(TOKENS).sum())[TOKENS]
    total, most = int(sums.sum()), sums.max()
    return (total / questions if questions else 0.0), int(most) if isinstance(most, int) else 0


def _run_chunking(configurations: list[Configuration], plan: _Plan) -> list[BenchRow]:
    """All configurations that share their chunks: split once, then every retriever."""
    splitter, size, overlap = configurations[0].chunking
    label = configurations[0].name.removesuffix(f"-{configurations[0].retriever}")
    chunks = split(
        plan.documents,
        splitter=splitter,
        size=size,
        overlap=overlap,
        tokenizer=plan.tokenizer,
        progress=partial(plan.progress, f"split {label}"),
        **plan.options[splitter],
    )
    if not chunks.height:
        raise InputError(
            Fault(
                file=plan.documents.source,
                expected=f"text that {label} makes chunks of",
                found="none that is long enough",
            )
        )
    return [_run_one(configuration, chunks, plan) for configuration in configurations]


def _run_one(configuration: Configuration, chunks: pl.DataFrame, plan: _Plan) -> BenchRow:
    name = configuration.name
    run = retrieve(
        chunks,
        plan.questions,
        retriever=configuration.retriever,
        depth=max(plan.depth, depth_for_budget(plan.budget or 0, configuration.size)),
        name=name,
        progress=partial(plan.progress, f"retrieve {name}"),
        **plan.options[configuration.retriever],
    )
    plan.progress(f"evaluate {name}", 0, 1)
    result = _scored(run, chunks, plan)
    mean, most = context_tokens(run, k=plan.k, questions=plan.questions.queries.height)
    row = BenchRow(
        configuration=configuration,
        chunks=chunks.height,
        context_tokens=mean,
        max_context_tokens=most,
        result=result,
        folder=plan.output / name,
        warnings=(*chunk_warnings(chunks), *result.warnings),
    )
    with whole_folder(row.folder) as folder:
        write_chunks(chunks, folder / _CHUNKS)
        write_run(replace(run, latency=None), folder / _RUN)
        write_json(row.result_dict(), folder / _RESULT)
    plan.progress(f"evaluate {name}", 1, 1)
    return row


def _scored(run: Run, chunks: pl.DataFrame, plan: _Plan) -> Result:
    """The measures within the depth, and those at the budget on all that was retrieved for it.

    A run that is deeper for its small chunks must not gain from that where no budget is asked for.
    """
    fixed = evaluate(
        plan.questions, run, measures=plan.measures, k=plan.k, depth=plan.depth, chunks=chunks,
        tokenizer=plan.tokenizer, **plan.scoring,
    )  # fmt: skip
    fixed = replace(fixed, fingerprints={**fixed.fingerprints, "corpus": plan.corpus})
    if plan.budget is None:
        return fixed
    beside = evaluate(
        plan.questions, run, measures=budget_measures(plan.budget), k=plan.k, chunks=chunks,
        tokenizer=plan.tokenizer, **plan.scoring,
    )  # fmt: skip
    return replace(
        fixed,
        measures={**fixed.measures, **beside.measures},
        scores=fixed.scores.join(
            beside.scores.select(pl.exclude(list(fixed.measures))), on=QUERY, how="left"
        ),
        warnings=tuple(dict.fromkeys((*fixed.warnings, *beside.warnings))),
    )


def _output_folder(output: Path, configurations: list[Configuration]) -> Path:
    """The folder, made; refused where a configuration's folder would replace something else."""
    for configuration in configurations:
        folder = output / configuration.name
        held = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
        if foreign := held - {_CHUNKS, _RUN, _RESULT}:
            raise UsageError(
                f"{folder} holds {sorted(foreign)[0]}, which no benchmark wrote; "
                "name another output folder"
            )
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot write the folder {output}: {error.strerror}") from error
    return output


def _options(
    known: Mapping[str, Mapping[str, Any]], given: Mapping[str, Any], kind: str
) -> dict[str, dict[str, Any]]:
    """The given options of each splitter or retriever; one that none of them has is an error."""
    every = sorted({option for options in known.values() for option in options})
    for option in given:
        if option not in every:
            raise unknown(f"{kind} option", option, every)
    return {
        name: {option: value for option, value in given.items() if option in options}
        for name, options in known.items()
    }


def _silent(what: str, done: int, total: int) -> None:
    """Progress that nobody looks at."""
