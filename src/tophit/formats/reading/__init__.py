"""What the readers of formats share: files, lines, records, fields, columns."""
