"""Offsets that contradict the text beside them: what they count instead of characters.

Offsets are code points from the start of the document. Where a text stands beside them, its length
tells bytes and UTF-16 units, and two texts at one start tell offsets that count from elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from tophit.errors import DataWarning, Fault, InputError
from tophit.relations import CHUNK, DOC, END, ITEM, START, TEXT

_UNITS = {
    "bytes": pl.col(TEXT).str.len_bytes(),
    "UTF-16 units": pl.col(TEXT).str.len_chars()
    + pl.col(TEXT).str.count_matches(r"[\x{10000}-\x{10FFFF}]"),
}
_CHARS, _SAID, _OTHER = "_chars", "_said", "_other"
_HINT = (
    "offsets are counted in characters (Unicode code points) from the start of the document; "
    "len(document.encode()[:start].decode()) turns bytes into them"
)
_NEEDED = (TEXT, DOC, START, END)


def refuse_offsets(frame: pl.DataFrame, *, name: str) -> tuple[DataWarning, ...]:
    """Refuse offsets that surely count something else; warn where a text only has another length.

    `frame` has the columns of `retrieved`, `judgments` or `chunks`; rows without text or offsets
    say nothing.

    Errors: `InputError` that names the unit which fits, or where the offsets begin anew.

    >>> rows = {"chunk_id": ["c"], "text": ["a ü b"], "doc_id": ["d"], "start": [0], "end": [6]}
    >>> refuse_offsets(pl.DataFrame(rows), name="run")
    Traceback (most recent call last):
    tophit.errors.InputError: run, start, end: expected characters, found bytes: 1 of 1 texts with \
other letters than ASCII have that length, the first 'c', 0 to 6, with 5 characters
    hint: ...
    """
    if not set(_NEEDED) <= set(frame.columns):
        return ()
    key = CHUNK if CHUNK in frame.columns else ITEM
    rows = frame.drop_nulls(_NEEDED).with_columns(pl.col(key).fill_null("")).unique(
        [*_NEEDED], keep="first", maintain_order=True
    ).with_columns(
        pl.col(TEXT).str.len_chars().cast(pl.Int64).alias(_CHARS),
        (pl.col(END) - pl.col(START)).alias(_SAID),
    )  # fmt: skip
    faults = [*_other_units(rows, key, name), *_begun_anew(rows, key, name)]
    if faults:
        raise InputError(faults[:1], hint=_HINT)
    return tuple(_other_lengths(rows, name))


def _other_units(rows: pl.DataFrame, key: str, name: str) -> Iterator[Fault]:
    """Every text whose length differs from its offsets has the length that they say in a unit."""
    for unit, length in _UNITS.items():
        telling = rows.filter(length.cast(pl.Int64) != pl.col(_CHARS))
        fits = telling.filter(length.cast(pl.Int64) == pl.col(_SAID))
        differs = rows.filter(pl.col(_SAID) != pl.col(_CHARS)).height
        if fits.height and fits.height == differs and 2 * fits.height > telling.height:
            first = fits.row(0, named=True)
            yield Fault(
                file=name,
                field=f"{START}, {END}",
                expected="characters",
                found=f"{unit}: {fits.height:,} of {telling.height:,} texts with other letters "
                f"than ASCII have that length, the first {first[key]!r}, {first[START]} to "
                f"{first[END]}, with {first[_CHARS]} characters",
            )


def _begun_anew(rows: pl.DataFrame, key: str, name: str) -> Iterator[Fault]:
    """Every text begins at one place, though none of two is the beginning of the other."""
    if rows.height < 2 or rows[START].n_unique() > 1:
        return
    longest = rows.sort(pl.col(TEXT).str.len_chars(), descending=True).unique(
        DOC, keep="first", maintain_order=True
    )
    both = rows.join(longest.select(DOC, pl.col(TEXT).alias(_OTHER)), on=DOC)
    apart = both.filter(
        ~pl.col(_OTHER).str.strip_chars().str.starts_with(pl.col(TEXT).str.strip_chars())
    )
    if apart.height:
        first = apart.row(0, named=True)
        yield Fault(
            file=name,
            field=START,
            expected="where each text begins in its document",
            found=f"{first[START]} for every one: {first[key]!r} and others of {first[DOC]!r} "
            "have different texts there",
        )


def _other_lengths(rows: pl.DataFrame, name: str) -> Iterator[DataWarning]:
    """Texts that are longer or shorter by more than blanks at the edges and a title may do."""
    off = rows.filter((pl.col(_SAID) - pl.col(_CHARS)).abs() * 2 > pl.col(_SAID))
    if off.height:
        yield DataWarning(
            code="offsets_and_lengths_differ",
            count=off.height,
            message=f"{off.height:,} texts of the {name} are not half as long, or more than half "
            "again as long, as their offsets say: what do these count?",
        )
