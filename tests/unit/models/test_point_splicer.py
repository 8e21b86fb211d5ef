"""Splices of points and turns in one call: what `step_by_step` gives, whatever is asked of them."""

from dataclasses import replace

import numpy as np
import pytest
from design_samples import SITES, database, figure, goals_of, left_out
from numpy.testing import assert_allclose, assert_array_equal

from posewright.clips import walk
from posewright.figures import Hinge, Pose
from posewright.figures.joint import X, Y, Z
from posewright.figures.kinematics import site_frames
from posewright.goals import Orientation, Placement, Plane, Position
from posewright.models import Postures
from posewright.models.postures.splicing import Splicer
from posewright.problem import Problem
from posewright.problem.lowering import lower

REST = figure().rest
ELSEWHERE = Pose.rest(figure()).with_values({figure().dof_names[0]: 0.4, figure().dof_names[4]: 0.7}).q
KNEES = np.array([name.startswith("left_knee") for name in figure().dof_names])


def splicer(goals, *, postures=None, start=REST, **settings):
    lowered = lower(Problem(figure(), goals))
    return lowered, Splicer(lowered, (postures or database()).on(figure()), start, **settings)


def assert_same(one, other):
    assert_allclose(one.q, other.q, atol=1e-9)
    assert one.rest == other.rest
    parts, others = [(*splice.parts, *filter(None, [splice.root])) for splice in (one, other)]
    assert len(parts) == len(others)
    for a, b in zip(parts, others, strict=True):
        assert (a.joints, a.goals, a.levels, a.found, a.columns) == (b.joints, b.goals, b.levels, b.found, b.columns)
        assert_array_equal(a.samples, b.samples)
        assert_allclose(a.weights, b.weights, atol=1e-6)
        assert_allclose(a.away, b.away, atol=1e-6)


@pytest.mark.parametrize("sites", [SITES, SITES[1:], SITES[:1], SITES[1:2]], ids=len)
@pytest.mark.parametrize(
    "settings",
    [{}, {"start": ELSEWHERE}, {"rest_from_start": True}, {"kept": KNEES}],
    ids=["plain", "elsewhere", "rest from start", "knee kept"],
)
def test_one_call_gives_what_the_steps_give(sites, settings, monkeypatch):
    poses = left_out()[::9]
    _, ours = splicer(goals_of(poses[0], sites), **settings)
    for q in poses:
        targets = lower(Problem(figure(), goals_of(q, sites))).targets
        expected = ours.step_by_step(targets)
        with monkeypatch.context() as patched:
            patched.delattr(Splicer, "step_by_step")  # so that it is the one call that answers
            assert_same(ours.splice(targets), expected)


def test_goals_may_say_what_they_recruit():
    lowered, ours = splicer(goals_of(left_out()[5], recruiting="limb+spine"))
    assert_same(ours.splice(lowered.targets), ours.step_by_step(lowered.targets))
    assert len(ours.splice(lowered.targets).parts) == 2


def test_fewer_postures_than_equations_will_do():
    few = Postures.build([walk(figure(), seed=1, fps=15.0)[:6]], threshold=0.03)
    assert len(few) < 16
    lowered, ours = splicer(goals_of(left_out()[5]), postures=few)
    assert_same(ours.splice(lowered.targets), ours.step_by_step(lowered.targets))


def turned(q, kind):
    """Goals that want sites turned as in a pose, with points or alone."""
    frames = site_frames(figure(), q, SITES)
    point, x, y = ([tuple(map(float, row)) for row in rows] for rows in (frames.points, frames.x_axes, frames.y_axes))
    if kind == "placements":
        feet = [Placement(SITES[k], point[k], x=x[k], y=y[k]) for k in (3, 4)]
        return [*(Position(SITES[k], point[k]) for k in range(3)), *feet]
    if kind == "one axis":
        return [
            Placement(SITES[3], point[3], y=y[3]),
            Orientation(SITES[1], x=x[1]),
            Position(SITES[2], point[2]),
        ]
    if kind == "turns alone":
        return [Orientation(SITES[1], x=x[1], y=y[1]), Orientation("head", x=(0.0, 0.0, 1.0))]
    return [Placement(site, point[k], x=x[k], y=y[k], recruiting="limb+spine") for k, site in enumerate(SITES) if k]


@pytest.mark.parametrize("kind", ["placements", "one axis", "turns alone", "recruiting"])
@pytest.mark.parametrize("start", [REST, ELSEWHERE], ids=["rest", "elsewhere"])
def test_sites_may_be_wanted_turned(kind, start, monkeypatch):
    poses = left_out()[::13]
    _, ours = splicer(turned(poses[0], kind), start=start)
    for q in poses:
        targets = lower(Problem(figure(), turned(q, kind))).targets
        expected = ours.step_by_step(targets)
        with monkeypatch.context() as patched:
            patched.delattr(Splicer, "step_by_step")
            assert_same(ours.splice(targets), expected)


@pytest.mark.parametrize("axes", [(Z, Y, X), (Y, X, Y)])
@pytest.mark.parametrize("sites", [SITES, SITES[1:]], ids=len)
def test_a_root_may_turn_by_three_hinges(axes, sites, monkeypatch):
    """As those of BVH files do."""
    pelvis, *joints = figure().joints
    hinged = replace(figure(), joints=(replace(pelvis, rotation=tuple(Hinge(axis=axis) for axis in axes)), *joints))
    start = Pose(hinged, hinged.rest).with_values({hinged.dof_names[0]: 0.4, hinged.dof_names[4]: 0.3}).q
    lowered = lower(Problem(hinged, goals_of(left_out()[0], sites)))
    ours = Splicer(lowered, database().on(hinged), start)
    for q in left_out()[::13]:
        targets = lower(Problem(hinged, goals_of(q, sites))).targets
        expected = ours.step_by_step(targets)
        with monkeypatch.context() as patched:
            patched.delattr(Splicer, "step_by_step")
            assert_same(ours.splice(targets), expected)


def test_other_goals_are_spliced_for_step_by_step():
    lowered, ours = splicer([Plane("left_hand", point=(0.0, 0.0, 0.4), normal=(0.0, 0.0, 1.0))])
    assert ours._points is None
    assert_array_equal(ours.splice(lowered.targets).q, ours.step_by_step(lowered.targets).q)
