"""Opening and writing files: what people's files look like, and what is said when one is broken."""

from __future__ import annotations

import errno
import gzip
import io
import os
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tophit.errors import InputError, OutputError, UsageError
from tophit.formats import atomic_write, read_chunks, read_questions, read_run, write_run
from tophit.formats.reading.files import BOM, Source, run_name, zstd

RUN = b"q1 Q0 d1 1 0.5 t\nq1 Q0 d2 2 0.25 t\n"
PLACES = [("q1", "d1", 0.5), ("q1", "d2", 0.25)]


def put(folder: Path, name: str, data: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def faults(error: pytest.ExceptionInfo[InputError]) -> list[tuple[int | None, str | None]]:
    return [(fault.line, fault.field) for fault in error.value.faults]


def gz(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


@pytest.mark.parametrize(
    "data",
    [
        RUN,
        BOM + RUN,
        RUN.replace(b"\n", b"\r\n"),
        BOM + RUN.replace(b"\n", b"\r\n"),
        RUN.rstrip(b"\n"),
        RUN.replace(b" ", b"\t"),
        RUN.replace(b" ", b"  "),
        RUN.replace(b" ", b" \t "),
        RUN.replace(b"\n", b"\n\n"),
        b"\n\n" + RUN,
        RUN.replace(b"q1", b"  q1").replace(b" t\n", b" t \t\n"),
        b"# six words that are no run\n" + RUN,
        RUN + b"#q9 Q0 d9 1 0.5 t\n",
        RUN.replace(b" t\n", b" t with more to it\n"),
        RUN.replace(b"Q0", b"0"),
        gz(RUN),
        gz(RUN[:17]) + gz(RUN[17:]),
        zstd.compress(RUN),
        gz(BOM + RUN.replace(b"\n", b"\r\n")),
    ],
    ids=range(19),
)
def test_runs_as_people_have_them(data: bytes, tmp_path: Path) -> None:
    assert read_run(put(tmp_path, "a.run", data)).retrieved.rows() == PLACES


@pytest.mark.parametrize("name", ["a.run", "a.gz", "a.zst", "a.csv", "a.json", "a"])
def test_content_decides_not_the_name(name: str, tmp_path: Path) -> None:
    assert read_run(put(tmp_path, name, RUN)).retrieved.rows() == PLACES
    assert read_run(put(tmp_path, name, gz(RUN))).retrieved.rows() == PLACES


def test_parquet_named_run(tmp_path: Path) -> None:
    frame = pl.DataFrame(PLACES, schema=["query_id", "chunk_id", "score"], orient="row")
    frame.write_parquet(tmp_path / "a.run")
    assert read_run(tmp_path / "a.run").retrieved.rows() == PLACES
    packed = put(tmp_path, "b.run", gz((tmp_path / "a.run").read_bytes()))
    assert read_run(packed).retrieved.rows() == PLACES


def test_names_with_pattern_marks(tmp_path: Path) -> None:
    frame = pl.DataFrame(PLACES, schema=["query_id", "chunk_id", "score"], orient="row")
    frame.write_parquet(tmp_path / "a[1]*.parquet")
    assert read_run(tmp_path / "a[1]*.parquet").retrieved.rows() == PLACES
    assert read_run(put(tmp_path, "b[1]*.run", RUN)).retrieved.rows() == PLACES


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    for data in (RUN, gz(RUN), BOM + RUN):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        run = read_run("-")
        assert run.retrieved.rows() == PLACES
        assert run.source == "standard input"


def test_a_named_pipe_is_read_once(tmp_path: Path) -> None:
    import threading

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(RUN,))
    writer.start()
    assert read_run(pipe).retrieved.rows() == PLACES
    writer.join()


@pytest.mark.parametrize("reader", [read_questions, read_run, read_chunks])
def test_no_such_file(reader: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="missing: expected a file, found no such file"):
        reader(tmp_path / "missing")


@pytest.mark.parametrize(
    "data", [b"", BOM, gz(b""), zstd.compress(b"")], ids=["empty", "mark", "gzip", "zstd"]
)
@pytest.mark.parametrize("reader", [read_questions, read_run, read_chunks])
def test_zero_bytes(reader: Any, data: bytes, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected data, found a file of zero bytes"):
        reader(put(tmp_path, "a.jsonl", data))


@pytest.mark.parametrize("format", [None, "jsonl", "trec", "table", "json-dict", "msmarco"])
def test_a_folder_where_a_file_was_expected(format: str | None, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="found a folder"):
        read_run(tmp_path, format=format)


@pytest.mark.parametrize(
    "data", [b"\n\n", b"hello world\n", bytes(range(256)), b"[1, 2]", b"3"], ids=range(5)
)
@pytest.mark.parametrize("reader", [read_questions, read_run, read_chunks])
def test_nothing_known(reader: Any, data: bytes, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"expected (questions|a run|chunks), found .*\nhint: "):
        reader(put(tmp_path, "a", data))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_utf_16_is_named(encoding: str, tmp_path: Path) -> None:
    text = ("\ufeff" if encoding == "utf-16-be" else "") + "qid,docno,rel\n1,7,1\n"
    with pytest.raises(InputError, match="expected UTF-8 text, found UTF-16 text"):
        read_questions(put(tmp_path, "a.csv", text.encode(encoding)))


def test_not_utf_8_names_the_line(tmp_path: Path) -> None:
    bad = b'{"id": "q1", "retrieved": []}\n{"id": "q2\xff", "retrieved": []}\n'
    with pytest.raises(InputError, match="line 2: expected UTF-8 text, found the byte 0xFF"):
        read_run(put(tmp_path, "a.jsonl", bad))
    with pytest.raises(InputError, match="line 2: expected UTF-8 text, found the byte 0xFF"):
        read_run(put(tmp_path, "a.run", RUN.replace(b"d2", b"d\xff")))


@pytest.mark.parametrize(
    "data", [gz(RUN * 99)[:-20], zstd.compress(RUN * 99)[:-5]], ids=["gzip", "zstd"]
)
def test_damaged_compression(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected a whole compressed file, found damaged data"):
        read_run(put(tmp_path, "a.run.gz", data))


def test_damaged_parquet(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected a whole Parquet file"):
        read_run(put(tmp_path, "a.parquet", b"PAR1" + bytes(99)))


def test_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    path = put(tmp_path, "a.run", RUN)
    monkeypatch.setattr(Path, "open", refuse)
    for format in (None, "trec", "jsonl", "table"):
        with pytest.raises(InputError, match="expected a readable file, found Permission denied"):
            read_run(path, format=format)


# TREC -------------------------------------------------------------------------------------------


def test_all_bad_lines_of_a_run_in_one_message(tmp_path: Path) -> None:
    lines = ["q1 Q0 d1 1 0.5 t", "q1 Q0 d2 1 abc t", "# note", "q1 Q0 d3", "", "q1 Q0 d4 1 nan t"]
    with pytest.raises(InputError) as error:
        read_run(put(tmp_path, "a.run", "\n".join(lines)))
    assert faults(error) == [(2, "score"), (4, None), (6, "score")]
    assert "line 2, score: expected a number, found 'abc'" in str(error.value)
    assert "line 4: expected 6 columns (qid Q0 docno rank score tag), found 3" in str(error.value)


@pytest.mark.parametrize("score", ["abc", "NaN", "-nan", "1_0", "0x10", "1,5", "1e", "--1", "½"])
def test_scores_that_are_no_numbers(score: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 3, score: expected a number"):
        read_run(put(tmp_path, "a.run", RUN + f"q1 Q0 d3 3 {score} t\n".encode()))


@pytest.mark.parametrize(
    ("score", "value"),
    [
        ("0.9222621453752586", 0.9222621453752586),
        ("0.9222621463752586", 0.9222621463752586),
        ("-3", -3.0),
        ("+2.5", 2.5),
        (".25", 0.25),
        ("5.", 5.0),
        ("1E-3", 0.001),
        ("inf", float("inf")),
        ("-Infinity", float("-inf")),
        ("1e400", float("inf")),
    ],
)
def test_scores_are_doubles(score: str, value: float, tmp_path: Path) -> None:
    line = f"q1 Q0 d3 3 {score} t\n".encode()
    for data in (RUN + line, RUN + line.replace(b" ", b"  ")):
        found = read_run(put(tmp_path, "a.run", data)).retrieved["score"][2]
        assert found == value


@pytest.mark.parametrize(
    "line",
    [
        "q1  Q0 d3 3 0.5 t",
        "q1 Q0  d3 3 0.5 t",
        "q1 Q0 d3  3 0.5 t",
        "q1 Q0 d3 3  0.5 t",
        "q1 Q0 d3 3 0.5  t",
        " q1 Q0 d3 3 0.5 t",
        "q1\tQ0 d3 3 0.5 t",
        "q1 Q0\td3 3 0.5 t x",
        "q1 Q0\td3 3 0.5 v7 x y",
        "q1 Q0 d3 3 0.5 t ",
        "q1 Q0 d3 3 0.5 t x y",
    ],
)
def test_one_odd_line_among_regular_ones(line: str, tmp_path: Path) -> None:
    data = RUN * 5 + f"{line}\n".encode() + RUN * 5
    places = read_run(put(tmp_path, "a.run", data)).retrieved
    assert places.rows() == PLACES * 5 + [("q1", "d3", 0.5)] + PLACES * 5


@pytest.mark.parametrize("line", ["q1 Q0 d3 3 0.5", "q1 Q0 d3 3", "q1 Q0", "q1", "q1 d3 3 0.5 t"])
def test_one_short_line_among_regular_ones(line: str, tmp_path: Path) -> None:
    # A line with one column too many must not make up for it.
    data = RUN * 5 + f"{line}\nq1 Q0 d3 3 0.5 t more\n".encode() + RUN * 5
    with pytest.raises(InputError, match="line 11: expected 6 columns"):
        read_run(put(tmp_path, "a.run", data))


def test_ids_may_hold_the_comment_mark(tmp_path: Path) -> None:
    data = "# note\n2024-12 Q0 doc_00_88#4_16 1 0.5 t\n#a b c d 1 f\nq#2 Q0 d#1 1 0.5 t\n"
    rows = [("2024-12", "doc_00_88#4_16", 0.5), ("q#2", "d#1", 0.5)]
    assert read_run(put(tmp_path, "a.run", data)).retrieved.rows() == rows
    assert read_run(put(tmp_path, "b.run", data.replace(" ", "  "))).retrieved.rows() == rows


def test_the_tag_names_the_run(tmp_path: Path) -> None:
    path = put(tmp_path, "a.b.run", RUN)
    assert read_run(path).name == "t"
    assert read_run(path, name="mine").name == "mine"
    assert read_run(put(tmp_path, "c.run", "# c\nq1 Q0 d1 1 0.5 my tag\n")).name == "my tag"
    packed = gzip.compress(b'{"q1": ["d1"]}')
    assert read_run(put(tmp_path, "bm25.x.json.gz", packed)).name == "bm25.x"


def test_duplicates_of_a_run_are_kept(tmp_path: Path) -> None:
    assert read_run(put(tmp_path, "a.run", RUN + RUN)).retrieved.rows() == PLACES + PLACES


def test_qrels_grades_and_repeated_lines(tmp_path: Path) -> None:
    data = "q1 0 d1 1\nq1\t0\td2  0.2\nq1 0 d1 1\nq2 0 d1 -1\r\n"
    questions = read_questions(put(tmp_path, "a", data))
    assert questions.judgments.rows() == [("q1", "d1", 1.0), ("q1", "d2", 0.2), ("q2", "d1", -1.0)]
    assert questions.queries.rows() == [("q1",), ("q2",)]


def test_qrels_with_faults_names_them_all(tmp_path: Path) -> None:
    data = "q1 0 d1 1\nq1 0 d2 x\nq1 0 d3\nq1 0 d4 1 5\n"
    with pytest.raises(InputError) as error:
        read_questions(put(tmp_path, "a", data))
    assert faults(error) == [(2, "grade"), (3, None), (4, None)]


def test_two_grades_for_one_document(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match="line 3, grade: expected one grade for 'd1' in query 'q1'"
    ):
        read_questions(put(tmp_path, "a", "q1 0 d1 1\nq1 0 d2 1\nq1 0 d1 2\n"))


def test_trec_eval_files(shared_data: Path) -> None:
    folder = shared_data / "trec_eval"
    assert read_run(folder / "results.test").retrieved.height == 1500
    assert read_run(folder / "results.comment.test").retrieved.height == 30100
    trunc = read_run(folder / "results.trunc").retrieved
    assert trunc.height == 584
    assert trunc["query_id"].n_unique() == 2
    qrels = read_questions(folder / "qrels.test").judgments
    with_comments = read_questions(folder / "qrels.test.with-comments").judgments
    assert with_comments["grade"].equals(qrels["grade"])
    assert set(with_comments["item_id"]) - set(qrels["item_id"]) == {"CR#93E-1860"}
    comment = read_questions(folder / "qrels.comment.test").judgments
    assert comment.height == 5890
    assert comment["item_id"][0] == "msmarco_v2.1_doc_00_880019750#4_1633802806"


def test_a_run_is_no_questions_and_the_reverse(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"expected questions, found run \(trec\)"):
        read_questions(put(tmp_path, "a", RUN))
    with pytest.raises(InputError, match=r"expected a run, found questions \(trec\)"):
        read_run(put(tmp_path, "b", "q1 0 d1 1\n"))


# Writing ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz", "a.txt.zst"])
def test_written_whole_and_the_same_every_time(name: str, tmp_path: Path) -> None:
    written = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        with atomic_write(tmp_path / folder / name) as file:
            file.write("vier Stücke\n" * 3)
        written.append((tmp_path / folder / name).read_bytes())
        assert Source(tmp_path / folder / name).text == "vier Stücke\n" * 3
    assert written[0] == written[1]


def test_binary(tmp_path: Path) -> None:
    with atomic_write(tmp_path / "a.gz", binary=True) as file:
        file.write(b"\x00\xff")
    packed = (tmp_path / "a.gz").read_bytes()
    assert gzip.decompress(packed) == b"\x00\xff"
    assert packed[3:8] == bytes(5), "neither a name nor a time inside"


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, SystemExit])
@pytest.mark.parametrize("name", ["a.txt", "a.gz", "a.zst"])
def test_an_interrupt_leaves_what_was_there(
    error: type[BaseException], name: str, tmp_path: Path
) -> None:
    path = put(tmp_path, name, "before")

    def write_half() -> None:
        with atomic_write(path) as file:
            file.write("half")
            raise error

    with pytest.raises(error):
        write_half()
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_names_the_file_and_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"

    def fill() -> None:
        with atomic_write(path) as file:
            file.write("half")
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(OutputError, match=r"cannot write .*a\.txt: No space left on device"):
        fill()
    assert not list(tmp_path.iterdir())


def test_errors_of_the_callers_block_stay_as_they_are(tmp_path: Path) -> None:
    def read_another() -> None:
        with atomic_write(tmp_path / "a.txt"):
            (tmp_path / "elsewhere" / "missing").read_text()

    with pytest.raises(FileNotFoundError):
        read_another()
    with pytest.raises(ConnectionError), atomic_write(tmp_path / "a.txt"):
        raise ConnectionResetError
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="No such file"), atomic_write(tmp_path / "no" / "a.txt"):
        pass


def test_a_folder_under_that_name(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="Is a directory"), atomic_write(tmp_path):
        pass
    assert tmp_path.is_dir()


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    target = put(tmp_path, "target", "before")
    link = tmp_path / "link"
    link.symlink_to(target)
    with atomic_write(link) as file:
        file.write("after")
    assert link.is_symlink()
    assert target.read_text() == "after"


def test_a_device_is_written_to() -> None:
    with atomic_write(os.devnull) as file:
        file.write("gone")
    assert not Path(os.devnull).is_file()


def test_standard_output(capsysbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> None:
    write_run(read_run(put(tmp_path, "ü.run", "ü Q0 d1 1 0.5 t\n")), "-", format="trec")
    assert capsysbinary.readouterr().out == "ü Q0 d1 1 0.5 t\n".encode()


def test_new_files_have_the_usual_rights(tmp_path: Path) -> None:
    with atomic_write(tmp_path / "a") as file:
        file.write("a")
    plain = put(tmp_path, "b", "b")
    assert (tmp_path / "a").stat().st_mode == plain.stat().st_mode


def test_a_format_that_cannot_write(tmp_path: Path) -> None:
    run = read_run(put(tmp_path, "a.run", RUN))
    with pytest.raises(UsageError, match=r"chroma cannot write run; formats that can: .*trec"):
        write_run(run, tmp_path / "b", format="chroma")
    with pytest.raises(UsageError, match="unknown format 'nope'"):
        write_run(run, tmp_path / "b", format="nope")


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("v1.2.jsonl", "v1.2"),
        ("v1.2.jsonl.gz", "v1.2"),
        ("v1.2.JSONL.ZST", "v1.2"),
        ("out.d/bm25.k1=0.9.run", "bm25.k1=0.9"),
        ("bm25.run.txt", "bm25"),
        ("bm25", "bm25"),
        ("run.v2", "run.v2"),
        ("a b.parquet", "a b"),
        (".jsonl", ".jsonl"),
    ],
)
def test_a_run_loses_only_the_endings_that_are_known(file: str, name: str) -> None:
    assert run_name(file) == name


def test_runs_are_named_alike_at_every_door(tmp_path: Path) -> None:
    from tophit import compare, evaluate
    from tophit.cli.inputs import Reading

    files = [tmp_path / name for name in ("v1.2.jsonl", "v1.3.jsonl", "v1.2.json")]
    for file in files[:2]:
        file.write_text('{"id": "q", "retrieved": [{"id": "a"}]}\n')
    files[2].write_text('{"q": ["a"]}')
    (tmp_path / "q.jsonl").write_text('{"id": "q", "expected": [{"id": "a"}]}\n')
    questions = str(tmp_path / "q.jsonl")
    assert [evaluate(questions, str(file)).name for file in files] == ["v1.2", "v1.3", "v1.2"]
    assert compare(questions, files).runs == ("v1.2", "v1.3", "v1.2 (2)")
    _, read = Reading().read(questions, [str(file) for file in files[:2]])
    assert [run.name for run in read] == ["v1.2", "v1.3"]
