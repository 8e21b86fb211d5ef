"""What a session is exported as: formats of other programs, pictures, tasks and edits, a Python script."""
