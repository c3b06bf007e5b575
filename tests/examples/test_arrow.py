"""Without PyArrow: frames of pandas go through, frames of an engine say which extra they need."""

from __future__ import annotations

import sys

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import pytest

import tophit
from tophit.errors import InputError, MissingExtraError
from tophit.frames.arrow import polars_from


@pytest.fixture
def without_arrow(monkeypatch):
    """Hide PyArrow as if it were not installed."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)


JUDGMENTS = pd.DataFrame({"query_id": ["q1", "q2"], "item_id": ["a", "b"], "grade": [1, 2]})
RUN = pd.DataFrame({"query_id": ["q1", "q2"], "chunk_id": ["a", "x"], "score": [0.5, 1.0]})


@pytest.mark.usefixtures("without_arrow")
def test_frames_of_pandas_go_in_and_come_back():
    result = tophit.evaluate(JUDGMENTS, RUN, measures="Hit@4 MRR")
    assert result.scores.to_dict("list") == {
        "query_id": ["q1", "q2"],
        "Hit@4": [1.0, 0.0],
        "MRR": [1.0, 0.0],
    }


@pytest.mark.usefixtures("without_arrow")
def test_frames_of_pandas_are_compared():
    better = RUN.assign(chunk_id=["a", "b"])
    found = tophit.compare(JUDGMENTS, {"old": RUN, "new": better}, measures="Hit@4")
    assert found.between("old", "new", "Hit@4").n_wins == 1


@pytest.mark.parametrize(
    "values",
    [
        ["a", None, "b"],
        pd.array(["a", pd.NA, "b"], dtype="string"),
        pd.Categorical(["a", None, "b"]),
        [1.5, np.nan, -2.0],
        pd.array([1, pd.NA, 2**60], dtype="Int64"),
        [True, False, True],
        [1, 2, 3],
    ],
    ids=["text", "string", "categories", "floats", "nullable", "booleans", "numbers"],
)
def test_columns_are_the_same_with_and_without_arrow(values, monkeypatch):
    frame = nw.from_native(pd.DataFrame({"column": values}))
    expected = polars_from(frame).to_series().to_list()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert polars_from(frame).to_series().to_list() == expected


@pytest.mark.usefixtures("without_arrow")
def test_a_missing_score_is_still_an_error():
    with pytest.raises(InputError, match="score"):
        tophit.evaluate(JUDGMENTS, RUN.assign(score=[0.5, np.nan]))


@pytest.mark.usefixtures("without_arrow")
def test_a_frame_of_duckdb_names_its_extra():
    run = duckdb.connect().sql("select 'q1' as query_id, 'a' as chunk_id, 1 as rank")
    with pytest.raises(MissingExtraError, match=r"pip install 'tophit\[duckdb\]'"):
        tophit.evaluate({"q1": ["a"]}, run)


@pytest.mark.usefixtures("without_arrow")
def test_a_frame_of_spark_names_its_extra(spark_session):
    run = spark_session.createDataFrame(
        [("q1", "a", 1)], "query_id string, chunk_id string, rank int"
    )
    with pytest.raises(MissingExtraError, match=r"pip install 'tophit\[spark\]'"):
        tophit.evaluate({"q1": ["a"]}, run)
