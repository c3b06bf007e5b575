"""Answers kept on disk while a retriever is asked, so that a second start asks only the rest.

A file of JSON lines beside the output: the first names the system that was asked, each other one
holds the answer to a request. What a kill left half-written at the end is dropped. Answers of
another system, or to other requests, are never taken: the file's name and first line hold the
fingerprint of the one, each line that of the other.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from tophit.errors import OutputError
from tophit.records.places import Place
from tophit.retrieval.protocol import Found, Request

_VERSION = 1
_SUFFIX = ".partial"


def journal_path(output: Path, identity: str) -> Path:
    """Where the answers of a system are kept while `output` is being made.

    >>> journal_path(Path("out/run.jsonl"), "bm25").name
    'run.jsonl.51528901.partial'
    """
    return output.with_name(f"{output.name}.{_digest(identity)[:8]}{_SUFFIX}")


class Journal:
    """The kept answers of one system. Errors: `OutputError` where the file cannot be written."""

    def __init__(self, path: Path, identity: str) -> None:
        self.path = path
        self._head = json.dumps({"journal": _VERSION, "of": _digest(identity)}) + "\n"
        self._kept = dict(self._read())
        self._file: IO[str] | None = None

    def kept(self, requests: Iterable[Request]) -> dict[str, Found]:
        """The answers that are there already, by the keys of their requests."""
        return {each.key: self._kept[each.key] for each in requests if each.key in self._kept}

    def add(self, request: Request, found: Found) -> None:
        """Keep an answer; it is on disk when this returns."""
        try:
            file = self._file or self._open()
            file.write(json.dumps({"key": request.key, **_record(found)}) + "\n")
            file.flush()
        except OSError as error:
            raise OutputError(f"cannot write {self.path}: {error.strerror}") from error

    def says(self, done: int, total: int) -> str:
        """What a message says of the answers that are kept."""
        return (
            f"{done:,} of {total:,} answers are kept in {self.path}; the same command asks only "
            "the rest"
        )

    def close(self) -> None:
        """Close the file; what is in it stays for the next start."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def remove(self) -> None:
        """Remove the file: everything is in the output now."""
        self.close()
        self.path.unlink(missing_ok=True)

    def _open(self) -> IO[str]:
        """Write anew what is whole, and go on from there."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        lines = [json.dumps({"key": key, **_record(found)}) for key, found in self._kept.items()]
        temporary = self.path.with_name(f"{self.path.name}.new")
        temporary.write_text(self._head + "".join(f"{line}\n" for line in lines), "utf-8")
        temporary.replace(self.path)
        self._file = self.path.open("a", encoding="utf-8")
        return self._file

    def _read(self) -> Iterator[tuple[str, Found]]:
        try:
            head, *lines = self.path.read_text("utf-8").splitlines(keepends=True)
        except (OSError, ValueError):
            return
        if head != self._head:
            return
        for line in lines:
            try:
                record = json.loads(line)
                yield record["key"], _found(record)
            except (ValueError, KeyError, TypeError):
                return


class Kept:
    """Where the answers of a system are kept while `output` is being made, whichever system it is.

    `remove` is for when the output is there.
    """

    def __init__(self, output: Path) -> None:
        self._output = output
        self._opened: list[Journal] = []

    def journal(self, identity: str) -> Journal:
        """The journal of a system."""
        made = Journal(journal_path(self._output, identity), identity)
        self._opened.append(made)
        return made

    def remove(self) -> None:
        """Remove what was kept; everything is in the output now."""
        for journal in self._opened:
            journal.remove()


def _digest(identity: str) -> str:
    return hashlib.blake2b(identity.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _record(found: Found) -> dict[str, Any]:
    return {
        "retrieved": [_place(place) for place in found.places],
        "stages": {name: [_place(p) for p in places] for name, places in found.stages.items()},
        "answer": found.answer,
        "abstained": found.abstained,
        "latency_ms": found.latency_ms,
        "too_many": found.too_many,
    }


def _place(place: Place) -> dict[str, Any]:
    return {name: value for name, value in place._asdict().items() if value is not None}


def _found(record: Mapping[str, Any]) -> Found:
    return Found(
        places=tuple(Place(**each) for each in record["retrieved"]),
        stages={
            name: tuple(Place(**each) for each in places)
            for name, places in record["stages"].items()
        },
        answer=record["answer"],
        abstained=record["abstained"],
        latency_ms=record["latency_ms"],
        too_many=record["too_many"],
    )
