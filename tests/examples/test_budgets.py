"""Token budgets: the first chunks that fit into so many tokens together."""

from __future__ import annotations

import polars as pl
import pytest

import tophit
from tophit.errors import InputError, MissingExtraError, UsageError

MEASURES = (
    "Hit@10tok Hit@9tok All@15tok MRR@10tok Recall@15tok Precision@15tok F1@15tok MAP@15tok "
    "nDCG@15tok ERR@15tok RBP@10tok Judged@15tok Partial@10tok"
)


def judged(**items):
    rows = [(query, item, 1.0) for query, ids in items.items() for item in ids]
    return pl.DataFrame(rows, schema=["query_id", "item_id", "grade"], orient="row")


def run(**places):
    """Places as (chunk, tokens)."""
    rows = [
        (query, chunk, rank, tokens)
        for query, chunks in places.items()
        for rank, (chunk, tokens) in enumerate(chunks, 1)
    ]
    return pl.DataFrame(rows, schema=["query_id", "chunk_id", "rank", "tokens"], orient="row")


# q1: a fits into 5, x into 8, b ends at 12. q2: nothing fits into 10. q3: exactly 10.
QUESTIONS = judged(q1=["a", "b"], q2=["a"], q3=["b"], q4=["a"])
RUN = run(
    q1=[("a", 5), ("x", 3), ("b", 4), ("y", 9)],
    q2=[("a", 40), ("b", 1)],
    q3=[("x", 4), ("b", 6), ("y", 1)],
)


def test_every_cut_measure_on_every_engine(engine):
    result = tophit.evaluate(engine.frame(QUESTIONS), engine.frame(RUN), measures=MEASURES)
    scores = engine.collect(result.scores).sort("query_id")
    assert scores["Hit@10tok"].to_list() == [1, 0, 1, 0]
    assert scores["Hit@9tok"].to_list() == [1, 0, 0, 0]
    assert scores["All@15tok"].to_list() == [1, 0, 1, 0]
    assert scores["MRR@10tok"].to_list() == [1, 0, 0.5, 0]
    assert scores["Recall@15tok"].to_list() == [1, 0, 1, 0]
    # three chunks fit: q1 has 5 + 3 + 4, q3 has 4 + 6 + 1
    assert scores["Precision@15tok"].to_list() == pytest.approx([2 / 3, 0, 1 / 3, 0])
    assert scores["F1@15tok"].to_list() == pytest.approx([0.8, 0, 0.5, 0])
    assert scores["MAP@15tok"].to_list() == pytest.approx([(1 + 2 / 3) / 2, 0, 0.5, 0])
    assert scores["Judged@15tok"].to_list() == pytest.approx([2 / 3, 0, 1 / 3, 0])
    assert scores["Partial@10tok"].to_list() == [1, 0, 1, 0]
    assert scores["nDCG@15tok"].to_list()[1:] == pytest.approx([0, 0.6309297535714575, 0])
    assert result.questions.without_results == 1


def test_the_first_chunk_that_does_not_fit_ends_the_list():
    """b alone would fit behind the one that does not."""
    found = tophit.evaluate(
        judged(q=["b"]), run(q=[("a", 3), ("x", 50), ("b", 1)]), measures="Hit@10tok Hit@54tok"
    )
    assert [score.value for score in found.values()] == [0, 1]


def test_the_ideal_of_ndcg_has_as_many_places_as_fit():
    places = run(q=[("a", 5), ("x", 5), ("b", 5)])
    found = tophit.evaluate(
        judged(q=["a", "b", "c"]), places, measures="nDCG@5tok nDCG@1 nDCG@10tok nDCG@2"
    )
    assert found["nDCG@5tok"].value == found["nDCG@1"].value == 1
    assert found["nDCG@10tok"].value == found["nDCG@2"].value < 1


@pytest.mark.parametrize(("budget", "k"), [(5, 1), (11, 2), (15, 3)])
def test_equal_chunks_make_a_budget_a_cutoff(budget, k):
    places = run(q1=[(chunk, 5) for chunk in "axbcd"], q2=[(chunk, 5) for chunk in "yxbac"])
    names = ("Hit", "Recall", "Precision", "MAP", "nDCG", "MRR", "RBP", "ERR", "Judged", "All")
    found = tophit.evaluate(
        judged(q1=["a", "b"], q2=["c", "a"]),
        places,
        measures=[f"{name}@{cut}" for name in names for cut in (f"{budget}tok", k)],
    )
    for name in names:
        assert found[f"{name}@{budget}tok"].value == found[f"{name}@{k}"].value, name


