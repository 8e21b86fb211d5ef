"""Clips in a session: opened, edited, and their frames in journals."""
