"""What the places of a run hold, where only ids or bare strings stand there.

A bare string may be an id or a text. It is read as a text where the other side holds texts, it
looks like one, and no id is the same. Texts that only the index has are joined by the chunk's id.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw

from tophit.errors import DataWarning, Fault, InputError
from tophit.frames import chunks_from
from tophit.matching.ids import TARGET, wanted
from tophit.records.made import look_like_texts
from tophit.relations import CHUNK, DOC, END, ITEM, QUERY, START, TEXT, TOKENS, Lazy

_SAMPLE = 1000
_CARRIED = (TEXT, DOC, START, END, TOKENS)


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """The judgments and the places with what they hold, and what to say of it."""

    judgments: Lazy
    retrieved: Lazy
    warnings: tuple[DataWarning, ...] = ()


def evidence(judgments: Lazy, retrieved: Lazy, *, match: str, chunks: Any = None) -> Evidence:
    """Fill in the texts that bare strings are, and those that the index has.

    Nothing changes where ids decide: every item has one, or `match` asks for them.

    Errors: `InputError` for items without ids against places that hold nothing but ids.
    """
    given = Evidence(judgments=judgments, retrieved=retrieved)
    if match in ("auto", "text"):
        given = _read_items(given)
    names = given.judgments.collect_schema().names()
    if CHUNK not in names or not {TEXT, START} & set(names) or not _some_without_id(given):
        return given
    if match != "ids":
        given = _from_chunks(given, chunks)
        if match != "spans" and not _has(given.retrieved, TEXT):
            given = _read_places(given)
    return _checked(given, match)


def _has(frame: Lazy, column: str) -> bool:
    if column not in frame.collect_schema().names():
        return False
    if not frame.implementation.is_polars():
        return True
    return frame.filter(~nw.col(column).is_null()).head(1).collect().shape[0] > 0


def _sample(frame: Lazy, column: str) -> list[str]:
    """Some distinct values of a column of text."""
    values = frame.select(column).filter(~nw.col(column).is_null()).head(_SAMPLE).collect()
    return list(dict.fromkeys(values[column].to_list()))


def _read_items(given: Evidence) -> Evidence:
    """Bare strings as the texts of items, where the run has texts and they look like some."""
    names = given.judgments.collect_schema().names()
    if {CHUNK, TEXT, START} & set(names) or not given.judgments.implementation.is_polars():
        return given
    bare = _sample(given.judgments, ITEM)
    if not look_like_texts(bare):
        return given
    if not _has(given.retrieved, TEXT):
        places = _sample(given.retrieved, CHUNK)
        if not look_like_texts(places) or set(bare) <= set(places):
            return given
    own = nw.lit(None).cast(nw.String).alias(CHUNK)
    judgments = given.judgments.with_columns(nw.col(ITEM).alias(TEXT), own)
    return Evidence(
        judgments=judgments,
        retrieved=given.retrieved,
        warnings=(_as_texts(len(bare), "expected strings"),),
    )


def _read_places(given: Evidence) -> Evidence:
    places = _sample(given.retrieved, CHUNK)
    if not look_like_texts(places) or _any_id_is_known(given, places):
        return given
    texts = given.retrieved.with_columns(nw.col(CHUNK).alias(TEXT))
    return Evidence(
        judgments=given.judgments,
        retrieved=texts,
        warnings=(*given.warnings, _as_texts(len(places), "strings of the run")),
    )


def _as_texts(count: int, what: str) -> DataWarning:
    more = " or more" if count >= _SAMPLE else ""
    message = (
        f"{what} that are read as texts, since they look like some: {count:,}{more} "
        "(match=ids takes them for ids)"
    )
    return DataWarning(code="strings_as_texts", count=count, message=message)


def _any_id_is_known(given: Evidence, places: list[str]) -> bool:
    targets = wanted(given.judgments).select(TARGET).unique()
    return targets.filter(nw.col(TARGET).is_in(places)).head(1).collect().shape[0] > 0


def _some_without_id(given: Evidence) -> bool:
    nameless = given.judgments.filter(nw.col(CHUNK).is_null())
    return nameless.head(1).collect().shape[0] > 0


def _from_chunks(given: Evidence, chunks: Any) -> Evidence:
    """The texts and places of the index, for the places of the run that have none."""
    names = given.retrieved.collect_schema().names()
    if chunks is None or not _lack(given.retrieved, names):
        return given
    index = chunks_from(chunks, leader=given.retrieved)
    columns = [name for name in _CARRIED if name in index.collect_schema().names()]
    index = index.select(CHUNK, *columns).unique(CHUNK)
    joined = given.retrieved.join(index, on=CHUNK, how="left", suffix=_OF_INDEX)
    both = {c: nw.coalesce(c, f"{c}{_OF_INDEX}") for c in columns if c in names}
    kept = [*names, *(name for name in columns if name not in names)]
    return Evidence(
        judgments=given.judgments,
        retrieved=joined.select(both.get(name, nw.col(name)).alias(name) for name in kept),
        warnings=given.warnings,
    )


_OF_INDEX = "_of_index"


def _lack(retrieved: Lazy, names: list[str]) -> bool:
    if TEXT not in names:
        return True
    if not retrieved.implementation.is_polars():
        return False
    return retrieved.filter(nw.col(TEXT).is_null()).head(1).collect().shape[0] > 0


def _checked(given: Evidence, match: str) -> Evidence:
    """Refuse what cannot be matched at all; count what ids alone cannot match."""
    spans = (DOC, START, END)
    if match != "ids" and any(_has(given.retrieved, name) for name in (TEXT, spans[1])):
        return given
    if given.retrieved.head(1).collect().shape[0] == 0:
        return given
    if wanted(given.judgments).head(1).collect().shape[0] == 0:
        raise _nothing_to_match(match)
    idless = given.judgments.filter(nw.col(CHUNK).is_null()).select(QUERY, ITEM).unique()
    count = int(idless.select(nw.len()).collect().item())
    message = (
        f"expected items without an id, which nothing can hold where ids are matched: {count:,}"
    )
    warning = DataWarning(code="unmatchable", count=count, message=message)
    return Evidence(
        judgments=given.judgments,
        retrieved=given.retrieved,
        warnings=(*given.warnings, warning),
    )


def _nothing_to_match(match: str) -> InputError:
    """No item has an id, and places are known by nothing else."""
    if match == "ids":
        return InputError(
            Fault(file="questions", field=ITEM, expected="ids to match by", found="only texts"),
            hint="match by text, or give each expected item the id of its chunk",
        )
    return InputError(
        Fault(file="run", field=TEXT, expected="texts, as the questions hold", found="only ids"),
        hint="give each place its text, or pass all chunks of the index (--chunks, chunks=)",
    )
