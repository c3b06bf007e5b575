"""Faults of a question set, found before it costs anybody a day.

codes.py      the table of faults: how grave, what, what to do
questions.py  ids and questions asked twice, answers in questions
elements.py   elements against the documents
offsets.py    offsets that do not agree, and the right ones
places.py     where and how often elements stand, and what stands nearest
index.py      elements against the chunks of the index, or their size
report.py     `CheckReport`: findings, summary, the corrected copy
run.py        `check`
"""

from tophit.checking.codes import CODES, Finding
from tophit.checking.report import CheckReport
from tophit.checking.run import check

__all__ = ["CODES", "CheckReport", "Finding", "check"]
