"""`baseline`: score a run and freeze the scores, for later runs to be held against."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Unpack

from tophit.evaluation.evaluate import DEFAULT_MEASURES, evaluate
from tophit.evaluation.result import Result
from tophit.gates.baseline import write_baseline
from tophit.measures import Measure
from tophit.settings import Options, Settings


def baseline(
    questions: Any,
    run: Any,
    *,
    output: str | os.PathLike[str],
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    chunks: Any = None,
    name: str | None = None,
    settings: Settings | None = None,
    **options: Unpack[Options],
) -> Result:
    """Score a run and write its scores to `output`, for `tophit.gates.check_against`.

    All else as in `evaluate`. The file has the score of every question; a name ending in .gz or
    .zst is compressed.

    Errors: those of `evaluate`; `OutputError` where the file cannot be written.

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "baseline.json"
    >>> judged = {"q": ["a"]}
    >>> frozen = baseline(judged, {"q": ["a"]}, output=file)
    >>> from tophit.gates import check_against, read_baseline
    >>> import tophit
    >>> check_against(tophit.evaluate(judged, {"q": ["b"]}), read_baseline(file)).passed
    False
    """
    result = evaluate(
        questions, run, measures=measures, chunks=chunks, name=name, settings=settings, **options
    )
    write_baseline(result, os.fspath(output))
    return result
