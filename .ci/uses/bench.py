"""Splitting, BM25 and the whole of `bench`, on two pages."""

import subprocess
import sys
from pathlib import Path

Path("pages").mkdir(exist_ok=True)
Path("pages/a.md").write_text("# Loans\n\nA loan lasts three weeks. " + "Books are lent. " * 40)
Path("pages/b.md").write_text("# Fees\n\nA lost card costs five crowns. " + "Fees are due. " * 40)
Path("asked.jsonl").write_text(
    '{"id": "q1", "question": "How long is a loan?", "expected": ["A loan lasts three weeks."]}\n'
    '{"id": "q2", "question": "What costs a lost card?", "expected": ["costs five crowns"]}\n'
)
tool = Path(sys.executable).with_name("tophit")
for arguments in (
    "split pages -o chunks.jsonl --splitter markdown --size 50",
    "retrieve chunks.jsonl asked.jsonl -o found.jsonl",
    "eval asked.jsonl found.jsonl --fail-under Hit@4=1",
    "bench pages asked.jsonl -o table --size 50 --size 100 --splitter recursive --splitter tokens",
):
    subprocess.run([tool, *arguments.split()], check=True, stdout=subprocess.DEVNULL)
