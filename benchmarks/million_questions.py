"""A million questions on Spark and in process: the same intervals and tests, and the seconds.

Two runs are evaluated with `cluster=` and compared, on Spark from frames that only it holds, and on
Polars. Printed: the seconds, and the largest difference between the numbers of the two.

    python benchmarks/million_questions.py [QUESTIONS]
"""

from __future__ import annotations

import sys
import time
from typing import Any

import polars as pl
from pyspark.sql import SparkSession

from tophit import evaluate
from tophit.comparison import compare_results

MEASURES = "Hit@1 Recall@1"
CLUSTERS = 997


def on_spark(session: Any, n: int, *, better: int) -> tuple[Any, Any]:
    """Each question expects x and z; `better` of 100 questions more have x first."""
    asked = session.range(n).selectExpr(
        "cast(id as string) as query_id", "id", f"cast(id % {CLUSTERS} as string) as topic"
    )
    judged = [
        asked.selectExpr("query_id", f"'{item}' as item_id", "1.0D as grade", "topic")
        for item in ("x", "z")
    ]
    is_first = f"id * 7919 % 100 < {40 + better} + id % {CLUSTERS} % 20"
    chunk = f"case when {is_first} then 'x' else 'y' end as chunk_id"
    return judged[0].unionAll(judged[1]), asked.selectExpr("query_id", chunk, "1L as rank")


def in_process(n: int, *, better: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The same as `on_spark`."""
    number = pl.col("id")
    asked = pl.DataFrame({"id": range(n)}).with_columns(
        query_id=number.cast(pl.String), topic=(number % CLUSTERS).cast(pl.String)
    )
    judged = [
        asked.select("query_id", "topic", item_id=pl.lit(item), grade=1.0) for item in ("x", "z")
    ]
    is_first = number * 7919 % 100 < 40 + better + number % CLUSTERS % 20
    chunk = pl.when(is_first).then(pl.lit("x")).otherwise(pl.lit("y"))
    return pl.concat(judged), asked.select("query_id", chunk_id=chunk, rank=pl.lit(1))


def numbers(pairs: list[tuple[Any, Any]]) -> list[float]:
    """Everything that is said of two runs: means, intervals, difference, its interval and p."""
    started = time.perf_counter()
    results = [
        evaluate(*pair, measures=MEASURES, cluster="topic", name=name)
        for pair, name in zip(pairs, ("old", "new"), strict=True)
    ]
    middle = time.perf_counter()
    found = compare_results(results).differences
    ended = time.perf_counter()
    print(f"two evaluations {middle - started:.1f} s, the comparison {ended - middle:.1f} s")
    scores = [score for result in results for score in result.values()]
    listed = [number for score in scores for number in (score.value, score.low, score.high)]
    return listed + [
        number for one in found for number in (one.difference, one.low, one.high, one.p)
    ]


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.memory", "3g")
        .config("spark.sql.shuffle.partitions", "4")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    print(f"{n:,} questions in {CLUSTERS} clusters on Spark:")
    there = numbers([on_spark(session, n, better=better) for better in (0, 1)])
    print("in process:")
    here = numbers([in_process(n, better=better) for better in (0, 1)])
    apart = max(abs(a - b) for a, b in zip(there, here, strict=True))
    print(f"largest difference between the two: {apart:.1e}")


if __name__ == "__main__":
    main()
