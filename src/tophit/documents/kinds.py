"""The kinds of document: which endings a file has, and how its bytes become text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tophit.documents.convert import docx_text, html_text, pdf_text, plain_text


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of document. `read` raises `UnreadableDocumentError` for bytes of another one."""

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[bytes], str]


KINDS: tuple[Kind, ...] = (
    Kind(
        name="text",
        suffixes=("", ".txt", ".text", ".md", ".markdown", ".mdx", ".rst", ".adoc", ".org", ".tex"),
        read=plain_text,
    ),
    Kind(name="HTML", suffixes=(".html", ".htm", ".xhtml"), read=html_text),
    Kind(name="PDF", suffixes=(".pdf",), read=pdf_text),
    Kind(name="DOCX", suffixes=(".docx",), read=docx_text),
)
BY_SUFFIX = {suffix: kind for kind in KINDS for suffix in kind.suffixes}
KNOWN_SUFFIXES = tuple(sorted(suffix for suffix in BY_SUFFIX if suffix))
