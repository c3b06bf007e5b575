"""Results that show themselves: printed, in notebooks, as a page, a frame or a picture.

How each kind looks is `tophit.report`'s, which stands above all results: this is the one arrow of
the code that points up, and it points when a result is looked at, not before.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

_SHOWS = "tophit.report.shows"


def _show(how: str, result: object, **options: Any) -> Any:
    return getattr(import_module(_SHOWS), how)(result, **options)


class Shown:
    """What all results have in common when they are looked at.

    >>> import tophit
    >>> print(tophit.evaluate({"q": ["a"]}, {"q": ["a"]}, measures="Hit@4", name="bm25"))
    bm25: 1 question, all answerable, matched by ids, k = 4
    <BLANKLINE>
    measure   value   95 % interval  n
    ──────────────────────────────────
    Hit@4    1.0000  [0.207, 1.000]  1
    """

    __slots__ = ()

    def __str__(self) -> str:
        return str(_show("text_of", self))

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return str(_show("fragment_of", self))

    def to_polars(self) -> Any:
        """The table that is printed as a frame of Polars; `CheckReport` has a row a finding.

        >>> import tophit
        >>> found = tophit.evaluate({"q": ["a"]}, {"q": ["a"]}, measures="MRR", name="bm25")
        >>> found.to_polars().select("run", "measure", "value", "n").rows()
        [('bm25', 'MRR', 1.0, 1)]
        """
        return _show("frame_of", self)

    def to_pandas(self) -> Any:
        """The same as a frame of pandas. PyArrow is not needed.

        Errors: `UsageError` without pandas.
        """
        return _show("pandas_of", self)

    def plot(self) -> Any:
        """A chart of Altair, to look at in a notebook or to change; `.save` writes it.

        Errors: `MissingExtraError` without Altair (the extra `plot`).
        """
        return _show("chart_of", self)

    def to_html(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        questions: Any = None,
        run: Any = None,
        runs: Any = None,
        chunks: Any = None,
        documents: Any = None,
        size: float = 5,
    ) -> str:
        """The page of `--html`: one file to open in a browser. It is returned, and written to
        `path` if there is one.

        A result holds no texts. With the `questions` and the `run` that it was made of, every
        question can be opened on the page; `chunks` and `documents` tell more about misses. A
        comparison takes `runs` by name, a benchmark the questions alone. `size` is how many
        megabytes the page has at most; 0: as many as it takes.

        Errors: those of reading; `OutputError` where it cannot be written, before anything is done.

        >>> import tophit
        >>> judged, bm25 = {"q": ["a"]}, {"q": ["b", "a"]}
        >>> result = tophit.evaluate(judged, bm25, measures="Hit@4")
        >>> page = result.to_html(questions=judged, run=bm25)
        >>> "In 100 % of 1 answerable question" in page
        True
        """
        return str(
            _show(
                "page_of", self, path=path, questions=questions, run=run, runs=runs,
                chunks=chunks, documents=documents, size=size,
            )
        )  # fmt: skip
