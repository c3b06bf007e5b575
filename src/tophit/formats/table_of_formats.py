"""The table of formats. Where several recognise a file, the first one that does reads it."""

from __future__ import annotations

from tophit.formats import chroma, json_dict, jsonl, msmarco, table, trec
from tophit.formats.registry import Format

FORMATS: dict[str, Format] = {
    module.FORMAT.name: module.FORMAT
    for module in (
        jsonl,
        chroma,
        table,
        trec,
        msmarco,
        json_dict,
    )
}
