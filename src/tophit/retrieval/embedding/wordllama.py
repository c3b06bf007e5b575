"""`wordllama`: static embeddings of words, pooled; the model is inside the package (19 MB)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tophit.errors import import_extra
from tophit.retrieval.embedding.vectors import Embedder, Kind


def open_wordllama() -> Embedder:
    """Load it without a network. Errors: `MissingExtraError` without the package."""
    package = import_extra("wordllama", extra="wordllama", purpose="Embedding offline")
    folder = Path(str(package.__file__)).parent
    model = package.WordLlama.load(cache_dir=folder, disable_download=True)

    def embed(texts: list[str], kind: Kind) -> np.ndarray:
        found: np.ndarray = model.embed(texts)
        return found

    return Embedder(name="wordllama", identity="wordllama 256", embed=embed, batch=256)
