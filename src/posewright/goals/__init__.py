"""goals."""
