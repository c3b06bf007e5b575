"""The table of measures. A new measure is one record in a family's `DEFINITIONS`."""

from __future__ import annotations

from tophit.measures import coverage, gain, hit, rank, sets
from tophit.measures.definition import Definition

FAMILIES = (hit, rank, sets, gain, coverage)

MEASURES: dict[str, Definition] = {
    definition.name: definition for family in FAMILIES for definition in family.DEFINITIONS
}
