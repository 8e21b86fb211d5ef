"""Solvers of other libraries: SciPy and NLopt on the same problems."""
