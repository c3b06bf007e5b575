"""How every kind of retriever is opened: a table of doors, each a small module."""
