"""How problems are answered, an algorithm per file.

Each is imported from its own file: the first solve of a process waits for no solver but its own.
"""
