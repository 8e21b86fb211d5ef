"""Robots: URDF and MJCF figures, and their motions as CSV and npz."""
