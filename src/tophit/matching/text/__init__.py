"""Matching by text: how texts are folded, cut into words, and searched."""
