"""Nonlinear programming under linear constraints with an active set."""
