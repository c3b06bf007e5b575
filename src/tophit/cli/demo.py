"""`tophit demo`: the main job on tophit's own documentation."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tophit.cli.help import command, option
from tophit.cli.options import OUTPUTS, k_option
from tophit.cli.screen import note, phases, show, width

EXAMPLES = (
    ("See the table", "tophit demo"),
    ("Keep chunks, runs and results, to look at them", "tophit demo -o demo"),
)


@command("demo", examples=EXAMPLES)
@k_option
@option("-o", "--output", "output", metavar="DIR", group=OUTPUTS,
        help="Keep chunks, runs and results there, as 'tophit bench' does.")  # fmt: skip
def main(*, k: int, output: str | None) -> None:
    """See the main job done, on tophit's own documentation.

    The pages of the documentation are split by two splitters at three sizes, indexed, and searched
    for every question about them; some of the questions have no answer on purpose. The table has
    the best configuration first. Nothing is downloaded.
    """
    from tophit.benching.demo import demo, demo_folder
    from tophit.report.bench_view import bench_view

    with _folder(output) as folder, phases() as report:
        found = demo(output=folder, k=k, progress=report)
    show(bench_view(found, level=0.95, width=width(), kept=output is not None))
    pages = demo_folder()
    note(
        "The same for your own: tophit bench DOCS QUESTIONS -o out --size 200 --size 400\n"
        f"The pages and the questions of this table are in {pages}"
    )


@contextlib.contextmanager
def _folder(output: str | None) -> Iterator[Path]:
    if output is not None:
        yield Path(output)
        return
    with tempfile.TemporaryDirectory(prefix="tophit-demo-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)
