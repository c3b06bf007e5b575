"""What one record means, at every door: a JSON line, a dict, a dataclass, a framework's document.

vocabulary.py    which key of a record holds which field: the synonyms
objects.py       documents and nodes of frameworks, dataclasses and named tuples, as records
places.py        `place_from`: one place of a ranked list
questions.py     `question_from`: one question and what it should find
lists.py         the list that a record or a retriever's return holds
values.py        single values, and faults collected on the way
stages.py        the place lists on the way to what was retrieved
made.py          ids that tophit makes up, from the text
build.py         records put together as the relations of questions and runs
chunks.py        the same for chunks
plain_places.py  a million plain places at once
"""
