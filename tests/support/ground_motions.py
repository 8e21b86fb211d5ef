"""Motions on the ground, made here: bodies that roll, sit, crawl and stand on their hands."""

import numpy as np

import posewright as pw
from posewright.figures.kinematics import joint_positions
from posewright.motions import Motion
from posewright.rotations import matrix_from_vector, vector_from_matrix

FPS, N = 60.0, 120
BODY = pw.figure("human40")
TIME = np.linspace(0.0, 1.0, N)


def about(axis: int, angles: np.ndarray) -> np.ndarray:
    """Rotation matrices (frames, 3, 3) about x, y or z."""
    return matrix_from_vector(angles[:, None] * np.eye(3)[axis])


def on_the_ground(turns: np.ndarray, lowest: float, **dofs: np.ndarray | float) -> Motion:
    """Frames with the pelvis turned (frames, 3, 3), joints at values by name, the lowest joint that high (m)."""
    q = np.repeat(BODY.rest[None], N, axis=0)
    q[:, 3:6] = vector_from_matrix(turns)
    for name, value in dofs.items():
        q[:, BODY.dof_names.index(name.replace("__", "."))] = value
    q = np.clip(q, BODY.lower, BODY.upper)
    q[:, 1] -= joint_positions(BODY, q)[..., 1].min(axis=1) - lowest
    return Motion(BODY, q, FPS, "made")


def roll() -> Motion:
    """On the floor from the back to the front and on."""
    lying = about(0, np.full(N, -0.5 * np.pi))
    return on_the_ground(
        about(2, 1.5 * np.pi * TIME) @ lying, 0.06, left_shoulder__abduction=0.2, right_shoulder__abduction=0.2
    )


def sit_on_the_ground() -> Motion:
    """Legs ahead, rocking a little."""
    lean = about(0, -0.15 + 0.1 * np.sin(2.0 * np.pi * TIME))
    return on_the_ground(lean, 0.05, left_hip__flexion=1.5, right_hip__flexion=1.5)


def crawl() -> Motion:
    """On knees and hands, one arm after the other."""
    swing = 0.25 * np.sin(4.0 * np.pi * TIME)
    flexion = {"left_hip__flexion": 1.4 + 0.5 * swing, "right_hip__flexion": 1.4 - 0.5 * swing}
    arms = {"left_shoulder__elevation": 1.5 + swing, "right_shoulder__elevation": 1.5 - swing}
    return on_the_ground(
        about(0, np.full(N, 1.35)), 0.05, left_knee__flexion=1.5, right_knee__flexion=1.5, **flexion, **arms
    )


def handstand() -> Motion:
    """Upside down on stretched arms, rocking a little."""
    turns = about(0, np.pi + 0.05 * np.sin(2.0 * np.pi * TIME))
    return on_the_ground(turns, 0.05, left_shoulder__elevation=3.0, right_shoulder__elevation=3.0)
