"""Splitters: Spring AI's steps one by one, the measured targets on real corpora, bad input."""

from __future__ import annotations

import importlib
import inspect
import json
import sys

import polars as pl
import pytest

from tophit.documents import read_documents
from tophit.errors import InputError, MissingExtraError, UsageError
from tophit.relations import CHUNKS, schema
from tophit.splitting import SPLITTERS, chunk_warnings, split
from tophit.tokens import cl100k, count_tokens, tokenizer

SENTENCES = "One two three. Four five six. Seven eight nine. Ten"


@pytest.fixture(scope="module")
def chroma(shared_data):
    return read_documents(shared_data / "chroma" / "corpora")


def spring(text, **options):
    options = {"min_chunk_size_chars": 0, "min_chunk_length_to_embed": 0} | options
    return split({"d": text}, splitter="spring-ai", **options)["text"].to_list()


def test_the_relation():
    chunks = split({"b.md": "Second.", "a.md": SENTENCES}, size=8, min_chunk_size_chars=5)
    assert chunks.schema == schema(CHUNKS)
    assert chunks.rows() == [
        ("b.md#0001", "Second.", "b.md", 0, 7, 2),
        ("a.md#0001", "One two three. Four five six.", "a.md", 0, 29, 8),
        ("a.md#0002", "Seven eight nine. Ten", "a.md", 30, 51, 5),
    ]


def test_nothing_but_what_java_trims_gives_no_chunk():
    assert spring(" \t\r\n\x00\x1f") == []
    assert spring("\u00a0\u3000") == ["\u00a0\u3000"]


def test_a_window_is_cut_after_its_last_mark_beyond_the_minimum():
    assert spring(SENTENCES, size=6)[0] == "One two three."
    assert spring(SENTENCES, size=6, min_chunk_size_chars=12)[0] == "One two three."
    assert spring(SENTENCES, size=6, min_chunk_size_chars=13)[0] == "One two three. Four five"
    assert spring(SENTENCES, size=6, punctuation="!")[0] == "One two three. Four five"
    assert spring(SENTENCES, size=6, punctuation="")[0] == "One two three. Four five"


def test_the_minimum_counts_utf16_units():
    text = "😀😀. " + "word " * 20
    assert spring(text, size=10, min_chunk_size_chars=3)[0] == "😀😀."
    assert spring(text, size=10, min_chunk_size_chars=4)[0] != "😀😀."


def test_the_last_window_is_kept_whole_or_cut():
    text = "One two. Three"
    assert spring(text) == ["One two. Three"]
    assert spring(text, last_window="cut") == ["One two.", "Three"]
    size = count_tokens([text])[0]
    assert spring(text, size=size) == [text]
    assert spring(text + " four", size=size) == ["One two.", "Three four"]
    with pytest.raises(UsageError, match="'keep' or 'cut', not 'drop'"):
        spring(text, last_window="drop")


def test_short_chunks_are_dropped_but_their_windows_count():
    assert spring("Hi. " + SENTENCES, size=2, min_chunk_length_to_embed=3)[0] == "One two"
    assert spring("abcde", min_chunk_length_to_embed=5) == []
    assert spring("abcdef", min_chunk_length_to_embed=5) == ["abcdef"]
    assert spring("😀😀😀", min_chunk_length_to_embed=5) == ["😀😀😀"]
    dropped = spring("Hi. " + SENTENCES, size=2, min_chunk_length_to_embed=3, max_num_chunks=1)
    assert dropped == [SENTENCES]


def test_what_is_left_after_the_last_window_is_one_chunk_without_line_ends():
    text = "One two three.\nFour five\nsix.\nSeven"
    first, rest = spring(text, size=4, max_num_chunks=1)
    assert (first, rest) == ("One two three.", "Four five six. Seven")
    chunks = split(
        {"d": text}, size=4, max_num_chunks=1, min_chunk_size_chars=0, min_chunk_length_to_embed=0
    )
    assert chunks.select("start", "end").rows() == [(0, 14), (15, 35)]


def test_separators_become_spaces_on_demand():
    chunks = split({"d": "\nOne\ntwo\n"}, keep_separator=False)
    assert chunks.rows() == [("d#0001", "One two", "d", 1, 8, 2)]


def test_blank_windows_are_dropped_and_not_counted():
    text = "One." + " \n" * 300 + "Two."
    assert spring(text, size=2, max_num_chunks=4)[-1].endswith("Two.")


