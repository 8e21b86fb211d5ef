"""A body with two feet that step: contacts exactly known at every frame rate divisible by 6."""

import numpy as np

from posewright.figures import Figure, Joint, free_slides
from posewright.motions import Motion

STEP = 0.6
"""m"""
STANCES = {"left_foot": [(0.0, 0.5), (1.0, 2.0), (2.5, 3.0)], "right_foot": [(0.0, 1.0), (1.5, 2.5)]}
"""s; between stances a foot is in the air and fast"""
FIGURE = Figure(
    name="stepper",
    joints=(
        Joint(name="head", offset=(0.0, 1.0, 0.0), slides=free_slides()),
        Joint(name="left_foot", offset=(0.1, 0.0, 0.0), slides=free_slides()),
        Joint(name="right_foot", offset=(-0.1, 0.0, 0.0), slides=free_slides()),
    ),
)


def stepping(fps, *, floor=0.0, size=1.0, duration=3.0):
    """The motion; the figure is `size` m high, so all lengths are multiplied by it."""
    figure = Figure(
        name="stepper",
        joints=tuple(
            Joint(name=j.name, slides=j.slides, offset=tuple(size * c for c in j.offset)) for j in FIGURE.joints
        ),
    )
    t = np.arange(round(duration * fps) + 1) / fps
    q = np.zeros((len(t), figure.n_dofs))
    for foot, stances in STANCES.items():
        forward, up = np.zeros(len(t)), np.zeros(len(t))
        for n, (_, end) in enumerate(stances):
            next_start = stances[n + 1][0] if n + 1 < len(stances) else end + 0.5
            swing = np.clip((t - end) / (next_start - end), 0.0, 1.0)
            forward += STEP * swing
            up += 0.3 * np.sin(np.pi * swing)
        where = figure.dof_slice(foot)
        q[:, where.start + 1], q[:, where.start + 2] = up, forward
    q *= size
    q[:, 1::3] += floor
    return Motion(figure, q, fps)
