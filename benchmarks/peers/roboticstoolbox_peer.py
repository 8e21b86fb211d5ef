"""Robotics Toolbox: Levenberg-Marquardt in C++ for serial chains, with its own random restarts."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
import roboticstoolbox as rtb
from stepping import Solver, serve
from tasks import Array, Task

_DAMPING, _TOLERANCE = 0.1, 1e-7  # the residual is half the square: within 0.45 mm


def make(task: Task) -> Solver:
    body, (tip,) = task.body, task.body.tips
    along = (rtb.ET.tx, rtb.ET.ty, rtb.ET.tz)
    about = {"x": rtb.ET.Rx, "y": rtb.ET.Ry, "z": rtb.ET.Rz}
    chain = rtb.ETS()
    for bone in body.bones:
        for move, length in zip(along, bone.offset, strict=True):
            chain = chain * move(length) if length else chain
        for axis, limits in zip(bone.axes, bone.limits, strict=True):
            chain = chain * about[axis](qlim=np.array(limits))
    for move, length in zip(along, tip.offset, strict=True):
        chain = chain * move(length) if length else chain
    wanted = None if tip.oriented else np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])

    def solve(k: int) -> Array:
        target = np.eye(4)
        target[:3, :3], target[:3, 3] = task.rotations[k, 0], task.points[k, 0]
        found = chain.ik_LM(
            target, q0=body.rest.copy(), tol=_TOLERANCE, mask=wanted, joint_limits=True, k=_DAMPING, method="chan"
        )
        return np.asarray(found.q if hasattr(found, "q") else found[0])

    return Solver(solve, lambda found: found)


if __name__ == "__main__":
    serve(version("roboticstoolbox-python"), make)
