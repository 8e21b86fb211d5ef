"""Hinges about coordinate axes take a short way, in either sense; it gives what the general way gives."""

import numpy as np
import pytest

import posewright as pw
from posewright.kernels import tables
from posewright.kernels.kinematics.frames import place


@pytest.mark.parametrize("axis", [(s * x, s * y, s * z) for s in (1.0, -1.0) for x, y, z in np.eye(3).tolist()])
def test_a_coordinate_hinge_turns_as_a_general_one(axis: tuple[float, float, float]) -> None:
    first = pw.figures.Joint(
        name="first",
        rest=(0.5, 0.5, -0.5, 0.5),
        rotation=(pw.figures.Hinge(axis=axis), pw.figures.Hinge(axis=(0.6, 0.0, 0.8))),
    )
    second = pw.figures.Joint(
        name="second", parent="first", offset=(0.1, 0.2, 0.3), rotation=(pw.figures.Hinge(axis=axis),)
    )
    joints, dofs = pw.Figure(name="two", joints=(first, second)).tables
    assert dofs["kind"].tolist().count(tables.HINGE) == 1
    general = dofs.copy()
    general["kind"] = tables.HINGE
    answers = []
    for table in (dofs, general):
        rotations, positions, axes = np.empty((2, 3, 3)), np.empty((2, 3)), np.empty((3, 3))
        place(joints, table, np.array([0.7, -1.1, 2.3]), rotations, positions, axes)
        answers.append((rotations, positions, axes))
    for short, long in zip(*answers, strict=True):
        np.testing.assert_allclose(short, long, atol=1e-15)
