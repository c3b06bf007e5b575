"""Texts to vectors, by any embedder of one table, each text once.

table.py      the table of embedders, and how one is written
objects.py    objects of Python: sentence-transformers, LangChain, LlamaIndex, any function
wordllama.py  static embeddings whose model is inside the package
cache.py      vectors by the content of their text, shared by all that embed
vectors.py    what an embedder gave, checked and made unit vectors
"""
