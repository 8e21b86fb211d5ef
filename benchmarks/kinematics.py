"""Kinematics, timed beside Pinocchio in the same run: `python benchmarks/kinematics.py`.

The figure has 31 joints and 96 dofs (three slides, 93 hinges: a mocap skeleton). Posewright is called once for all
poses, on one core; Pinocchio once per pose from Python, as one would in a script, on the same tree of prismatic and
revolute joints. Each time is the best of several repetitions, in microseconds a pose. Start-up and compile times are
those of fresh processes.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pinocchio as pin
from timing import seconds_of

import posewright as pw
from posewright.figures.kinematics import (
    centre_of_mass,
    centre_of_mass_jacobian,
    joint_frames,
    site_frames,
    site_jacobians,
)
from posewright.figures.tables import effective_offset
from posewright.kernels.kinematics.frames import place_all

N_JOINTS, N_POSES, N_FEW, N_SITES = 31, 10_000, 1_000, 5  # few: poses of the peer, and of Jacobians (34 kB each)
AXES = ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))


def mocap_figure() -> pw.Figure:
    """A branching tree of 31 joints with three hinges each under three slides."""
    rng = np.random.default_rng(0)
    joints = []
    for index in range(N_JOINTS):
        offset = tuple(rng.normal(scale=0.15, size=3).tolist())
        joints.append(
            pw.figures.Joint(
                name=f"joint{index}",
                parent=f"joint{rng.integers(max(0, index - 4), index)}" if index else None,
                offset=offset,
                slides=() if index else pw.figures.free_slides(),
                rotation=tuple(pw.figures.Hinge(axis=axis) for axis in AXES),
                mass=float(rng.uniform(0.5, 5.0)),
                centre=tuple(rng.normal(scale=0.05, size=3).tolist()),
            )
        )
    sites = [
        pw.figures.Site(name=f"site{k}", joint=f"joint{N_JOINTS - 1 - 5 * k}", point=(0.1, 0.0, 0.0))
        for k in range(N_SITES)
    ]
    return pw.Figure(name="mocap", joints=tuple(joints), sites=tuple(sites))


def pinocchio_model(figure: pw.Figure) -> tuple[pin.Model, list[int]]:
    """The same tree, a Pinocchio joint per dof, and the ids of the frames that stand for the sites."""
    model, ends = pin.Model(), {}
    kinds = {AXES[0]: pin.JointModelRZ, AXES[1]: pin.JointModelRX, AXES[2]: pin.JointModelRY}
    for joint in figure.joints:
        body = ends[joint.parent] if joint.parent else 0
        placement = pin.SE3(np.eye(3), np.array(effective_offset(joint)))
        for kind, label in zip(
            [
                *(pin.JointModelPX, pin.JointModelPY, pin.JointModelPZ)[: len(joint.slides)],
                *(kinds[h.axis] for h in joint.hinges),
            ],
            joint.labels,
            strict=True,
        ):
            body = model.addJoint(body, kind(), placement, f"{joint.name}.{label}")
            placement = pin.SE3.Identity()
        model.appendBodyToJoint(body, pin.Inertia(joint.mass, np.array(joint.centre), np.eye(3) * 0.01), placement)
        ends[joint.name] = body
    frames = [
        model.addFrame(pin.Frame(s.name, ends[s.joint], pin.SE3(np.eye(3), np.array(s.point)), pin.FrameType.OP_FRAME))
        for s in figure.sites
    ]
    return model, frames


def per_pose_table(figure: pw.Figure) -> None:
    q = np.random.default_rng(1).normal(size=(N_POSES, figure.n_dofs))
    few = q[:N_FEW]
    model, frames = pinocchio_model(figure)
    data = model.createData()
    world = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED

    def peer_jacobians() -> None:
        for row in few:
            pin.computeJointJacobians(model, data, row)
            pin.updateFramePlacements(model, data)
            for frame in frames:
                pin.getFrameJacobian(model, data, frame, world)

    def peer_sites() -> None:
        for row in few:
            pin.framesForwardKinematics(model, data, row)

    rotations, positions = np.empty((N_POSES, N_JOINTS, 3, 3)), np.empty((N_POSES, N_JOINTS, 3))
    tables = figure.tables
    rows: list[tuple[str, float, float]] = []

    def row(title: str, ours: Callable[[], object], poses: int, theirs: Callable[[], object]) -> None:
        mine, others = seconds_of(ours, theirs, rounds=15).min(axis=1)
        rows.append((title, mine / poses * 1e6, others / len(few) * 1e6))

    def fk() -> None:
        for values in few:
            pin.forwardKinematics(model, data, values)

    names = figure.site_names
    row("FK, all joints (kernel, arrays reused)", lambda: place_all(*tables, q, rotations, positions), N_POSES, fk)
    row("FK, all joints (joint_frames)", lambda: joint_frames(figure, q), N_POSES, fk)
    row("FK, all joints (joint_frames, pose by pose)", lambda: [joint_frames(figure, x) for x in few], len(few), fk)
    row(f"frames of {N_SITES} sites", lambda: site_frames(figure, q, names), N_POSES, peer_sites)
    row(f"Jacobians of {N_SITES} sites", lambda: site_jacobians(figure, few, names), len(few), peer_jacobians)
    row(
        "centre of mass",
        lambda: centre_of_mass(figure, q),
        N_POSES,
        lambda: [pin.centerOfMass(model, data, x, False) for x in few],
    )
    row(
        "Jacobian of the centre of mass",
        lambda: centre_of_mass_jacobian(figure, q),
        N_POSES,
        lambda: [pin.jacobianCenterOfMass(model, data, x, False) for x in few],
    )
    pin.framesForwardKinematics(model, data, q[0])
    apart = max(
        np.abs(data.oMf[f].translation - p).max()
        for f, p in zip(frames, site_frames(figure, q[0], names).points, strict=True)
    )
    print(f"\n{N_JOINTS} joints, {figure.n_dofs} dofs, {N_POSES} poses, one core; sites differ by {apart:.1e} m\n")
    print(f"{'µs a pose':45} {'posewright':>11} {'pinocchio':>11} {'ratio':>7}")
    for title, ours, theirs in rows:
        print(f"{title:45} {ours:11.2f} {theirs:11.2f} {theirs / ours:6.1f}x")
    print(f"\ntarget: FK at most 3 µs a pose: {'met' if rows[1][1] <= 3.0 else 'MISSED'} ({rows[1][1]:.2f} µs)")


def fresh(code: list[str], cache: str | None = None) -> tuple[float, str]:
    """Seconds that a fresh process takes, and what it prints."""
    environment = {**os.environ, **({"POSEWRIGHT_CACHE": cache} if cache else {})}
    begin = time.perf_counter()
    done = subprocess.run([sys.executable, *code], env=environment, capture_output=True, text=True, check=True)
    return time.perf_counter() - begin, done.stdout


def start_table() -> None:
    timed = "import time; t = time.perf_counter(); import posewright; print(time.perf_counter() - t)"
    fresh(["-c", timed])
    imports = statistics.median(float(fresh(["-c", timed])[1]) for _ in range(7))
    command = ["-c", "import sys; sys.argv = ['posewright', '--help']; from posewright.cli import main; main()"]
    fresh(command)
    helps = statistics.median(fresh(command)[0] for _ in range(7))
    empty = statistics.median(fresh(["-c", ""])[0] for _ in range(7))
    print(f"\n{'fresh processes, median of 7':45} {'s':>11} {'target':>11}")
    print(f"{'import posewright':45} {imports:11.3f} {0.3:11.1f}")
    print(f"{'posewright --help':45} {helps:11.3f} {0.6:11.1f}")
    print(f"{'an empty Python, for comparison':45} {empty:11.3f}")


def compile_table() -> None:
    here = str(Path(__file__).parent)
    code = (
        f"import sys, time; sys.path.insert(0, {here!r}); import numpy as np; import kinematics as k;"
        "f = k.mocap_figure(); q = np.zeros((2, f.n_dofs));"
        "calls = {'FK': lambda: k.joint_frames(f, q), 'sites': lambda: k.site_frames(f, q, f.site_names),"
        "'Jacobians': lambda: k.site_jacobians(f, q, f.site_names), 'centre of mass': lambda: k.centre_of_mass(f, q),"
        "'its Jacobian': lambda: k.centre_of_mass_jacobian(f, q)}\n"
        "for name, call in calls.items():\n"
        "    t = time.perf_counter(); call(); print(name, time.perf_counter() - t, sep='=')\n"
    )
    with tempfile.TemporaryDirectory() as cache:
        first, second = (dict(line.split("=") for line in fresh(["-c", code], cache)[1].splitlines()) for _ in range(2))
    print(f"\n{'first call in a process, s':45} {'compiling':>11} {'from cache':>11}")
    for name, seconds in first.items():
        print(f"{name:45} {float(seconds):11.2f} {float(second[name]):11.3f}")
    print(f"{'all':45} {sum(map(float, first.values())):11.2f} {sum(map(float, second.values())):11.3f}")


if __name__ == "__main__":
    per_pose_table(mocap_figure())
    start_table()
    compile_table()
