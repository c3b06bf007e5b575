"""Anything that people hold in Python, as relations: frames of any library, dicts, lists, files.

ids.py       ids as text
python.py    dicts, lists, named tuples, Retrieval
native.py    data frames: columns under their usual names, types
values.py    values that are wrong: missing ids, NaN, negative ranks; on any engine
arrow.py     pandas without PyArrow, engines with it
memory.py    files read once, frames of any kind in memory
engines.py   from one engine to another, and back to the caller's kind of frame
inputs.py    questions, run and chunks from any of these
"""

from tophit.frames.engines import materialised, to_engine
from tophit.frames.ids import text_id
from tophit.frames.inputs import as_questions, as_run, chunks_from, questions_from, run_from
from tophit.frames.memory import collected, questions_in_memory, read_once, run_in_memory
from tophit.frames.python import Retrieval, retrievals_as_dicts

__all__ = [
    "Retrieval",
    "as_questions",
    "as_run",
    "chunks_from",
    "collected",
    "materialised",
    "questions_from",
    "questions_in_memory",
    "read_once",
    "retrievals_as_dicts",
    "run_from",
    "run_in_memory",
    "text_id",
    "to_engine",
]
