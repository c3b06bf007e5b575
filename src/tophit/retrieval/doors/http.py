"""`http:`: a search endpoint. What is sent and where the documents stand come from a preset."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from tophit.endpoints.http import TIME_LIMIT, Client
from tophit.endpoints.keys import headers_of
from tophit.errors import unknown
from tophit.retrieval.doors.records import places_in
from tophit.retrieval.doors.templates import filled, filled_address, template_of
from tophit.retrieval.protocol import Live, Request

AT_ONCE = 4


@dataclass(frozen=True, kw_only=True)
class Preset:
    """What a kind of endpoint is sent, and where its documents stand (empty: the first list)."""

    name: str
    summary: str
    body: Mapping[str, Any] | None
    documents: str = ""
    method: str = "POST"


_ELASTIC = {
    "query": {"bool": {"must": [{"match": {"{field}": "{question}"}}], "filter": "{filter}"}},
    "size": "{depth}",
}
PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(
            name="list",
            summary="a plain list: the request goes in as JSON, a list of documents comes out",
            body={
                "id": "{id}", "question": "{question}", "depth": "{depth}",
                "history": "{history}", "filter": "{filter}", "tags": "{tags}",
            },
        ),
        Preset(
            name="spring-ai",
            summary="a controller that takes Spring AI's SearchRequest and gives its documents",
            body={"query": "{question}", "topK": "{depth}", "filterExpression": "{filter}"},
        ),
        Preset(
            name="elasticsearch",
            summary="Elasticsearch's _search: a match query on field=text",
            body=_ELASTIC,
            documents="hits.hits",
        ),
        Preset(
            name="opensearch",
            summary="OpenSearch's _search, the same query",
            body=_ELASTIC,
            documents="hits.hits",
        ),
        Preset(
            name="qdrant",
            summary="Qdrant's points/query: the question as a vector of embedder=NAME",
            body={
                "query": "{vector}", "limit": "{depth}", "filter": "{filter}", "with_payload": True,
            },
            documents="result.points",
        ),
    )
}  # fmt: skip


def open_http(
    url: str,
    *,
    preset: str = "list",
    method: str = "",
    body: Any = "",
    documents: str = "",
    header: str = "",
    field: str = "text",
    text: str = "",
    id: str = "",  # noqa: A002
    score: str = "",
    embedder: str = "",
    time_limit: float = TIME_LIMIT,
) -> Live:
    """Open an endpoint. An address with `{question}` in it is fetched with GET.

    `body` is a JSON template in place of the preset's, `documents` the dotted path of the list,
    `text`, `id`, `score` paths in a document. `header` may name variables of the environment.
    Errors: `UsageError` for an unknown preset, a body that is no JSON, an address that is none.
    """
    if preset not in PRESETS:
        raise unknown("preset", preset, list(PRESETS))
    chosen = PRESETS[preset]
    client = Client(url, headers=headers_of(header), time_limit=time_limit)
    in_address = "{question}" in url
    template = template_of(body, what="body") if body else None if in_address else chosen.body
    verb = (method or ("GET" if template is None else chosen.method)).upper()
    fields = {name: path for name, path in (("text", text), ("id", id), ("score", score)) if path}
    vector = _vectors(embedder)

    def one(request: Request) -> Any:
        values = {**request.to_dict(), "tags": dict(request.tags) or None, "field": field}
        if vector is not None:
            values["vector"] = vector.of_question(request.question).tolist()
        sent = None if template is None else filled(template, values)
        returned = client.ask(verb, filled_address(url, values), sent)
        return places_in(returned, documents or chosen.documents, fields, source=client.origin)

    def check() -> None:
        client.check()
        if vector is not None:
            vector.check()

    def close() -> None:
        client.close()
        if vector is not None:
            vector.close()

    asked = {"url": url, "method": verb, "body": template, "documents": documents,
             "fields": fields, "field": field, "embedder": embedder}  # fmt: skip
    return Live(
        name=urlsplit(url).netloc.rpartition("@")[2],
        one=one,
        check=check,
        close=close,
        at_once=AT_ONCE,
        time_limit=2 * time_limit,
        identity=json.dumps(asked, sort_keys=True, ensure_ascii=False),
    )


def _vectors(embedder: str) -> Any:
    if not embedder:
        return None
    from tophit.retrieval.embedding.table import question_vectors

    return question_vectors(embedder)
