"""What a sweep tries: ways to split and ways to retrieve, each under a name of its own."""

from __future__ import annotations

import inspect
import json
import re
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tophit.errors import UsageError, unknown
from tophit.imports import code_of, named_object
from tophit.retrieval.doors.table import is_named, is_retriever
from tophit.retrieval.rerank import RERANK_DEPTH
from tophit.retrieval.runs import wants_chunks
from tophit.retrieval.table import RETRIEVERS
from tophit.splitting.table import Splitter, open_splitter

_SPLITTER, _RETRIEVER = "splitter", "retriever"
_RERANKING = ("reranker", "rerank_depth")
TUNE = "tune"
Spec = TypeVar("Spec", "Splitting", "Retrieving")


@dataclass(frozen=True, kw_only=True)
class Splitting:
    """One way to split. `identity` tells it from another that has the same name."""

    name: str
    splitter: Splitter
    options: Mapping[str, Any] = field(default_factory=dict)
    identity: str = ""


@dataclass(frozen=True, kw_only=True)
class Retrieving:
    """One way to retrieve: `what` is a name of the table, or what a door opens.

    `tune` has, for some options, the values that the data choose from (`tuning.py`). `searches`:
    it searches the chunks of a configuration; else it has an index of its own.
    """

    name: str
    what: Any
    options: Mapping[str, Any] = field(default_factory=dict)
    reranker: Any = None
    rerank_depth: int = RERANK_DEPTH
    tune: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    searches: bool = True
    identity: str = ""


def splittings_of(given: Any, options: Mapping[str, Any]) -> list[Splitting]:
    """The ways to split: names, or a dict from a name to a splitter (or a dict with options).

    Each of the further `options` goes to those that have it.
    Errors: `UsageError` for what is no splitter, or an option that none of them has.

    >>> [each.name for each in splittings_of({"mine": lambda text: [text]}, {})]
    ['mine']
    """
    found = []
    for name, what, own in _named(given, _SPLITTER):
        splitter = open_splitter(what, name=name)
        _check(own, splitter.options, f"option of the splitter {splitter.name!r}")
        shared = {each: value for each, value in options.items() if each in splitter.options}
        made = {**shared, **own}
        found.append(
            Splitting(name=name or splitter.name, splitter=splitter, options=made,
                      identity=_identity(what, made))
        )  # fmt: skip
    _check(options, [o for each in found for o in each.splitter.options], "splitter option")
    return _apart(found, "splitter")


def retrievings_of(
    given: Any,
    options: Mapping[str, Any],
    *,
    reranker: Any = None,
    rerank_depth: int = RERANK_DEPTH,
    tune: Mapping[str, Sequence[Any]] | None = None,
) -> list[Retrieving]:
    """The ways to retrieve: names, or a dict from a name to a retriever (or a dict with options).

    Errors: `UsageError` for what is no retriever, or an option that none of them has.

    >>> retrievings_of({"both": {"retriever": "hybrid", "rrf": 10}}, {})[0].options
    {'rrf': 10}
    """
    found, known = [], set[str]()
    for name, what, own in _named(given, _RETRIEVER):
        mine = {key: own.pop(key) for key in (*_RERANKING, TUNE) if key in own}
        has = _options_of(what)
        if has is not None:
            _check(own, has, f"option of the retriever {what!r}")
        shared = {each: v for each, v in options.items() if has is None or each in has}
        known |= set(options if has is None else has)
        tuned = _tuned({**(tune or {}), **mine.get(TUNE, {})}, has, explicit=TUNE in mine)
        made = {**shared, **own}
        given_reranker = mine.get("reranker", reranker)
        depth = mine.get("rerank_depth", rerank_depth)
        found.append(
            Retrieving(
                name=name or _short(what), what=what, options=made, reranker=given_reranker,
                rerank_depth=depth, tune=tuned, searches=_searches(what),
                identity=_identity(what, {**made, "depth": depth, TUNE: tuned})
                + (_identity(given_reranker, {}) if given_reranker is not None else ""),
            )
        )  # fmt: skip
    _check(options, known, "retriever option")
    wanted = set(tune or {}) - {option for each in found for option in each.tune}
    _check(wanted, known | {"rerank_depth"}, "option to tune")
    return _apart(found, "retriever")


