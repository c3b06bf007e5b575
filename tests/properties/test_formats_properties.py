"""Whatever is written is read back the same, or a warning has said what is missing."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tophit.errors import InputError, UsageError
from tophit.formats import (
    FORMATS,
    convert,
    read_chunks,
    read_questions,
    read_questions_and_run,
    read_run,
    write_chunks,
    write_questions,
    write_questions_and_run,
    write_run,
)
from tophit.formats.writing.losses import in_order, match_ids
from tophit.records.values import BLANK_MARKS
from tophit.relations import Questions, Run

TEXTS = st.text(
    st.one_of(
        st.sampled_from("ab ,\"'\t\n\r|#[]{}:;.é漢😀\u2028\u00a0\ufeff"),
        st.characters(codec="utf-8"),
    ),
    min_size=1,
    max_size=12,
).filter(lambda text: not text.isspace())
SHORT_IDS = st.sampled_from(["a", "b", "c7", "e1", "e2", "1", "007", "d#1", "ä"])
# No relation has ids with blanks around them: every reader strips them.
IDS = st.one_of(SHORT_IDS, TEXTS.map(lambda text: text.strip(BLANK_MARKS)).filter(bool))
SCORES = st.one_of(
    st.sampled_from([0.0, 0.5, 1.0, -1.0, 0.9222621453752586, 0.9222621463752586]),
    st.floats(allow_nan=False),
)
EXAMPLES = settings(max_examples=20)


@st.composite
def spans(draw: st.DrawFn) -> dict[str, Any]:
    start = draw(st.integers(0, 99))
    return {"doc": draw(IDS), "start": start, "end": start + draw(st.integers(1, 9))}


@st.composite
def pieces(draw: st.DrawFn) -> Any:
    kind = draw(st.sampled_from(["text", "id", "id and text", "span", "text and span"]))
    if kind == "text":
        return draw(TEXTS)
    made: dict[str, Any] = {}
    if "id" in kind:
        made["id"] = draw(IDS)
    if "text" in kind:
        made["text"] = draw(TEXTS)
    if "span" in kind:
        made |= draw(spans())
    return made


@st.composite
def items(draw: st.DrawFn, *, only_ids: bool = False) -> Any:
    grade = draw(st.sampled_from([{}, {}, {"grade": 2}, {"grade": 0}, {"grade": 0.5}]))
    if only_ids:
        return {"id": draw(IDS), **grade}
    if draw(st.booleans()):
        piece = draw(pieces())
        return {"text": piece, **grade} if isinstance(piece, str) else {**piece, **grade}
    return {"any_of": draw(st.lists(pieces(), min_size=1, max_size=3)), **grade}


def key(entry: Any) -> str:
    entry = {"text": entry} if isinstance(entry, str) else entry
    return json.dumps({k: v for k, v in entry.items() if k != "grade"}, sort_keys=True)


def by_id(entry: Any) -> str:
    """An id may stand in one item of a question only, which has one grade."""
    options = entry.get("any_of", ())
    if len(options) == 1 and isinstance(options[0], dict):
        return by_id(options[0])
    return entry.get("id") or key(entry)


@st.composite
def question_records(draw: st.DrawFn, *, only_ids: bool = False) -> list[dict[str, Any]]:
    names = draw(st.lists(IDS, min_size=1, max_size=4, unique=True))
    records = []
    for name in names:
        expected = st.lists(items(only_ids=only_ids), max_size=3, unique_by=(key, by_id))
        record: dict[str, Any] = {"id": name, "expected": draw(expected)}
        if draw(st.booleans()) and not only_ids:
            record["question"] = draw(TEXTS)
            record["tags"] = {"topic": draw(TEXTS)}
        records.append(record)
    return records


@st.composite
def run_records(draw: st.DrawFn) -> list[dict[str, Any]]:
    names = draw(st.lists(IDS, min_size=1, max_size=4, unique=True))
    with_texts, with_scores, with_answers = (draw(st.booleans()) for _ in range(3))
    records = []
    for name in names:
        places = []
        for chunk in draw(st.lists(IDS, max_size=4)):
            place: dict[str, Any] = {"id": chunk}
            if with_scores:
                place["score"] = draw(SCORES)
            if with_texts:
                place |= {"text": draw(TEXTS), "tokens": draw(st.integers(0, 9)), **draw(spans())}
            places.append(place)
        record: dict[str, Any] = {"id": name, "retrieved": places}
        if with_answers:
            record |= {"answer": draw(TEXTS), "abstained": draw(st.booleans())}
        records.append(record)
    assume(any(record["retrieved"] for record in records))
    return records


def from_records(records: list[dict[str, Any]], folder: Path) -> Path:
    path = folder / "source.jsonl"
    path.write_text("\n".join(map(json.dumps, records)), "utf-8", newline="\n")
    return path


def meaning(questions: Questions) -> Any:
    """What questions mean, whatever the made names of their items are."""
    rows = match_ids(questions.judgments).to_dicts()
    found: dict[str, dict[Any, list[Any]]] = {query: {} for query in questions.queries["query_id"]}
    for row in rows:
        piece = [row.get(name) for name in ("chunk_id", "text", "doc_id", "start", "end", "grade")]
        found[row["query_id"]].setdefault(row["item_id"], []).append(piece)
    queries = {row.pop("query_id"): row for row in questions.queries.to_dicts()}
    return {
        query: (list(kept.values()), {k: v for k, v in queries[query].items() if v is not None})
        for query, kept in found.items()
    }


def ranking(run: Run, *, scores: bool = True) -> Any:
    """What a run means: its places in order, and its answers."""
    names = ("query_id", "chunk_id", "text", "doc_id", "start", "end", "tokens")
    places = [
        [row.get(name) for name in (*names, "score") if scores or name != "score"]
        for row in in_order(run.retrieved).to_dicts()
    ]
    answers = [] if run.answers is None else run.answers.sort("query_id").to_dicts()
    return places, [row for row in answers if any(v is not None for v in list(row.values())[1:])]


NAMES = {"trec": "a", "table": "a.csv", "msmarco": "a.tsv", "beir": "folder"}


def targets(role: str) -> list[tuple[str, str]]:
    found = [(n, NAMES.get(n, f"{n}.data")) for n, f in FORMATS.items() if role in f.writes]
    tables = [("table", name) for name in ("a.tsv", "a.parquet", "a.csv.gz", "a.csv.zst")]
    return [*found, ("jsonl", "a.jsonl.gz"), ("jsonl", "a.jsonl.zst"), *tables]


@pytest.mark.parametrize(("format", "name"), targets("questions"))
@EXAMPLES
@given(records=st.one_of(question_records(), question_records(only_ids=True)))
def test_questions_come_back_or_a_warning_says_why(
    format: str, name: str, records: list[dict[str, Any]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        questions = read_questions(from_records(records, Path(folder)))
        try:
            lost = write_questions(questions, Path(folder) / name, format=format)
        except (InputError, UsageError):
            assert format not in ("jsonl", "table")
            return
        if not lost:
            again = read_questions(Path(folder) / name, format=format)
            assert meaning(again) == meaning(questions)
        assert all(warning.count > 0 and format in warning.message for warning in lost)


@pytest.mark.parametrize(("format", "name"), targets("run"))
@EXAMPLES
@given(records=run_records())
def test_runs_come_back_or_a_warning_says_why(
    format: str, name: str, records: list[dict[str, Any]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        run = read_run(from_records(records, Path(folder)))
        try:
            lost = write_run(run, Path(folder) / name, format=format)
        except InputError:
            assert format in ("trec", "msmarco")
            return
        again = read_run(Path(folder) / name, format=format)
        has_scores = "score" in run.retrieved.columns
        if not lost:
            assert ranking(again, scores=has_scores) == ranking(run, scores=has_scores)
        # The order is never lost, whatever else is.
        places = ["query_id", "chunk_id"]
        assert in_order(again.retrieved)[places].equals(in_order(run.retrieved)[places])
        assert all(warning.count > 0 and format in warning.message for warning in lost)


@pytest.mark.parametrize(("format", "name"), targets("chunks"))
@EXAMPLES
@given(places=st.lists(st.tuples(IDS, TEXTS, spans()), min_size=1, unique_by=lambda p: p[0]))
def test_chunks_come_back_or_a_warning_says_why(format: str, name: str, places: Any) -> None:
    chunks = pl.DataFrame(
        [(key, text, *span.values()) for key, text, span in places],
        schema={"chunk_id": pl.String, "text": pl.String, "doc_id": pl.String,
                "start": pl.Int64, "end": pl.Int64},
        orient="row",
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        lost = write_chunks(chunks, Path(folder) / name, format=format)
        again = read_chunks(Path(folder) / name, format=format)
        assert again.equals(chunks.select(again.columns))
        assert bool(lost) == (again.columns != chunks.columns)


@EXAMPLES
@given(asked=question_records(), found=run_records())
def test_questions_and_run_in_one_file(asked: Any, found: Any) -> None:
    names = [record["id"] for record in asked]
    for record, name in zip(found, names, strict=False):
        record["id"] = name
    found = found[: len(names)]
    assume(any(record["retrieved"] for record in found))
    with tempfile.TemporaryDirectory() as folder:
        questions = read_questions(from_records(asked, Path(folder)))
        run = read_run(from_records(found, Path(folder)))
        path = Path(folder) / "a.jsonl"
        try:
            write_questions_and_run(questions, run, path, format="ragas")
        except UsageError:
            return
        again, retrieved = read_questions_and_run(path, format="ragas")
        # A question whose items it cannot hold is left out, with its results.
        kept = again.queries["query_id"].to_list()
        assert kept == [name for name in names if name in kept]
        columns = ["query_id", "chunk_id"]
        order = {name: at for at, name in enumerate(kept)}
        places = run.retrieved.filter(pl.col("query_id").is_in(kept))
        expected = places.sort(pl.col("query_id").replace_strict(order), "rank")[columns]
        assert retrieved.retrieved[columns].equals(expected)


FIELDS = st.text("ab1.#-_é", min_size=1, max_size=4)
RANKS = st.sampled_from(["1", "2", "17", "0"])
TAG_WORDS = st.text("ab#_é", min_size=1, max_size=4)
GAPS = st.sampled_from([" ", " ", " ", "\t", "  ", " \t ", "\t\t"])
ENDS = st.sampled_from(
    ["\n", "\n", "\r\n", "\n\n", " \n", "\t\r\n", "\n# note\n", "\n#a b c d 1 f\n"]
)
NUMBERS = st.sampled_from(["1", "0.5", "-2e3", ".5", "inf", "0.9222621463752586"])


@settings(max_examples=60)
@given(data=st.data(), gaps=st.sampled_from([st.just(" "), st.just("\t"), GAPS]))
def test_trec_lines_with_any_blanks(data: st.DataObject, gaps: st.SearchStrategy[str]) -> None:
    text, expected = data.draw(st.sampled_from(["", " ", "\n", "# note\n"])), []
    for _ in range(data.draw(st.integers(1, 6))):
        query = data.draw(FIELDS.filter(lambda field: not field.startswith("#")))
        chunk, score = data.draw(FIELDS), data.draw(NUMBERS)
        # A score where the tag should be, and more behind it, is what a blank in an id leaves.
        tag = data.draw(st.lists(TAG_WORDS, min_size=1, max_size=3))
        line = [query, "Q0", chunk, data.draw(RANKS), score, *tag]
        text += "".join(field + data.draw(gaps) for field in line[:-1]) + line[-1] + data.draw(ENDS)
        expected.append((query, chunk, float(score)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.run"
        path.write_bytes(text.encode())
        assert read_run(path, format="trec").retrieved.rows() == expected


@pytest.mark.parametrize("name", ["a.run", "a.json", "a.csv", "a.parquet", "a.tsv.gz"])
@EXAMPLES
@given(records=run_records())
def test_there_and_back_keeps_the_order(name: str, records: list[dict[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        source = from_records(records, Path(folder))
        try:
            convert(source, Path(folder) / name, role="run")
        except InputError:
            return
        convert(Path(folder) / name, Path(folder) / "back.jsonl", role="run")
        before, after = read_run(source), read_run(Path(folder) / "back.jsonl")
        columns = ["query_id", "chunk_id", "rank"]
        assert after.retrieved[columns].equals(before.retrieved[columns])
