"""tophit: did the answer make it into the context window at all?"""

__version__ = "0.1.0"
