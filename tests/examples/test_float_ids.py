"""Ids written `1.0` on one side and `1` on the other: said, with what to do, never rewritten."""

from __future__ import annotations

from pathlib import Path

import pytest

from tophit import evaluate


def put(folder: Path, text: str, name: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


QRELS = "query_id,item_id,grade\nq1,1,1\nq2,16,1\nq3,a,1\n"
RUN = "query_id,chunk_id,rank\nq1,1,1\nq2,16,1\nq3,a,1\n"
FLOATS = RUN.replace(",1,1", ",1.0,1").replace(",16,", ",16.0,")


@pytest.mark.parametrize(
    ("qrels", "run", "mrr", "count", "says"),
    [
        (QRELS, RUN, 1.0, 0, ""),
        (
            QRELS,
            RUN.replace(",1,1", ",1.0,1").replace(",16,", ",16.0,"),
            1 / 3,
            2,
            "of the run are",
        ),
        (QRELS, RUN.replace(",16,", ",16.0,"), 2 / 3, 1, "of the run is written '16.0' where"),
        (QRELS.replace(",1,1", ",1.0,1"), RUN, 2 / 3, 1, "of the questions is written '1.0'"),
        (QRELS.replace(",1,1", ",1.0,1"), RUN.replace(",1,1", ",1.0,1"), 1.0, 0, ""),
        (QRELS, RUN.replace(",16,", ",v16.0,"), 2 / 3, 0, ""),
    ],
)
def test_ids_of_chunks(
    qrels: str, run: str, mrr: float, count: int, says: str, tmp_path: Path
) -> None:
    files = put(tmp_path, qrels, "q.csv"), put(tmp_path, run, "r.csv")
    result = evaluate(*files, measures="MRR")
    assert result["MRR"].value == pytest.approx(mrr)
    found = [warning for warning in result.warnings if warning.code == "float_ids"]
    assert sum(warning.count for warning in found) == count
    assert all(says in warning.message and "dtype=str" in warning.message for warning in found)


def test_ids_of_queries(tmp_path: Path) -> None:
    qrels = "query_id,item_id,grade\n1,a,1\n2,b,1\n3,c,1\n"
    run = "query_id,chunk_id,rank\n1.0,a,1\n2.0,b,1\n3,c,1\n"
    result = evaluate(put(tmp_path, qrels, "q.csv"), put(tmp_path, run, "r.csv"), measures="MRR")
    (warning,) = [each for each in result.warnings if each.code == "float_ids"]
    assert warning.count == 2
    assert (
        "2 query ids of the run are written '1.0' where the questions have '1'" in warning.message
    )
