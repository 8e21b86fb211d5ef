"""The verbs of an animator: whole tasks made of figures, goals and solvers. None is here yet."""
