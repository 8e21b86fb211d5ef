"""Motions carried to another figure, as clips and as streams."""
