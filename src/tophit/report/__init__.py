"""What people and programs see of a result.

summary.py        the words and figures that every report shares
visible.py        control characters as pictures, on every terminal
tables.py         tables for a terminal of any width
terminal.py       an evaluation on the terminal; the other *_view.py one command each
json_output.py    an evaluation as JSON, schema 1, made by tophit.envelope
shows.py          how each kind of result shows itself, printed and in notebooks
plots.py          charts of Altair
html/             one HTML page of a result
sentences.py      a result in sentences
advice.py         what to do about warnings and outcomes
frames.py         summary and scores as data frames, written by suffix
markdown.py       for a pull request
comparison_output.py   a comparison as JSON, a data frame and Markdown
misses.py         question by question, for JUnit, annotations and the pytest plugin
junit.py          a test case a question
github.py         annotations of a run in GitHub Actions
latex.py          tables with significance marks
failure_text.py   what a failing test says
measures_page.py  docs/measures.md from the table of measures
"""
