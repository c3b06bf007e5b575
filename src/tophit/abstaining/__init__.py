"""Abstention: does the system say that it does not know where it cannot know, and only there?

phrases.txt   what a refusal looks like, in fifteen languages: a list that can be replaced
answers.py    which questions a run abstained on, and how that is known
rates.py      the 2 x 2 table and its rates
threshold.py  the score that separates answerable questions from unanswerable ones
"""

from tophit.abstaining.answers import abstentions, is_abstention
from tophit.abstaining.phrases import Phrases, default_phrases, read_phrases
from tophit.abstaining.rates import Abstention, Rate, abstention, rates
from tophit.abstaining.threshold import (
    Separation,
    ThresholdPoint,
    separation,
    threshold,
)

__all__ = [
    "Abstention",
    "Phrases",
    "Rate",
    "Separation",
    "ThresholdPoint",
    "abstention",
    "abstentions",
    "default_phrases",
    "is_abstention",
    "rates",
    "read_phrases",
    "separation",
    "threshold",
]
