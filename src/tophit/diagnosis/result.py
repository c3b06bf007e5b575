"""What a diagnosis gives: the outcome of every question and item, and totals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from tophit.choices import OUTCOMES
from tophit.diagnosis.outcome_frame import OUTCOME
from tophit.errors import DataWarning
from tophit.relations import QUERY, TAG_PREFIX
from tophit.settings import Settings
from tophit.showing import Shown


@dataclass(frozen=True, kw_only=True)
class Diagnosis(Shown):
    """Why each answerable question was found or missed at k.

    `questions` has a row a question, with its outcome and the item that got furthest; `items` a row
    an item. Columns: query_id, item_id, outcome, why (a sentence), rank (of the first place that
    holds the item whole), share, share_rank and chunk_id (of the best place), retrieved (places),
    in_index, in_parts and in_documents (null: not known), index_share and index_chunk (the best
    chunk of the index), piece, missing_before, missing_after, chunk_before, chunk_after and cut_at
    (the best piece, what surrounds it, and where the chunk's edge cuts it), doc_id; stands (how
    the text of what is whole nowhere stands: inside a word, by its letters, near, elsewhere than
    its offsets), stands_in (the chunk or document), held and difference; `questions` has
    question and tags besides. `unanswerable` are the questions without an item, `hint` says what to
    pass to know more, `settings` how it was made.

    >>> import tophit
    >>> found = tophit.diagnose({"q1": ["a"], "q2": ["b"], "q3": []}, {"q1": ["a"], "q2": ["c"]})
    >>> found.totals["found"], found.totals["missed"], found.unanswerable
    (1, 1, ('q3',))
    """

    name: str
    k: int
    match: str
    questions: pl.DataFrame = field(repr=False)
    items: pl.DataFrame = field(repr=False)
    unanswerable: tuple[str, ...] = ()
    hint: str | None = None
    warnings: tuple[DataWarning, ...] = ()
    settings: Settings = field(default_factory=Settings, repr=False)

    @property
    def totals(self) -> dict[str, int]:
        """How many questions have each outcome; all outcomes, in their fixed order."""
        return _totals(self.questions[OUTCOME])

    @property
    def outcomes(self) -> dict[str, str]:
        """The outcome of every answerable question."""
        return dict(zip(self.questions[QUERY], self.questions[OUTCOME], strict=True))

    @property
    def by_tag(self) -> pl.DataFrame:
        """Totals by the questions' tags: tag, value, questions, and a column an outcome.

        A question without the tag stands under the value null, and only where others have it.
        """
        columns = {"tag": pl.String, "value": pl.String, "questions": pl.Int64}
        rows: list[Mapping[str, Any]] = []
        for name in [n for n in self.questions.columns if n.startswith(TAG_PREFIX)]:
            groups = self.questions.group_by(name).agg(pl.col(OUTCOME))
            for value, outcomes in groups.sort(name, nulls_last=True).iter_rows():
                tag = name.removeprefix(TAG_PREFIX)
                counts = _totals(outcomes)
                rows.append({"tag": tag, "value": value, "questions": len(outcomes), **counts})
        return pl.DataFrame(rows, schema=columns | dict.fromkeys(OUTCOMES, pl.Int64))

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain Python objects, as in the JSON output."""
        return {
            "name": self.name,
            "k": self.k,
            "match": self.match,
            "outcomes": self.totals,
            "by_tag": self.by_tag.to_dicts(),
            "unanswerable": list(self.unanswerable),
            "questions": self.questions.to_dicts(),
            "items": self.items.to_dicts(),
            "hint": self.hint,
        }


def _totals(outcomes: pl.Series | list[str]) -> dict[str, int]:
    listed = list(outcomes)
    return {name: listed.count(name) for name in OUTCOMES}
