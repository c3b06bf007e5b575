"""Documents: a folder of files to the relation `doc_id, text`, with what was skipped and why."""

from tophit.documents.ids import resolve_doc_ids, with_known_documents
from tophit.documents.read import (
    KINDS,
    Documents,
    as_documents,
    documents_from_texts,
    read_documents,
)

__all__ = [
    "KINDS",
    "Documents",
    "as_documents",
    "documents_from_texts",
    "read_documents",
    "resolve_doc_ids",
    "with_known_documents",
]
