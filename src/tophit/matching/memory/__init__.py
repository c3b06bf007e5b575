"""Matching by ids of what is in memory, without ranking all of it."""
