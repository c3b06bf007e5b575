"""Frames of DuckDB: by ids the scores stay there, by text places are compared here."""

import duckdb

import tophit

connection = duckdb.connect()
run = connection.sql(
    "select * from (values ('q1', 'a', 1, 'one'), ('q2', 'x', 1, 'two')) "
    "as t(query_id, chunk_id, rank, text)"
)
judgments = connection.sql(
    "select * from (values ('q1', 'a', 'one'), ('q2', 'b', 'three')) as t(query_id, item_id, text)"
)
for match in ("ids", "text"):
    result = tophit.evaluate(judgments, run, measures="Hit@4", match=match)
    assert result["Hit@4"].value == 0.5, result
    assert isinstance(result.scores, duckdb.DuckDBPyRelation), type(result.scores)
