"""Whole motions: smoothing, footprints, transfer to another figure."""
