"""Documents: what is read, how exactly, and what is skipped with which reason."""

from __future__ import annotations

import io
import sys
import zipfile

import pandas as pd
import polars as pl
import pytest

from tophit.documents import as_documents, read_documents, resolve_doc_ids
from tophit.errors import InputError, MissingExtraError, UsageError

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def make_pdf(*lines: str) -> bytes:
    """A one-page PDF with these lines in Helvetica, the cross-reference table and all."""
    shown = " T* ".join(f"({line}) Tj" for line in lines)
    stream = f"BT /F1 12 Tf 14 TL 72 720 Td {shown} ET".encode()
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R"
        b"/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj%s endobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 6\n0000000000 65535 f \n" + table
    return out + head + b"trailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % len(out)


def make_docx(body: str) -> bytes:
    """The least that Word's readers take for a document."""
    types = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.'
        'relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/vnd.openxmlformats-officedocument.'
        'wordprocessingml.document.main+xml"/></Types>'
    )
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="r1" Target="word/document.xml" Type="http://schemas.openxmlformats.org'
        '/officeDocument/2006/relationships/officeDocument"/></Relationships>'
    )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("[Content_Types].xml", types)
        archive.writestr("_rels/.rels", relations)
        archive.writestr(
            "word/document.xml", f"<w:document {W}><w:body>{body}</w:body></w:document>"
        )
    return packed.getvalue()


def test_text_is_read_exactly(tmp_path):
    (tmp_path / "a.md").write_bytes("# Ü\r\n\r\nx\n\u3000".encode())
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.TXT").write_bytes("\ufeffwith a mark".encode())
    (tmp_path / "README").write_text("no ending")
    documents = read_documents(tmp_path)
    assert documents.frame.rows() == [
        ("README", "no ending"),
        ("a.md", "# Ü\r\n\r\nx\n\u3000"),
        ("sub/b.TXT", "with a mark"),
    ]
    assert documents.frame.schema == {"doc_id": pl.String, "text": pl.String}
    assert documents.skipped == ()
    assert documents.warnings == ()


def test_what_cannot_be_read_is_named_skipped_and_counted(tmp_path):
    wrong = {
        "binary.txt": (b"a\0b", "binary (a NUL character at offset 1)"),
        "broken.docx": (b"PK\x03\x04rubbish", "not a readable DOCX (File is not a zip file)"),
        "broken.pdf": (make_pdf("x")[:80], "not a readable PDF"),
        "empty.md": (b"", "empty"),
        "blank.md": (b"\r\n \t", "empty"),
        "bom.md": (b"\xef\xbb\xbf", "empty"),
        "hidden.pdf.txt": (make_pdf("x"), "a PDF under another name"),
        "latin.txt": ("café".encode("latin-1"), "not UTF-8 (byte 0xE9 at offset 3)"),
        "packed.md": (b"\x1f\x8b\x08", "an archive, not text"),
        "picture.png": (b"\x89PNG", "not a known kind of document"),
        "questions.jsonl": (b"{}", "not a known kind of document"),
        "scan.pdf": (make_pdf(), "a PDF without text (scanned pages?)"),
        "wide.txt": ("x".encode("utf-16"), "UTF-16, not UTF-8"),
        "wider.txt": ("x".encode("utf-32"), "UTF-32, not UTF-8"),
        "html.html": ("<p>é".encode("latin-1"), "not UTF-8 (byte 0xE9 at offset 3)"),
        "charset.html": (b'<meta charset="klingon"><p>x', "unknown encoding 'klingon'"),
        "nul.html": (b"<p>\0", "binary (a NUL byte)"),
        "dangling.md": (None, "not a regular file"),
    }
    for name, (raw, _) in wrong.items():
        if raw is None:
            (tmp_path / name).symlink_to(tmp_path / "nowhere")
        else:
            (tmp_path / name).write_bytes(raw)
    (tmp_path / "good.md").write_text("text")
    documents = read_documents(tmp_path)
    assert documents.frame["doc_id"].to_list() == ["good.md"]
    reasons = dict(documents.skipped)
    assert {name for name in wrong if not reasons[name].startswith(wrong[name][1])} == set()
    (warning,) = documents.warnings
    assert warning.code == "documents_skipped"
    assert warning.count == len(wrong)
    assert "binary.txt (binary" in warning.message


def test_hidden_files_and_folders_are_ignored(tmp_path):
    for name in (".hidden.md", ".git/a.md", "docs/.cache/b.md", "docs/c.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    documents = read_documents(tmp_path)
    assert documents.frame["doc_id"].to_list() == ["docs/c.md"]
    assert documents.skipped == ()


def test_a_folder_without_documents_is_an_error(tmp_path):
    with pytest.raises(InputError, match="expected at least one document, found no files"):
        read_documents(tmp_path)
    (tmp_path / "x.bin").write_bytes(b"x")
    with pytest.raises(InputError, match=r"found 1 that cannot be read: x\.bin") as caught:
        read_documents(tmp_path)
    assert ".docx" in caught.value.hint
    with pytest.raises(InputError, match="expected a file or a folder, found nothing"):
        read_documents(tmp_path / "nowhere")


def test_one_file(tmp_path):
    log = tmp_path / "server.log"
    log.write_text("a named file may have any ending")
    assert read_documents(log).frame.rows() == [("server.log", "a named file may have any ending")]
    log.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="UTF-16, not UTF-8"):
        read_documents(log)


