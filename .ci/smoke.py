"""Build the wheel, install it with each extra in a new environment of its own, and use it there.

An environment has what a user gets and nothing of the development groups. What is done in it
stands in `.ci/uses/NAME.py`: one file for each extra, and for the situations without an extra.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
USES = ROOT / ".ci" / "uses"
# What else is installed beside tophit, where no extra brings it.
BESIDE: dict[str, tuple[str, ...]] = {"core": (), "pandas": ("pandas",), "pyarrow": ("pyarrow",)}

# PyTorch alone is several gigabytes: what these extras are for is tried by hand.
TOO_LARGE = {"sentence-transformers"}


def extras() -> list[str]:
    """The extras that pyproject.toml declares, but for those that are too large."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [name for name in declared["optional-dependencies"] if name not in TOO_LARGE]


def uv(*arguments: str | Path) -> None:
    """uv links packages from its cache, so that an environment takes a second."""
    subprocess.run([sys.executable, "-m", "uv", "--quiet", *map(str, arguments)], check=True)


def try_out(name: str, wheel: Path, folder: Path) -> None:
    """Install tophit for one situation, and run what is done there, away from the checkout."""
    environment, place = folder / f"env-{name}", folder / name
    python = environment / "bin" / "python"
    uv("venv", "--no-python-downloads", "--python", sys.executable, environment)
    extra = "" if name in BESIDE else f"[{name}]"
    tophit = f"tophit{extra} @ {wheel.as_uri()}"
    uv("pip", "install", "--python", python, tophit, *BESIDE.get(name, ()))
    shutil.copytree(ROOT / "docs" / "examples", place / "examples")
    done = subprocess.run(
        [python, "-I", "-W", "error::DeprecationWarning:tophit", USES / f"{name}.py"],
        cwd=place, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"{done.stdout}\nsmoke: tophit{extra} does not work as installed: {name}")
    shutil.rmtree(environment)


def main() -> None:
    """All situations, or those that are named on the command line."""
    situations = [*BESIDE, *extras()]
    without = sorted({*situations} ^ {use.stem for use in USES.glob("*.py")})
    if without:
        sys.exit(f"smoke: an extra without its use in .ci/uses, or the reverse: {without}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        uv("build", "--wheel", "--out-dir", folder, ROOT)
        (wheel,) = folder.glob("*.whl")
        for name in sys.argv[1:] or situations:
            start = time.perf_counter()
            try_out(name, wheel, folder)
            print(f"smoke: {name} works as installed ({time.perf_counter() - start:.0f} s)")


main()
