"""Which key of a record holds which field, by the one table of synonyms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from tophit.relations import (
    ABSTAINED,
    ANSWER,
    CHUNK,
    DOC,
    END,
    EXPECTED,
    EXPECTED_IDS,
    FILTER,
    GRADE,
    HISTORY,
    ITEM,
    LATENCY,
    QUERY,
    QUESTION,
    RETRIEVED_IDS,
    RETRIEVED_LIST,
    SCORE,
    STAGES_LIST,
    START,
    SYNONYMS,
    TEXT,
    TOKENS,
)

TAGS = "tags"
# What tophit's own files call the fields that they name differently from the relations.
OWN = {QUERY: "id", CHUNK: "id", ITEM: "id", DOC: "doc"}
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# What people hand in where `expected` is asked for: words of a model or a person, not of a source.
ANSWERS = ("answer", "answers", "reference", "reference_answer", "ground_truth", "ground_truths",
           "gold_answer", "expected_answer", "expected_output", "expected_response")  # fmt: skip


@lru_cache(maxsize=4096)
def plain(name: str) -> str:
    """A name without regard to case, with underscores for blanks and hyphens.

    >>> plain("pageContent"), plain(" Query-ID "), plain("start index"), plain("ID")
    ('page_content', 'query_id', 'start_index', 'id')
    """
    return _CAMEL.sub("_", name.strip()).lower().replace("-", "_").replace(" ", "_")


def _names(column: str, *, but: Iterable[str] = (), also: Iterable[str] = ()) -> tuple[str, ...]:
    every = (column, *also, *SYNONYMS.get(column, ()))
    return tuple(dict.fromkeys(name for name in every if name not in but))


# In a record `query` is what was asked. Names of documents are the id where nothing else is.
OF_DOCUMENTS = ("doc_id", "document_id", "docid", "corpus_id")
_QUERY = _names(QUERY, also=("id", "_id", "id_"), but=("query",))
_DOC = (*_names(DOC), *OF_DOCUMENTS[1:])
_PLACE = {DOC: _DOC, START: _names(START), END: _names(END)}


@dataclass(frozen=True, eq=False)
class Fields:
    """The fields of one kind of record, and the names under which each may stand, best first.

    >>> PLACES.keys({"pageContent": "four", "source": "a.md", "id": None})
    {'text': 'pageContent', 'doc_id': 'source'}
    """

    names: Mapping[str, tuple[str, ...]]

    @cached_property
    def own(self) -> tuple[str, ...]:
        """The names that tophit's own files give to the fields."""
        return tuple(OWN.get(field, field) for field in self.names)

    def keys(self, record: Mapping[Any, Any]) -> dict[str, Any]:
        """Which key holds which field: the first of its names that holds something."""
        keys = {}
        for field, candidates in _layout(self, tuple(record)).items():
            for key in candidates:
                if record[key] is not None:
                    keys[field] = key
                    break
        return keys

    def name_one(self, key: Any) -> bool:
        """Whether a key is a name of one of the fields."""
        return plain(str(key)) in self._every

    @cached_property
    def _every(self) -> frozenset[str]:
        return frozenset(name for names in self.names.values() for name in names)


@lru_cache(maxsize=4096)
def _layout(fields: Fields, keys: tuple[Any, ...]) -> dict[str, list[Any]]:
    """The keys that may hold each field, in the order of its names; an exact name comes first."""
    by_name: dict[str, Any] = {}
    for key in keys:
        by_name.setdefault(plain(str(key)), key)
    by_name |= {key: key for key in keys if isinstance(key, str)}
    layout = {f: [by_name[n] for n in names if n in by_name] for f, names in fields.names.items()}
    return {field: candidates for field, candidates in layout.items() if candidates}


QUESTIONS = Fields({
    QUERY: _QUERY, QUESTION: _names(QUESTION), EXPECTED: _names(EXPECTED),
    EXPECTED_IDS: _names(EXPECTED_IDS), TAGS: (TAGS,), HISTORY: (HISTORY,), FILTER: (FILTER,),
})  # fmt: skip
RUNS = Fields({
    QUERY: _QUERY, QUESTION: _names(QUESTION), RETRIEVED_LIST: _names(RETRIEVED_LIST),
    RETRIEVED_IDS: _names(RETRIEVED_IDS), ANSWER: (ANSWER,), ABSTAINED: (ABSTAINED,),
    STAGES_LIST: (STAGES_LIST,), LATENCY: (LATENCY,),
})  # fmt: skip
PLACES = Fields({
    CHUNK: _names(CHUNK, also=("id", "_id", "id_"), but=OF_DOCUMENTS), TEXT: _names(TEXT),
    SCORE: _names(SCORE), **_PLACE, TOKENS: _names(TOKENS),
})  # fmt: skip
# There the ids of documents are a store's own, and a path says more.
METADATA = Fields({
    **PLACES.names, DOC: (*(name for name in _DOC if name not in OF_DOCUMENTS), *OF_DOCUMENTS),
})  # fmt: skip
ITEMS = Fields({
    ITEM: _names(ITEM, also=("id", "_id", "id_"), but=OF_DOCUMENTS),
    TEXT: _names(TEXT, also=("evidence", "anchor", "quote")), **_PLACE, GRADE: _names(GRADE),
})  # fmt: skip
