"""Posture databases, and postures spliced from them."""