def _named(given: Any, kind: str) -> Iterable[tuple[str | None, Any, dict[str, Any]]]:
    """Name (None: its own), the thing itself, and its options."""
    if not given or isinstance(given, str):
        raise UsageError(f"{kind}s: expected a list of at least one, found {given!r}")
    pairs = given.items() if isinstance(given, Mapping) else ((None, each) for each in given)
    for name, what in pairs:
        if isinstance(what, Mapping):
            own = dict(what)
            if name is None and kind not in own:
                raise UsageError(f"a {kind} as a dict needs {kind!r}, found {', '.join(own)}")
            yield name, own.pop(kind, name), own
        else:
            yield name, what, {}


def _options_of(what: Any) -> Mapping[str, Any] | None:
    """The options of a retriever of the table; None of another, whose door checks them."""
    if isinstance(what, str) and what in RETRIEVERS:
        return RETRIEVERS[what].options
    if not is_retriever(what) and not wants_chunks(what):
        if isinstance(what, str):
            raise unknown("retriever", what, [*RETRIEVERS, "PACKAGE.MODULE:NAME", "http://..."])
        raise UsageError(f"expected a retriever, found {type(what).__name__}")
    return None


def _searches(what: Any) -> bool:
    if isinstance(what, str) and what in RETRIEVERS:
        return True
    return wants_chunks(named_object(what) if is_named(what) else what)


def _tuned(
    wanted: Mapping[str, Any], has: Mapping[str, Any] | None, *, explicit: bool
) -> dict[str, list[Any]]:
    tuned = {}
    for option, values in wanted.items():
        if has is not None and option not in has and option != "rerank_depth":
            if explicit:
                raise unknown("option to tune", option, [*has, "rerank_depth"])
            continue
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise UsageError(f"tune {option}: expected a list of values, found {values!r}")
        tuned[option] = list(values)
    return tuned


def _check(given: Iterable[str], known: Iterable[str], kind: str) -> None:
    every = sorted(set(known))
    for option in given:
        if option not in every:
            raise unknown(kind, option, every)


def _apart(found: list[Spec], kind: str) -> list[Spec]:
    """Each once; the same name for two different ones is an error."""
    by_name: dict[str, Spec] = {}
    for each in found:
        if by_name.setdefault(each.name, each).identity != each.identity:
            raise UsageError(f"two {kind}s are called {each.name!r}; give them names of their own")
    return list(by_name.values())


def _short(what: Any) -> str:
    """A name that is safe as a folder.

    >>> _short("shop.search:find"), _short("http://localhost:8080/search")
    ('find', 'localhost-8080-search')
    """
    if not isinstance(what, str):
        return (getattr(what, "__name__", None) or type(what).__name__).strip("<>")
    written = what.rpartition(":")[2] if is_named(what) else re.sub(r"^\w+:/*", "", what)
    return re.sub(r"[^\w.]+", "-", written).strip("-.")[:40] or "retriever"


def _identity(what: Any, options: Mapping[str, Any]) -> str:
    """What tells one from another on disk. An object whose content nobody knows is like no other,
    so that what it found is never taken for what another one would find."""
    said = json.dumps(options, sort_keys=True, default=lambda value: _code(value))
    return f"{what if isinstance(what, str) and not is_named(what) else _code(what)} {said}"


def _code(what: Any) -> str:
    found: Any = named_object(what) if isinstance(what, str) and is_named(what) else what
    if isinstance(found, str):
        return found
    named = isinstance(what, str) or inspect.isclass(found)
    plain = inspect.isfunction(found) and not found.__closure__ and _has_file(found)
    return code_of(found) if named or plain else secrets.token_hex(8)


def _has_file(function: Callable[..., Any]) -> bool:
    return not inspect.getfile(function).startswith("<") if inspect.isfunction(function) else False
