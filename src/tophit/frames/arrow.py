"""What needs PyArrow (frames of the engines), and what does without it (frames of pandas)."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import narwhals as nw
import polars as pl

from tophit.errors import import_extra
from tophit.frames.ids import is_missing


def polars_from(frame: nw.DataFrame[Any]) -> pl.DataFrame:
    """A frame in memory as one of Polars; what pandas takes for missing is null.

    >>> import pandas as pd
    >>> polars_from(nw.from_native(pd.DataFrame({"query_id": ["q1", None]}))).rows()
    [('q1',), (None,)]
    """
    if has_arrow() or not frame.implementation.is_pandas():
        return frame.to_polars()
    return pl.DataFrame({name: _column(frame[name]) for name in frame.columns})


def pandas_from(frame: pl.DataFrame) -> Any:
    """A frame of Polars as one of pandas.

    >>> pandas_from(pl.DataFrame({"query_id": ["q1"], "Hit@4": [1.0]}))["Hit@4"].tolist()
    [1.0]
    """
    if has_arrow():
        return frame.to_pandas()
    return import_module("pandas").DataFrame(frame.to_dict(as_series=False))


def has_arrow() -> bool:
    """Whether PyArrow is installed; the extras of the engines bring it, pandas does not."""
    return find_spec("pyarrow") is not None


def require_arrow(frame: nw.DataFrame[Any] | nw.LazyFrame[Any]) -> None:
    """Rows go to an engine and come back from it as Arrow tables.

    Errors: `MissingExtraError` for a frame of DuckDB or Spark where PyArrow is not installed.
    """
    engine = frame.implementation
    if engine.is_duckdb():
        import_extra("pyarrow", extra="duckdb", purpose="A frame of DuckDB")
    elif engine.is_spark_like():
        import_extra("pyarrow", extra="spark", purpose="A frame of Spark")


def _column(series: nw.Series[Any]) -> list[Any]:
    return [None if is_missing(value) else value for value in series.to_list()]
