"""Fixtures for every test: the engines, and the public data."""

from __future__ import annotations

import itertools
import os
import sys
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

# Spark's workers are the interpreter that runs the tests, not the first python3 of the path.
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

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
def only_spark_session() -> Iterator[Any]:
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


@pytest.fixture(scope="session", params=["spark"])
def spark_session(only_spark_session: Any) -> Any:
    """For tests that need Spark and no other engine; the parameter puts its name into their ids."""
    return only_spark_session


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
    session = request.getfixturevalue("only_spark_session")
    return Engine("spark", lambda frame: session.createDataFrame(frame.to_arrow()), examples=2)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep every test that names Spark in one worker, so that one session serves them all.

    xdist's own groups do nothing under pytest 9.2, which no longer reads the id that they change.
    """
    from xdist.scheduler import LoadScopeScheduling

    class SparkInOneWorker(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return "spark" if "spark" in nodeid.lower() else nodeid

    return SparkInOneWorker(config, log) if config.getvalue("dist") == "loadgroup" else None


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The public test data; in CI it must be there."""
    if not DATA.is_dir():
        message = f"the public test data are not at {DATA} (set TOPHIT_DATA)"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    return DATA
