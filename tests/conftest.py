"""Fixtures for every test: the engines, and the public data."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl
import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "tophit",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
settings.load_profile("tophit")

# What CI sets must not change what commands print and write.
for variable in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE"):
    os.environ.pop(variable, None)

ENGINES = ("polars", "duckdb", "spark")
DATA = Path(os.environ.get("TOPHIT_DATA", Path(__file__).parents[2] / "shared" / "data"))


@dataclass(frozen=True)
class Engine:
    """One of the engines: how a frame gets there, and how many Hypothesis examples it can bear."""

    name: str
    frame: Callable[[pl.DataFrame], Any]
    examples: int

    def collect(self, native: Any) -> pl.DataFrame:
        frame = nw.from_native(native)
        return (frame.collect() if isinstance(frame, nw.LazyFrame) else frame).to_polars()


@pytest.fixture(scope="session")
def spark_session() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local[2]")
        .appName("tophit tests")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.default.parallelism", "1")
        .config("spark.driver.memory", "1g")
        # a few rows a plan: compiling them, and optimising what was compiled, is most of the time
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        .config("spark.sql.codegen.wholeStage", "false")
        .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
        .config("spark.sql.adaptive.enabled", "false")
        .config("spark.python.sql.dataFrameDebugging.enabled", "false")
        .config("spark.sql.execution.arrow.pyspark.enabled", "true")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Engine:
    """Every core test runs on each engine; `engine.frame` brings a Polars frame there."""
    if request.param == "polars":
        return Engine("polars", lambda frame: frame, examples=60)
    if request.param == "duckdb":
        import duckdb

        connection = duckdb.connect()

        numbers = itertools.count()

        def to_duckdb(frame: pl.DataFrame) -> Any:
            name = f"t{next(numbers)}"
            connection.register(name, frame.to_arrow())
            return connection.table(name)

        return Engine("duckdb", to_duckdb, examples=15)
    session = request.getfixturevalue("spark_session")
    return Engine("spark", lambda frame: session.createDataFrame(frame.to_arrow()), examples=2)


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep every test that needs Spark in one worker, so that one session serves them all."""
    for item in items:
        callspec = getattr(item, "callspec", None)
        on_spark = callspec is not None and callspec.params.get("engine") == "spark"
        names = getattr(item, "fixturenames", ())
        if on_spark or ("spark_session" in names and "engine" not in names):
            item.add_marker(pytest.mark.xdist_group("spark"))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The public test data; in CI it must be there."""
    if not DATA.is_dir():
        message = f"the public test data are not at {DATA} (set TOPHIT_DATA)"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    return DATA
