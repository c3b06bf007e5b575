"""Embeddings of an endpoint that speaks OpenAI's protocol: OpenAI, Ollama, llama.cpp, vLLM, ..."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tophit.endpoints.http import Client
from tophit.endpoints.retries import again
from tophit.errors import EndpointError

_RETRIES, _BACKOFF = 3, 0.5
_REFUSED = (400, 413, 422, 500)


class Embeddings:
    """The embeddings of one model at `url` (`http://localhost:11434/v1`).

    `key` names the variable of the environment that holds the key, if one is needed.
    """

    def __init__(self, url: str, *, model: str, key: str = "") -> None:
        headers = {"Authorization": f"Bearer ${{{key}}}"} if key else {}
        self._client = Client(url, headers=headers)
        self._url, self._model = url.rstrip("/"), model

    def check(self) -> None:
        """Errors: `EndpointError` where nothing answers, or the model is not there."""
        self._client.check()
        self.vectors(["tophit"])

    def vectors(self, texts: list[str]) -> list[list[float]]:
        """A vector a text. A text that the endpoint refuses is named.

        Errors: `EndpointError`.
        """
        try:
            return self._vectors(texts)
        except EndpointError as error:
            if len(texts) == 1 or error.passing or error.status not in _REFUSED:
                raise
        half = len(texts) // 2  # one of them is too long for the model: which?
        return [*self.vectors(texts[:half]), *self.vectors(texts[half:])]

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _vectors(self, texts: list[str]) -> list[list[float]]:
        body = {"model": self._model, "input": texts, "encoding_format": "float"}
        try:
            returned = again(
                lambda: self._client.ask("POST", f"{self._url}/embeddings", body),
                retries=_RETRIES,
                backoff=_BACKOFF,
            )
        except EndpointError as error:
            raise self._explained(error, texts) from error
        return self._read(returned, texts)

    def _read(self, returned: Any, texts: list[str]) -> list[list[float]]:
        data = returned.get("data") if isinstance(returned, Mapping) else None
        if not isinstance(data, list) or len(data) != len(texts):
            found = f"{len(data):,}" if isinstance(data, list) else "none"
            raise EndpointError(
                f"{self._client.origin}: expected {len(texts):,} embeddings, found {found}"
            )
        try:
            ordered = sorted(data, key=lambda each: each.get("index", 0))
            return [each["embedding"] for each in ordered]
        except (AttributeError, KeyError, TypeError) as error:
            raise EndpointError(f"{self._client.origin}: no embeddings as OpenAI gives") from error

    def _explained(self, error: EndpointError, texts: list[str]) -> EndpointError:
        said = str(error)
        if error.status == 404:
            said += f" (asked for the model {self._model!r}{self._models()})"
        elif len(texts) == 1 and error.status in _REFUSED:
            said += f" (for the text of {len(texts[0]):,} characters {texts[0][:60]!r})"
        return EndpointError(said, status=error.status, passing=error.passing, wait=error.wait)

    def _models(self) -> str:
        try:
            data = self._client.ask("GET", f"{self._url}/models")["data"]
            return f"; it has {', '.join(str(each['id']) for each in data) or 'none'}"
        except (EndpointError, KeyError, TypeError):
            return ""
