"""Whatever the text: XML that parses, commands of one line, LaTeX without live characters."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

import tophit
from tophit.report.github import command
from tophit.report.junit import junit_parts
from tophit.report.latex import escaped
from tophit.report.misses import account

RESULT = tophit.evaluate({"q": ["a"]}, {}, measures="Hit@4")
# not st.text, which draws the marks as seldom as any other character
TEXTS = st.lists(st.sampled_from(":,%\r\n0AD2C3\\{}$&#_~^<>|-") | st.characters()).map("".join)
ACCOUNT = account(RESULT, tophit.diagnose({"q": ["a"]}, {}))


@given(TEXTS, TEXTS, TEXTS)
def test_xml_of_any_unicode_can_be_parsed(name, query, question):
    row = {"query_id": [query], "question": [question], "value": [0.0], "outcome": ["cut"],
           "why": [question], "piece": [name], "missing_before": [None],
           "missing_after": [query], "line": [1]}  # fmt: skip
    types = {"missing_before": pl.String}
    found = replace(
        ACCOUNT, questions=pl.DataFrame(row, schema_overrides=types), source=name,
        result=replace(RESULT, name=name),
    )  # fmt: skip
    root = ElementTree.fromstring("".join(junit_parts([found])).encode())
    assert root.get("tests") == "1"


@given(TEXTS, TEXTS)
def test_a_command_is_one_line_and_can_be_read_back(title, message):
    line = command("error", message, {"title": title})
    assert "\n" not in line
    assert "\r" not in line
    properties, data = re.fullmatch(r"::error title=([^:,]*)::(.*)", line, re.S).groups()
    unescape = {"%0A": "\n", "%0D": "\r", "%3A": ":", "%2C": ",", "%25": "%"}

    def back(text: str, marks: list[str]) -> str:
        return re.sub("|".join(marks), lambda found: unescape[found.group()], text)

    assert back(properties, list(unescape)) == title
    assert back(data, ["%0A", "%0D", "%25"]) == message


@given(TEXTS)
def test_latex_text_is_one_line_without_a_live_character(text):
    shown = escaped(text)
    assert "\n" not in shown
    known = r"\\(?:text(?:backslash|asciitilde|asciicircum|less|greater|bar)\{\}|[&%$#_{}])|-\{\}"
    assert not set(re.sub(known, "", shown)) & set("\\&%$#_{}~^<>|")
