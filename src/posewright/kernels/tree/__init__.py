"""Least squares by eliminating the tree of joints, for a pose and over the frames of a clip."""
