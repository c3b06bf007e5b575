"""Altair: a result gives a chart that can be saved."""

import tophit

chart = tophit.evaluate({"q": ["a"]}, {"q": ["a"]}, measures="MRR").plot()
chart.save("chart.json")
