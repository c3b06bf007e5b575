"""What another level of folding would make a hit: asked of the missed questions alone."""

from __future__ import annotations

from collections.abc import Iterator

import narwhals as nw
import numpy as np
import polars as pl

from tophit.errors import DataWarning
from tophit.evaluation.relate import Related
from tophit.frames import collected
from tophit.matching.levels import levels_beyond, worth_naming
from tophit.relations import GRADE, QUERY, RANK, SHARE, TEXT
from tophit.settings import Folding, Settings

# A level that changes Hit@k by no more than this is not worth a warning.
_POINT = 0.01


def level_warnings(found: Related, *, settings: Settings, answerable: int) -> Iterator[DataWarning]:
    """Warn (`level_finds_more`) of each level of folding that raises Hit@k by more than a point.

    Only for what is matched by text; the first k places of the missed questions are matched again.
    """
    enough = _POINT * answerable
    if found.match != "text" or found.places is None or not answerable:
        return
    pairs = _missed(found, settings)
    if pairs[QUERY].n_unique() <= enough:
        return
    counts = {level: _hits(pairs, folding) for level, folding in levels_beyond(settings.folding)}
    for level, count in worth_naming(counts, over=enough):
        yield DataWarning(
            code="level_finds_more",
            count=count,
            message=f"{count:,} more question{'s are hits' if count > 1 else ' is a hit'} at "
            f"k = {settings.k} if {level.says}: {level.use}",
        )


def _missed(found: Related, settings: Settings) -> pl.DataFrame:
    """The questions without a hit within k: their items' texts beside those of their places."""
    relevant = nw.col(GRADE) >= settings.min_grade
    within = nw.col(RANK) <= settings.k
    hit = found.hits.filter(relevant & within & (nw.col(SHARE) >= 1.0)).select(QUERY).unique()
    items = found.judgments.filter(relevant & ~nw.col(TEXT).is_null()).select(QUERY, TEXT)
    assert found.places is not None
    places = found.places.filter(within & ~nw.col(TEXT).is_null())
    texts = places.select(QUERY, nw.col(TEXT).alias("_chunk"))
    return collected(items.join(hit, on=QUERY, how="anti").join(texts, on=QUERY, how="inner"))


def _hits(pairs: pl.DataFrame, folding: Folding) -> int:
    """How many questions have an item whole in a place, under a folding."""
    sides = [pairs[name].unique(maintain_order=True) for name in (TEXT, "_chunk")]
    element, chunk = (
        pairs[name].replace_strict(side, np.arange(len(side))).to_numpy()
        for name, side in zip((TEXT, "_chunk"), sides, strict=True)
    )
    from tophit.matching.text.hits import longest_pieces

    shares = longest_pieces(
        sides[0].to_list(), sides[1].to_list(), element, chunk, folding=folding
    ).share
    return pairs.filter(pl.Series(shares >= 1.0))[QUERY].n_unique()
