"""Why a question was missed: one outcome for every answerable question.

The table of outcomes is tophit.outcomes.

examine.py        one run against the index and the documents
sources.py        the texts that are searched: chunks, documents, chunks put together
facts.py          what they hold of each item
stands.py         how a text stands there that is not whole: inside a word, altered
nearest.py        the passage most like an element, and a line with what differs
joined.py         documents put together again from their chunks
outcome_frame.py  outcomes of items and of questions
excerpts.py       the best piece and the words at the cut
result.py         `Diagnosis`
run.py            `diagnose`
several.py        the outcomes of several runs, the index asked once
"""

from tophit.choices import OUTCOMES
from tophit.diagnosis.result import Diagnosis
from tophit.diagnosis.run import diagnose
from tophit.diagnosis.several import outcomes_of_runs

__all__ = ["OUTCOMES", "Diagnosis", "diagnose", "outcomes_of_runs"]
