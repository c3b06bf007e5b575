"""Tokens counted by the `tokenizer.json` of another model."""

import json
from pathlib import Path

from tophit.tokens import tokenizer

words = {"[UNK]": 0, "one": 1, "two": 2}
model = {"type": "WordLevel", "vocab": words, "unk_token": "[UNK]"}
Path("tokenizer.json").write_text(
    json.dumps({"version": "1.0", "pre_tokenizer": {"type": "Whitespace"}, "model": model})
)
assert tokenizer("tokenizer.json").encode("one two one") == [1, 2, 1]
