"""Frames of Spark: by ids the scores stay there, by text places are compared here."""

from pyspark.sql import DataFrame, SparkSession

import tophit

session = (
    SparkSession.builder.master("local[1]")
    .config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false")
    .config("spark.sql.shuffle.partitions", "1")
    .getOrCreate()
)
run = session.createDataFrame(
    [("q1", "a", 1, "one"), ("q2", "x", 1, "two")],
    "query_id string, chunk_id string, rank int, text string",
)
judgments = session.createDataFrame(
    [("q1", "a", "one"), ("q2", "b", "three")], "query_id string, item_id string, text string"
)
for match in ("ids", "text"):
    result = tophit.evaluate(judgments, run, measures="Hit@4", match=match)
    assert result["Hit@4"].value == 0.5, result
    assert isinstance(result.scores, DataFrame), type(result.scores)
session.stop()