def test_special_tokens_are_ordinary_text():
    for splitter in SPLITTERS:
        chunks = split({"d": "a <|endoftext|> b"}, splitter=splitter)
        assert chunks.select("text", "start", "end", "tokens").rows() == [
            ("a <|endoftext|> b", 0, 17, 8)
        ]


def test_half_a_character_has_no_offsets():
    text = "It 🫠 melts, and 🫠 again. " * 9
    chunks = split({"d": text}, size=4, min_chunk_length_to_embed=0)
    cut = chunks.filter(pl.col("text").str.contains("\ufffd"))
    assert cut.height > 0
    assert cut["start"].null_count() == cut["end"].null_count() == cut.height
    rest = chunks.filter(pl.col("start").is_not_null())
    assert rest.height > 0
    assert all(text[row["start"] : row["end"]] == row["text"] for row in rest.iter_rows(named=True))
    (warning,) = chunk_warnings(chunks)
    assert warning.code == "chunks_without_offsets"
    assert warning.count == chunks["start"].null_count()


def test_a_replacement_character_of_the_document_is_verbatim():
    assert split({"d": "a bad \ufffd scan"}).row(0) == (
        "d#0001",
        "a bad \ufffd scan",
        "d",
        0,
        12,
        4,
    )


def test_repeated_text_gets_its_own_offsets():
    chunks = split({"d": "Same line. " * 6}, size=3, min_chunk_size_chars=0)
    assert chunks["start"].to_list() == [0, 11, 22, 33, 44, 55]


def test_recursive_cuts_at_the_highest_level_that_fits():
    text = "One two three. Four five.\n\nSix seven."
    assert split({"d": text}, splitter="recursive", size=8)["text"].to_list() == [
        "One two three. Four five.",
        "Six seven.",
    ]
    assert split({"d": text}, splitter="recursive", size=8, trim=False)["text"].str.join(
        ""
    ).item() == (text)


def test_markdown_cuts_before_headings():
    text = "# A\n\nOne two.\n\n# B\n\nThree."
    assert split({"d": text}, splitter="markdown", size=8)["text"].to_list() == [
        "# A\n\nOne two.",
        "# B\n\nThree.",
    ]


def test_token_windows_overlap():
    chunks = split({"d": "a b c d e"}, splitter="tokens", size=3, overlap=2)
    assert chunks["text"].to_list() == ["a b c", " b c d", " c d e"]
    assert chunks["start"].to_list() == [0, 1, 3]
    short = split({"d": "a b"}, splitter="tokens", size=3, overlap=2)
    assert short["text"].to_list() == ["a b"]
    emoji = split({"d": "🫠🫠"}, splitter="tokens", size=1)
    assert "".join(emoji["text"]) == "🫠🫠"


def test_empty_documents_have_no_chunks():
    for splitter in SPLITTERS:
        chunks = split({"d": " \n"}, splitter=splitter)
        assert chunks.height == 0
        assert chunks.schema == schema(CHUNKS)


def test_progress():
    seen = []
    split({"a": "x", "b": "y"}, progress=lambda *done: seen.append(done))
    assert seen == [(1, 2), (2, 2)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"splitter": "springai"}, "unknown splitter 'springai'; did you mean spring-ai?"),
        ({"size": 0}, "size must be at least 1 token, not 0"),
        ({"splitter": "tokens", "size": 5, "overlap": 5}, r"from 0 to 4 \(size - 1\), not 5"),
        ({"splitter": "tokens", "overlap": -1}, "not -1"),
        ({"overlap": 10}, "'spring-ai' has no overlap; asked for 10"),
        ({"min_chunk_size": 3}, "unknown option of the splitter 'spring-ai' 'min_chunk_size'; did"),
        ({"splitter": "tokens", "tokenizer": "gpt9"}, "unknown tokenizer 'gpt9'"),
    ],
)
def test_bad_requests(options, message):
    with pytest.raises(UsageError, match=message):
        split({"d": "text"}, **options)


def test_a_missing_package_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "semantic_text_splitter", None)
    with pytest.raises(MissingExtraError, match=r"semantic-text-splitter.*tophit\[bench\]"):
        split({"d": "text"}, splitter="recursive")


