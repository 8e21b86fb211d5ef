"""The verbs of an animator: edit, retarget, design.

Each is imported from its own file: a command waits for no workflow but its own.
"""
