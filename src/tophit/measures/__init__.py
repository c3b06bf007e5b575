"""The measures: their table, and the one way to read their names."""

from tophit.measures.definition import Cutoff, Definition, Measure, Parameter
from tophit.measures.names import parse_measures
from tophit.measures.table import MEASURES

__all__ = ["MEASURES", "Cutoff", "Definition", "Measure", "Parameter", "parse_measures"]
