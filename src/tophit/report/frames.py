"""Scores and summaries as data frames, and written in the format that the file's ending names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from tophit.errors import UsageError
from tophit.evaluation.result import Result
from tophit.formats.reading.files import STDIO, atomic_write, plain_name
from tophit.frames import collected
from tophit.relations import QUERY

RUN = "run"
ENDINGS = (".csv", ".tsv", ".jsonl", ".parquet")


def scores_frame(results: Sequence[Result], *, order: Sequence[str] = ()) -> pl.DataFrame:
    """A row a run and question that counts: `run`, `query_id`, one column a measure.

    The runs stand in the order given, the questions in that of `order`, then by id.

    >>> import tophit
    >>> result = tophit.evaluate({"b": ["x"], "a": ["y"]}, {"a": ["y"]}, measures="Hit@4")
    >>> scores_frame([result], order=["b", "a"]).rows()
    [('run', 'b', 0.0), ('run', 'a', 1.0)]
    """
    places = {query: place for place, query in enumerate(order)}
    frames = []
    for result in results:
        frame = collected(result.scores)
        place = pl.col(QUERY).replace_strict(places, default=len(places), return_dtype=pl.Int64)
        frames.append(
            frame.sort([place, QUERY]).select(
                pl.lit(result.name).alias(RUN), QUERY, *result.measures
            )
        )
    return pl.concat(frames)


def summary_frame(results: Sequence[Result]) -> pl.DataFrame:
    """A row a run and measure: `run, measure, value, low, high, n`.

    >>> import tophit
    >>> summary_frame([tophit.evaluate({"q": []}, {"q": ["a"]}, measures="MRR")]).rows()
    [('run', 'MRR', 0.0, None, None, 0)]
    """
    rows = [
        (result.name, measure, score.value, score.low, score.high, score.n)
        for result in results
        for measure, score in result.measures.items()
    ]
    columns = {
        RUN: pl.String, "measure": pl.String, "value": pl.Float64,
        "low": pl.Float64, "high": pl.Float64, "n": pl.Int64,
    }  # fmt: skip
    return pl.DataFrame(rows, schema=columns, orient="row")


def write_frame(frame: pl.DataFrame, path: str) -> None:
    """Write a frame as CSV, TSV, JSON Lines or Parquet by the ending; `-` is CSV.

    `.gz` and `.zst` compress the first three.
    Errors: `UsageError` for another ending, `OutputError` where it cannot be written.

    >>> write_frame(pl.DataFrame({"run": ["bm25"], "n": [3]}), "-")
    run,n
    bm25,3
    """
    ending = check_ending(path)
    if ending == ".parquet":
        with atomic_write(path, binary=True) as file:
            frame.write_parquet(file)
        return
    with atomic_write(path) as file:
        if ending == ".jsonl":
            file.write(frame.write_ndjson())
        else:
            file.write(frame.write_csv(separator="\t" if ending == ".tsv" else ","))


def check_ending(path: str) -> str:
    """The ending of a table's file, below any compression; `-` is CSV.

    Errors: `UsageError` for an ending that is none of the four.

    >>> check_ending("scores.tsv.gz"), check_ending("-")
    ('.tsv', '.csv')
    """
    plain = plain_name(Path(path))
    ending = ".csv" if path == STDIO else Path(plain).suffix.lower()
    if ending not in ENDINGS or (ending == ".parquet" and plain != Path(path).name):
        raise UsageError(
            f"{path}: the ending must be one of {', '.join(ENDINGS)}, all but Parquet also with "
            ".gz or .zst"
        )
    return ending
