"""Abstention by hand: how it is known, the table and its rates, the threshold."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from tophit import InputError, Questions, Run, UsageError
from tophit.abstaining import (
    Phrases,
    abstention,
    abstentions,
    is_abstention,
    rates,
    read_phrases,
    separation,
    threshold,
)
from tophit.statistics import wilson

REFUSALS = """
I don't know.
I don’t know.
I do not know the answer to that question.
I'm sorry, but I don't know the answer.
Sorry. I could not find any information about that in the provided context.
I'm sorry, but the provided context does not contain information about the capital of Mars.
The context does not mention this.
Based on the provided context, there is no information about the refund policy.
Unanswerable
N/A
**I don't know.**
I cannot answer this question based on the provided documents.
I can't find that in the documentation. Please contact support.
I don't have enough information to answer that.
I am unable to find an answer. However, you can ask support.
The answer is not in the provided context.
That is not mentioned in the given passages.
Unfortunately, I don't know, but I can look it up for you.
This question cannot be answered from the context.
There is nothing in the context about that.
Das weiß ich leider nicht.
Diese Frage kann ich anhand des Kontexts nicht beantworten.
Leider enthält der Kontext keine Informationen dazu.
Es gibt im Kontext keine Angaben zur Höhe der Gebühr.
Im bereitgestellten Text wird das nicht erwähnt.
Je ne sais pas.
Désolé, je ne peux pas répondre à cette question.
Le contexte ne mentionne pas cette information.
No lo sé.
Lo siento, no puedo responder a esa pregunta.
El contexto no menciona la fecha.
Non lo so.
Il contesto non contiene informazioni su questo.
O contexto não menciona isso.
Ik kan deze vraag niet beantwoorden.
Kontekst nie zawiera tej informacji.
В контексте нет информации об этом.
К сожалению, я не могу ответить на этот вопрос.
Bağlamda bu konuda bilgi yok.
我不知道。
抱歉，我无法回答这个问题。
根据提供的上下文，没有提到相关信息。
わかりません。
申し訳ありませんが、その情報は文書に含まれていません。
제공된 문서에 해당 정보가 없습니다.
मुझे नहीं पता।
संदर्भ में इसकी जानकारी नहीं है।
لا أعرف.
لا توجد معلومات كافية في السياق.
""".strip().splitlines()

ANSWERS = """
I don't know of any bug here, and the answer is 42.
I don't know of any bug in that release, but the answer is 42.
I don't know for certain, but the limit is 5 MB per file.
I don't know what the exact limit was before, but since 2021 it is 5 MB per file.
The context does not mention the exact day. However, the company was founded in May 1998.
Ich weiß nicht, ob das immer gilt, aber laut Handbuch liegt die Grenze bei 5 MB.
我不清楚具体日期，但是公司成立于一九九八年五月，总部位于巴黎的第三区。
The policy does not mention a limit, so there is none.
The limit is 5 MB. The context does not mention exceptions.
Paris.
42
No.
No information is lost when you restart the service.
You cannot find the file there; it lives in /etc.
Users who don't know their password can reset it.
The server returns "unknown" when the host is missing.
Unknown error codes are ignored.
I could not be happier to help: the answer is Paris.
We don't have a refund policy; all sales are final.
There is no charge for returns.
Error 404 means that the page was not found.
The text says that he could not find his shoes.
Der Server kann die Datei nicht finden, wenn der Pfad falsch ist.
Ich weiß, dass der Wert 5 beträgt.
Ich kann nicht oft genug sagen: die Grenze ist 5 MB.
Es gibt keine Gebühren.
Il n'y a pas de frais.
No hay límite de tamaño.
Não há limite.
Нет, лимит составляет 5 МБ.
没有限制。
いいえ、制限はありません。
제한이 없습니다.
कोई सीमा नहीं है।
لا يوجد حد.
""".strip().splitlines()


@pytest.mark.parametrize("answer", REFUSALS)
def test_a_refusal_is_an_abstention(answer: str) -> None:
    assert is_abstention(answer)


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_is_none(answer: str) -> None:
    assert not is_abstention(answer)


@pytest.mark.parametrize("answer", ["", "  \n", "**"])
def test_an_empty_answer_is_an_abstention(answer: str) -> None:
    assert is_abstention(answer)


def test_the_phrases_can_be_replaced(tmp_path: Path) -> None:
    path = tmp_path / "phrases.txt"
    path.write_text("# ours\n\nno idea\nkeine? ahnung\n", encoding="utf-8")
    phrases = read_phrases(path)
    assert phrases.expressions == ("no idea", "keine? ahnung")
    assert is_abstention("Sorry, no  IDEA.", phrases=phrases)
    assert not is_abstention("I don't know.", phrases=phrases)
    path.write_text("# nothing\n", encoding="utf-8")
    with pytest.raises(InputError, match="expected a phrase on each line"):
        read_phrases(path)
    with pytest.raises(InputError) as refused:
        Phrases(["ok", "(", "["])
    assert len(refused.value.faults) == 2


def questions(answerable: list[str], unanswerable: list[str]) -> Questions:
    return Questions(
        queries=pl.DataFrame({"query_id": answerable + unanswerable}),
        judgments=pl.DataFrame(
            {
                "query_id": [*answerable, *unanswerable],
                "item_id": ["d"] * (len(answerable) + len(unanswerable)),
                "grade": [1.0] * len(answerable) + [0.0] * len(unanswerable),
            }
        ),
    )


def test_the_flag_comes_before_the_empty_list_and_that_before_the_text() -> None:
    asked = ["flag yes", "flag no", "empty", "text yes", "text no", "silent"]
    run = Run(
        retrieved=pl.DataFrame(
            {"query_id": [name for name in asked if name not in ("empty", "flag no")]}
        ).with_columns(chunk_id=pl.lit("c"), rank=pl.lit(1)),
        answers=pl.DataFrame(
            {
                "query_id": ["flag yes", "flag no", "empty", "text yes", "text no"],
                "answer": ["Paris", "I don't know.", "Paris", "I don't know.", "Paris"],
                "abstained": [True, False, None, None, None],
            }
        ),
    )
    found = {name: (flag, why) for name, flag, why in abstentions(run, pl.Series(asked)).rows()}
    assert found == {
        "flag yes": (True, "flag"),
        "flag no": (False, "flag"),
        "empty": (True, "empty"),
        "text yes": (True, "answer"),
        "text no": (False, "given"),
        "silent": (False, "given"),
    }
    spoken = abstention(questions(asked, []), run).warnings
    assert [(warning.code, warning.count) for warning in spoken] == [("answered_on_nothing", 1)]


def test_the_four_outcomes() -> None:
    asked = questions(["a1", "a2", "a3"], ["u1", "u2"])
    run = Run(
        retrieved=pl.DataFrame({"query_id": ["a1", "a2", "u2"]}).with_columns(
            chunk_id=pl.lit("d"), rank=pl.lit(1)
        )
    )
    found = abstention(asked, run)
    assert (found.right, found.unsupported, found.over_refusals, found.answered) == (1, 1, 1, 2)
    assert found.table is not None
    assert dict(found.table.select("query_id", "outcome").iter_rows()) == {
        "a1": "answered",
        "a2": "answered",
        "a3": "over-refusal",
        "u1": "right abstention",
        "u2": "unsupported answer",
    }


def test_a_run_that_cannot_show_abstention_is_warned_of() -> None:
    run = Run(retrieved=pl.DataFrame({"query_id": ["a"], "chunk_id": ["d"], "rank": [1]}))
    found = abstention(questions(["a"], []), run)
    assert [warning.code for warning in found.warnings] == ["no_answers"]


def test_the_rates_by_hand() -> None:
    found = rates(right=6, unsupported=2, over_refusals=3, answered=12)
    assert found.base_rate == 8 / 23
    expected = {
        "abstention_rate": (6 / 8, 8, 9 / 23),
        "over_refusal_rate": (3 / 15, 15, 9 / 23),
        "precision": (6 / 9, 9, 8 / 23),
        "recall": (6 / 8, 8, 9 / 23),
        "f1": (12 / 17, 11, 2 * 9 / 23 * 8 / 23 / (17 / 23)),
        "balanced_accuracy": ((6 / 8 + 12 / 15) / 2, 23, 0.5),
    }
    for name, (value, n, base) in expected.items():
        rate = found.rates[name]
        assert (rate.value, rate.n, rate.base) == (pytest.approx(value), n, pytest.approx(base))
        assert rate.low is not None
        assert rate.high is not None
        assert 0 <= rate.low < rate.value < rate.high <= 1
    precision = found.rates["precision"]
    assert (precision.low, precision.high) == wilson(6, 9)


def test_a_rate_over_no_question_is_0_with_n_0() -> None:
    only_answerable = rates(right=0, unsupported=0, over_refusals=0, answered=5)
    for name in ("abstention_rate", "precision", "recall", "f1", "balanced_accuracy"):
        rate = only_answerable.rates[name]
        assert (rate.value, rate.low, rate.high, rate.n, rate.base) == (0.0, None, None, 0, None)
    assert only_answerable.rates["over_refusal_rate"].n == 5
    nothing = rates(right=0, unsupported=0, over_refusals=0, answered=0)
    assert {rate.n for rate in nothing.rates.values()} == {0}


def test_a_threshold_by_hand() -> None:
    found = separation([0.9, 0.8, 0.6, 0.5], [0.7, 0.4], hit_scores=[0.9, 0.55, float("-inf"), 0.5])
    # of 8 pairs, 6 are in order: .9 and .8 beat both, .6 and .5 beat .4
    assert found.area == 6 / 8
    assert found.points["threshold"].to_list() == [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
    assert found.points["answered"].to_list() == [0.25, 0.5, 0.5, 0.75, 1, 1]
    assert found.points["unsupported"].to_list() == [0, 0, 0.5, 0.5, 0.5, 1]
    assert found.points["hit"].to_list() == [0.25, 0.25, 0.25, 0.25, 0.75, 0.75]
    # J is .5 at .8 and at .5: the lower threshold answers more
    assert (found.best.threshold, found.best.youden, found.hit) == (0.5, 0.5, 0.75)
    assert (found.best.hit, found.best.cost) == (0.75, 0.0)
    assert not found.separates


def test_ties_count_half() -> None:
    assert separation([0.5, 0.5], [0.5]).area == 0.5
    assert separation([0.7, 0.5], [0.5]).area == 0.75


def test_scores_that_separate_perfectly_keep_an_interval() -> None:
    found = separation([0.9] * 20, [0.1] * 20)
    assert (found.area, found.high, found.separates) == (1.0, 1.0, True)
    assert 0.8 < found.low < 0.9


def test_the_threshold_of_a_run_drops_chunks_and_so_costs_hits() -> None:
    asked = Questions(
        queries=pl.DataFrame({"query_id": ["a1", "a2", "a3", "u1", "u2"]}),
        judgments=pl.DataFrame(
            {"query_id": ["a1", "a2", "a3"], "item_id": ["x", "y", "z"], "grade": [1.0] * 3}
        ),
    )
    retrieved = pl.DataFrame(
        [
            ("a1", "x", 0.9),
            ("a2", "o", 0.8),
            ("a2", "y", 0.3),  # the hit stands below every useful threshold
            ("a3", "o", 0.7),
            ("a3", "o2", 0.65),
            ("a3", "z", 0.6),  # rank 3: beyond k = 2
            ("u1", "o", 0.4),
        ],
        schema=["query_id", "chunk_id", "score"],
        orient="row",
    )
    found = threshold(asked, Run(retrieved=retrieved), k=2)
    assert found.area == 1.0  # u2 has no results: it is never answered
    assert found.best.threshold == 0.7
    assert found.hit == pytest.approx(2 / 3)
    assert found.best.hit == pytest.approx(1 / 3)
    assert found.best.cost == pytest.approx(1 / 3)
    assert (found.n_answerable, found.n_unanswerable) == (3, 2)


def test_a_threshold_needs_scores_and_both_kinds_of_questions() -> None:
    asked = questions(["a"], ["u"])
    ranked = pl.DataFrame({"query_id": ["a"], "chunk_id": ["d"], "rank": [1]})
    with pytest.raises(InputError, match="score: expected a score on every chunk"):
        threshold(asked, Run(retrieved=ranked))
    scored = ranked.with_columns(score=pl.lit(0.5))
    with pytest.raises(UsageError, match="both kinds of questions: 1 answerable, 0 unanswerable"):
        threshold(questions(["a"], []), Run(retrieved=scored))
    with pytest.raises(UsageError, match="not a number"):
        separation([float("nan")], [0.5])
    assert separation([float("-inf")], [float("-inf")]).area == 0.5
