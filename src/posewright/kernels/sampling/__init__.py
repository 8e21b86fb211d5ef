"""The particle filter."""
