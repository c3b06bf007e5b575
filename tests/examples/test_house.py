"""Every room of the package has its sentence in docs/how-it-works.md, in the order of layers."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8")


def rooms_of_the_package() -> set[str]:
    package = ROOT / "src" / "tophit"
    folders = {path.name for path in package.iterdir() if any(path.glob("*.py"))}
    return folders | {path.stem for path in package.glob("*.py")} - {"__init__"}


def rows_of_the_page() -> list[tuple[list[str], str]]:
    table = PAGE[PAGE.index("| room | what it is |") :].split("\n\n")[0]
    cells = [line.strip("|").split("|") for line in table.splitlines()[2:]]
    return [(re.findall(r"`([^`]+)`", rooms), text.strip()) for rooms, text in cells]


def test_every_room_has_its_sentence() -> None:
    named = [room for rooms, _ in rows_of_the_page() for room in rooms]
    assert sorted(named) == sorted(rooms_of_the_package())
    assert all(text for _, text in rows_of_the_page())


def test_the_rooms_stand_in_the_order_of_the_layers() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = contracts["tool"]["importlinter"]["contracts"][0]["layers"]
    on_page = [sorted(rooms) for rooms, _ in rows_of_the_page()]
    assert on_page == [sorted(re.split(r"[ |:]+", layer)) for layer in layers]
