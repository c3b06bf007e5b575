"""Which column of a table or frame holds which column of a relation, by the usual names."""

from __future__ import annotations

from collections.abc import Iterable

from tophit.records.vocabulary import plain
from tophit.relations import (
    CHUNK,
    DOC,
    EXPECTED,
    EXPECTED_IDS,
    GRADE,
    ITEM,
    QUERY,
    QUESTION,
    RANK,
    RETRIEVED_IDS,
    RETRIEVED_LIST,
    SCORE,
    START,
    SYNONYMS,
    TEXT,
)

_LISTS = (EXPECTED, EXPECTED_IDS, RETRIEVED_LIST, RETRIEVED_IDS)
# Beside a list of what a question expects, these say what it is about and who asked it.
_LOOSE_IDS = ("topic", "user", "user_id")
_OTHER_ITEMS = {*SYNONYMS[ITEM], *SYNONYMS[TEXT]} - {"id"}


def columns_of(names: Iterable[str], relation: dict[str, str]) -> dict[str, str]:
    """Which column of a table holds which column of a relation: relation name to table name.

    An own name comes before the usual others, and a column serves once. `doc_id` is the document
    where another column holds the id, else it is the id.

    >>> from tophit.relations import JUDGMENTS
    >>> columns_of(("query-id", "Doc_ID", "rel"), JUDGMENTS)
    {'query_id': 'query-id', 'item_id': 'Doc_ID', 'grade': 'rel'}
    """
    free = {plain(name): name for name in names}
    found = {column: free.pop(column) for column in relation if column in free and column != DOC}
    if QUESTION in relation:
        found |= _asked(relation, found, free)
    if DOC in free and DOC in relation and not _is_doc_the_id(relation, found, free):
        found[DOC] = free.pop(DOC)
    for column in relation:
        if column in found:
            continue
        for other in (plain(name) for name in SYNONYMS.get(column, ())):
            if other in free and (other not in relation or other == DOC):
                found[column] = free.pop(other)
                break
    return {column: found[column] for column in relation if column in found}


def _asked(relation: dict[str, str], found: dict[str, str], free: dict[str, str]) -> dict[str, str]:
    """What `id` and `query` are, taken out of `free`: the question's id, and what was asked.

    Where a row is one place or judgment, `id` is that of the place and `query` that of the query.
    """
    asked: dict[str, str] = {}
    has_list = _has_one(_LISTS, relation, found, free)
    ids = set(SYNONYMS[QUERY]) - {"query", *(_LOOSE_IDS if has_list else ())}
    has_text = QUESTION in found or not free.keys().isdisjoint(SYNONYMS[QUESTION])
    has_other = not {*found, *free}.isdisjoint({ITEM, CHUNK, TEXT, DOC, *_OTHER_ITEMS})
    is_place = not (has_list or has_other) and _has_one((GRADE, RANK, SCORE), relation, found, free)
    has_id = QUERY in found or not ids.isdisjoint(free)
    if not has_id and (has_text or has_list) and "id" in free and not is_place:
        asked[QUERY] = free.pop("id")
    if has_list:
        for name in _LOOSE_IDS:
            free.pop(name, None)
    if (has_list or asked) and QUESTION not in found and "query" in free:
        asked[QUESTION] = free.pop("query")
    return asked


def _has_one(
    columns: Iterable[str], relation: dict[str, str], found: dict[str, str], free: dict[str, str]
) -> bool:
    present = {*found, *free}
    return any(
        not present.isdisjoint((column, *SYNONYMS[column]))
        for column in columns
        if column in relation
    )


def _is_doc_the_id(relation: dict[str, str], found: dict[str, str], free: dict[str, str]) -> bool:
    own = ITEM if ITEM in relation else CHUNK
    others = {plain(name) for name in SYNONYMS[own]} - {DOC}
    has_other = own in found or CHUNK in found or bool(others & set(free))
    # Passages of a document that have no id of their own: text or offsets are what is expected.
    is_passage = own == ITEM and bool({TEXT, START} & set(found))
    return not has_other and not is_passage
