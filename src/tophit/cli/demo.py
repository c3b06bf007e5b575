"""`tophit demo`: the main job on tophit's own documentation."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tophit.cli.help import command, option
from tophit.cli.options import OUTPUTS, k_option
from tophit.cli.outputs import write_text
from tophit.cli.pages import page_of_bench
from tophit.cli.screen import done, note, phases, show, width

PAGE = "report.html"

EXAMPLES = (
    ("See the table", "tophit demo"),
    ("Keep chunks, runs and results, to look at them", "tophit demo -o demo"),
)


@command("demo", examples=EXAMPLES)
@k_option
@option("-o", "--output", "output", metavar="DIR", group=OUTPUTS,
        help="Keep chunks, runs, results and the report there.")  # fmt: skip
def main(*, k: int, output: str | None) -> None:
    """See the main job done, on tophit's own documentation.

    The pages of the documentation are split by two splitters at three sizes, indexed, and searched
    for every question about them; some of the questions have no answer on purpose. The table has
    the best configuration first, and a report to open in a browser shows every question. Nothing
    is downloaded.
    """
    from tophit.benching.demo import QUESTIONS, demo, demo_folder
    from tophit.report.bench_view import bench_view

    with _folder(output) as folder:
        with phases() as report:
            found = demo(output=folder, k=k, progress=report)
        page = Path(tempfile.mkdtemp(prefix="tophit-demo-") if output is None else folder)
        write_text(str(page / PAGE), page_of_bench(found, demo_folder() / QUESTIONS))
    show(bench_view(found, level=0.95, width=width(), kept=output is not None))
    pages = demo_folder()
    note(
        "The same for your own: tophit bench DOCS QUESTIONS -o out --size 200 --size 400\n"
        f"The pages and the questions of this table are in {pages}"
    )
    done("open it in a browser: the report", str(page / PAGE))


@contextlib.contextmanager
def _folder(output: str | None) -> Iterator[Path]:
    if output is not None:
        yield Path(output)
        return
    with tempfile.TemporaryDirectory(prefix="tophit-demo-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)
