"""Splitters of other people: functions, and the splitter objects of frameworks.

    def split(text): ...                          texts, (start, end) pairs, pieces or documents
    def split(text, size, overlap): ...           takes part in a sweep over sizes
    def make(size, overlap): ...                  makes any of these, or an object of a framework
    LangChain's TextSplitter, LlamaIndex's NodeParser, Haystack's DocumentSplitter

Frameworks seldom say where a chunk stands, so it is looked for in the document, each chunk after
the one before.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from tophit.errors import Fault, InputError, UsageError
from tophit.imports import is_of
from tophit.records.objects import record_of
from tophit.records.values import shown
from tophit.records.vocabulary import PLACES
from tophit.relations import END, START, TEXT
from tophit.splitting.pieces import Piece

_SIZES = ("size", "chunk_size")
_OVERLAPS = ("overlap", "chunk_overlap")
Split = Callable[..., Any]


def function_of(given: Any) -> Split:
    """A function from texts, size and overlap to lists of pieces, of whatever splits.

    Errors: `UsageError` for what does not split, or wants a parameter that nobody can give.
    """
    takes = _taken(given)
    if not _makes(given):
        _of_text(given, {})  # what does not split is said before any work

    def split_texts(
        texts: Iterable[str], *, size: int, overlap: int, tokenizer: str
    ) -> Iterator[list[Piece]]:
        sized = {name: size if name in _SIZES else overlap for name in takes}
        split = _of_text(given(**sized), {}) if _makes(given) else _of_text(given, sized)
        for text in texts:
            yield placed(split(text), text)

    return split_texts


def takes_size(given: Any) -> bool:
    """Whether it makes chunks of the size that it is told.

    >>> takes_size(lambda text, size: [text]), takes_size(lambda text: [text])
    (True, False)
    """
    return any(name in _SIZES for name in _taken(given))


def takes_overlap(given: Any) -> bool:
    """Whether it can be told how much two neighbours share."""
    return any(name in _OVERLAPS for name in _taken(given))


def _taken(given: Any) -> list[str]:
    """Which sizes it takes. Errors: `UsageError` for a parameter that nobody can give."""
    if not (inspect.isroutine(given) or inspect.isclass(given)):
        return []
    parameters = list(inspect.signature(given).parameters.values())
    known = [p.name for p in parameters if p.name in (*_SIZES, *_OVERLAPS)]
    own = [p for p in parameters if p.name not in known]
    required = [p.name for p in own[0 if _makes(given) else 1 :] if p.default is p.empty
                and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]  # fmt: skip
    if required:
        raise UsageError(
            f"the splitter {given.__name__} wants {', '.join(required)}; it can be given the text, "
            f"{' or '.join(_SIZES)}, and {' or '.join(_OVERLAPS)}"
        )
    return known


def _makes(given: Any) -> bool:
    """Whether it makes a splitter: a class, or a function that takes sizes alone."""
    if inspect.isclass(given):
        return True
    if not inspect.isroutine(given):
        return False
    names = list(inspect.signature(given).parameters)
    return bool(names) and all(name in (*_SIZES, *_OVERLAPS) for name in names)


def _of_text(given: Any, sized: Mapping[str, int]) -> Callable[[str], Any]:
    """A function from one text to what stands for its chunks."""
    if is_of(given, "langchain_text_splitters", "TextSplitter"):
        return lambda text: given.create_documents([text])
    if is_of(given, "llama_index", "NodeParser", "TextSplitter"):
        return lambda text: _nodes(given, text)
    if hasattr(given, "__haystack_output__"):
        return lambda text: _haystack(given, text)
    if hasattr(given, "split_text"):
        return lambda text: given.split_text(text)
    if callable(given):
        return lambda text: given(text, **sized)
    raise UsageError(
        f"expected a splitter (a function of a text, or one of LangChain, LlamaIndex or "
        f"Haystack), found {type(given).__name__}"
    )


def _nodes(parser: Any, text: str) -> Any:
    from llama_index.core.schema import Document

    return parser.get_nodes_from_documents([Document(text=text)])


def _haystack(component: Any, text: str) -> Any:
    from haystack import Document

    if hasattr(component, "warm_up"):
        component.warm_up()
    return component.run(documents=[Document(content=text)])["documents"]


def placed(chunks: Any, text: str) -> list[Piece]:
    """The pieces that `chunks` stand for, each with where it stands in `text`, if it does.

    Empty chunks are dropped. Errors: `InputError` for what is no list of chunks.

    >>> placed(["One two.", "two. Three"], "One two. Three")
    [Piece(text='One two.', start=0, end=8, tokens=None),
     Piece(text='two. Three', start=4, end=14, tokens=None)]
    >>> placed(["one TWO"], "One two.")[0].start is None
    True
    """
    if isinstance(chunks, str | Mapping) or not isinstance(chunks, Iterable):
        raise _fault("a list of chunks", chunks)
    pieces: list[Piece] = []
    begin, end = -1, 0  # of the chunk before
    for chunk in chunks:
        body, start = _chunk(chunk, text)
        if not body.strip():
            continue
        start = _start(body, text, start, begin, end)
        if start is None:
            pieces.append(Piece(body, None, None))
            continue
        begin, end = start, start + len(body)
        pieces.append(Piece(body, begin, end))
    return pieces


def _chunk(chunk: Any, text: str) -> tuple[str, int | None]:
    """Its text, and where it says that it begins."""
    if isinstance(chunk, str):
        return chunk, None
    if isinstance(chunk, Piece):
        return chunk.text, chunk.start
    if isinstance(chunk, tuple | list) and len(chunk) == 2 and all(
        isinstance(each, int) for each in chunk
    ):  # fmt: skip
        start, end = chunk
        if not 0 <= start <= end <= len(text):
            raise _fault(f"a start and an end within {len(text):,} characters", chunk)
        return text[start:end], start
    record = record_of(chunk)
    keys = {} if record is None else PLACES.keys(record)
    if record is None or not isinstance(record.get(keys.get(TEXT)), str):
        raise _fault("a text, a start and an end, or a document", chunk)
    start = record.get(keys.get(START)) if END in keys or START in keys else None
    return record[keys[TEXT]], start if isinstance(start, int) and start >= 0 else None


def _start(body: str, text: str, said: int | None, begin: int, end: int) -> int | None:
    """Where it says, if it stands there, behind the beginning of the chunk before.

    Some frameworks say the first place where a text stands, however often it does.
    """
    stands = said is not None and text[said : said + len(body)] == body
    if said is not None and stands and said > begin:
        return said
    found = _where(body, text, begin, end)
    return said if found is None and stands else found


def _where(body: str, text: str, begin: int, end: int) -> int | None:
    """Right behind the chunk before, but for blanks; else the first place after its beginning."""
    following = text.find(body, end)
    if following >= 0 and not text[end:following].strip():
        return following
    inside = text.find(body, begin + 1)
    return inside if inside >= 0 else None


def _fault(expected: str, found: Any) -> InputError:
    return InputError(Fault(file="splitter", expected=expected, found=shown(found)))
