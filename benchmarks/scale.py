"""TREC files to measures, whole processes side by side: tophit, trec_eval, and the Python peers.

    python benchmarks/scale.py --trec-eval ~/trec_eval/trec_eval
    python benchmarks/scale.py --data-sets A B --ranx-python ~/ranx/bin/python --peers

trec_eval is built by whoever runs this (CFLAGS=-O3); without it the ratios are to tophit. The files
are made once, the same bytes every time. Tools take turns, and the best of all turns counts: wall
time, time of all processors (steady on a busy machine), and peak memory. The means that the tools
print are compared, so that all of them have done the same work.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from trec_data import DATA_SETS, make

MEASURES = {
    "map": ("MAP", "AP", "map"),
    "recip_rank": ("MRR", "RR", "mrr"),
    "P_10": ("Precision@10", "P@10", "precision@10"),
    "recall_1000": ("Recall@1000", "R@1000", "recall@1000"),
    "ndcg_cut_10": ("nDCG@10", "nDCG@10", "ndcg@10"),
    "success_10": ("Hit@10", "Success@10", "hit_rate@10"),
}
_ROUNDED = 2e-4  # some print four places
PYTREC_EVAL = """
import sys, pytrec_eval
with open(sys.argv[1]) as qrels, open(sys.argv[2]) as run:
    qrels, run = pytrec_eval.parse_qrel(qrels), pytrec_eval.parse_run(run)
names = sys.argv[3].split(",")
values = pytrec_eval.RelevanceEvaluator(qrels, names).evaluate(run).values()
for name in names:
    print(name, sum(value[name] for value in values) / len(values))
"""
RANX = """
import sys
from ranx import Qrels, Run, evaluate
qrels, run = Qrels.from_file(sys.argv[1], kind="trec"), Run.from_file(sys.argv[2], kind="trec")
for name, value in evaluate(qrels, run, sys.argv[3].split(","), make_comparable=True).items():
    print(name, value)
"""


@dataclass(frozen=True)
class Tool:
    """A command without the two files, and which of the names of a measure it takes."""

    name: str
    command: tuple[str, ...]
    names: tuple[str, ...]

    def line(self, qrels: Path, run: Path) -> list[str]:
        return [part.format(qrels=qrels, run=run) for part in self.command]


@dataclass(frozen=True)
class Turn:
    wall: float
    cpu: float
    megabytes: float
    output: str


def tools(options: argparse.Namespace) -> list[Tool]:
    ours, ir, ranx = (tuple(names[n] for names in MEASURES.values()) for n in range(3))
    theirs = tuple(MEASURES)
    files = ("{qrels}", "{run}")
    found = []
    if options.trec_eval:
        asked = [part for name in theirs for part in ("-m", re.sub(r"_(\d+)$", r".\1", name))]
        found.append(Tool("trec_eval -O3", (options.trec_eval, *asked, *files), theirs))
    evaluate = ("-m", "tophit", "eval", *files, "-m", " ".join(ours), "--population", "trec_eval")
    found.append(Tool("tophit", (sys.executable, *evaluate), ours))
    if options.peers:
        code = (sys.executable, "-c", PYTREC_EVAL, *files, ",".join(theirs))
        found.append(Tool("pytrec_eval", code, theirs))
        code = (sys.executable, "-m", "ir_measures", *files, " ".join(ir))
        found.append(Tool("ir_measures", code, ir))
    if options.ranx_python:
        code = (options.ranx_python, "-c", RANX, *files, ",".join(ranx))
        found.append(Tool("ranx", code, ranx))
    return found


def turn(command: list[str]) -> Turn:
    with tempfile.TemporaryFile("w+") as output:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.PIPE)
        assert process.stderr is not None
        errors = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"{command[0]} failed: {errors.decode()[-2000:]}")
        output.seek(0)
        cpu = usage.ru_utime + usage.ru_stime
        return Turn(wall, cpu, usage.ru_maxrss / 1024, output.read())


def values(tool: Tool, output: str) -> dict[str, float]:
    """The means that a tool printed, by trec_eval's names."""
    found = {}
    for canonical, name in zip(MEASURES, tool.names, strict=True):
        pattern = rf"(?m)^\W*{re.escape(name)}\s.*?(\d\.\d{{3,}}|\d\.0)"
        match = re.search(pattern, output)
        found[canonical] = float(match[1]) if match else math.nan
    return found


def measure(name: str, options: argparse.Namespace) -> list[str]:
    # in a process of its own: a child's peak memory is never told below that of its parent
    with multiprocessing.get_context("spawn").Pool(1) as apart:
        qrels, run = apart.apply(make, (DATA_SETS[name], options.data))
    present = tools(options)
    turns: dict[str, list[Turn]] = {tool.name: [] for tool in present}
    for _ in range(options.turns):
        for tool in present:
            turns[tool.name].append(turn(tool.line(qrels, run)))
    seen = {tool.name: values(tool, turns[tool.name][0].output) for tool in present}
    first = present[0].name
    for tool in present[1:]:
        if any(not abs(seen[tool.name][m] - seen[first][m]) < _ROUNDED for m in MEASURES):
            print(
                f"{name}: {tool.name} says {seen[tool.name]}, {first} {seen[first]}",
                file=sys.stderr,
            )
    size = run.stat().st_size / 1e6
    best = {tool: min(t.wall for t in all_turns) for tool, all_turns in turns.items()}
    cpu = {tool: min(t.cpu for t in all_turns) for tool, all_turns in turns.items()}
    return [
        f"| {name} ({DATA_SETS[name].lines:,} lines, {size:.0f} MB) | {tool} "
        f"| {best[tool]:.2f} | {best[first] / best[tool]:.2f} "
        f"| {cpu[tool]:.2f} | {cpu[first] / cpu[tool]:.2f} "
        f"| {max(t.megabytes for t in turns[tool]):.0f} |"
        for tool in turns
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--trec-eval", metavar="PATH", help="a trec_eval built with -O3")
    parser.add_argument("--peers", action="store_true", help="pytrec_eval and ir_measures too")
    parser.add_argument("--ranx-python", metavar="PATH", help="a Python that has ranx")
    parser.add_argument("--data", type=Path, default=Path(tempfile.gettempdir()) / "tophit-scale")
    parser.add_argument("--data-sets", nargs="+", default=["A", "C"], choices=list(DATA_SETS))
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    print("| data | tool | wall, s | times as fast | processors, s | times less | peak, MB |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in options.data_sets:
        print("\n".join(measure(name, options)), flush=True)


if __name__ == "__main__":
    main()
