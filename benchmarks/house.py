"""The house in figures: rooms, floors, arrows between them, lines, and functions over 40 lines.

A room is a file or a folder right under the package. An arrow leads from a room to another that it
imports (not for type checks alone). A room stands one floor above the highest that it imports.

    python benchmarks/house.py [SRC]      SRC holds the package tophit; without it, src
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import grimp

LONG = 40


def arrows(source: Path) -> set[tuple[str, str]]:
    sys.path.insert(0, str(source))
    graph = grimp.build_graph("tophit", exclude_type_checking_imports=True, cache_dir=None)
    found = set()
    for module in graph.modules:
        for other in graph.find_modules_directly_imported_by(module):
            here, there = (name.split(".")[1:2] or ["__init__"] for name in (module, other))
            found.add((here[0], there[0]))
    return {(a, b) for a, b in found if a != b}


def floors(rooms: set[str], between: set[tuple[str, str]]) -> dict[str, int]:
    floor = dict.fromkeys(rooms, 1)
    for _ in rooms:
        floor |= {
            room: 1 + max([floor[b] for a, b in between if a == room], default=0) for room in rooms
        }
    return floor


def functions(file: Path) -> list[int]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [_lines(each) for each in ast.walk(tree) if isinstance(each, kinds)]


def _lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The lines of a function without its docstring."""
    last = function.end_lineno or function.lineno
    said = function.body[0]
    documented = isinstance(said, ast.Expr) and isinstance(said.value, ast.Constant)
    hidden = (said.end_lineno or 0) - said.lineno + 1 if documented else 0
    return last - function.lineno + 1 - hidden


def main() -> None:
    source = Path(sys.argv[1] if len(sys.argv) > 1 else "src").resolve()
    package = source / "tophit"
    found = arrows(source)
    inside = {(a, b) for a, b in found if "__init__" not in (a, b)}
    rooms = {
        path.stem for path in package.iterdir()
        if path.suffix == ".py" or (path.is_dir() and any(path.glob("*.py")))
    } - {"__init__"}  # fmt: skip
    files = sorted(package.rglob("*.py"))
    sizes = [size for file in files for size in functions(file)]
    print(
        f"rooms        {len(rooms):6,}, {sum((package / f'{r}.py').exists() for r in rooms)} files"
    )
    print(f"floors       {max(floors(rooms, inside).values()):6,}")
    print(f"arrows       {len(inside):6,}")
    print(f"lines        {sum(len(f.read_text('utf-8').splitlines()) for f in files):6,}")
    print(f"functions    {len(sizes):6,}, {sum(size > LONG for size in sizes)} over {LONG} lines")


if __name__ == "__main__":
    main()
