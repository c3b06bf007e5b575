"""How measures are written: `Hit@4`, `success_4`, `Partial(share=0.3)@4`, `Hit@3200tok`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from tophit.errors import UsageError, unknown
from tophit.measures.definition import Cutoff, Definition, Measure, Parameter
from tophit.measures.table import MEASURES

_SEPARATOR = re.compile(r"[\s,;]+(?![^(]*\))")
_WRITTEN = re.compile(r"(?P<name>[^(@]+?)\s*(?:\((?P<inside>[^)]*)\))?(?:@(?P<cut>.*))?")
_TREC_STYLE = re.compile(r"(?P<name>.+?)[._](?P<cut>-?\d+(?:\.\d+)?(?:tok)?)")


def parse_measures(
    measures: str | Measure | Iterable[str | Measure], *, k: int = 4
) -> tuple[Measure, ...]:
    """Read measures as people write them: names or aliases, without regard to case.

    `measures` is one string (separated by blanks or commas) or several. A measure that must have a
    cutoff and was written without one takes `k`. The same measure twice is one; the order is kept.

    Errors: `UsageError` for an unknown name (with the nearest), a cutoff that is no whole number of
    at least 1, a cutoff on a measure that has none, an unknown parameter or value, no measure.

    >>> [str(each) for each in parse_measures("success_4, RR Partial(share=0.30) ndcg_cut_10")]
    ['Hit@4', 'MRR', 'Partial(share=0.3)@4', 'nDCG@10']
    >>> parse_measures("Hit@0")
    Traceback (most recent call last):
    tophit.errors.UsageError: Hit@0: the cutoff must be a whole number of at least 1 ...
    """
    given = [measures] if isinstance(measures, str | Measure) else list(measures)
    _cutoff(str(k), written=f"k={k}")
    parsed: dict[str, Measure] = {}
    for entry in given:
        for measure in [entry] if isinstance(entry, Measure) else _parse_text(entry, k=k):
            parsed.setdefault(measure.name, measure)
    if not parsed:
        raise UsageError(f"no measure was named (known: {', '.join(_signatures())})")
    return tuple(parsed.values())


def _parse_text(text: str, *, k: int) -> list[Measure]:
    return [_parse_one(part, k=k) for part in _SEPARATOR.split(text.strip()) if part]


def _parse_one(written: str, *, k: int) -> Measure:
    match = _WRITTEN.fullmatch(written)
    if match is None:
        raise UsageError(
            f"{written!r} is not how a measure is written: NAME, NAME@4, NAME(p=0.8)@4"
        )
    name, cut = match["name"], match["cut"]
    definition = _NAMES.get(_folded(name))
    if definition is None and cut is None and (trec := _TREC_STYLE.fullmatch(name)):
        name, cut = trec["name"], trec["cut"]
        definition = _NAMES.get(_folded(name))
    if definition is None:
        raise unknown("measure", name, [*MEASURES, *_aliases()])
    cutoff = _cutoff(cut, written=written) if cut is not None else None
    if cutoff is not None and definition.cutoff == "none":
        raise UsageError(f"{written}: {definition.name} has no cutoff")
    if cutoff is None and definition.cutoff == "required":
        cutoff = Cutoff(value=k)
    parameters = _parameters(match["inside"] or "", definition, written=written)
    return Measure(definition=definition, cutoff=cutoff, parameters=parameters)


def _cutoff(text: str, *, written: str) -> Cutoff:
    match = re.fullmatch(r"(\d+)(tok)?", text.strip(), flags=re.IGNORECASE)
    if match is None or int(match[1]) < 1:
        raise UsageError(
            f"{written}: the cutoff must be a whole number of at least 1 "
            f"(or a token budget such as 3200tok), not {text!r}"
        )
    return Cutoff(value=int(match[1]), unit="tok" if match[2] else "places")


def _parameters(inside: str, definition: Definition, *, written: str) -> dict[str, Any]:
    values: dict[str, Any] = {key: p.default for key, p in definition.parameters.items()}
    for part in filter(None, (piece.strip() for piece in inside.split(","))):
        key, _, text = part.partition("=")
        parameter = definition.parameters.get(key.strip().lower())
        if parameter is None:
            known = ", ".join(definition.parameters) or "none"
            raise UsageError(
                f"{written}: {definition.name} has no parameter {key!r} (has: {known})"
            )
        values[key.strip().lower()] = _value(text.strip(), parameter, written=written)
    return values


def _value(text: str, parameter: Parameter, *, written: str) -> float | str:
    wrong = UsageError(f"{written}: expected {parameter.expected()}, found {text!r}")
    if parameter.choices:
        if text.lower() not in parameter.choices:
            raise wrong
        return text.lower()
    try:
        value = float(text)
    except ValueError:
        raise wrong from None
    if (
        parameter.low is None
        or parameter.high is None
        or not parameter.low < value <= parameter.high
    ):
        raise wrong
    return value


def _folded(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).lower()


def _aliases() -> list[str]:
    return [alias for definition in MEASURES.values() for alias in definition.aliases]


def _signatures() -> list[str]:
    return [definition.signature for definition in MEASURES.values()]


_NAMES: dict[str, Definition] = {
    _folded(name): definition
    for definition in MEASURES.values()
    for name in (definition.name, *definition.aliases)
}
