"""Which questions a run abstained on, and how that is known."""

from __future__ import annotations

import re
import unicodedata

import polars as pl

from tophit.abstaining.phrases import Phrases
from tophit.relations import ABSTAINED, ANSWER, QUERY, Run

REASON = "reason"
FLAG, EMPTY, TEXT_SAYS, GIVEN = "flag", "empty", "answer", "given"

_QUOTES = str.maketrans("’‘‛＇“”„«»", '\'\'\'\'"""""')
# A sentence ends at a mark and the blank after it; in Chinese, Japanese and Hindi at the mark.
_SENTENCE = re.compile(r"(?<=[.!?؟])\s+|(?<=[。！？।])|\n+")
# After these a text that began as a refusal may still answer: "..., but the limit is 5 MB".
_TURN = re.compile(
    r"\b(?:but|however|nevertheless|that said|still|instead|aber|jedoch|allerdings|dennoch"
    r"|trotzdem|mais|cependant|toutefois|pero|sin embargo|no obstante|ma|tuttavia|però|mas|porém"
    r"|contudo|maar|echter|ale|jednak|но|однако|ancak|fakat|ama)\b"
    r"|但是?|不过|然而|しかし|ただし|ですが|하지만|그러나|लेकिन|परंतु|किंतु|ولكن|لكن",
    re.IGNORECASE,
)
# "Sorry." and the like come before the sentence that counts; so does a line that ends in a colon.
_PREFACE = re.compile(
    r":$|^\W*(?:i'm (?:so |very |truly )?sorry|i am sorry|sorry|i apologi[sz]e|(?:my )?apologies"
    r"|unfortunately|hi|hello|hmm|thank|leider|entschuldig|(?:es )?tut mir|(?:je suis )?désolée?"
    r"|malheureusement|lo siento|perdón|lamento|mi dispiace|purtroppo|desculpe|sinto muito"
    r"|infelizmente|helaas|het spijt|przepraszam|niestety|извините|простите|к сожалению|üzgünüm"
    r"|maalesef|抱歉|很抱歉|对不起|對不起|很遗憾|申し訳|すみません|恐れ入|죄송|क्षमा|माफ|खेद|عذر"
    r"|آسف|للأسف|معذرة)",
    re.IGNORECASE,
)
_PREFACE_WORDS = 8
# A text without marks has no first sentence; nobody refuses after this many characters.
_OPENING = 400
# So many characters after "but ..." are an answer; fewer are "but I can look it up".
_ANSWERS_AFTER = 12
# "..., but please ask support" offers help and answers nothing.
_HELP = re.compile(
    r"^\W*(?:i|we|you|please|feel free|let me|if you|ich|sie|bitte|wenn|je|vous|n'hésitez|si|puedo"
    r"|puede|por favor|posso|per favore|se|kan ik|ik|as an ai)\b",
    re.IGNORECASE,
)


def is_abstention(answer: str, *, phrases: Phrases | None = None) -> bool:
    """Whether an answer's text says that it is none.

    It does if its first sentence (after a short preface such as "Sorry.") holds a phrase of the
    list, and no turn follows that goes on to answer ("..., but the limit is 5 MB"). An empty text
    is an abstention. A phrase further down belongs to an answer that has been given.

    >>> is_abstention("I'm sorry, but I don't know the answer.")
    True
    >>> is_abstention("I don't know of any bug here, and the answer is 42.")
    False
    >>> is_abstention("I don't know for certain, but the limit is 5 MB per file.")
    False
    """
    text = _normalised(answer)
    if not text:
        return True
    opening = _opening(text)
    found = (phrases or Phrases()).search(opening)
    return found is not None and not _goes_on(text, found.end())


def abstentions(run: Run, ids: pl.Series, *, phrases: Phrases | None = None) -> pl.DataFrame:
    """Whether the run abstained on each question: query_id, abstained, reason.

    The first of these that is known decides: the run's own `abstained` (`flag`); nothing retrieved
    (`empty`); the answer's text (`answer` where it abstains). Everything else is `given`.

    >>> retrieved = pl.DataFrame({"query_id": ["q1"], "chunk_id": ["c"], "rank": [1]})
    >>> abstentions(Run(retrieved=retrieved), pl.Series(["q1", "q2"])).rows()
    [('q1', False, 'given'), ('q2', True, 'empty')]
    """
    listed = phrases or Phrases()
    asked = pl.DataFrame({QUERY: ids.cast(pl.String)})
    filled = run.retrieved.select(pl.col(QUERY).unique()).with_columns(_filled=pl.lit(True))
    known = pl.DataFrame(schema={QUERY: pl.String, ANSWER: pl.String, ABSTAINED: pl.Boolean})
    if run.answers is not None:
        present = [name for name in (QUERY, ANSWER, ABSTAINED) if name in run.answers.columns]
        known = pl.concat([known, run.answers.select(present)], how="diagonal_relaxed")
    table = asked.join(filled, on=QUERY, how="left").join(
        known.unique(QUERY, keep="first", maintain_order=True), on=QUERY, how="left"
    )
    rows = []
    for query, has_results, answer, flag in table.select(
        QUERY, "_filled", ANSWER, ABSTAINED
    ).iter_rows():
        if flag is not None:
            rows.append((query, flag, FLAG))
        elif not has_results:
            rows.append((query, True, EMPTY))
        elif answer is not None and is_abstention(answer, phrases=listed):
            rows.append((query, True, TEXT_SAYS))
        else:
            rows.append((query, False, GIVEN))
    types = {QUERY: pl.String, ABSTAINED: pl.Boolean, REASON: pl.String}
    return pl.DataFrame(rows, schema=types, orient="row").sort(QUERY)


def _normalised(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).translate(_QUOTES)
    lines = (" ".join(line.split()) for line in folded.splitlines())
    return "\n".join(line for line in lines if line).strip(" \n*_>#-")


def _opening(text: str) -> str:
    """The text up to the end of the sentence that counts; what comes before it is a preface."""
    end = 0
    for sentence in _SENTENCE.split(text):
        end = text.index(sentence, end) + len(sentence)
        if len(sentence.split()) > _PREFACE_WORDS or not _PREFACE.search(sentence):
            break
    return text[: min(end, _OPENING)]


def _goes_on(text: str, start: int) -> bool:
    for turn in _TURN.finditer(text, start):
        rest = text[turn.end() :].strip(" ,.:;\n")
        if len(rest) >= _ANSWERS_AFTER and not _HELP.match(rest):
            return True
    return False
