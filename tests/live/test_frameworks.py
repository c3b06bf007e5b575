"""The frameworks' own packages, with a store in memory: the numbers are those of the run's file."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

import tophit
from tophit.errors import UsageError
from tophit.formats import write_run
from tophit.relations import CHUNK, TEXT
from tophit.retrieval import RETRIEVERS, open_retriever, retrieve

# What frameworks warn of when they are imported is theirs.
pytestmark = pytest.mark.filterwarnings("ignore")
MEASURES = "Hit@4 Partial@4 MRR Recall@10"
DEPTH = 20


def rows(asked):
    return asked.chunks.select(CHUNK, TEXT).rows()


def dense_of_tophit(asked):
    return retrieve(asked.chunks, asked.questions, retriever="dense", depth=DEPTH)


def same_as_its_file(retriever, asked, tmp_path):
    """Evaluate the retriever, and the file of its run: the same numbers, and places."""
    live = tophit.evaluate(asked.questions, retriever, measures=MEASURES)
    run = retrieve(None, asked.questions, retriever=retriever, depth=DEPTH)
    write_run(run, tmp_path / "run.jsonl")
    of_file = tophit.evaluate(asked.questions, tmp_path / "run.jsonl", measures=MEASURES)
    assert {n: s.to_dict() for n, s in live.items()} == {n: s.to_dict() for n, s in of_file.items()}
    assert live["Hit@4"].value > 0.4
    return run


def same_places(run, other, *, depth):
    def first(each):
        kept = each.retrieved.filter(each.retrieved["rank"] <= depth)
        return kept.select("query_id", "rank", CHUNK).sort("query_id", "rank").rows()

    found, expected = first(run), first(other)
    assert len(found) == len(expected)
    agree = sum(a == b for a, b in zip(found, expected, strict=True))
    assert agree / len(expected) > 0.98  # equal but for the last digit of a sum


# LangChain ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def langchain_store(asked, embed):
    from langchain_core.embeddings import Embeddings
    from langchain_core.vectorstores import InMemoryVectorStore

    class Model(Embeddings):
        def embed_documents(self, texts):
            return embed(texts)

        def embed_query(self, text):
            return embed([text])[0]

    store = InMemoryVectorStore(Model())
    ids, texts = zip(*rows(asked), strict=True)
    store.add_texts(list(texts), ids=list(ids))
    return store


def test_langchain_vector_store(langchain_store, asked, tmp_path):
    run = same_as_its_file(langchain_store, asked, tmp_path)
    assert run.retrieved["score"].null_count() == 0
    same_places(run, dense_of_tophit(asked), depth=DEPTH)


def test_langchain_retriever_is_asked_deeper_where_the_first_places_stay(
    langchain_store, asked, tmp_path
):
    run = same_as_its_file(langchain_store.as_retriever(), asked, tmp_path)
    same_places(run, dense_of_tophit(asked), depth=DEPTH)
    mmr = langchain_store.as_retriever(search_type="mmr", search_kwargs={"k": 3})
    assert retrieve(None, asked.questions, retriever=mmr).retrieved["rank"].max() == 3


@pytest.mark.parametrize("in_a_loop", [False, True])
@pytest.mark.parametrize("at_once", [None, 4])
def test_langchain_retriever_that_is_async_alone(asked, at_once, in_a_loop):
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever

    class Slow(BaseRetriever):
        def _get_relevant_documents(self, query, *, run_manager):
            raise NotImplementedError

        async def _aget_relevant_documents(self, query, *, run_manager):
            return [Document(page_content=query, metadata={"source": "a.md"})]

    async def whole():
        return find()

    def find():
        return retrieve(None, asked.questions, retriever=Slow(), concurrency=at_once)

    with ThreadPoolExecutor(1) as pool:  # no loop of another test runs there
        run = pool.submit(lambda: asyncio.run(whole()) if in_a_loop else find()).result()
    assert run.retrieved["text"].to_list() == list(asked.texts.values())
    assert run.retrieved["doc_id"].unique().to_list() == ["a.md"]


def test_langchain_chain(langchain_store, asked, tmp_path):
    from langchain_core.runnables import RunnableLambda, RunnablePassthrough

    retriever = langchain_store.as_retriever(search_kwargs={"k": DEPTH})
    chain = RunnablePassthrough.assign(
        context=lambda given: retriever.invoke(given["input"])
    ).assign(answer=lambda given: f"{len(given['context'])} documents")
    run = same_as_its_file(open_retriever(chain, input_key="input"), asked, tmp_path)
    assert run.answers["answer"].unique().to_list() == ["20 documents"]
    same_places(run, dense_of_tophit(asked), depth=DEPTH)
    plain = RunnableLambda(lambda question: retriever.invoke(question))
    same_places(same_as_its_file(plain, asked, tmp_path), dense_of_tophit(asked), depth=DEPTH)
    with pytest.raises(UsageError, match="the chain gives no 'nodes'; it gives"):
        retrieve(None, {"q": "?"}, retriever=chain, input_key="input", documents="nodes")


# LlamaIndex ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def llama_index(asked, embed):
    from llama_index.core import VectorStoreIndex
    from llama_index.core.embeddings import BaseEmbedding
    from llama_index.core.schema import TextNode

    class Model(BaseEmbedding):
        def _get_text_embedding(self, text):
            return embed([text])[0]

        def _get_text_embeddings(self, texts):
            return embed(texts)

        def _get_query_embedding(self, query):
            return embed([query])[0]

        async def _aget_query_embedding(self, query):
            return embed([query])[0]

    nodes = [TextNode(id_=chunk, text=text) for chunk, text in rows(asked)]
    return VectorStoreIndex(nodes, embed_model=Model())


def test_llama_index_index_and_retriever(llama_index, asked, tmp_path):
    run = same_as_its_file(llama_index, asked, tmp_path)
    same_places(run, dense_of_tophit(asked), depth=DEPTH)
    retriever = llama_index.as_retriever(similarity_top_k=DEPTH)
    same_places(same_as_its_file(retriever, asked, tmp_path), run, depth=DEPTH)
    at_once = retrieve(None, asked.questions, retriever=retriever, concurrency=4)
    same_places(at_once, run, depth=DEPTH)


def test_llama_index_query_engine(llama_index, asked):
    from llama_index.core.llms import MockLLM

    engine = llama_index.as_query_engine(llm=MockLLM(max_tokens=3), similarity_top_k=4)
    few = dict(list(asked.texts.items())[:3])
    run = retrieve(None, few, retriever=engine)
    assert run.retrieved.group_by("query_id").len()["len"].to_list() == [4, 4, 4]
    assert run.answers["answer"].null_count() == 0


# Haystack ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def haystack_store(asked, embed):
    from haystack import Document
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    store = InMemoryDocumentStore(embedding_similarity_function="cosine")
    ids, texts = zip(*rows(asked), strict=True)
    vectors = embed(texts)
    store.write_documents(
        [
            Document(id=i, content=t, embedding=v)
            for i, t, v in zip(ids, texts, vectors, strict=True)
        ]
    )
    return store


@pytest.fixture(scope="module")
def haystack_pipeline(haystack_store, embed):
    from haystack import Pipeline, component
    from haystack.components.retrievers.in_memory import InMemoryEmbeddingRetriever

    @component
    class Embedder:
        @component.output_types(embedding=list[float])
        def run(self, text: str):
            return {"embedding": embed([text])[0]}

    @component
    class Reversed:
        @component.output_types(documents=list)
        def run(self, documents: list):
            return {"documents": documents[::-1]}

    pipeline = Pipeline()
    pipeline.add_component("embedder", Embedder())
    pipeline.add_component("retriever", InMemoryEmbeddingRetriever(haystack_store, top_k=DEPTH))
    pipeline.add_component("reversed", Reversed())
    pipeline.connect("embedder.embedding", "retriever.query_embedding")
    pipeline.connect("retriever.documents", "reversed.documents")
    return pipeline


def test_haystack_pipeline(haystack_pipeline, asked, tmp_path):
    run = retrieve(None, asked.questions, retriever=haystack_pipeline, component="retriever")
    same_places(run, dense_of_tophit(asked), depth=DEPTH)
    last = same_as_its_file(
        open_retriever(haystack_pipeline, component="retriever"), asked, tmp_path
    )
    assert last.retrieved.equals(run.retrieved)


def test_haystack_documents_of_the_last_component_count_and_the_others_are_stages(
    haystack_pipeline, asked
):
    run = retrieve(None, asked.questions, retriever=haystack_pipeline)
    assert run.stages["stage"].unique().sort().to_list() == ["retriever", "reversed"]
    first = run.stages.filter(run.stages["stage"] == "retriever")
    query = next(iter(asked.texts))
    of_query = first.filter(first["query_id"] == query)[CHUNK].to_list()
    found = run.retrieved.filter(run.retrieved["query_id"] == query)[CHUNK].to_list()
    assert found == of_query[::-1]
    with pytest.raises(UsageError, match="unknown component with documents 'retreiver'; did you"):
        retrieve(None, {"q": "?"}, retriever=haystack_pipeline, component="retreiver")


def test_haystack_retriever_alone(haystack_store, asked, tmp_path):
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever

    run = same_as_its_file(InMemoryBM25Retriever(haystack_store, top_k=3), asked, tmp_path)
    assert run.retrieved["rank"].max() == DEPTH


# Their embedders, in tophit's own dense retriever ----------------------------------------


def test_embedders_of_frameworks(langchain_store, llama_index, asked, embed):
    class Encoder:
        def encode(self, texts):
            return embed(texts)

    expected = dense_of_tophit(asked)
    for embedder in (langchain_store.embedding, llama_index._embed_model, Encoder(), embed):
        run = retrieve(asked.chunks, asked.questions, retriever="dense", embedder=embedder)
        same_places(run, expected, depth=DEPTH)
    assert "embedder" in RETRIEVERS["dense"].options
