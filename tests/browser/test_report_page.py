"""The HTML page in a real browser: what a person sees, clicks and types."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest
from axe_playwright_python.sync_playwright import Axe

import tophit
from tophit.evaluation.record import evaluation_record, result_record
from tophit.relations import Questions, Run
from tophit.report.html.detail import details_of
from tophit.report.html.results import result_html

PHONE, DESK = (360, 740), (1400, 900)
LOOKS = [(PHONE, False), (PHONE, True), (DESK, False), (DESK, True)]
MANY = 600
OLD, NEW = "splitter-of-last-year-800-bm25", "recursive-splitter-400-overlap-50-bm25"
ELEMENT = "The late fee is 8 euros a day. It is never more than the price of the bike."
HELD = "The late fee is 8 euros a day."
EVIL = "<img src=x onerror=alert(1)></script><script>alert(2)</script> \u202eabc \x1b[31m \"'&"


def questions() -> Questions:
    """Three to read, one without an answer, one hostile, and many more."""
    ids = ["cut", "found", "late", "none", "evil", *(f"q{number:04}" for number in range(MANY))]
    texts = ["How much is it?", "Where is it?", "When is it?", "Why not?", EVIL]
    asked = pl.DataFrame(
        {
            "query_id": ids,
            "question": [*texts, *(f"What about number {number}?" for number in range(MANY))],
            "tag.topic": ["fees", "shop", "shop", None, EVIL, *["rest"] * MANY],
        }
    )
    expected = {"cut": ELEMENT, "found": "in the old town", "late": "at ten o’clock", "evil": EVIL}
    expected |= {f"q{number:04}": f"answer number {number} stands here" for number in range(MANY)}
    judgments = pl.DataFrame(
        {
            "query_id": list(expected),
            "item_id": [f"{query}-1" for query in expected],
            "grade": [1.0] * len(expected),
            "text": list(expected.values()),
        }
    )
    return Questions(queries=asked, judgments=judgments)


def run(name: str, *, shift: int = 0) -> Run:
    """Noise, and what holds the answers at some of the places."""
    holds = {
        "cut": {2: f"Fees and more. {HELD}"},
        "found": {1 + shift: "The shop is IN  the old town. 😀 Ring twice."},
        "late": {6: "It opens at ten o'clock."},
        "evil": {3: EVIL},
    }
    for number in range(0, MANY, 3):
        holds[f"q{number:04}"] = {1 + number % 9: f"Here: answer number {number} stands here."}
    rows = [
        (query, f"{query}-{rank}", rank, 1.0 / rank, text, "page.md", len(text.split()))
        for query in questions().queries["query_id"]
        for rank in range(1, 11)
        for text in [holds.get(query, {}).get(rank, f"Nothing of note about {query}, {rank}.")]
    ]
    columns = ["query_id", "chunk_id", "rank", "score", "text", "doc_id", "tokens"]
    return Run(retrieved=pl.DataFrame(rows, schema=columns, orient="row"), name=name)


@pytest.fixture(scope="session")
def evaluation(tmp_path_factory) -> Path:
    asked, retrieved = questions(), run("bm25")
    result = tophit.evaluate(asked, retrieved, name="bm25")
    details = details_of(asked, {"bm25": retrieved}, [result])
    page = tmp_path_factory.mktemp("page") / "evaluation.html"
    page.write_text(result_html(evaluation_record([result]), details), encoding="utf-8")
    return page


@pytest.fixture(scope="session")
def comparison(tmp_path_factory) -> Path:
    asked, runs = questions(), {OLD: run(OLD), NEW: run(NEW, shift=5)}
    details = details_of(asked, runs)
    record = result_record("comparison", tophit.compare(asked, runs))
    page = tmp_path_factory.mktemp("page") / "comparison.html"
    page.write_text(result_html(record, details), encoding="utf-8")
    return page


def rows(page) -> list[str]:
    """The ids of the rows in sight, from top to bottom."""
    found = page.locator("#list .row").all()
    placed = sorted((int(row.get_attribute("data-at")), row) for row in found)
    return [row.locator(".id").inner_text() for _, row in placed]


def count(page) -> str:
    return page.locator("#count").inner_text()


def select(page, label: str, option: str) -> None:
    page.get_by_label(label, exact=True).select_option(label=option)


# ------------------------------------------------------------------------------ the file


@pytest.mark.parametrize("which", ["evaluation", "comparison"])
@pytest.mark.parametrize(("size", "dark"), LOOKS)
def test_it_opens_from_a_disk_quietly_and_fits(request, opened, which, size, dark):
    file = request.getfixturevalue(which)
    found = opened(file, size=size, dark=dark)
    assert found.said == []
    assert found.asked == [file.as_uri()]
    assert found.page.locator("#trouble").is_hidden()
    across = found.page.evaluate("document.documentElement.scrollWidth")
    assert across <= size[0]


# each look once: axe takes seconds
@pytest.mark.parametrize(
    ("which", "size", "dark"),
    [
        ("evaluation", PHONE, False),
        ("evaluation", DESK, True),
        ("comparison", DESK, False),
        ("comparison", PHONE, True),
    ],
)
def test_axe_finds_nothing(request, opened, which, size, dark):
    found = opened(request.getfixturevalue(which), link="#q=cut", size=size, dark=dark)
    for closed in found.page.locator("details").all():
        closed.evaluate("each => { each.open = true; }")
    broken = Axe().run(found.page).response["violations"]
    told = [f"{each['id']}: {each['nodes'][0]['html'][:200]}" for each in broken]
    assert told == []


def test_dark_and_light_differ(opened, evaluation):
    colours = {
        opened(evaluation, dark=dark).page.evaluate("getComputedStyle(document.body).color")
        for dark in (False, True)
    }
    assert len(colours) == 2


def test_every_picture_is_drawn_and_its_numbers_can_be_copied(opened, evaluation):
    page = opened(evaluation).page
    figures = page.locator("figure")
    assert figures.count() == 2
    for figure in figures.all():
        assert figure.locator("canvas").evaluate(
            "each => each.getContext('2d').getImageData(0, 0, each.width, each.height)"
            ".data.some((value) => value > 0)"
        )
        figure.locator("summary").click()
        button = figure.get_by_role("button", name="Copy the table")
        button.click()
        figure.get_by_role("button", name="Copied").wait_for()
    page.context.grant_permissions(["clipboard-read"])
    assert page.evaluate("navigator.clipboard.readText()").startswith("rank\twithin k\tbeyond k")


def test_without_the_library_the_numbers_are_there(opened, evaluation, tmp_path):
    plain = tmp_path / "plain.html"
    text = evaluation.read_text(encoding="utf-8")
    without = re.sub(r"<script>/\* uPlot.*?</script>", "", text, flags=re.DOTALL)
    assert len(without) < len(text) - 40_000
    plain.write_text(without, encoding="utf-8")
    page = opened(plain).page
    assert page.locator("figure table").first.is_visible()
    assert page.locator("canvas").count() == 0


def test_it_prints_the_first_screen_and_the_open_question(opened, evaluation):
    page = opened(evaluation, link="#q=cut").page
    page.emulate_media(media="print")
    assert page.locator(".headline").is_visible()
    assert page.locator("#question").is_visible()
    assert page.locator("#list").is_hidden()
    assert len(page.pdf()) > 10_000


# ------------------------------------------------------------------------------ the list


def test_filters_and_search_narrow_the_list(opened, evaluation):
    page = opened(evaluation).page
    assert count(page) == f"{MANY + 5} questions"
    page.locator("[data-chip=late]").click()
    late = count(page)
    assert late.endswith(f"of {MANY + 5} questions")
    select(page, "topic", "shop")
    assert rows(page) == ["late"]
    page.get_by_role("button", name="Clear").click()
    page.get_by_label("Search").fill("WHAT q0017")
    assert rows(page) == ["q0017"]
    page.get_by_label("Search").fill("never more than")
    assert rows(page) == ["cut"]
    page.get_by_label("Search").fill("nothing has these words")
    assert rows(page) == []


def test_an_outcome_of_the_bar_lists_its_questions(opened, evaluation):
    page = opened(evaluation).page
    page.locator(".legend [data-outcome=late]").click()
    assert page.locator("[data-chip=late]").get_attribute("aria-pressed") == "true"
    assert {row.inner_text() for row in page.locator("#list .what").all()} == {"late"}


def test_sorting(opened, evaluation):
    page = opened(evaluation).page
    assert rows(page)[:3] == ["cut", "found", "late"]
    select(page, "Sort by", "rank of the first hit")
    assert rows(page)[:2] == ["found", "q0000"]
    select(page, "Sort by", "id")
    page.get_by_role("button", name="reverse").click()
    assert rows(page)[0] == f"q{MANY - 1:04}"


def test_only_rows_in_sight_are_in_the_page(opened, evaluation):
    page = opened(evaluation).page
    assert page.locator("#list .row").count() < 40
    page.locator("#list").evaluate("list => { list.scrollTop = list.scrollHeight; }")
    page.wait_for_selector(f"#row-{MANY + 4}")
    assert rows(page)[-1] == f"q{MANY - 1:04}"
    assert page.locator("#list .row").count() < 40


# ------------------------------------------------------------------------------ a question


def test_a_link_opens_its_question(opened, evaluation):
    page = opened(evaluation, link="#q=q0555").page
    assert page.locator("#question").inner_text() == "What about number 555?"
    assert page.locator("[aria-selected=true] .id").inner_text() == "q0555"
    page.evaluate("location.hash = '#q=late'")
    page.wait_for_function("document.getElementById('question').textContent === 'When is it?'")
    page.evaluate("location.hash = '#q=nobody'")
    assert page.locator("#question").inner_text() == "When is it?"


def test_opening_a_question_changes_the_address(opened, evaluation):
    page = opened(evaluation).page
    page.locator("#row-2").click()
    assert page.url.endswith("#q=late")
    assert page.locator("#question").inner_text() == "When is it?"


def test_the_held_piece_is_marked_where_the_matcher_found_it(opened, evaluation):
    page = opened(evaluation, link="#q=cut").page
    element, place = page.locator(".expected li"), page.locator(".places [data-rank='2']")
    assert element.locator("mark").inner_text() == HELD
    assert element.locator(".missing").inner_text().strip() == ELEMENT.removeprefix(HELD).strip()
    assert place.locator("mark").inner_text() == HELD
    assert "cut here" in place.inner_text()
    assert "holds 40 % of it" in place.inner_text()
    assert page.locator(".places mark").count() == 1


def test_marks_are_counted_in_characters_of_the_text_as_given(opened, evaluation):
    page = opened(evaluation, link="#q=found").page
    # two blanks and capitals: folded for matching, shown as they are
    assert page.locator(".places mark").evaluate("mark => mark.textContent") == "IN  the old town"


def test_k_is_a_line_across_the_list(opened, evaluation):
    page = opened(evaluation, link="#q=late").page
    told = [each.inner_text().split("\n")[0] for each in page.locator(".places > li").all()]
    assert told[:4] == ["1", "2", "3", "4"]
    assert told[4].startswith("k = 4")
    assert told[5] == "5"
    for fact in ("score", "tokens", "page.md"):
        assert fact in page.locator(".places [data-rank='6']").inner_text()


def test_hostile_texts_are_shown_and_do_nothing(opened, evaluation):
    found = opened(evaluation, link="#q=evil")
    shown = found.page.locator("#question").inner_text()
    assert shown.startswith("<img src=x onerror=alert(1)></script><script>alert(2)</script>")
    assert "␛[31m" in shown
    assert found.said == []
    assert found.page.locator("#detail img, #detail script").count() == 0
    assert found.page.locator(".places mark").first.inner_text().startswith("<img")


def test_a_question_without_an_answer_says_so(opened, evaluation):
    page = opened(evaluation, link="#q=none").page
    assert "no answer on purpose" in page.locator("#detail").inner_text()


def test_the_keyboard_alone(opened, evaluation):
    page = opened(evaluation).page
    page.keyboard.press("/")
    page.keyboard.type("number 1")
    assert page.locator("#search").input_value() == "number 1"
    page.locator("#list").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    chosen = page.locator("#list").get_attribute("aria-activedescendant")
    assert page.locator(f"#{chosen} .id").inner_text() == "q0010"
    page.keyboard.press("End")
    assert page.locator("[aria-selected=true] .id").inner_text() == "q0591"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "question"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "list"
    # from the top to the list and the question by Tab alone
    page.reload()
    page.wait_for_selector("html[data-ready=yes]")
    reached = set()
    for _ in range(80):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id"))
    assert {"search", "list", "detail"} <= reached


def test_on_a_phone_a_question_takes_the_place_of_the_list(opened, evaluation):
    page = opened(evaluation, size=PHONE).page
    assert page.locator("#detail").is_hidden()
    page.locator("#row-1").click()
    assert page.locator("#list").is_hidden()
    assert page.locator("#question").inner_text() == "Where is it?"
    page.get_by_role("button", name="Back to the list").click()
    assert page.locator("#list").is_visible()


# ------------------------------------------------------------------------------ two runs


def test_two_runs_stand_side_by_side(opened, comparison):
    page = opened(comparison, link="#q=found").page
    assert [side.get_attribute("data-run") for side in page.locator(".side").all()] == [OLD, NEW]
    assert "whole at rank 1" in page.locator(".side").first.inner_text()
    assert "whole at rank 6" in page.locator(".side").last.inner_text()


def test_won_and_lost(opened, comparison):
    page = opened(comparison).page
    select(page, "Won or lost", "lost")
    assert rows(page) == ["found"]
    assert page.locator("#list .what").inner_text() == "found → late"
    assert page.locator("#list .at").inner_text() == "1 → 6"
    select(page, "Won or lost", "won")
    assert rows(page) == []
