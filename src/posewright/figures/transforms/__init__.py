"""Transforms of figures: balls and hinges, other lengths, locked joints, another root."""