def test_html_keeps_blocks_and_drops_marks_and_scripts(tmp_path):
    page = """<html><head><title>T</title><style>p{}</style></head><body><h2>Fees</h2>
    <p>A <b>l</b>ate_fee of <a href="u">*8 dollars*</a>.<br>Always.</p>
    <ul><li>one</li><li>two</li></ul>
    <table><tr><th>Fee</th><th>Sum</th></tr><tr><td>late</td><td>8</td></tr></table>
    <script>var x = 1</script><!-- not text --><template>nor this</template></body></html>"""
    (tmp_path / "a.html").write_text(page)
    (text,) = read_documents(tmp_path).frame["text"]
    assert "## Fees" in text
    assert "A late_fee of *8 dollars*." in text
    assert "- one\n- two" in text
    assert "| late | 8 |" in text
    for unseen in ("T\n", "var x", "not text", "nor this", "p{}"):
        assert unseen not in text


def test_html_in_a_declared_encoding(tmp_path):
    (tmp_path / "a.html").write_bytes('<meta charset="iso-8859-1"><p>café'.encode("latin-1"))
    (tmp_path / "b.html").write_bytes("\ufeff<p>日本".encode())
    (tmp_path / "c.html").write_bytes("<p>Straße".encode("utf-16"))
    assert read_documents(tmp_path).frame["text"].to_list() == ["café", "日本", "Straße"]


def test_deeply_nested_html_is_skipped_not_a_crash(tmp_path):
    (tmp_path / "deep.html").write_text("<div>" * 5000 + "x")
    (tmp_path / "a.md").write_text("x")
    assert read_documents(tmp_path).skipped == (("deep.html", "HTML nested too deeply"),)


def test_pdf_and_docx(tmp_path):
    (tmp_path / "a.pdf").write_bytes(make_pdf("A late fee is 8 dol-", "lars a year.", "No more."))
    row = "<w:tr><w:tc><w:p><w:r><w:t>late</w:t></w:r></w:p></w:tc></w:tr>"
    (tmp_path / "b.docx").write_bytes(
        make_docx(
            "<w:p><w:r><w:t>A </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>late</w:t></w:r>"
            f"<w:r><w:t> fee.</w:t></w:r></w:p><w:tbl>{row}</w:tbl>"
        )
    )
    pdf, docx = read_documents(tmp_path).frame["text"]
    assert pdf == "A late fee is 8 dol-\nlars a year.\nNo more."
    assert docx.startswith("A late fee.\n")
    assert "| late |" in docx


def test_a_missing_converter_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    (tmp_path / "a.pdf").write_bytes(make_pdf("x"))
    with pytest.raises(MissingExtraError, match=r"pip install 'tophit\[documents\]'"):
        read_documents(tmp_path / "a.pdf")
    with pytest.raises(MissingExtraError, match="pypdfium2"):
        read_documents(tmp_path)
    (tmp_path / "b.md").write_text("x")
    ((name, reason),) = read_documents(tmp_path).skipped
    assert name == "a.pdf"
    assert "tophit[documents]" in reason


def test_documents_from_python():
    expected = [("1", "one"), ("2", "two")]
    frames = [
        {1: "one", 2: "two"},
        pl.DataFrame({"doc_id": ["1", "2"], "text": ["one", "two"]}),
        pl.LazyFrame({"doc_id": ["1", "2"], "text": ["one", "two"]}),
        pd.DataFrame({"doc_id": [1, 2], "text": ["one", "two"]}),
    ]
    for frame in frames:
        assert as_documents(frame).frame.rows() == expected
    documents = as_documents(frames[0])
    assert as_documents(documents) is documents


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (3, "expected a path, a data frame or id to text, found int"),
        ({"a": None}, "document 'a': expected text, found NoneType"),
        ({"a": "\ud800"}, "half of a surrogate pair"),
        (pl.DataFrame({"doc": ["a"]}), "no column doc_id and text"),
        (pl.DataFrame({"doc_id": ["a", "a"], "text": ["x", "y"]}), "1 rows repeat a doc_id"),
    ],
)
def test_wrong_documents_from_python(wrong, message):
    with pytest.raises(UsageError, match=message):
        as_documents(wrong)


def test_doc_ids_pair_only_where_one_fits():
    available = ["a.md", "b.md", "b.txt", "sub/c.md", "sub/d.md", "other/d.md", "v1.3", "e"]
    wanted = {
        "a.md": "a.md",
        "a": "a.md",
        "b": None,
        "b.txt": "b.txt",
        "c": "sub/c.md",
        "c.md": "sub/c.md",
        "sub/c": "sub/c.md",
        "d": None,
        "sub/d": "sub/d.md",
        "v1.2": None,
        "v1": None,
        "e.md": "e",
        "elsewhere/c.md": None,
        "": None,
    }
    assert resolve_doc_ids(wanted, available) == wanted


def test_chroma_corpus_ids_pair_with_the_files(shared_data):
    documents = read_documents(shared_data / "chroma" / "corpora")
    names = ["chatlogs", "finance", "pubmed", "state_of_the_union", "wikitexts"]
    assert resolve_doc_ids(pl.Series(names), documents.frame["doc_id"]) == {
        name: f"{name}.md" for name in names
    }
    source = shared_data / "chroma" / "corpora" / "wikitexts.md"
    with source.open(encoding="utf-8", newline="") as stream:
        assert documents.frame.row(4) == ("wikitexts.md", stream.read())
