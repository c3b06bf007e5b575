"""Token budgets: the first chunks that fit into so many tokens together."""

from __future__ import annotations

from collections.abc import Sequence

import narwhals as nw
import polars as pl

from tophit.errors import Fault, InputError
from tophit.frames import to_engine
from tophit.measures import Cutoff, Measure
from tophit.relations import QUERY, RANK, TEXT, TOKENS, TOKENS_THROUGH, Lazy
from tophit.tokens import CL100K, count_tokens

_COUNTED = "_counted"


def budgets(measures: Sequence[Measure]) -> tuple[Cutoff, ...]:
    """The token budgets that the measures cut at.

    >>> from tophit.measures import parse_measures
    >>> [str(cutoff) for cutoff in budgets(parse_measures("Hit@4 Hit@3200tok Recall@3200tok"))]
    ['3200tok']
    """
    cuts = {m.cutoff.value: m.cutoff for m in measures if m.cutoff and m.cutoff.unit == "tok"}
    return tuple(cuts.values())


def with_tokens(retrieved: Lazy, *, tokenizer: str = CL100K) -> Lazy:
    """Give every place its `tokens`: the run's own, else counted from its text, in process.

    Each text is counted once. Errors: `InputError` when a place has neither tokens nor a text;
    as `tokens.tokenizer`.

    >>> run = nw.from_native(pl.LazyFrame({"query_id": ["q"], "rank": [1], "text": ["two words"]}))
    >>> with_tokens(run).collect()["tokens"].to_list()
    [2]
    """
    columns = retrieved.collect_schema().names()
    if TOKENS not in columns:
        retrieved = retrieved.with_columns(nw.lit(None).cast(nw.Int64).alias(TOKENS))
    lacking = retrieved.filter(nw.col(TOKENS).is_null())
    if TEXT in columns:
        texts = lacking.filter(~nw.col(TEXT).is_null()).select(TEXT).unique().collect().to_polars()
        if texts.height:
            retrieved = _with_counted(retrieved, texts[TEXT], tokenizer=tokenizer)
            lacking = retrieved.filter(nw.col(TOKENS).is_null())
    _check(lacking, retrieved)
    return retrieved


def _with_counted(retrieved: Lazy, texts: pl.Series, *, tokenizer: str) -> Lazy:
    counts = pl.Series(_COUNTED, count_tokens(texts, tokenizer=tokenizer), dtype=pl.Int64)
    table = to_engine(pl.DataFrame([texts, counts]), retrieved)
    joined = retrieved.join(table, on=TEXT, how="left")
    own = nw.col(TOKENS)
    either = nw.when(own.is_null()).then(nw.col(_COUNTED)).otherwise(own)
    return joined.with_columns(either.cast(nw.Int64).alias(TOKENS)).drop(_COUNTED)


def _check(lacking: Lazy, retrieved: Lazy) -> None:
    count = int(lacking.select(nw.len()).collect().item())
    if count == 0:
        return
    total = int(retrieved.select(nw.len()).collect().item())
    query, rank = lacking.select(QUERY, RANK).sort(QUERY, RANK).head(1).collect().row(0)
    found = f"neither on {count:,} of {total:,} places, first at rank {rank} of {query!r}"
    raise InputError(
        Fault(
            file="run",
            field=TOKENS,
            expected="a count, or a text to count, on every place, for a token budget",
            found=found,
        )
    )


def with_tokens_through(retrieved: Lazy) -> Lazy:
    """Add to ranked places with `tokens` those of all places down to each one, itself included.

    The places within a budget are those with at most so many: the first one that does not fit ends
    the list, even where a shorter one follows.

    >>> rows = {"query_id": ["q"] * 3, "rank": [1, 2, 3], "tokens": [5, 9, 1]}
    >>> run = with_tokens_through(nw.from_native(pl.LazyFrame(rows)))
    >>> run.collect()["tokens_through"].to_list()
    [5, 14, 15]
    """
    through = nw.col(TOKENS).cum_sum().over(QUERY, order_by=[RANK])
    return retrieved.with_columns(through.cast(nw.Int64).alias(TOKENS_THROUGH))
