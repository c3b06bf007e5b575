"""Annotations that GitHub Actions shows on a run: failed gates, warnings, and the scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tophit.gates import GateReport
from tophit.report.summary import bounds, number
from tophit.result import Result
from tophit.several import remarks

_NAMED = 10


def github_annotations(
    results: Sequence[Result], *, gates: Mapping[str, GateReport] | None = None, file: str = ""
) -> str:
    """One workflow command a line; `file` is what they are attached to, such as the questions.

    >>> import tophit
    >>> result = tophit.evaluate({"q": ["a"]}, {"q": ["a"]}, measures="MRR", name="bm25")
    >>> print(github_annotations([result], file="q.jsonl"), end="")
    ::notice file=q.jsonl,title=bm25::MRR 1.0000 [0.000, 1.000], n = 1
    """
    return "".join(f"{line}\n" for line in _lines(results, gates or {}, file))


def _lines(results: Sequence[Result], gates: Mapping[str, GateReport], file: str) -> Iterator[str]:
    for name, report in gates.items():
        for check in report.failed:
            lost = [] if check.paired is None else check.paired.losses
            more = f", and {len(lost) - _NAMED:,} more" if len(lost) > _NAMED else ""
            says = f"{check}; lost {', '.join(lost[:_NAMED])}{more}" if lost else str(check)
            yield _command("error", file, f"gate of {name}", says)
    for remark in remarks(results):
        yield _command("warning", file, remark.warning.code, remark.text)
    for result in results:
        values = [
            f"{name} {number(score.value)} {bounds(score)}, n = {score.n:,}"
            for name, score in result.measures.items()
        ]
        yield _command("notice", file, result.name, "\n".join(values))


def _command(kind: str, file: str, title: str, message: str) -> str:
    place = f"file={_property(file)}," if file else ""
    return f"::{kind} {place}title={_property(title)}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
