"""Vectors by the content of their text: one SQLite file, or memory.

What is in it is there for good: a kill in the middle loses at most the batch that was on its way.
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np

from tophit.errors import OutputError

_AT_ONCE = 500  # variables in one statement


class VectorCache:
    """The vectors of one embedder. Errors: `OutputError` where the file is none or is locked."""

    def __init__(self, path: Path | None, identity: str) -> None:
        self._identity = identity.encode("utf-8", "surrogatepass")
        self._path, self._lock = path, threading.Lock()
        with self._naming():
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(path or ":memory:", check_same_thread=False)
            self._base.execute(
                "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB, ms REAL)"
            )

    def key(self, text: str) -> bytes:
        """The key of a text."""
        digest = hashlib.blake2b(self._identity, digest_size=16)
        digest.update(b"\0" + text.encode("utf-8", "surrogatepass"))
        return digest.digest()

    def vectors(self, keys: Iterable[bytes]) -> dict[bytes, tuple[np.ndarray, float]]:
        """Those that are there, each with the milliseconds that it took."""
        wanted, found = list(keys), {}
        with self._lock, self._naming():
            for first in range(0, len(wanted), _AT_ONCE):
                part = wanted[first : first + _AT_ONCE]
                marks = ",".join("?" * len(part))
                rows = self._base.execute(
                    f"SELECT key, vector, ms FROM vectors WHERE key IN ({marks})", part
                )
                for key, vector, ms in rows:
                    found[key] = (np.frombuffer(vector, dtype=np.float32), ms)
        return found

    def add(self, vectors: Mapping[bytes, np.ndarray], *, ms: float) -> None:
        """Keep vectors that took `ms` each."""
        rows = [(key, vector.astype(np.float32).tobytes(), ms) for key, vector in vectors.items()]
        with self._lock, self._naming(), self._base:
            self._base.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    @contextlib.contextmanager
    def _naming(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise OutputError(f"cannot keep embeddings in {self._path}: {error}") from error
