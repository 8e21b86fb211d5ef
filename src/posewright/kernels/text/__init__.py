"""Numbers in text files, parsed and written in bulk."""
