"""Solvers over time: a motion problem answered frame after frame, as a clip or as a stream."""
