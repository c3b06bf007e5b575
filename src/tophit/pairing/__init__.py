"""Questions and run brought together: whose list is whose, and what a place holds.

queries.py    which list of the run is for which question: by id, else by the question's text
evidence.py   bare strings that are texts, texts that only the index has, ids that match nothing
inputs.py     the relations of both, on one engine
"""

from tophit.pairing.inputs import Inputs, inputs_from, paired

__all__ = ["Inputs", "inputs_from", "paired"]
