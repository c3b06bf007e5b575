"""Where a sweep is kept: built aside, taken over when all of it is there, resumed after a kill.

    OUT/NAME/                chunks.jsonl, run.jsonl, result.json, made.json
    OUT/.sweep-FINGERPRINT/  the same, of a sweep that is not complete
    OUT/.embeddings.sqlite   vectors by content, for all sweeps
    OUT/table.json, results.csv, costs.csv

Until the last configuration is there, what OUT held before stays as it was, so that two sweeps
never mix. `made.json` names what a configuration was made of; one that is there for the same is
taken as it is. Folders of an earlier sweep over other questions, documents or settings go when the
new one is complete; a folder with any file that no sweep wrote is never touched.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from tophit.errors import DataWarning, OutputError, UsageError
from tophit.evaluation.record import as_json, warning_records
from tophit.formats import atomic_write, read_chunks, read_run, write_chunks, write_run
from tophit.formats.writing.folders import whole_folder
from tophit.relations import Run
from tophit.retrieval.results import latency_percentiles

CHUNKS, RUN, RESULT, MADE = "chunks.jsonl", "run.jsonl", "result.json", "made.json"
_OURS = {CHUNKS, RUN, RESULT, MADE}
_STAGED = ".sweep-"
_CACHE = ".embeddings.sqlite"


@dataclass(frozen=True, kw_only=True)
class Made:
    """A configuration's chunks and run, and what differs from machine to machine.

    `latency_ms` has p50, p95 and p99, empty where nobody measured; `index_bytes` is None where the
    retriever has an index of its own. `tuned` is what the questions chose, in words.
    """

    chunks: pl.DataFrame | None
    run: Run
    latency_ms: Mapping[str, float]
    index_bytes: int | None
    tuned: str = ""


class Store:
    """The folder of one sweep. `shared` is all that its configurations have in common.

    Errors: `UsageError` where a configuration's folder holds something else, `OutputError`.
    """

    def __init__(self, output: Path, names: Iterable[str], shared: str) -> None:
        self.output = output
        self._names = list(names)
        self._shared = digest(shared)
        for name in self._names:
            if foreign := self._foreign(output / name):
                raise UsageError(
                    f"{output / name} holds {foreign}, which no benchmark wrote; "
                    "name another output folder"
                )
        try:
            self._staged = output / f"{_STAGED}{self._shared}"
            self._staged.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"cannot write the folder {output}: {error.strerror}") from error

    @property
    def cache(self) -> Path:
        """The file of embeddings."""
        return self.output / _CACHE

    def journal(self, name: str) -> Path:
        """Where the answers of a configuration are kept while others are waited for."""
        return self._staged / f"{name}.partial"

    def found(self, name: str, identity: str) -> Made | None:
        """The configuration, if it was made before of the same; None where it was not."""
        for folder in (self._staged / name, self.output / name):
            record = _record(folder)
            if record.get("of") == self._of(identity):
                with contextlib.suppress(Exception):  # damaged: it is made again
                    return _read(folder, name, record)
        return None

    def keep(self, name: str, identity: str, made: Made) -> None:
        """Write a configuration's chunks and run aside."""
        record = {
            "of": self._of(identity),
            "shared": self._shared,
            "latency_ms": dict(made.latency_ms),
            "index_bytes": made.index_bytes,
            "tuned": made.tuned,
            "warnings": warning_records(made.run.warnings),
        }
        with whole_folder(self._staged / name) as folder:
            if made.chunks is not None:
                write_chunks(made.chunks, folder / CHUNKS)
            write_run(replace(made.run, latency=None), folder / RUN)
            write_json(record, folder / MADE)
        self.journal(name).unlink(missing_ok=True)

    def publish(self, results: Mapping[str, Mapping[str, Any]]) -> None:
        """Take over all configurations, each with its result, and drop those of other sweeps."""
        (self.output / "table.json").unlink(missing_ok=True)
        for name, result in results.items():
            staged, target = self._staged / name, self.output / name
            if staged.exists():
                with whole_folder(target) as folder:
                    shutil.copytree(staged, folder, dirs_exist_ok=True)
                    write_json(result, folder / RESULT)
            else:
                write_json(result, target / RESULT)
        for folder in self.output.iterdir():
            stale = folder.name.startswith(_STAGED) and folder != self._staged
            other = _record(folder).get("shared") not in (None, self._shared)
            if folder.is_dir() and (stale or (other and not self._foreign(folder))):
                shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(self._staged, ignore_errors=True)

    def _of(self, identity: str) -> str:
        return digest(f"{self._shared} {identity}")

    def _foreign(self, folder: Path) -> str | None:
        held = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
        return min(held - _OURS, default=None)


def digest(text: str) -> str:
    """Twelve digits that stand for a text.

    >>> len(digest("a"))
    12
    """
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def made_of(
    chunks: pl.DataFrame | None, run: Run, *, index_bytes: int | None, tuned: str = ""
) -> Made:
    """A configuration that was just made."""
    latency = {} if run.latency is None else latency_percentiles(run.latency)
    return Made(chunks=chunks, run=run, latency_ms=latency, index_bytes=index_bytes, tuned=tuned)


def write_json(data: Mapping[str, Any], path: Path) -> None:
    """Write one JSON object, indented; the same data give the same bytes. Errors: `OutputError`."""
    with atomic_write(path) as stream:
        stream.write(as_json(data))


def _record(folder: Path) -> dict[str, Any]:
    try:
        found = json.loads((folder / MADE).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _read(folder: Path, name: str, record: Mapping[str, Any]) -> Made:
    path = folder / CHUNKS
    warnings = tuple(DataWarning(**each) for each in record["warnings"])
    return Made(
        chunks=read_chunks(path) if path.exists() else None,
        run=replace(read_run(folder / RUN, name=name), warnings=warnings),
        latency_ms=record["latency_ms"],
        index_bytes=record["index_bytes"],
        tuned=record["tuned"],
    )
