"""Motions transferred to another figure, as clips and as streams."""
