"""What `convert` writes is read back: empty lists, empty results, the same scores everywhere."""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tophit import evaluate
from tophit.formats import FORMATS, convert, read_run
from tophit.formats.writing.losses import silent_queries

ENDINGS = {
    "jsonl": ".jsonl", "table": ".csv", "json-dict": ".json", "ragas": ".ragas", "trec": ".run",
    "msmarco": ".tsv",
}  # fmt: skip
WITH_SILENT = ("jsonl", "table", "json-dict", "ragas")
RUNS = {
    "one empty list": '{"id": "q1", "retrieved": ["c1"]}\n{"id": "q2", "retrieved": []}\n',
    "only empty lists": '{"id": "q1", "retrieved": []}\n',
    "nothing": "[]",
}


def test_every_format_that_writes_runs_is_here() -> None:
    assert set(ENDINGS) == {name for name, entry in FORMATS.items() if "run" in entry.writes}


@pytest.mark.parametrize("text", RUNS.values(), ids=RUNS)
@pytest.mark.parametrize(("first", "second"), list(itertools.product(ENDINGS, ENDINGS)))
def test_empty_lists_of_runs(text: str, first: str, second: str, tmp_path: Path) -> None:
    source = tmp_path / "source.jsonl"
    source.write_text(text)
    there, back = tmp_path / f"a{ENDINGS[first]}", tmp_path / f"b{ENDINGS[second]}"
    lost = convert(source, there, target_format=first, role="run")
    convert(there, back, target_format=second, role="run")
    assert there.read_bytes()
    before, after = read_run(source), read_run(back)
    columns = ["query_id", "chunk_id"]
    assert after.retrieved.select(columns).equals(before.retrieved.select(columns))
    silent = silent_queries(before)
    if {first, second} <= set(WITH_SILENT):
        assert sorted(silent_queries(after)) == sorted(silent)
    elif silent and first not in WITH_SILENT:
        assert f"{len(silent)} is not in the output" in lost[-1].message


@settings(max_examples=15)
@given(
    lists=st.dictionaries(
        st.sampled_from(["q1", "q2", "q3", "1.0", "007"]),
        st.lists(st.sampled_from(["d1", "d2", "1.0", "1", "007"]), max_size=4, unique=True),
        min_size=1,
    ),
    pair=st.sampled_from(list(itertools.product(ENDINGS, ENDINGS))),
)
def test_scores_are_the_same_after_any_two_formats(
    lists: dict[str, list[str]], pair: tuple[str, str]
) -> None:
    first, second = pair
    judged = {"q1": ["d1", "1.0"], "q2": ["1"], "1.0": ["007"], "007": ["d2", "1"]}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / "source.jsonl"
        source.write_text(
            "".join(
                f'{{"id": "{key}", "retrieved": {str(ids).replace(chr(39), chr(34))}}}\n'
                for key, ids in lists.items()
            )
        )
        there, back = folder / f"a{ENDINGS[first]}", folder / f"b{ENDINGS[second]}"
        convert(source, there, target_format=first, role="run")
        convert(there, back, target_format=second, role="run")
        values = {
            tuple(result[name].value for name in result.measures)
            for path in (source, there, back)
            for result in [evaluate(judged, path, measures="Hit@2 MRR MAP nDCG@3")]
        }
    assert len(values) == 1
