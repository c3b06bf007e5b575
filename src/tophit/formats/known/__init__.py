"""The known formats, one module each; the table of them is tophit.formats.table."""
