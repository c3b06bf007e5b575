"""Splitters of other people: their chunks, and where each stands in the document."""

from __future__ import annotations

import functools

import pytest

from tophit.errors import InputError, UsageError
from tophit.splitting import chunk_warnings, open_splitter, split

TEXT = "# Fees\n\nA late bike costs eight euros. The deposit is one hundred.\n\n# Hours\n\n" + (
    "We open at nine. We close at six. " * 20
)
# What frameworks warn of when they are imported is theirs.
pytestmark = pytest.mark.filterwarnings("ignore")


def paragraphs(text):
    return text.split("\n\n")


def spans(text):
    return [(0, 6), (8, 38)]


def windows(text, size, overlap=0):
    return [text[at : at + size] for at in range(0, len(text), size - overlap)]


def make(chunk_size, chunk_overlap):
    return functools.partial(windows, size=chunk_size, overlap=chunk_overlap)


class Splits:
    def split_text(self, text):
        return paragraphs(text)


def langchain(chunk_size, chunk_overlap):
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    return RecursiveCharacterTextSplitter(chunk_size=chunk_size, chunk_overlap=chunk_overlap)


def llama_index():
    from llama_index.core.node_parser import SentenceSplitter

    return SentenceSplitter(chunk_size=40, chunk_overlap=8, tokenizer=str.split)


def haystack():
    from haystack.components.preprocessors import DocumentSplitter

    return DocumentSplitter(split_by="word", split_length=12, split_overlap=3)


@pytest.mark.parametrize(
    "splitter",
    [paragraphs, windows, make, Splits(), langchain, llama_index, haystack,
     lambda text: langchain(60, 10)],
    ids=["function", "sized", "maker", "object", "langchain", "llama-index", "haystack", "nested"],
)  # fmt: skip
def test_chunks_know_where_they_stand(splitter):
    if splitter in (llama_index, haystack):
        splitter = splitter()
    if getattr(splitter, "__name__", "") == "<lambda>":
        splitter = splitter("")
    overlap = 10 if open_splitter(splitter).overlaps else 0
    chunks = split({"a.md": TEXT}, splitter=splitter, size=60, overlap=overlap)
    assert chunks.height > 2
    assert chunks["start"].null_count() == 0
    for row in chunks.iter_rows(named=True):
        assert TEXT[row["start"] : row["end"]] == row["text"]
    assert chunks["start"].is_sorted()
    assert chunks["start"].n_unique() == chunks.height
    assert chunk_warnings(chunks) == ()


def test_spans_pieces_and_documents():
    assert split({"a": TEXT}, splitter=spans)["text"].to_list() == ["# Fees", TEXT[8:38]]
    document = {"page_content": "We open at nine.", "metadata": {"start_index": 111}}
    documents = split({"a": TEXT}, splitter=lambda text: [document])
    assert documents["start"].item() == TEXT.index("We open at nine.", 100)


def test_text_that_does_not_stand_there_has_no_offsets_and_is_counted():
    chunks = split({"a": TEXT}, splitter=lambda text: [text.upper(), "# Fees", ""])
    assert chunks["start"].to_list() == [None, 0]
    (warning,) = chunk_warnings(chunks)
    assert (warning.code, warning.count) == ("chunks_without_offsets", 1)


def test_repeated_text_is_found_one_after_the_other():
    text = "Same line. Same line. Same line."
    plain = split({"a": text}, splitter=lambda text: ["Same line."] * 3)
    assert plain["start"].to_list() == [0, 11, 22]
    overlapping = split({"a": text}, splitter=lambda text: [text[0:21], text[11:32]])
    assert overlapping["start"].to_list() == [0, 11]


def test_what_takes_sizes():
    assert [open_splitter(each).sized for each in (windows, make, paragraphs, Splits())] == [
        True, True, False, False,
    ]  # fmt: skip
    assert open_splitter(windows).overlaps
    assert open_splitter(windows).name == "windows"
    with pytest.raises(UsageError, match="has no overlap; asked for 10"):
        split({"a": TEXT}, splitter=lambda text, size: [text], size=60, overlap=10)


@pytest.mark.parametrize(
    ("splitter", "error", "message"),
    [
        (lambda text: "a text", InputError, "splitter: expected a list of chunks, found 'a text'"),
        (lambda text: None, InputError, "expected a list of chunks, found nothing"),
        (lambda text: [4], InputError, "expected a text, a start and an end, or a document"),
        (lambda text: [(0, 10**6)], InputError, "a start and an end within"),
        (lambda text, model: [text], UsageError, "wants model; it can be given the text"),
        (4, UsageError, "expected a splitter .*, found int"),
        ("springai", UsageError, "unknown splitter 'springai'; did you mean spring-ai"),
    ],
)
def test_what_is_no_splitter(splitter, error, message):
    with pytest.raises(error, match=message):
        split({"a": TEXT}, splitter=splitter)


@pytest.mark.parametrize("size", [5, 12, 60])
@pytest.mark.parametrize("overlap", [0, 4])
def test_whole_sentences(size, overlap):
    text = TEXT + "今天天气很好。我们去公园！好吗？ मैं घर जाता हूँ। वह आता है।"
    chunks = split({"a": text}, splitter="sentence", size=size, overlap=overlap)
    assert chunks["tokens"].max() <= size
    for row in chunks.iter_rows(named=True):
        assert text[row["start"] : row["end"]] == row["text"]
    covered = set()
    for start, end in chunks.select("start", "end").iter_rows():
        covered.update(range(start, end))
    assert all(char.isspace() for at, char in enumerate(text) if at not in covered)
    if size == 60:
        assert all(text[-1] in ".!?。！？।s" for text in chunks["text"])
