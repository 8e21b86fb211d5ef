"""Positions of many frames in blocks are those of one frame after another."""

from __future__ import annotations

import numpy as np
import pytest

import posewright as pw
from posewright.figures.catalogue import chain
from posewright.figures.kinematics import joint_frames, joint_positions
from posewright.kernels.kinematics.positions import positions_all
from random_figures import random_figure, random_q


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n_frames", [0, 1, 5, 64, 70])
def test_blocks_of_frames_equal_single_frames(seed: int, n_frames: int) -> None:
    figure = random_figure(seed, 9)
    q = random_q(figure, seed, n_frames)
    positions = np.full((n_frames, 9, 3), np.nan)
    positions_all(*figure.tables, q, positions)
    assert np.allclose(positions, joint_frames(figure, q).positions, rtol=0.0, atol=1e-13)


def test_hinges_turn_both_ways_about_coordinate_axes() -> None:
    axes = [(-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
    joints = [
        pw.Joint(
            name=f"j{k}",
            parent=f"j{k - 1}" if k else None,
            offset=(0.1, 0.2, 0.3),
            rotation=tuple(pw.Hinge(axis=axis, label=f"h{i}") for i, axis in enumerate(axes[k:] + axes[:k])),
        )
        for k in range(4)
    ]
    figure = pw.Figure(name="both ways", joints=tuple(joints))
    q = random_q(figure, 3, 20)
    assert np.allclose(joint_positions(figure, q), joint_frames(figure, q).positions, rtol=0.0, atol=1e-13)


def test_a_figure_too_large_for_wide_blocks() -> None:
    figure = chain(300)
    q = random_q(figure, 1, 30)
    assert np.allclose(joint_positions(figure, q), joint_frames(figure, q).positions, rtol=0.0, atol=1e-11)
