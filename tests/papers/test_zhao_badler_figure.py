"""Zhao & Badler 1994: the figure and its effectors."""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import posewright as pw
from posewright.figures.kinematics import joint_frames, site_frames, site_jacobians
from posewright.problem.linearisation import linearise
from posewright.problem.lowering import lower


def random_q(figure, seed=0, n=5):
    return np.random.default_rng(seed).uniform(-1.0, 1.0, (n, figure.n_dofs))


def frames_by_matrix_products(figure, q):
    """World frames (joints, 4, 4), written as the conventions are: translate · rest · hinges or ball."""
    found = []
    for index, joint in enumerate(figure.joints):
        values = q[figure.dof_slice(index)]
        slides, turns = values[: len(joint.slides)], values[len(joint.slides) :]
        local = np.eye(4)
        shifts = [value * np.array(slide.axis) for value, slide in zip(slides, joint.slides, strict=True)]
        local[:3, 3] = np.sum([joint.offset, *shifts], axis=0)
        w, x, y, z = joint.rest
        R = Rotation.from_quat([x, y, z, w])
        if joint.ball is not None:
            R = R * Rotation.from_rotvec(turns)
        for angle, hinge in zip(turns, joint.hinges, strict=False):
            R = R * Rotation.from_rotvec(angle * np.array(hinge.axis))
        local[:3, :3] = R.as_matrix()
        parent = figure.parents[index]
        found.append(local if parent < 0 else found[parent] @ local)
    return np.array(found)


def test_forward_kinematics_of_a_tree_equals_matrix_products(mixed_figure):
    for q in random_q(mixed_figure):
        wanted = frames_by_matrix_products(mixed_figure, q)
        frames = joint_frames(mixed_figure, q)
        np.testing.assert_allclose(frames.positions, wanted[:, :3, 3], rtol=0.0, atol=1e-12)
        np.testing.assert_allclose(frames.rotations, wanted[:, :3, :3], rtol=0.0, atol=1e-12)


