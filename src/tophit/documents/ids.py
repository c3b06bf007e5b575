"""Which document a question means: `wikitexts` is `wikitexts.md` where only one fits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import PurePosixPath

from tophit.documents.kinds import BY_SUFFIX


def resolve_doc_ids(wanted: Iterable[str], available: Iterable[str]) -> dict[str, str | None]:
    """The available document that each wanted id names, None where none or several fit.

    In this order: the same id; the same but for a known ending (`.md`, `.pdf`, ...) on one side; a
    bare file name, with or without its ending, of a document in a folder.

    >>> resolve_doc_ids(["wikitexts", "a.md", "b"], ["wikitexts.md", "x/a.md", "b.md", "b.txt"])
    {'wikitexts': 'wikitexts.md', 'a.md': 'x/a.md', 'b': None}
    """
    ids = list(dict.fromkeys(available))
    exact = {doc: [doc] for doc in ids}
    without_suffix, names, stems = defaultdict(list), defaultdict(list), defaultdict(list)
    for doc in ids:
        without_suffix[_stem(doc)].append(doc)
        names[PurePosixPath(doc).name].append(doc)
        stems[_stem(PurePosixPath(doc).name)].append(doc)

    def find(doc: str) -> str | None:
        for table, key in (
            (exact, doc), (without_suffix, doc), (exact, _stem(doc)), (names, doc), (stems, doc),
        ):  # fmt: skip
            if found := table.get(key):
                return found[0] if len(found) == 1 else None
        return None

    return {doc: find(doc) for doc in dict.fromkeys(wanted)}


def _stem(doc: str) -> str:
    suffix = PurePosixPath(doc).suffix
    return doc.removesuffix(suffix) if suffix.lower() in BY_SUFFIX else doc
