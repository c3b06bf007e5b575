"""Retrieval: plain words only, every script, deterministic ties, kept indexes, any function."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pandas as pd
import polars as pl
import pytest

from tophit.documents import read_documents
from tophit.errors import InputError, MissingExtraError, OutputError, UsageError
from tophit.relations import ANSWERS, RETRIEVED, Questions, schema
from tophit.retrieval import RETRIEVERS, retrieve
from tophit.splitting import split

FEES = {
    "fees": "A late fee is eight dollars a month.",
    "taxes": "Taxes are due in April, and not before.",
    "title": "The title of the field is body.",
    "syntax": 'He wrote "fee AND tax" OR (body:fee)^2 with a * at the end.',
}


def chunks_of(texts: dict[str, str]) -> pl.DataFrame:
    return pl.DataFrame({"chunk_id": list(texts), "text": list(texts.values())})


def ids(run, query="q") -> list[str]:
    return run.retrieved.filter(pl.col("query_id") == query)["chunk_id"].to_list()


def ask(question: str, texts=FEES, **options) -> list[str]:
    return ids(retrieve(chunks_of(texts), {"q": question}, **options))


def test_the_run():
    chunks = split({"a.md": "A late fee is eight dollars.", "b.md": "Taxes are due in April."})
    run = retrieve(chunks, {"q1": "late fees", "q2": "zebra", "q3": "April taxes?"}, depth=3)
    assert run.retrieved.schema == schema(RETRIEVED)
    assert run.retrieved.drop("score").rows() == [
        ("q1", "a.md#0001", 1, "A late fee is eight dollars.", "a.md", 0, 28, 7),
        ("q3", "b.md#0001", 1, "Taxes are due in April.", "b.md", 0, 23, 7),
    ]
    assert (run.retrieved["score"] > 0).all()
    assert run.answers.schema == schema(ANSWERS)
    assert run.answers.rows() == [("q1", None, None), ("q2", None, None), ("q3", None, None)]
    assert run.name == "bm25"


def test_a_question_without_a_hit_has_an_empty_list():
    for question in ("zebra", "?!", '* : ( ) " ^ ~ [ }', "🙂"):
        run = retrieve(chunks_of(FEES), {"q": question})
        assert run.retrieved.height == 0
        assert run.retrieved.schema == schema(RETRIEVED)
        assert run.answers["query_id"].to_list() == ["q"]


@pytest.mark.parametrize(
    "question",
    [
        "late AND fee",
        "late -fee",
        "+late fee",
        "NOT late fee",
        '"late fee"',
        '"fee late"',
        "late fee^9",
        "(late fee",
        "late fee)",
        "late: fee",
        "late/fee",
        "/late fee/",
        "late fee~2",
        "[late TO fee]",
        "late\\fee",
        "late && fee || !",
        "{late fee}",
        'late "fee',
        "IN [late fee]",
    ],
)
def test_query_syntax_is_text(question):
    texts = {name: FEES[name] for name in ("fees", "taxes", "title")}
    assert ask(question, texts)[0] == "fees"


def test_field_names_and_stars_are_text():
    texts = {name: FEES[name] for name in ("fees", "taxes", "title")}
    assert ask("words:April", texts) == ["taxes"]
    assert ask("row:1", texts) == []
    assert ask("*", texts) == []
    assert ask("Apr*", texts) == []
    assert ask("title:April", texts) == ["title", "taxes"]
    assert ask("AND", texts) == ["taxes"]  # the word "and" in the text


def test_words_of_every_script():
    texts = {
        "zh": "台灣大學位於台北市，創立於一九二八年。",
        "zh2": "北京市是中華人民共和國的首都。",
        "ja": "東京タワーは東京都港区にある電波塔である。",
        "th": "กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย",
        "hi": "हिन्दी भारत की एक भाषा है।",
        "ar": "القاهرة هي عاصمة مصر.",
        "ko": "서울은 대한민국의 수도이다.",
        "de": "Die Straße heißt Königsallee.",
        "el": "Η ΑΘΗΝΑ είναι η πρωτεύουσα.",
    }
    for question, expected in {
        "台北在哪裡": "zh",
        "首都": "zh2",
        "電波塔はどこ": "ja",
        "เมืองหลวง": "th",
        "भारत": "hi",
        "القاهرة": "ar",
        "서울은": "ko",
        "STRASSE": "de",
        "Αθηνα": "el",
        "ＫÖNIGSALLEE": "de",
    }.items():
        assert ask(question, texts)[0] == expected


def test_marks_stay_in_their_word():
    assert ask("हिन्", {"a": "हिन्दी भाषा", "b": "हिन् और"}) == ["b"]


def test_stemming_is_an_option():
    texts = {"a": "late fees", "b": "Häuser"}
    assert ask("fee", texts) == ["a"]
    assert ask("fee", texts, language="none") == []
    assert ask("Haus", texts, language="german") == ["b"]
    with pytest.raises(UsageError, match="unknown language 'englsh'; did you mean english"):
        ask("fee", texts, language="englsh")


def test_a_word_asked_twice_counts_twice():
    texts = {"a": "late late tax", "b": "fee tax tax"}
    once = retrieve(chunks_of(texts), {"q": "late fee"}).retrieved
    twice = retrieve(chunks_of(texts), {"q": "late fee fee"}).retrieved
    score = dict(zip(twice["chunk_id"], twice["score"], strict=True))
    before = dict(zip(once["chunk_id"], once["score"], strict=True))
    assert score["a"] == before["a"]
    assert score["b"] == pytest.approx(2 * before["b"])


def test_ties_go_to_the_higher_id_whatever_the_order_of_the_chunks():
    names = [f"c{n:02}" for n in range(60)]
    texts = dict.fromkeys(names, "the same fee") | {"best": "fee fee fee"}
    expected = ["best", *sorted(names, reverse=True)]
    for order in (texts, dict(reversed(texts.items()))):
        for depth in (1, 2, 5, 60, 61, 100):
            assert ask("fee", order, depth=depth) == expected[:depth]


def test_the_same_input_gives_the_same_run(shared_data):
    chunks = split(read_documents(shared_data / "chroma" / "corpora" / "wikitexts.md"), size=100)
    questions = {"a": "When was the album released?", "b": "Who won the war of the league?"}
    first, second = (retrieve(chunks, questions) for _ in range(2))
    shuffled = retrieve(chunks.sample(fraction=1.0, shuffle=True, seed=7), questions)
    assert first.retrieved.height == 40
    assert first.retrieved.equals(second.retrieved)
    assert first.retrieved.equals(shuffled.retrieved)


def test_a_kept_index_is_used_again_and_built_anew_for_other_chunks(tmp_path):
    folder = tmp_path / "deep" / "index"
    assert ask("fees", index_dir=folder) == ["syntax", "fees"]
    built = {file.name: file.stat().st_mtime_ns for file in folder.iterdir()}
    assert ask("fees", index_dir=folder) == ["syntax", "fees"]
    assert {file.name: file.stat().st_mtime_ns for file in folder.iterdir()} == built
    assert ask("fee", {"new": "a fee"}, index_dir=folder) == ["new"]
    assert ask("fees", {"new": "a fee"}, index_dir=folder, language="none") == []
    assert [path.name for path in folder.parent.iterdir()] == ["index"]


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("precious")
    with pytest.raises(UsageError, match="is not an index of tophit"):
        ask("fee", index_dir=tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "precious"
    file = tmp_path / "thesis.txt"
    with pytest.raises(UsageError, match="is not an index of tophit"):
        ask("fee", index_dir=file)


def test_an_interrupt_leaves_no_half_built_index(tmp_path, monkeypatch):
    def interrupted(text):
        raise KeyboardInterrupt

    monkeypatch.setattr("tophit.retrieval.bm25.words", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ask("fee", index_dir=tmp_path / "index")
    assert list(tmp_path.iterdir()) == []


def test_an_index_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError, match="cannot write the folder"):
        ask("fee", index_dir=tmp_path / "file" / "index")


def test_questions_in_every_form():
    texts = ["Which fee?", "When are taxes due?"]
    expected = ["fees", "taxes"]
    forms = [
        {1: texts[0], 2: texts[1]},
        pl.DataFrame({"query_id": ["1", "2"], "question": texts}),
        pd.DataFrame({"query_id": ["1", "2"], "question": texts}),
        Questions(
            queries=pl.DataFrame({"query_id": ["1", "2"], "question": texts}),
            judgments=pl.DataFrame(),
        ),
    ]
    chunks = chunks_of({"fees": FEES["fees"], "taxes": FEES["taxes"]})
    for form in forms:
        run = retrieve(chunks, form, language="none")
        assert [ids(run, "1")[0], ids(run, "2")[0]] == expected


def test_progress():
    seen = []
    retrieve(chunks_of(FEES), {"a": "fee", "b": "x"}, progress=lambda *done: seen.append(done))
    assert seen == [(1, 2), (2, 2)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"retriever": "bm52"}, "unknown retriever 'bm52'; did you mean bm25"),
        ({"depth": 0}, "depth must be at least 1, not 0"),
        ({"k1": 2}, "unknown option of the retriever 'bm25' 'k1'"),
        (
            {"retriever": len, "language": "none"},
            "unknown option of a retriever by python 'language'",
        ),
        ({"retriever": list}, "expected a retriever .*, found list"),
    ],
)
def test_bad_requests(options, message):
    with pytest.raises(UsageError, match=message):
        retrieve(chunks_of(FEES), {"q": "fee"}, **options)


@pytest.mark.parametrize(
    ("chunks", "queries", "message"),
    [
        (None, {"q": "fee"}, "chunks: expected at least one chunk"),
        (chunks_of({}), {"q": "fee"}, "chunks: expected at least one chunk"),
        (pl.DataFrame({"chunk_id": ["a", "a"], "text": ["x", "y"]}), {"q": "x"}, "each id once"),
        (pl.DataFrame({"chunk_id": ["a"], "text": [None]}), {"q": "x"}, "text of 'a': expected"),
        (pl.DataFrame({"id": ["a"]}), {"q": "x"}, "chunk_id: expected a column"),
        (chunks_of(FEES), {"q": " "}, "question of 'q': expected text, found nothing"),
        (chunks_of(FEES), pl.DataFrame({"query_id": ["q"]}), "questions, question: expected a col"),
        (
            chunks_of(FEES),
            pl.DataFrame({"query_id": ["q", "q"], "question": ["x", "y"]}),
            "each id once, found 'q'",
        ),
    ],
)
def test_bad_data(chunks, queries, message):
    with pytest.raises(InputError, match=message):
        retrieve(chunks, queries)


def test_no_questions_at_all_of_a_wrong_kind():
    with pytest.raises(UsageError, match="a data frame or id to question, found int"):
        retrieve(chunks_of(FEES), 3)


def test_a_missing_package_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "tantivy", None)
    with pytest.raises(MissingExtraError, match=r"BM25 retrieval.*tophit\[bench\]"):
        ask("fee")


@dataclass
class LangChainDocument:
    page_content: str
    metadata: dict[str, Any] = field(default_factory=dict)
    id: str | None = None


@dataclass
class HaystackDocument:
    id: str
    content: str
    score: float
    meta: dict[str, Any] = field(default_factory=dict)


@dataclass
class Node:
    node_id: str
    text: str

    def get_content(self):
        return self.text


@dataclass
class NodeWithScore:
    node: Node
    score: float


class ScoredDoc(NamedTuple):
    query_id: str
    doc_id: str
    score: float


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ("c1", ("c1", None, None, None)),
        (7, ("7", None, None, None)),
        (("c1", 0.5), ("c1", 0.5, None, None)),
        ({"id": "c1", "text": "t", "score": 0.5, "doc": "a.md"}, ("c1", 0.5, "t", "a.md")),
        ({"chunk_id": 3, "content": "t", "doc_id": "a.md"}, ("3", None, "t", "a.md")),
        ({"_id": "c1", "Text": "t"}, ("c1", None, "t", None)),
        (LangChainDocument("t", {"source": "a.md"}, "c1"), ("c1", None, "t", "a.md")),
        (LangChainDocument("t", {"chunk_id": "c1"}), ("c1", None, "t", None)),
        ((LangChainDocument("t", {"id": 9}), 0.25), ("9", 0.25, "t", None)),
        (HaystackDocument("c1", "t", 0.5, {"file_path": "a.md"}), ("c1", 0.5, "t", "a.md")),
        (NodeWithScore(Node("c1", "t"), 0.5), ("c1", 0.5, "t", None)),
        (ScoredDoc("q", "c1", 0.5), ("c1", 0.5, None, None)),
    ],
)
def test_what_a_function_may_return(item, expected):
    run = retrieve(None, {"q": "?"}, retriever=lambda question: [item])
    assert run.retrieved.select("chunk_id", "score", "text", "doc_id").rows() == [expected]


def test_a_function_keeps_its_order_and_takes_what_it_left_out_from_the_chunks():
    chunks = split({"a.md": "One.", "b.md": "Two."}, min_chunk_length_to_embed=0)
    asked = []

    def backwards(question):
        asked.append(question)
        return [("b.md#0001", 0.1), ({"id": "a.md#0001", "text": "seen"}, 0.9), "elsewhere"]

    run = retrieve(chunks, {"q": "first", "r": "second"}, retriever=backwards, depth=3)
    assert asked == ["first", "second"]
    assert run.name == "backwards"
    rows = run.retrieved.filter(pl.col("query_id") == "q").drop("query_id", "rank").rows()
    assert rows == [
        ("b.md#0001", 0.1, "Two.", "b.md", 0, 4, 2),
        ("a.md#0001", 0.9, "seen", "a.md", 0, 4, 2),
        ("elsewhere", None, None, None, None, None, None),
    ]
    assert ids(retrieve(None, {"q": "x"}, retriever=backwards, depth=1)) == ["b.md#0001"]
    assert ids(retrieve(None, {"q": "x"}, retriever=lambda question: iter("ab"), depth=1)) == ["a"]
    assert ids(retrieve(None, {"q": "x"}, retriever=lambda question: [])) == []


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (None, "expected a list, found nothing"),
        ("c1", "expected a list, found 'c1'"),
        ({"c1", "c2"}, "a set has no order"),
        (frozenset(), "a set has no order"),
        (7, "expected a list, found 7"),
        ([None], r"\[0\]: expected an id, a document.*found nothing"),
        ([""], "expected an id, a document"),
        ([{"txt": "no text"}], "expected an id, a document.*found an object with txt"),
        ([["a", "b", "c"]], "expected an id, a document"),
        ([("c1", "high")], "score: expected a number, found 'high'"),
        ([("c1", float("nan"))], "score: expected a number, found nan"),
        ([{"id": "c1", "start": 1.5}], "start: expected a whole number from 0, found 1.5"),
    ],
)
def test_what_a_function_may_not_return(result, message):
    with pytest.raises(InputError, match=message):
        retrieve(None, {"q": "?"}, retriever=lambda question: result)


def test_every_retriever_has_a_summary_and_an_extra():
    for name, retriever in RETRIEVERS.items():
        assert (retriever.name, bool(retriever.summary)) == (name, True)
        assert retriever.extra


@pytest.fixture(scope="module")
def chroma(shared_data):
    questions = pl.read_csv(shared_data / "chroma" / "questions_df.csv").with_row_index("query_id")
    return (
        read_documents(shared_data / "chroma" / "corpora"),
        questions.with_columns(pl.col("query_id").cast(pl.String)),
    )


def test_chroma_with_bm25(chroma):
    documents, questions = chroma
    chunks = split(documents, splitter="recursive", size=800)
    run = retrieve(chunks, questions, depth=4)
    flat = {text: " ".join(text.split()) for text in run.retrieved["text"].unique()}
    found = dict(run.retrieved.group_by("query_id").agg("text").rows())
    hits = [
        any(
            " ".join(passage["content"].split()) in flat[text]
            for passage in json.loads(references)
            for text in found.get(query, [])
        )
        for query, references in questions.select("query_id", "references").rows()
    ]
    assert len(hits) == 472
    assert sum(hits) / len(hits) == pytest.approx(0.951, abs=0.0005)


@pytest.mark.parametrize(("language", "least"), [("zh", 0.985), ("hi", 0.965), ("de", 0.955)])
def test_xquad_paragraphs_are_found(shared_data, language, least):
    raw = (shared_data / "xquad" / f"xquad.{language}.json").read_text(encoding="utf-8")
    paragraphs = [part for article in json.loads(raw)["data"] for part in article["paragraphs"]]
    texts = {str(n): part["context"] for n, part in enumerate(paragraphs)}
    asked = {
        qa["id"]: (qa["question"], str(n))
        for n, part in enumerate(paragraphs)
        for qa in part["qas"]
    }
    run = retrieve(chunks_of(texts), {query: text for query, (text, _) in asked.items()}, depth=4)
    found = run.retrieved.select("query_id", "chunk_id").rows()
    assert sum(asked[query][1] == chunk for query, chunk in found) / len(asked) >= least
