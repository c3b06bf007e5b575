"""How large a page of many questions is, and how quickly a browser opens and scrolls it.

    python benchmarks/report.py --questions 10000

Makes questions with places of noise, one of which may hold the answer, writes the page and opens it
in the Chromium of this machine, as tests/browser does. Opening is from the request to the list on
the screen; scrolling goes through the whole list in 120 frames.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path

import polars as pl
from playwright.sync_api import Page, sync_playwright

import tophit
from tophit.evaluation.record import evaluation_record
from tophit.relations import Questions, Run
from tophit.report.html.detail import details_of
from tophit.report.html.results import result_html

PLACES = 20
WORDS = ("chunk", "window", "answer", "passage", "index", "model", "query", "rank", "score", "text")
CHROMIUM = "/usr/bin/chromium"
SCROLL = """() => new Promise((done) => {
  const list = document.getElementById('list');
  const times = [];
  let last = performance.now();
  const step = (now) => {
    times.push(now - last);
    last = now;
    list.scrollTop = (list.scrollHeight * times.length) / 120;
    if (times.length < 120) requestAnimationFrame(step);
    else done(times.slice(1).sort((a, b) => a - b));
  };
  requestAnimationFrame(step);
})"""


def made(questions: int, *, tokens: int) -> tuple[Questions, Run]:
    """Questions, and a run whose texts are all different; four in five answers are somewhere."""
    draw = random.Random(0)
    ids = [f"q{number:06}" for number in range(questions)]
    answers = [f"the answer to {query} is {draw.random():.12f}" for query in ids]
    rows = []
    for query, answer in zip(ids, answers, strict=True):
        held = draw.randrange(PLACES * 5 // 4)
        for rank in range(PLACES):
            noise = " ".join(draw.choices(WORDS, k=tokens)) + f" {draw.random():.9f}"
            text = f"{noise} {answer}." if rank == held else noise
            rows.append((query, f"{query}-{rank}", rank + 1, 1 / (rank + 1), text))
    asked = pl.DataFrame({"query_id": ids, "question": [f"What of {query}?" for query in ids]})
    judged = pl.DataFrame({"query_id": ids, "item_id": ids, "grade": 1.0, "text": answers})
    columns = ["query_id", "chunk_id", "rank", "score", "text"]
    run = Run(retrieved=pl.DataFrame(rows, schema=columns, orient="row"), name="made")
    return Questions(queries=asked, judgments=judged), run


def opened(page: Page, file: Path) -> tuple[float, float]:
    """Seconds until the list is on the screen, and until a question has all its places."""
    start = time.perf_counter()
    page.goto(file.as_uri())
    page.wait_for_selector("#list .row")
    listed = time.perf_counter() - start
    page.wait_for_selector("html[data-ready=yes]")
    return listed, time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=int, default=10_000)
    parser.add_argument("--tokens", type=int, default=100, help="of each of the 20 chunks")
    chosen = parser.parse_args()
    asked, run = made(chosen.questions, tokens=chosen.tokens)
    scoring = time.perf_counter()
    result = tophit.evaluate(asked, run, name="made")
    scored = time.perf_counter() - scoring
    start = time.perf_counter()
    details = details_of(asked, {"made": run}, [result])
    html = result_html(evaluation_record([result]), details)
    seconds = time.perf_counter() - start
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "page.html"
        file.write_text(html, encoding="utf-8")
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        times = [opened(page, file) for _ in range(5)]
        frames = page.evaluate(SCROLL)
        browser.close()
    print(f"{chosen.questions:,} questions with {PLACES} places of {chosen.tokens} tokens")
    print(f"scored in {scored:.1f} s, the page made in {seconds:.1f} s, {len(html) / 1e6:.1f} MB")
    for what, found in zip(("listed", "whole"), zip(*times, strict=True), strict=True):
        low, *_, high = sorted(found)
        print(f"{what} in {sorted(found)[2]:.2f} s (median of 5; {low:.2f} to {high:.2f})")
    print(f"frames while scrolling: median {frames[59]:.1f} ms, 95 % within {frames[112]:.1f} ms")


if __name__ == "__main__":
    main()
