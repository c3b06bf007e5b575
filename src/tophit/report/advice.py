"""What to do about a warning, by its code: one line beside the message of every report."""

from __future__ import annotations

ADVICE = {
    "no_answerable": "Expect something: an item of at least the relevance level in some question.",
    "float_ids": "Keep ids as text from where they are made: dtype=str, or Int64.",
    "offsets_and_lengths_differ": "Count characters from the start of the document.",
    "reindexed": "Match by text (write expected elements as text), or judge the new ids.",
    "without_results": "See if the ids of both files agree; else the retriever returned nothing.",
    "not_asked": "Evaluate the run with the questions that it was made for.",
    "duplicates": "Drop repeated chunks before the prompt: each takes the place of another one.",
    "tied_ranks": "Give every place a rank of its own.",
    "ties": "Have the retriever break ties, or look at both sides of the cutoff.",
    "not_in_index": "Pass the chunks of the index that the run was made with.",
    "unmatchable": "Add what is missing to these items, or match in another way.",
    "places_unmatchable": "Log it for every retrieved chunk, or match in another way.",
    "text_and_spans_differ": "See the page on matching; text decides.",
    "missing_ids": "Give them ids, so that chunks can be told apart.",
    "documents_skipped": "Convert these files, or leave them out on purpose.",
    "chunks_without_offsets": "Nothing, if you match by text.",
    "unknown_documents": "Name documents in the questions as they are named in the folder.",
    "different_questions": "Compare runs on the same questions.",
    "different_corpus": "Make both runs on the same chunks.",
    "different_settings": "Evaluate all runs in the same way.",
    "not_in_baseline": "Freeze the baseline again with these measures.",
    "level_finds_more": "Use the option that the warning names.",
    "ignored_fields": "Look for a typing error in these names.",
}


def advice(code: str) -> str | None:
    """The line for a code; None where there is nothing to say.

    >>> advice("ties")
    'Have the retriever break ties, or look at both sides of the cutoff.'
    """
    return ADVICE.get(code)
