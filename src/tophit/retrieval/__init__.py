"""Retrieval: chunks and questions to a `Run`, by any retriever of one table or by any function."""

from tophit.retrieval.runs import retrieve
from tophit.retrieval.table import RETRIEVERS, Retriever

__all__ = ["RETRIEVERS", "Retriever", "retrieve"]
