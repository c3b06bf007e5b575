"""One HTML file that shows a result: no request to anywhere, for half a minute or for an hour.

tags.py       HTML made of nested calls, text escaped
figures.py    bars and intervals inside the text, as SVG
overview.py   the first screen of an evaluation, from its JSON record
charts.py     a picture: a table of numbers, and how to draw it
curves.py     the pictures of an evaluation
detail.py     one run question by question
held.py       which part of an item a place holds, in the texts as given
explorer.py   the data of the questions' list
packing.py    texts once, JSON, gzip, base64
page.py       the file: style, scripts, data, and what it may do
evaluated.py  what the page of an evaluation has; compared, diagnosed, benched, other_kinds: others
results.py    the table of kinds, and their page
assets/       style and scripts of the page
vendor/       uPlot, brought from npm when the package is built (hatch_build.py); git ignores it
"""
