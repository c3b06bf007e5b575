"""`continuous-eval`: data sets of Relari's continuous-eval.

    question, retrieved_contexts or retrieved_context, ground_truth_contexts or
    ground_truth_context, answer, ground_truths

Without ground-truth contexts the ground-truth answers, alternatives of one item, stand in.
"""

from __future__ import annotations

from tophit.formats.definition import Format, Role, roles
from tophit.formats.reading import samples
from tophit.formats.reading.files import Source
from tophit.formats.reading.sniff import sample
from tophit.relations import Questions, Run

_FIELDS = samples.Fields(
    question=("question",),
    passages=("ground_truth_contexts", "ground_truth_context"),
    answers=("ground_truths", "ground_truth_answers", "ground_truth"),
    retrieved=("retrieved_contexts", "retrieved_context"),
    response=("answer", "generated_answer"),
)


def recognise(source: Source) -> frozenset[Role]:
    """By `question` and the tool's own names for contexts or answers."""
    seen = sample(source)
    if not seen.has("question") or seen.has("user_input"):
        return roles()
    found: set[Role] = set()
    if seen.has_any(*_FIELDS.passages, "ground_truths", "ground_truth_answers"):
        found.add("questions")
    if seen.has_any(*_FIELDS.retrieved):
        found.add("run")
    return frozenset(found)


def read_questions(source: Source) -> Questions:
    """Read the questions. Errors: `InputError` with the line and field of every fault."""
    return samples.read_questions(source, _FIELDS)


def read_run(source: Source, name: str | None) -> Run:
    """Read what was retrieved. Errors: `InputError` with the line and field of every fault."""
    return samples.read_run(source, _FIELDS, name)


FORMAT = Format(
    name="continuous-eval",
    description="data sets of Relari's continuous-eval",
    recognise=recognise,
    keys=(_FIELDS.question, (*_FIELDS.passages, *_FIELDS.retrieved)),
    read_questions=read_questions,
    read_run=read_run,
)
