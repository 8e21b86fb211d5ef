"""Searches with dense Jacobians: quadratic programs and strict priority levels."""
