"""The frozen baseline of an evaluation in a test: which file, and whether it is read or written."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tophit.errors import UsageError
from tophit.evaluation.result import Result
from tophit.gates import Baseline, GateReport, check_against, read_baseline, write_baseline

_ENDINGS = (".json", ".gz", ".zst")
_WRITTEN = pytest.StashKey[set[Path]]()


@dataclass(frozen=True, kw_only=True)
class Held:
    """The baseline of one evaluation: read and held against, or the file to write; or neither."""

    read: Baseline | None = None
    write: Path | None = None
    max_drop: float | None = None
    significant: bool = False
    allow_different: bool = False

    @classmethod
    def of(cls, request: pytest.FixtureRequest, options: dict[str, Any], *, call: int) -> Held:
        """The baseline that the options of the call name, else those of the command line.

        Errors: `UsageError` where the file is not there or would be written twice; `InputError`
        where it is no baseline.
        """
        config = request.config
        given = options.get("baseline", config.getoption("tophit_baseline"))
        if given is None:
            return cls()
        path = _file_of(Path(given), request.node.nodeid, call)
        if config.getoption("tophit_write_baseline"):
            _claim(path, config, shared=path == Path(given))
            return cls(write=path)
        if not path.exists():
            raise UsageError(f"there is no baseline {path}; --tophit-write-baseline writes it")
        return cls(
            read=read_baseline(path),
            max_drop=options.get("max_drop", config.getoption("tophit_max_drop")),
            significant=options.get("significant", config.getoption("tophit_significant")),
            allow_different=options.get("allow_different", False),
        )

    @property
    def measures(self) -> Sequence[str]:
        """The measures that the comparison needs."""
        return [] if self.read is None else list(self.read.measures)

    def check(self, result: Result) -> GateReport:
        """Hold the result against the baseline, or write it. Errors: as `check_against`."""
        if self.write is not None:
            self.write.parent.mkdir(parents=True, exist_ok=True)
            write_baseline(result, self.write)
        if self.read is None:
            return GateReport(checks=())
        return check_against(
            result, self.read, max_drop=self.max_drop, significant=self.significant,
            allow_different=self.allow_different,
        )  # fmt: skip


def _file_of(path: Path, test: str, call: int) -> Path:
    """The file itself, or the file of the test in the folder; a test's further calls have numbers.

    >>> _file_of(Path("kept"), "tests/test_search.py::test_hits", 2).as_posix()
    'kept/tests.test_search.py.test_hits-2.json'
    >>> _file_of(Path("kept.json"), "tests/test_search.py::test_hits", 2).as_posix()
    'kept.json'
    """
    if path.is_file() or (path.suffix in _ENDINGS and not path.is_dir()):
        return path
    plain = test.replace("::", ".").replace("/", ".")
    name = re.sub(r"[^\w.-]+", "-", plain)
    if name != plain:  # another test may come to the same name
        name += "-" + hashlib.sha256(test.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return path / f"{name}{'' if call == 1 else f'-{call}'}.json"


def _claim(path: Path, config: pytest.Config, *, shared: bool) -> None:
    """Refuse to write a file twice in one run: the last evaluation would be all that it holds."""
    if shared and hasattr(config, "workerinput"):
        raise UsageError(f"several workers may not write {path}; name a folder, or run with -n 0")
    written = config.stash.setdefault(_WRITTEN, set())
    if path in written:
        raise UsageError(f"{path} was written by another evaluation of this run; name a folder")
    written.add(path)
