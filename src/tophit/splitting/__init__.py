"""Splitting: documents to the relation `chunks`, by any splitter of one table."""

from tophit.splitting.chunks import chunk_warnings, split
from tophit.splitting.table import SPLITTERS, Splitter

__all__ = ["SPLITTERS", "Splitter", "chunk_warnings", "split"]
