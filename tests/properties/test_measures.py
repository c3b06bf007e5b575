"""Every measure of the table that reads hits: right, bounded, and blind to what must not matter."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from dataclasses import dataclass

import polars as pl
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import tophit
from reference import REFERENCE, Question
from tophit.measures import MEASURES, Measure, parse_measures

# An example has many queries and all measures, so few are enough, and shrinking takes minutes.
few = settings(max_examples=12, phases=(Phase.explicit, Phase.reuse, Phase.generate))

CUTOFFS = (1, 3, 30)
VARIANTS = {
    "Partial": ["", "(share=0.3)"],
    "nDCG": ["", "(gain=exp)"],
    "RBP": ["", "(p=0.5)"],
    "ERR": ["", "(max=3)"],
}
IDS = ["a", "B", "é", "z9", "10", "2", "long identifier with blanks", "#"]
GRADES = [-1.0, 0.0, 0.2, 1.0, 1.7, 2.0, 4.0]
LEVELS = [1.0, 2.0, 0.2]
POPULATIONS = ["answerable", "trec_eval", "trec_eval-c"]


def spellings() -> list[str]:
    names = []
    for name, definition in MEASURES.items():
        if definition.reads == "hits":
            cuts = [] if definition.cutoff == "none" else [f"@{k}" for k in CUTOFFS]
            cuts += [] if definition.cutoff == "required" else [""]
            names += [name + inside + cut for inside in VARIANTS.get(name, [""]) for cut in cuts]
    return names


ALL = parse_measures(spellings())


@dataclass(frozen=True)
class Case:
    """What a test needs: items with grades and the chunks that hold them, and ranked lists."""

    items: dict[str, dict[str, tuple[float, tuple[str, ...]]]]
    lists: dict[str, list[tuple[str | None, float]]]
    level: float
    depth: int | None
    by_score: bool

    @property
    def judgments(self) -> pl.DataFrame:
        rows = [
            (query, item, grade, chunk)
            for query, items in self.items.items()
            for item, (grade, chunks) in items.items()
            for chunk in chunks
        ]
        rows += [(query, None, None, None) for query, items in self.items.items() if not items]
        columns = ["query_id", "item_id", "grade", "chunk_id"]
        types = dict.fromkeys(columns, pl.String) | {"grade": pl.Float64}
        return pl.DataFrame(rows, schema=types, orient="row")

    @property
    def run(self) -> pl.DataFrame:
        rows = [
            (query, chunk, score if self.by_score else rank)
            for query, places in self.lists.items()
            for rank, (chunk, score) in enumerate(places, start=1)
        ]
        key = "score" if self.by_score else "rank"
        types = {"query_id": pl.String, "chunk_id": pl.String, key: pl.Float64}
        return pl.DataFrame(rows, schema=types, orient="row")

    def question(self, query: str) -> Question:
        places = list(self.lists.get(query, []))
        if self.by_score:
            places.sort(key=lambda place: (place[1], place[0] or ""), reverse=True)
        holds = defaultdict(set)
        for item, (_, chunks) in self.items[query].items():
            for chunk in chunks:
                holds[chunk].add(item)
        grades = {item: grade for item, (grade, _) in self.items[query].items()}
        held = [set(holds[chunk]) if chunk else set() for chunk, _ in places[: self.depth]]
        return Question(grades, held, self.level)

    def evaluate(self, run: object = None, *, judgments: object = None, **options: object):
        return tophit.evaluate(
            self.judgments if judgments is None else judgments,
            self.run if run is None else run,
            measures=options.pop("measures", ALL),
            match="ids",
            min_grade=self.level,
            depth=self.depth,
            **options,
        )


@st.composite
def cases(draw: st.DrawFn, *, depth: bool = True) -> Case:
    queries = draw(st.lists(st.sampled_from("klmnopqrst"), min_size=1, max_size=9, unique=True))
    graded = st.tuples(
        st.sampled_from(GRADES),
        st.lists(st.sampled_from(IDS), min_size=1, max_size=3, unique=True).map(tuple),
    )
    items = {
        q: draw(st.dictionaries(st.sampled_from("ABCDEF"), graded, max_size=5)) for q in queries
    }
    place = st.tuples(st.sampled_from([*IDS, None]), st.sampled_from([-1.5, -0.0, 0.0, 0.25, 2.0]))
    in_run = draw(st.lists(st.sampled_from("mnopqrstuv"), max_size=9, unique=True))
    return Case(
        items=items,
        lists={q: draw(st.lists(place, min_size=1, max_size=9)) for q in in_run},
        level=draw(st.sampled_from(LEVELS)),
        depth=draw(st.sampled_from([None, 1, 3])) if depth else None,
        by_score=draw(st.booleans()),
    )


def expected(measure: Measure, question: Question) -> float:
    k = measure.cutoff.value if measure.cutoff else math.inf
    return REFERENCE[measure.definition.name](question, k, **measure.parameters)


def table_of(result: tophit.Result, engine) -> dict[str, dict[str, float]]:
    rows = engine.collect(result.scores).to_dicts()
    return {row.pop("query_id"): row for row in rows}


def counted_queries(case: Case, population: str) -> set[str]:
    chosen = set()
    for query, items in case.items.items():
        question = case.question(query)
        if population == "answerable":
            counts = bool(question.relevant)
        else:
            counts = bool(items) and (population == "trec_eval-c" or bool(question.places))
        if counts:
            chosen.add(query)
    return chosen


def test_every_measure_that_reads_hits_has_a_reference():
    assert set(REFERENCE) == {n for n, d in MEASURES.items() if d.reads == "hits"}


def test_agrees_with_the_slow_reference_on_every_engine(engine):
    @settings(few, max_examples={"polars": 30, "duckdb": 8, "spark": 2}[engine.name])
    @given(cases(), st.sampled_from(POPULATIONS))
    def check(case: Case, population: str) -> None:
        result = case.evaluate(
            engine.frame(case.run), judgments=engine.frame(case.judgments), population=population
        )
        values = table_of(result, engine)
        assert set(values) == counted_queries(case, population)
        for query, row in values.items():
            question = case.question(query)
            for measure in ALL:
                assert row[measure.name] == pytest.approx(expected(measure, question), abs=1e-12), (
                    query,
                    measure.name,
                )
        for measure in ALL:
            mean = result[measure.name]
            total = math.fsum(row[measure.name] for row in values.values())
            assert mean.n == len(values)
            assert mean.value == pytest.approx(total / len(values) if values else 0.0, abs=1e-12)

    check()


@few
@given(cases())
def test_values_stay_within_0_and_1(case):
    scores = case.evaluate(population="trec_eval-c").scores.drop("query_id")
    assert scores.select(pl.all_horizontal(pl.all().is_between(0, 1)).all()).item()


@few
@given(cases())
def test_does_not_fall_as_k_grows(case):
    scores = case.evaluate().scores
    for name, definition in MEASURES.items():
        if definition.reads == "hits" and definition.rises_with_k:
            for inside in VARIANTS.get(name, [""]):
                columns = [m.name for m in parse_measures([f"{name}{inside}@{k}" for k in CUTOFFS])]
                for low, high in itertools.pairwise(columns):
                    assert (scores[low] <= scores[high]).all(), (low, high)


@few
@given(cases(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(case, random):
    judgments, run = case.judgments, case.run
    shuffled = [
        frame[random.sample(range(len(frame)), len(frame))] if len(frame) else frame
        for frame in (run, judgments)
    ]
    first, second = case.evaluate(), case.evaluate(shuffled[0], judgments=shuffled[1])
    assert_close(first.scores.sort("query_id"), second.scores.sort("query_id"))
    assert first.questions == second.questions


@few
@given(cases())
def test_ids_under_other_names_of_the_same_order_give_the_same(case):
    names = {old: f"{n:03}" for n, old in enumerate(sorted(IDS, key=str.encode))}
    renamed = pl.col("chunk_id").replace_strict(names, default=None, return_dtype=pl.String)
    first = case.evaluate()
    second = case.evaluate(
        case.run.with_columns(renamed), judgments=case.judgments.with_columns(renamed)
    )
    assert_close(first.scores, second.scores)


def assert_close(first: pl.DataFrame, second: pl.DataFrame) -> None:
    assert first["query_id"].to_list() == second["query_id"].to_list()
    for column in first.columns[1:]:
        assert second[column].to_list() == pytest.approx(first[column].to_list(), abs=1e-12)


PERFECT = (
    "Hit@5 Partial@5 All@5 MRR MRR@5 MAP MAP@5 nDCG nDCG@1 nDCG@5 nDCG(gain=exp) Recall@5 Rprec "
    "Bpref Judged@5"
)


@few
@given(cases(depth=False))
def test_a_perfect_ranking_gives_1(case):
    """The items in the order of their grades, each in a chunk of its own."""
    items = {
        query: {item: (grade, (f"{query} {item}",)) for item, (grade, _) in items.items()}
        for query, items in case.items.items()
    }
    lists = {
        query: [
            (chunks[0], 0.0)
            for grade, chunks in sorted(items.values(), key=lambda entry: entry[0], reverse=True)
        ]
        for query, items in items.items()
    }
    perfect = Case(items=items, lists=lists, level=case.level, depth=None, by_score=False)
    result = perfect.evaluate(measures=PERFECT)
    for name, score in result.items():
        assert score.value == pytest.approx(1.0, abs=1e-12) or score.n == 0, name


@few
@given(cases(), st.integers(min_value=1, max_value=4), st.booleans())
def test_the_run_in_memory_and_the_general_way_agree(case, copies, with_documents):
    """A `tokens` budget that no list reaches forces the general way; the hits are the same."""
    run = pl.concat([case.run] * copies) if case.by_score else case.run
    if with_documents:
        documents = dict(zip(IDS, [*IDS[1:], None], strict=True))
        owner = pl.col("chunk_id").replace_strict(documents, default=None, return_dtype=pl.String)
        run = run.with_columns(owner.alias("doc_id"))
    quick = case.evaluate(run)
    general = case.evaluate(
        run.with_columns(tokens=pl.lit(1)), measures=[*ALL, *parse_measures("Hit@100000tok")]
    )
    assert_close(quick.scores, general.scores.drop("Hit@100000tok"))
    assert quick.questions == general.questions
    assert [w.count for w in quick.warnings] == [w.count for w in general.warnings]
