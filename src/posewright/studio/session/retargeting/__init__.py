"""Retargeting in a session: what is chosen, the match and its corrections, and the run."""