def test_chroma_with_spring_ai(chroma):
    chunks = split(chroma, splitter="spring-ai", size=800)
    assert chunks.height == 421
    assert round(chunks["tokens"].mean()) == 779
    assert chunks["tokens"].max() == 801
    texts = dict(chroma.frame.rows())
    for row in chunks.iter_rows(named=True):
        assert texts[row["doc_id"]][row["start"] : row["end"]] == row["text"]
    assert chunks["chunk_id"].n_unique() == 421
    assert chunk_warnings(chunks) == ()
    assert split(chroma, splitter="spring-ai", size=800, last_window="cut").height == 422


def test_chroma_passages_whole_in_a_chunk(chroma, shared_data):
    questions = pl.read_csv(shared_data / "chroma" / "questions_df.csv")
    passages = [
        (f"{doc}.md", passage["content"])
        for doc, found in questions.select("corpus_id", "references").rows()
        for passage in json.loads(found)
    ]
    whole = {}
    for size in (200, 800):
        chunks = split(chroma, splitter="spring-ai", size=size)
        texts = dict(chunks.group_by("doc_id").agg("text").rows())
        whole[size] = sum(any(text in chunk for chunk in texts[doc]) for doc, text in passages)
    # Character by character; folding white space finds a few more (769 and 784).
    assert whole == {200: 763, 800: 780}


def test_chroma_with_the_recursive_splitter(chroma):
    chunks = split(chroma, splitter="recursive", size=800)
    assert chunks.height == 509
    assert chunks["tokens"].max() <= 800


def test_xquad_hindi_holds_cut_characters(shared_data):
    raw = (shared_data / "xquad" / "xquad.hi.json").read_text(encoding="utf-8")
    articles = {
        article["title"]: "\n\n".join(part["context"] for part in article["paragraphs"])
        for article in json.loads(raw)["data"]
    }
    chunks = split(articles, splitter="spring-ai", size=800)
    cut = chunks["text"].str.contains("\ufffd").sum()
    assert (cut, chunks.height) == (39, 278)
    assert chunks["start"].null_count() == 39
    with_danda = split(articles, splitter="spring-ai", size=800, punctuation=".?!\n।")
    assert with_danda["text"].str.contains("\ufffd").sum() == 1


def test_tokens_are_counted_offline():
    assert count_tokens(["hello world", "", "हिन्दी"]) == [2, 0, 6]
    encoding = cl100k()
    assert encoding.encode("<|endoftext|>") == [27, 91, 8862, 728, 428, 91, 29]
    assert encoding.decode(encoding.encode("हिन्दी")) == "हिन्दी"


def test_hostile_runs_are_counted_in_linear_time():
    assert count_tokens(["a" * 200_000, " " * 200_000, "漢" * 20_000]) == [25_000, 1_563, 40_000]


@pytest.fixture
def word_tokenizer(tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    words = ["[UNK]", "[CLS]", "one", "two", "three", "."]
    model = tokenizers.models.WordLevel({word: i for i, word in enumerate(words)}, "[UNK]")
    made = tokenizers.Tokenizer(model)
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A", special_tokens=[("[CLS]", 1)]
    )
    made.enable_truncation(2)
    path = tmp_path / "tokenizer.json"
    made.save(str(path))
    return str(path)


def test_another_tokenizer(word_tokenizer, tmp_path):
    assert count_tokens(["one two three ."], tokenizer=word_tokenizer) == [4]
    assert tokenizer(word_tokenizer).starts("one two") == [0, 4, 7]
    for splitter in ("recursive", "tokens"):
        chunks = split(
            {"d": "one two three ."}, splitter=splitter, size=3, tokenizer=word_tokenizer
        )
        assert chunks["tokens"].to_list() == [3, 1]
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    for path in (broken, tmp_path / "nowhere.json"):
        with pytest.raises(InputError, match=r"expected a tokenizer\.json"):
            count_tokens(["x"], tokenizer=str(path))
        with pytest.raises(InputError, match=r"expected a tokenizer\.json"):
            split({"d": "x"}, splitter="recursive", tokenizer=str(path))


def test_the_options_in_the_table_are_those_of_the_functions():
    for splitter in SPLITTERS.values():
        module, _, name = str(splitter.function).partition(":")
        function = getattr(importlib.import_module(f"tophit.splitting.{module}"), name)
        parameters = inspect.signature(function).parameters.values()
        common = ("texts", "size", "overlap", "tokenizer")
        own = {each.name: each.default for each in parameters if each.name not in common}
        assert own == splitter.options, splitter.name
