"""Positions alone are those of whole frames."""

from __future__ import annotations

import numpy as np

import posewright as pw
from posewright.figures.kinematics import joint_frames, joint_positions
from random_figures import random_q


def test_hinges_turn_both_ways_about_coordinate_axes() -> None:
    axes = [(-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
    joints = [
        pw.figures.Joint(
            name=f"j{k}",
            parent=f"j{k - 1}" if k else None,
            offset=(0.1, 0.2, 0.3),
            rotation=tuple(pw.figures.Hinge(axis=axis, label=f"h{i}") for i, axis in enumerate(axes[k:] + axes[:k])),
        )
        for k in range(4)
    ]
    figure = pw.Figure(name="both ways", joints=tuple(joints))
    q = random_q(figure, 3, 20)
    assert np.allclose(joint_positions(figure, q), joint_frames(figure, q).positions, rtol=0.0, atol=1e-13)
