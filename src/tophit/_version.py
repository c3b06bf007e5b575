"""The version, which the build reads, and all that says it."""

__version__ = "0.1.0"
