"""Every kind of goal, in every form, and every kind of space, over one figure: what goals and solvers promise of all.

The goals cannot be met at a random pose, so that every one of them has a residual there.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import posewright as pw
from posewright.figures.kinematics import centre_of_mass, centre_of_mass_jacobian, site_frames

POINT, X, Y = (0.3, 0.4, -0.2), (0.6, 0.0, 0.8), (0.0, 1.0, 0.0)
OUT_OF_REACH = (0.0, 40.0, 0.0)


def twice_the_gap(pose: pw.Pose) -> np.ndarray:
    """A goal in Python: two of a site's coordinates and a product of dofs."""
    point = site_frames(pose.figure, pose.q, ["finger"]).points[0]
    return np.array([2.0 * point[0] - 0.3, point[2] * pose["hand.rx"]])


def posture(figure: pw.Figure) -> pw.Goal:
    return pw.Posture(reference=pw.Pose(figure, figure.rest + 0.1), weights={"arm": 3.0, "spine.rx": 0.0})


GOALS = {
    "position": lambda _: pw.Position("finger", POINT, weight=2.0),
    "position on the figure": lambda _: pw.Position("finger", "foot", weight=2.0),
    "orientation": lambda _: pw.Orientation("finger", x=X, y=Y, radius=0.7),
    "orientation by chords": lambda _: pw.Orientation("foot", x=X, y=Y, measure="chord", weight=0.5),
    "one direction": lambda _: pw.Orientation("finger", y=Y),
    "orientation like another": lambda _: pw.Orientation("finger", like="foot"),
    "directions like another": lambda _: pw.Orientation("finger", like="foot", measure="chord"),
    "placement": lambda _: pw.Placement("finger", POINT, x=X, y=Y, position_share=0.3),
    "placement on the figure": lambda _: pw.Placement("foot", "finger", like="arm"),
    "aim": lambda _: pw.Aim("finger", POINT, radius=0.4),
    "aim at the figure": lambda _: pw.Aim("finger", "foot", axis=(0.0, 0.6, 0.8)),
    "line": lambda _: pw.Line("finger", POINT, X),
    "line through the figure": lambda _: pw.Line("finger", "foot", X),
    "plane": lambda _: pw.Plane("foot", POINT, X),
    "plane through the figure": lambda _: pw.Plane("foot", "finger", X),
    "distance": lambda _: pw.goals.Distance("finger", POINT, 0.2, weight=2.0),
    "distance to the figure": lambda _: pw.goals.Distance("finger", "foot", 0.3),
    "half-space": lambda _: pw.HalfSpace("finger", OUT_OF_REACH, Y),
    "half-space from the figure": lambda _: pw.HalfSpace("foot", "finger", Y),
    "any of": lambda _: pw.AnyOf((pw.Position("finger", POINT), pw.Position("foot", OUT_OF_REACH)), weight=3.0),
    "any of placements": lambda _: pw.AnyOf(
        (pw.Placement("finger", OUT_OF_REACH, x=X), pw.Placement("finger", POINT, x=X, y=Y))
    ),
    "outside": lambda _: pw.Outside("finger", box=((-9.0, -9.0, -9.0), (9.0, 7.0, 9.0))),
    "centre of mass": lambda _: pw.CentreOfMass(POINT, vertical=False),
    "centre of mass over": lambda _: pw.CentreOfMass(POINT),
    "centre of mass over the figure": lambda _: pw.CentreOfMass("foot"),
    "centre of mass on the figure": lambda _: pw.CentreOfMass("foot", vertical=False),
    "posture": posture,
    "smoothness": lambda _: pw.Smoothness(("pelvis", "leg"), weight=2.0),
    "Python": lambda _: pw.PythonGoal(twice_the_gap, rows=2, weight=1.5),
    "Python with Jacobian": lambda figure: pw.PythonGoal(
        lambda pose: centre_of_mass(figure, pose.q),
        rows=3,
        jacobian=lambda pose: centre_of_mass_jacobian(figure, pose.q),
        name="mass",
    ),
}


def affine(figure: pw.Figure) -> pw.Space:
    rng = np.random.default_rng(11)
    matrix, offset = rng.normal(size=(figure.n_dofs, 6)) / 3.0, rng.uniform(-0.2, 0.2, figure.n_dofs)
    return pw.Space(figure, tuple(f"c{k}" for k in range(6)), matrix, offset)


CHART = {"root": (0.8, 0.0, 0.6, 0.0), "leg": (0.6, 0.0, 0.0, -0.8)}
SPACES = {
    "identity": pw.Space.of,
    "chain": lambda figure: pw.Space.chain(figure, ["spine", "arm", "hand", "leg"]),
    "grouped": pw.Space.grouped,
    "affine": affine,
    "charts": lambda figure: pw.Space.of(figure).with_chart(CHART),
    "affine in charts": lambda figure: affine(figure).with_chart(CHART),
}


def leggy(mixed: pw.Figure) -> pw.Figure:
    """The mixed figure with one more ball in the leg and a group over two joints."""
    *others, leg = mixed.joints
    pelvis = pw.figures.Joint(
        name="pelvis", parent="root", offset=(0.0, -0.1, 0.05), rotation=pw.figures.Ball(), mass=1.0
    )
    group = pw.figures.JointGroup(
        name="bend",
        coordinates=("flexion", "turn"),
        members=("spine.rx", "hand.rz", "hand.rx"),
        matrix=((0.4, 0.0), (0.6, 0.2), (0.0, 1.0)),
        offset=(0.0, 0.1, 0.0),
    )
    joints = (*others, pelvis, replace(leg, parent="pelvis"))
    return replace(mixed, joints=joints, groups=(group,))
