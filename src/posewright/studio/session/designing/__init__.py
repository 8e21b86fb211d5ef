"""Designing in a session: what is chosen, and the splice and its refinement."""
