"""Posture databases: similarity, search and splicing."""
