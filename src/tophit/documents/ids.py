"""Which document a question means: `wikitexts` is `wikitexts.md` where only one fits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from pathlib import PurePosixPath

from tophit.documents.kinds import BY_SUFFIX
from tophit.errors import DataWarning
from tophit.relations import DOC, Questions

_SHOWN = 3


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


def with_known_documents(questions: Questions, available: Iterable[str]) -> Questions:
    """The questions with the documents of their items named as the corpus names them.

    Documents that are not among `available` keep their name and are counted in a warning
    (`unknown_documents`).

    >>> import polars as pl
    >>> judged = pl.DataFrame({"query_id": ["q"], "item_id": ["e"], "doc_id": ["wikitexts"]})
    >>> asked = Questions(queries=judged.select("query_id"), judgments=judged)
    >>> with_known_documents(asked, ["wikitexts.md"]).judgments["doc_id"].to_list()
    ['wikitexts.md']
    """
    if DOC not in questions.judgments.columns:
        return questions
    named = questions.judgments[DOC].drop_nulls().unique(maintain_order=True).to_list()
    found = resolve_doc_ids(named, available)
    known = {doc: name for doc, name in found.items() if name is not None}
    judgments = questions.judgments.with_columns(questions.judgments[DOC].replace(known))
    unknown = [doc for doc, name in found.items() if name is None]
    return replace(
        questions, judgments=judgments, warnings=(*questions.warnings, *_unknown(unknown))
    )


def _unknown(docs: list[str]) -> tuple[DataWarning, ...]:
    if not docs:
        return ()
    count = len(docs)
    shown = ", ".join(docs[:_SHOWN]) + (", ..." if count > _SHOWN else "")
    message = f"{count} document{'s' * (count > 1)} of the questions not in the corpus: {shown}"
    return (DataWarning(code="unknown_documents", count=count, message=message),)


def _stem(doc: str) -> str:
    suffix = PurePosixPath(doc).suffix
    return doc.removesuffix(suffix) if suffix.lower() in BY_SUFFIX else doc
