"""From one engine to another, and back to the caller's kind of frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import narwhals as nw
import polars as pl

from tophit.errors import UsageError
from tophit.frames.arrow import pandas_from
from tophit.frames.native import Frame
from tophit.relations import QUERY, Lazy


def is_sql(frame: Frame) -> bool:
    """True where the frame is a query on an engine of its own: DuckDB, Spark."""
    return isinstance(frame, nw.LazyFrame) and not frame.implementation.is_polars()


def on_engine(frame: Frame, leader: Frame) -> Lazy:
    """Bring a frame to where `leader` lives; in process that is Polars, computed.

    >>> frame = nw.from_native(pl.LazyFrame({"query_id": ["q"]}))
    >>> on_engine(frame, frame).collect().rows()
    [('q',)]
    """
    if is_sql(leader) and is_sql(frame) and _together(frame, leader):
        return frame.lazy()
    if not is_sql(leader) and not is_sql(frame) and not isinstance(frame, nw.LazyFrame):
        return nw.from_native(frame.to_polars()).lazy()
    return to_engine(frame.lazy().collect().to_polars(), leader)


def _together(frame: Frame, leader: Frame) -> bool:
    """True if the two can be joined: one engine, and for DuckDB one connection."""
    if frame.implementation != leader.implementation:
        return False
    if not frame.implementation.is_duckdb():
        return True
    try:
        frame.to_native().set_alias("tophit_left").cross(
            leader.to_native().set_alias("tophit_right")
        )
    except Exception as error:
        if "different connections" in str(error):
            return False
        raise
    return True


def to_engine(frame: pl.DataFrame, leader: Frame) -> Lazy:
    """Bring a small frame to where `leader` lives: its DuckDB connection or Spark session.

    Errors: `UsageError` for any other engine.
    """
    if not is_sql(leader):
        return nw.from_native(frame).lazy()
    native: Any = leader.to_native()
    if leader.implementation.is_duckdb():
        # the relation's own connection reads the local variable by its name
        tophit_frame = frame.to_arrow()  # noqa: F841
        relation = native.query("tophit_leader", "select * from tophit_frame")
        duck: Lazy = nw.from_native(relation).lazy()
        return duck
    if leader.implementation.is_pyspark() or leader.implementation.is_pyspark_connect():
        spark: Lazy = nw.from_native(native.sparkSession.createDataFrame(frame.to_arrow())).lazy()
        return spark
    raise UsageError(f"frames of {leader.implementation.name} are not supported")


def materialised(frame: Lazy) -> Lazy:
    """Compute a small relation once, where it lives, so that it can be read several times.

    On Spark it is a local checkpoint, made by the first action that reads it; it goes when nobody
    holds the frame any longer, as a cache would not.
    """
    if not is_sql(frame):
        return frame.collect().lazy()
    if frame.implementation.is_duckdb():
        return to_engine(frame.collect().to_polars(), frame)
    checkpoint: Lazy = nw.from_native(frame.to_native().localCheckpoint(eager=False)).lazy()
    return checkpoint


def way_back(callers: tuple[Any, ...], leader: Frame, queries: Lazy) -> Callable[[Lazy], Any]:
    """Give the function that turns `scores` into the kind of frame that the caller holds.

    That is the kind of the first of `callers` which is a frame, else Polars. In process the rows
    come in the order of `queries`; on an engine in any.
    """
    if is_sql(leader):
        return lambda scores: scores.to_native()

    def ordered(scores: Lazy) -> pl.DataFrame:
        order = queries.collect().to_polars()
        values = scores.collect().to_polars()
        return order.join(values, on=QUERY, how="inner", maintain_order="left")

    for caller in callers:
        given = nw.from_native(caller, pass_through=True)
        if isinstance(given, nw.DataFrame | nw.LazyFrame):
            to_kind = _to_kind(given, wrapped=given is caller)
            return lambda scores: to_kind(ordered(scores))
    return ordered


def _to_kind(given: Frame, *, wrapped: bool) -> Callable[[pl.DataFrame], Any]:
    if wrapped:
        kind = _to_kind(nw.from_native(given.to_native()), wrapped=False)
        return lambda scores: nw.from_native(kind(scores))
    if isinstance(given, nw.LazyFrame):
        return lambda scores: scores.lazy()
    if given.implementation.is_pandas_like():
        return pandas_from
    if given.implementation.is_pyarrow():
        return lambda scores: scores.to_arrow()
    return lambda scores: scores