ROTATIONS = {
    "hinge about x": {"rotation": (pw.figures.Hinge(axis=(1.0, 0.0, 0.0)),)},
    "hinge about any axis": {"rotation": (pw.figures.Hinge(axis=(0.6, 0.0, 0.8)),)},
    "three hinges": {
        "rotation": tuple(pw.figures.Hinge(axis=a) for a in ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    },
    "slide": {"slides": (pw.figures.Slide(axis=(0.0, 0.6, 0.8)),)},
    "two slides, then a hinge": {
        "slides": (pw.figures.Slide(axis=(1.0, 0.0, 0.0)), pw.figures.Slide(axis=(0.0, 0.6, 0.8))),
        "rotation": (pw.figures.Hinge(axis=(0.6, 0.8, 0.0)),),
    },
    "ball": {"rotation": pw.figures.Ball()},
    "free": {"slides": pw.figures.free_slides(), "rotation": pw.figures.Ball()},
}


@pytest.mark.parametrize("kind", ROTATIONS)
def test_the_jacobian_of_each_kind_of_joint_equals_differences(kind):
    figure = pw.Figure(
        name="one",
        joints=[
            pw.figures.Joint(name="base", rotation=pw.figures.Ball()),
            pw.figures.Joint(
                name="joint", parent="base", offset=(0.3, 0.2, 0.1), rest=(0.8, 0.0, 0.6, 0.0), **ROTATIONS[kind]
            ),
        ],
        sites=[pw.figures.Site(name="tip", joint="joint", point=(0.1, 0.5, -0.2), x_axis=(0.0, 0.6, 0.8))],
    )

    def effector(at):
        frames = site_frames(figure, at, ["tip"])
        return np.concatenate([frames.points[0], frames.x_axes[0], frames.y_axes[0]])

    for q in random_q(figure):
        steps = 1e-6 * np.eye(figure.n_dofs)
        differences = np.stack([(effector(q + e) - effector(q - e)) / 2e-6 for e in steps], axis=1)
        np.testing.assert_allclose(site_jacobians(figure, q, ["tip"])[0], differences, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("order", [a + b + c for a in "XYZ" for b in "XYZ" for c in "XYZ" if a != b and b != c])
def test_three_hinges_in_one_place_are_an_euler_matrix(order):
    axes = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
    one = pw.Figure(
        name="one",
        joints=[pw.figures.Joint(name="j", rotation=tuple(pw.figures.Hinge(axis=axes[letter]) for letter in order))],
        sites=[pw.figures.Site(name="tip", joint="j", point=(1.0, 2.0, 3.0))],
    )
    joints = [
        pw.figures.Joint(
            name=f"j{k}", parent=f"j{k - 1}" if k else None, rotation=(pw.figures.Hinge(axis=axes[letter]),)
        )
        for k, letter in enumerate(order)
    ]
    three = pw.Figure(
        name="three", joints=joints, sites=[pw.figures.Site(name="tip", joint="j2", point=(1.0, 2.0, 3.0))]
    )
    for q in random_q(one):
        matrix = Rotation.from_euler(order, q).as_matrix()
        np.testing.assert_allclose(joint_frames(one, q).rotations[0], matrix, rtol=0.0, atol=1e-14)
        for figure in (one, three):
            np.testing.assert_allclose(
                site_frames(figure, q, ["tip"]).points[0], matrix @ (1.0, 2.0, 3.0), rtol=0.0, atol=1e-14
            )


def test_an_effector_has_two_unit_directions_at_right_angles_in_any_pose(mixed_figure):
    skew = pw.figures.Site(name="skew", joint="hand", x_axis=(3.0, 1.0, 0.0), y_axis=(1.0, 1.0, 5.0))
    figure = mixed_figure.with_sites(skew)
    frames = site_frames(figure, 3.0 * random_q(figure, n=50), figure.site_names)
    np.testing.assert_allclose(np.linalg.norm(frames.x_axes, axis=-1), 1.0, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(frames.y_axes, axis=-1), 1.0, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(np.sum(frames.x_axes * frames.y_axes, axis=-1), 0.0, rtol=0.0, atol=1e-12)
    with pytest.raises(pw.errors.InvalidFigure, match="parallel"):
        pw.figures.Site(name="flat", joint="hand", x_axis=(1.0, 0.0, 0.0), y_axis=(2.0, 0.0, 0.0))


@pytest.mark.parametrize(
    ("goal", "unused"),
    [
        (pw.Position("tip", (5.0, 4.0, 3.0)), ("turn.wx", "turn.wy", "turn.wz")),
        (pw.Line("tip", (5.0, 4.0, 3.0), (0.0, 1.0, 0.0)), ("turn.wx", "turn.wy", "turn.wz")),
        (pw.Plane("tip", (5.0, 4.0, 3.0), (0.0, 1.0, 0.0)), ("turn.wx", "turn.wy", "turn.wz")),
        (pw.HalfSpace("tip", (5.0, 4.0, 3.0), (0.0, 1.0, 0.0)), ("turn.wx", "turn.wy", "turn.wz")),
        (pw.Orientation("tip", x=(0.0, 0.6, 0.8)), ("turn.tx", "turn.ty", "turn.tz", "last.rx")),
        (pw.Orientation("tip", x=(0.0, 0.6, 0.8), y=(1.0, 0.0, 0.0)), ("turn.tx", "turn.ty", "turn.tz")),
        (pw.Aim("tip", (5.0, 4.0, 3.0)), ("last.rx",)),
        (
            pw.Placement("tip", (5.0, 4.0, 3.0), x=(0.0, 0.6, 0.8), position_share=1.0),
            ("turn.wx", "turn.wy", "turn.wz", "last.rx"),
        ),
        (
            pw.Placement("tip", (5.0, 4.0, 3.0), x=(0.0, 0.6, 0.8), position_share=0.0),
            ("turn.tx", "turn.ty", "turn.tz", "last.rx"),
        ),
    ],
    ids=["position", "line", "plane", "half-space", "one direction", "orientation", "x axis", "all point", "all turn"],
)
def test_parts_of_an_effector_that_a_goal_does_not_use_get_no_gradient(goal, unused):
    joints = [
        pw.figures.Joint(name="turn", slides=pw.figures.free_slides(), rotation=pw.figures.Ball()),
        pw.figures.Joint(name="last", parent="turn", rotation=(pw.figures.Hinge(axis=(1.0, 0.0, 0.0)),)),
    ]
    figure = pw.Figure(name="point", joints=joints, sites=[pw.figures.Site(name="tip", joint="last")])
    lowered = lower(pw.Problem(figure, [goal]))
    q = random_q(figure)[0]
    (rows,) = linearise(lowered, lowered.targets, q, q)
    gradient = dict(zip(figure.dof_names, rows.pull, strict=True))
    assert all(abs(gradient[name]) < 1e-12 for name in unused)
    assert np.abs(rows.pull).max() > 0.1


COUNT = """
import sys
import numpy as np
from posewright.figures.catalogue import chain
from posewright.figures.kinematics import site_jacobians

for n in (10, 20, 40, 80, 160):
    figure, lines = chain(n, joints="hinge"), 0
    figure.tables

    def trace(frame, event, _):
        global lines
        lines += event == "line"
        return trace if "kernels" in frame.f_code.co_filename else None

    sys.settrace(trace)
    site_jacobians(figure, figure.rest, ["tip"])
    sys.settrace(None)
    print(n, lines)
"""


def test_derivatives_cost_in_proportion_to_the_length_of_the_chain():
    """Operations are counted as lines of the kernels executed as plain Python."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", COUNT], env=environment, capture_output=True, text=True, check=True)
    counts = np.array([line.split() for line in done.stdout.splitlines()], dtype=float)
    assert (counts[:, 1] > 10 * counts[:, 0]).all(), "nothing was counted"
    slope = np.polyfit(np.log(counts[:, 0]), np.log(counts[:, 1]), 1)[0]
    assert 0.8 <= slope <= 1.2


def test_only_the_chain_has_columns(mixed_figure):
    q = random_q(mixed_figure)[0]
    J = site_jacobians(mixed_figure, q, ["finger", "foot"])
    for row, site in enumerate(("finger", "foot")):
        chain = mixed_figure.ancestors(mixed_figure.site(site).joint)
        off = ~np.isin(mixed_figure.tables.dofs["joint"], chain)
        assert off.any()
        assert not J[row][:, off].any()
    longer = replace(
        mixed_figure,
        joints=(*mixed_figure.joints, pw.figures.Joint(name="tail", parent="leg", rotation=pw.figures.Ball())),
    )
    wider = site_jacobians(longer, np.append(q, [0.1, 0.2, 0.3]), ["finger"])[0]
    assert np.array_equal(wider[:, : len(q)], J[0])