class TestCounting:
    TEXTS = pl.DataFrame(
        {
            "query_id": ["q"] * 3,
            "chunk_id": ["x", "y", "a"],
            "rank": [1, 2, 3],
            "text": ["hello world", "<|endoftext|>", "one two three"],
        }
    )

    def test_texts_are_counted(self, engine):
        """2 + 7 + 3 tokens of cl100k_base."""
        found = tophit.evaluate(
            engine.frame(judged(q=["a"])),
            engine.frame(self.TEXTS),
            measures="Hit@11tok Hit@12tok",
            match="ids",
        )
        assert [score.value for score in found.values()] == [0, 1]

    def test_the_runs_own_tokens_come_first(self):
        places = self.TEXTS.with_columns(tokens=pl.Series([100, None, 1]))
        found = tophit.evaluate(
            judged(q=["a"]), places, measures="Hit@107tok Hit@108tok", match="ids"
        )
        assert [score.value for score in found.values()] == [0, 1]

    def test_another_tokenizer(self, tmp_path):
        tokenizers = pytest.importorskip("tokenizers")
        words = tokenizers.Tokenizer(tokenizers.models.WordLevel({"u": 0}, unk_token="u"))
        words.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
        words.save(str(tmp_path / "tokenizer.json"))
        found = tophit.evaluate(
            judged(q=["a"]),
            self.TEXTS,
            measures="Hit@5tok Hit@6tok",
            match="ids",
            tokenizer=str(tmp_path / "tokenizer.json"),
        )
        assert [score.value for score in found.values()] == [0, 1]

    def test_an_unknown_tokenizer(self):
        with pytest.raises((UsageError, MissingExtraError), match="unknown tokenizer 'gpt-9'"):
            tophit.evaluate(
                judged(q=["a"]), self.TEXTS, measures="Hit@5tok", match="ids", tokenizer="gpt-9"
            )

    def test_neither_tokens_nor_texts(self):
        with pytest.raises(InputError) as caught:
            tophit.evaluate(judged(q=["a"]), RUN.drop("tokens"), measures="Hit@5tok")
        assert str(caught.value) == (
            "run, tokens: expected a count, or a text to count, on every place, for a token "
            "budget, found neither on 9 of 9 places, first at rank 1 of 'q1'"
        )

    def test_one_place_without_either(self):
        places = self.TEXTS.with_columns(text=pl.Series(["hello world", None, "one"]))
        with pytest.raises(InputError, match="neither on 1 of 3 places, first at rank 2 of 'q'"):
            tophit.evaluate(judged(q=["a"]), places, measures="Hit@5tok", match="ids")

    def test_no_budget_needs_no_tokens(self):
        assert tophit.evaluate(judged(q1=["a"]), RUN.drop("tokens"))["Hit@4"].value == 1


def test_covered_within_a_budget():
    texts = ["abcde fghij", "klmno last", "other words"]
    places = pl.DataFrame(
        {"query_id": ["q"] * 3, "chunk_id": ["1", "2", "3"], "rank": [1, 2, 3], "text": texts,
         "tokens": [4, 4, 4]}
    )  # fmt: skip
    questions = pl.DataFrame({"query_id": ["q"], "item_id": ["e"], "text": ["abcde fghij klmno"]})
    found = tophit.evaluate(
        questions, places, measures="Covered@7tok Covered@8tok Density@8tok Coverage@4tok"
    )
    assert [score.value for score in found.values()] == pytest.approx([0, 1, 16 / 21, 11 / 17])


class TestSeveralItemsInOneChunk:
    """The j-th item found stands at max(rank, j), and a budget cuts there as a cutoff does."""

    JUDGED = judged(q=["e1", "e2"]).with_columns(chunk_id=pl.lit("c"))

    @pytest.mark.parametrize("name", ["nDCG", "MAP", "ERR", "Recall", "Precision"])
    def test_one_place_of_ten_tokens(self, engine, name):
        result = tophit.evaluate(
            engine.frame(self.JUDGED),
            engine.frame(run(q=[("c", 10), ("x", 10)])),
            measures=f"{name}@10tok {name}@1",
        )
        budget, place = [score.value for score in result.values()]
        assert budget == place <= 1

    def test_ranks_with_a_gap(self):
        """The second of the places that fit stands at rank 3."""
        places = run(q=[("x", 5), ("y", 5), ("c", 5)]).filter(pl.col("chunk_id") != "y")
        found = tophit.evaluate(self.JUDGED, places, measures="MAP@10tok MAP@3 P@10tok P@3")
        assert found["MAP@10tok"].value == found["MAP@3"].value == pytest.approx(1 / 2)
        assert found["Precision@10tok"].value == found["Precision@3"].value == pytest.approx(1 / 3)


def test_the_ideal_ranking_is_never_above_one():
    """Its gains, summed in another order, come to 1.0000000000000002 of the ideal."""
    grades = pl.DataFrame(
        {"query_id": "q", "item_id": list("abcde"), "grade": [2.7, 2.0, 2.7, 3.0, 1.3]}
    )
    found = tophit.evaluate(grades, {"q": ["d", "c", "a", "b", "e"]}, measures="nDCG")
    assert found.scores["nDCG"][0] <= 1
