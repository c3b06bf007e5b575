"""Why a question was missed: one outcome for every answerable question.

outcomes.py       how facts about an item become its outcome
facts.py          what the index and the documents hold of each item
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
