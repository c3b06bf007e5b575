"""Bytes of a file to text, a function for each kind. Nothing is guessed: what does not fit raises.

HTML and DOCX keep their blocks as Markdown (headings, lists, tables), since splitters cut there,
but not the marks inside a line (`**bold**`, links), so that a quoted sentence stands in the text
as a reader sees it. Page titles, scripts, styles, images and comments are not text.
"""

from __future__ import annotations

import codecs
import io
from typing import Any

from tophit.errors import import_extra

_EXTRA = "documents"
_UNSEEN = ["head", "script", "style", "template", "noscript"]
_INLINE = [
    "a", "abbr", "b", "cite", "code", "del", "dfn", "em", "i", "img", "ins", "kbd", "mark", "q",
    "s", "samp", "small", "span", "strong", "sub", "sup", "u", "var",
]  # fmt: skip
_LINE_END_HYPHEN = "\ufffe"  # PDFium's sign for a hyphen at which it joined two lines
_OTHER_BOMS = {
    codecs.BOM_UTF32_LE: "UTF-32",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}


class UnreadableDocumentError(Exception):
    """A file is not what its name says; the text is the reason, for the list of skipped files."""


def plain_text(raw: bytes) -> str:
    r"""Text and Markdown: UTF-8, exactly, line ends as they are; a byte-order mark is dropped.

    >>> plain_text(b"\xef\xbb\xbfone\r\ntwo")
    'one\r\ntwo'
    >>> plain_text(b"caf\xe9")
    Traceback (most recent call last):
    tophit.documents.convert.UnreadableDocumentError: not UTF-8 (byte 0xE9 at offset 3)
    """
    if raw.startswith(b"%PDF-"):
        raise UnreadableDocumentError("a PDF under another name")
    if raw.startswith((b"PK\x03\x04", b"\x1f\x8b")):
        raise UnreadableDocumentError("an archive, not text")
    for mark, name in _OTHER_BOMS.items():
        if raw.startswith(mark):
            raise UnreadableDocumentError(f"{name}, not UTF-8")
    text = _decode(raw, "utf-8-sig")
    if (at := text.find("\0")) >= 0:
        raise UnreadableDocumentError(f"binary (a NUL character at offset {at})")
    return text


def html_text(raw: bytes) -> str:
    """HTML to text; the encoding is the byte-order mark's, the declared one, or UTF-8.

    >>> html_text(b"<h1>Fees</h1><p>A <b>late</b> fee is $8.</p>")
    '# Fees\\n\\nA late fee is $8.'
    """
    purpose = "Reading HTML"
    soup = import_extra("bs4", extra=_EXTRA, purpose=purpose, package="beautifulsoup4")
    markdownify = import_extra("markdownify", extra=_EXTRA, purpose=purpose)
    if b"\0" in raw and not raw.startswith(tuple(_OTHER_BOMS)):
        raise UnreadableDocumentError("binary (a NUL byte)")
    page = soup.BeautifulSoup(_decode(raw, _html_encoding(raw, soup)), "html.parser")
    for element in page(_UNSEEN):
        element.decompose()
    converter = markdownify.MarkdownConverter(
        strip=_INLINE,
        heading_style="atx",
        bullets="-",
        escape_asterisks=False,
        escape_underscores=False,
        escape_misc=False,
    )
    try:
        text: str = converter.convert_soup(page)
    except RecursionError:
        raise UnreadableDocumentError("HTML nested too deeply") from None
    return text.strip()


def pdf_text(raw: bytes) -> str:
    """The text layer of a PDF, page by page with a blank line between; scans have none.

    Errors: `UnreadableDocumentError` for a corrupt or locked file, and for one without any text.
    """
    pdfium = import_extra("pypdfium2", extra=_EXTRA, purpose="Reading PDF")
    try:
        document = pdfium.PdfDocument(raw)
    except pdfium.PdfiumError as error:
        raise UnreadableDocumentError(f"not a readable PDF ({_reason(error)})") from None
    try:
        pages = [_page_text(document, number) for number in range(len(document))]
    except pdfium.PdfiumError as error:
        raise UnreadableDocumentError(f"not a readable PDF ({_reason(error)})") from None
    finally:
        document.close()
    text = "\n\n".join(page for page in pages if page)
    if not text:
        raise UnreadableDocumentError("a PDF without text (scanned pages?)")
    return text


def docx_text(raw: bytes) -> str:
    """A Word document to text, by way of HTML (`html_text`).

    Errors: `UnreadableDocumentError` for a corrupt or locked file.
    """
    mammoth = import_extra("mammoth", extra=_EXTRA, purpose="Reading DOCX")
    without_images = mammoth.images.img_element(lambda image: {"src": ""})
    try:
        page: str = mammoth.convert_to_html(io.BytesIO(raw), convert_image=without_images).value
    except Exception as error:  # whatever its zip and XML readers raise
        raise UnreadableDocumentError(f"not a readable DOCX ({_reason(error)})") from None
    return html_text(page.encode())


def _decode(raw: bytes, encoding: str) -> str:
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        name = "UTF-8" if encoding == "utf-8-sig" else encoding
        reason = f"not {name} (byte 0x{raw[error.start]:02X} at offset {error.start})"
        raise UnreadableDocumentError(reason) from None
    except LookupError:
        raise UnreadableDocumentError(f"unknown encoding {encoding!r}") from None


def _html_encoding(raw: bytes, soup: Any) -> str:
    for mark, name in _OTHER_BOMS.items():
        if raw.startswith(mark):
            return name
    declared: str | None = soup.dammit.EncodingDetector.find_declared_encoding(raw, is_html=True)
    known = declared is not None and declared.lower().replace("_", "-") not in ("utf-8", "utf8")
    return declared if known and declared else "utf-8-sig"


def _page_text(document: Any, number: int) -> str:
    page = document[number]
    text_page = page.get_textpage()
    text: str = text_page.get_text_range()
    text_page.close()
    page.close()
    return text.replace("\r\n", "\n").replace(_LINE_END_HYPHEN, "-\n").strip()


def _reason(error: Exception) -> str:
    return str(error).strip() or type(error).__name__
