"""Settings: at every door, in every fingerprint, and compared wherever scores are."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import tophit
from tophit import Settings, UsageError, compare, diagnose, evaluate
from tophit.cli.commands import tophit as cli
from tophit.comparison import compare_results
from tophit.gates import check_against, freeze
from tophit.gates.baseline import baseline_from
from tophit.settings import Folding, MatchOptions, Options, RankOptions

QUESTIONS = [
    {"id": "q1", "question": "Who?", "expected": [{"id": "q1.0", "text": "A **bold** plan"}],
     "tags": {"topic": "x"}},
    {"id": "q2", "question": "What?", "expected": [{"id": "q2.9", "text": "a red cat"}],
     "tags": {"topic": "x"}},
    {"id": "q3", "question": "Which?", "expected": [{"text": "a dog", "grade": 2}],
     "tags": {"topic": "y"}},
    {"id": "q4", "question": "Never?", "expected": [{"text": "a bird", "grade": 0}],
     "tags": {"topic": "y"}},
]  # fmt: skip
PLACES = {
    "q1": ["It was a bold plan."],
    "q2": ["antidisestablishmentarianism", "A Red Cat sat"],
    "q3": ["no", "no", "a dog sat"],
    "q4": ["no"],
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    Path("q.jsonl").write_text("".join(json.dumps(q) + "\n" for q in QUESTIONS))
    rows = [
        {"id": query, "retrieved": [{"id": f"{query}.{n}", "text": text, "tokens": None}
                                    for n, text in enumerate(texts)]}
        for query, texts in PLACES.items()
    ]  # fmt: skip
    Path("r.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def scored(**options: Any) -> tophit.Result:
    return evaluate("q.jsonl", "r.jsonl", measures="Hit MRR Hit@5tok", **options)


def tophit_cli(*arguments: str) -> Any:
    return CliRunner().invoke(cli, list(arguments))


# option -> a value that changes what is scored over the data above
CHANGES: dict[str, Any] = {
    "k": 1,
    "depth": 1,
    "match": "ids",
    "match_exact": True,
    "match_letters": True,
    "strip_markup": True,
    "min_grade": 2,
    "population": "trec_eval",
    "tokenizer": "tokenizer.json",
    "level": 0.5,
    "cluster": "topic",
}


def word_tokenizer() -> None:
    """Counts a token a word, so that more chunks fit into a budget."""
    tokenizers = pytest.importorskip("tokenizers")
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel({"x": 0}, unk_token="x"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    made.save("tokenizer.json")


@pytest.mark.parametrize("name", CHANGES)
def test_a_setting_that_changes_a_score_changes_the_fingerprint(folder, name):
    if name == "tokenizer":
        word_tokenizer()
    plain, other = scored(), scored(**{name: CHANGES[name]})
    assert dict(plain.measures) != dict(other.measures)
    assert plain.fingerprints["settings"] != other.fingerprints["settings"]
    assert plain.fingerprints["questions"] == other.fingerprints["questions"]
    changed = [change.name for change in other.settings.differences_to(plain.settings)]
    assert changed == ([] if name == "k" else [name])


def test_every_setting_has_a_case_here_and_a_keyword() -> None:
    assert sorted(CHANGES) == sorted(Settings().options) == sorted(Options.__annotations__)
    assert len(Settings().options) == len(fields(Settings)) - 1 + len(fields(Folding))


def test_the_schema_of_the_json_output_has_every_setting() -> None:
    schema = json.loads((Path(__file__).parents[2] / "docs" / "schema.json").read_text("utf-8"))
    described = schema["$defs"]["settings"]
    assert described["required"] == list(described["properties"]) == list(Settings().options)


def command_options(name: str) -> set[str]:
    return {option.name for option in cli.get_command(None, name).params}


@pytest.mark.parametrize(
    ("command", "takes"),
    [
        ("eval", Options),
        ("baseline", Options),
        ("compare", Options),
        ("diagnose", RankOptions),
        ("check", MatchOptions),
    ],
)
def test_every_setting_is_an_option_of_the_command_line(command, takes):
    assert set(takes.__annotations__) <= command_options(command)


def test_every_setting_is_an_option_of_the_pytest_plugin() -> None:
    from tophit.pytest_plugin.call import _EVALUATE

    assert set(Options.__annotations__) <= set(_EVALUATE)


def test_every_setting_is_explained_where_it_is_taken() -> None:
    said = [line.split()[0] for line in (evaluate.__doc__ or "").splitlines() if line.split()]
    assert set(Options.__annotations__) <= set(said)


# ------------------------------------------------------------------------------ baselines


def folding_options(words: str) -> list[str]:
    return words.split()


@pytest.mark.parametrize(
    ("before", "now", "says"),
    [
        ("--match-exact", "--strip-markup",
         ["match_exact was True and is False", "strip_markup was False and is True"]),
        ("--strip-markup", "--match-exact", ["strip_markup was True and is False"]),
        ("", "--depth 1", ["depth was None and is 1"]),
        ("--depth 1", "", ["depth was 1 and is None"]),
        ("", "--match ids", ["match was text and is ids"]),
        ("", "--min-grade 2", ["min_grade was 1 and is 2"]),
        ("", "--population trec_eval", ["population was answerable and is trec_eval"]),
        ("", "--level 0.9", ["level was 0.95 and is 0.9"]),
        ("--cluster topic", "", ["cluster was topic and is None"]),
    ],
)  # fmt: skip
def test_a_baseline_with_other_settings_is_refused_by_name(folder, before, now, says):
    made = tophit_cli("baseline", "q.jsonl", "r.jsonl", "-o", "base.json", *before.split())
    assert made.exit_code == 0, made.output
    again = ["eval", "q.jsonl", "r.jsonl", "--against", "base.json"]
    refused = tophit_cli(*again, *now.split())
    assert refused.exit_code == 2
    assert all(text in refused.stderr for text in says)
    assert "base.json" in refused.stderr
    assert "--allow-different" in refused.stderr
    allowed = tophit_cli(*again, *now.split(), "--allow-different")
    assert allowed.exit_code in (0, 1)
    assert all(text in allowed.stderr for text in says)
    assert tophit_cli(*again, *before.split()).exit_code == 0


def test_a_baseline_that_does_not_say_its_settings_is_refused(folder):
    record = json.loads(freeze(scored(), version="0"))
    for name in ("match_exact", "strip_markup", "tokenizer", "level", "cluster"):
        del record["settings"][name]
    old = baseline_from(record, file="base.json")
    with pytest.raises(
        UsageError, match=r"another version of tophit wrote it, .* match_exact, str"
    ):
        check_against(scored(), old)
    assert [each.code for each in check_against(scored(), old, allow_different=True).warnings] == [
        "different_settings"
    ]


def test_a_setting_that_this_version_does_not_know_is_a_difference() -> None:
    [change] = Settings().differences_to({**Settings().options, "match_sound": True})
    assert str(change) == "match_sound was True and is unknown"


# ------------------------------------------------------------------------------ comparisons


@pytest.mark.parametrize("name", [name for name in CHANGES if name not in ("k", "tokenizer")])
def test_results_with_other_settings_are_not_compared(folder, name):
    plain, other = scored(name="a"), scored(name="b", **{name: CHANGES[name]})
    plain = replace(plain, measures={each: plain.measures[each] for each in other.measures})
    with pytest.raises(UsageError, match=f"a was scored with {name} .*, b with"):
        compare_results([plain, other])
    allowed = compare_results([plain, other], allow_different=True)
    assert "different_settings" in [each.code for each in allowed.warnings]


# ------------------------------------------------------------------------------ as one object


def test_settings_are_taken_whole_and_options_go_before_them(folder):
    exact = Settings(folding=Folding(exact=True), depth=2)
    assert (
        scored(settings=exact).settings.options
        == scored(match_exact=True, depth=2).settings.options
    )
    assert scored(settings=exact, depth=None).settings.depth is None
    runs = {"a": "r.jsonl", "b": "r.jsonl"}
    assert (
        compare("q.jsonl", runs, settings=exact).outcomes["a"]
        == diagnose("q.jsonl", "r.jsonl", settings=exact).outcomes
    )


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"k": 0}, "k=0: k must be a whole number of at least 1"),
        ({"depth": True}, "depth=True: depth must be a whole number"),
        ({"min_grade": float("nan")}, "min_grade must be a number, not nan"),
        ({"match": "txt"}, "unknown match 'txt'; did you mean text?"),
        ({"population": "all"}, "unknown population 'all'"),
        ({"match_exakt": True}, "unknown option 'match_exakt'; did you mean match_exact"),
    ],
)
def test_a_value_that_cannot_be_is_refused(options, says):
    with pytest.raises(UsageError, match="^" + says.replace("?", r"\?")):
        Settings.of(None, options)


def test_settings_of_another_kind_are_refused() -> None:
    with pytest.raises(UsageError, match=r"settings must be a tophit.Settings, not \{'k': 4\}"):
        evaluate({"q": ["a"]}, {"q": ["a"]}, settings={"k": 4})


def test_the_json_output_and_the_heading_say_the_settings(folder):
    done = tophit_cli(
        "eval", "q.jsonl", "r.jsonl", "--match-exact", "--depth", "3", "--json", "o.json"
    )
    assert ", match_exact, depth = 3" in done.stdout.replace("\n", " ")
    record = json.loads(Path("o.json").read_text())
    assert record["settings"] == {**Settings(depth=3, match="text").options, "match_exact": True}
