"""Motions edited by goals at key frames and along trajectories."""
