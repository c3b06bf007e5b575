"""What people and programs see of a result: terminal, JSON, tables, Markdown.

summary.py        the words and figures that every report shares
tables.py         tables for a terminal of any width
terminal.py       an evaluation on the terminal
json_output.py    schema 1, made by tophit.envelope
frames.py         summary and scores as data frames, written by suffix
markdown.py       for a pull request
measures_page.py  docs/measures.md from the table of measures
measures_view.py  the table of measures on the terminal
"""
