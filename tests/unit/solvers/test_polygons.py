"""Two angles of a joint limited together: kept by the kernel, with the answer of a search frame by frame."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import posewright as pw
from posewright.clips import throw
from posewright.constraints import LinearConstraint
from posewright.figures.catalogue import build
from posewright.figures.transforms.limits import with_max_speeds
from posewright.kernels.tree.polygons import NONE, Polygons, keep_within
from posewright.solvers.motion import solving

PRECISE = pw.LeastSquares(tracking=pw.solvers.Tracking(gain=1e-14, steps=200, met=1e-12), restarts=0)
SHOULDER = ("right_shoulder.elevation", "right_shoulder.abduction")
CALM = pw.Imitation(example=1e-2, leap=None)


@cache
def clip():
    return throw(build("norman"), fps=30.0)[:40]


def angles(q):
    return q[:, [clip().figure.dof_index(dof) for dof in SHOULDER]]


def polygon(corners, dofs=SHOULDER):
    """Inequalities of a convex polygon whose corners go round against the clock."""
    found = []
    for (x, y), (u, v) in zip(corners, [*corners[1:], corners[0]], strict=True):
        a, b = v - y, x - u
        row = ((dofs[0], a), (dofs[1], b))
        found.append(LinearConstraint(name=f"edge {len(found)}", coefficients=row, upper=a * x + b * y))
    return tuple(found)


def around(seed, share=0.35):
    """A triangle that the throw leaves over several edges: of a share of what it spans."""
    free = angles(clip().q)
    low, high = free.min(axis=0), free.max(axis=0)
    turns = np.sort(np.random.default_rng(seed).uniform(0.0, 2.0 * np.pi, 3)) + np.arange(3) * 2.0 * np.pi / 3.0
    turns = np.sort(turns % (2.0 * np.pi))
    return polygon(
        (0.5 * (low + high) + share * (high - low) * np.stack([np.cos(turns), np.sin(turns)], axis=1)).tolist()
    )


def problem(*constraints, imitation=CALM, sites=("right_hand", "left_sole"), **settings):
    figure = replace(build("norman"), constraints=constraints)
    example = pw.Motion(figure, clip().q, 30.0)
    return pw.MotionProblem(
        figure, [pw.goals.follow(site, example) for site in sites], example, imitation=imitation, **settings
    )


def solved(asked, solver=PRECISE):
    return solver.solve(asked).motion.q


def beyond(q, rows):
    return max(
        sum(q[:, clip().figure.dof_index(dof)] * factor for dof, factor in row.coefficients).max() - row.upper
        for row in rows
    )


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("weights", [{}, {SHOULDER[0]: 30.0}])
def test_the_answer_is_that_of_a_search_frame_by_frame(monkeypatch, seed, weights):
    rows = around(seed)
    asked = problem(*rows, imitation=replace(CALM, weights=weights))
    assert beyond(solved(problem()), rows) > 0.1, "it is in the way"
    q = solved(asked)
    assert beyond(q, rows) <= 1e-12
    monkeypatch.setattr(solving, "clip_tracker", lambda *_: None)
    np.testing.assert_allclose(q, solved(asked), rtol=0.0, atol=3e-5)


def test_dofs_that_no_goal_depends_on_are_as_near_the_example_as_they_can_be():
    rows = around(1, 0.8)
    weights = {SHOULDER[1]: 9.0}
    near = pw.Imitation(example=1.0, example_velocity=0.0, example_acceleration=0.0, stiffness=0.0, weights=weights)
    asked = problem(*rows, imitation=near, sites=("left_sole",))
    q = solved(asked)
    assert beyond(q, rows) <= 1e-12
    free, found = angles(clip().q), angles(q)
    inside = np.max([free @ [f for _, f in row.coefficients] - row.upper for row in rows], axis=0) <= 0.0
    assert 0 < np.count_nonzero(inside) < len(free)
    np.testing.assert_array_equal(found[inside], free[inside])
    corners = np.linspace(0.0, 1.0, 2001)[:, None]
    ends = [np.linalg.solve(*_both(rows[k - 1], rows[k])) for k in range(len(rows))]
    edge = np.concatenate([a + corners * (b - a) for a, b in zip(ends, [*ends[1:], ends[0]], strict=True)])
    for frame in np.flatnonzero(~inside):
        cost = (edge - free[frame]) ** 2 @ [1.0, 9.0]
        assert (found[frame] - free[frame]) ** 2 @ [1.0, 9.0] <= cost.min() + 1e-9


def _both(one, other):
    rows = [[factor for _, factor in row.coefficients] for row in (one, other)]
    return np.array(rows), np.array([one.upper, other.upper])


def test_a_stream_gives_the_same_numbers():
    asked = problem(*around(2))
    stream = PRECISE.stream(asked)
    found = [
        stream.solve(asked.near.q[k], {track.label: track.points[k] for track in asked.goals}).pose.q
        for k in range(len(asked))
    ]
    np.testing.assert_array_equal(np.stack(found), solved(asked))


def test_speed_limits_and_polygons_are_kept_together():
    rows = around(3)
    figure = replace(build("norman"), constraints=rows)
    figure = with_max_speeds(figure, {"right_shoulder": 3.0})
    example = pw.Motion(figure, clip().q, 30.0)
    asked = pw.MotionProblem(
        figure, [pw.goals.follow("right_hand", example)], example, imitation=CALM, velocity_limits=True
    )
    q = solved(asked)
    assert beyond(q, rows) <= 1e-12
    assert np.abs(np.diff(angles(q), axis=0)).max() * 30.0 <= 3.0 + 1e-9


def test_a_point_is_moved_to_the_nearest_of_a_square():
    square = np.array([[1.0, 0.0, 1.0], [-1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [0.0, -1.0, 1.0]])
    own = Polygons(np.array([[0, 1]]), np.array([0, 4]), square, np.full((1, 3), NONE))
    dofs = clip().figure.tables.dofs[:2].copy()
    dofs["lower"], dofs["upper"] = -np.inf, np.inf
    for given, nearest in (((0.3, -0.2), (0.3, -0.2)), ((2.0, 0.5), (1.0, 0.5)), ((-3.0, 4.0), (-1.0, 1.0))):
        q = np.array(given)
        keep_within(own, dofs, np.ones(2), q)
        np.testing.assert_allclose(q, nearest, rtol=0.0, atol=1e-15)
