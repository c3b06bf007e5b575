"""The spine, read from the top: evaluate, ranking, relate, scoring, averages, result."""
