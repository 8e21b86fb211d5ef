"""Following on a small figure, small enough for plain Python: a pace that is kept, and the answer of a solve."""

import numpy as np
import pytest

import posewright as pw
from posewright.figures.kinematics import joint_positions, site_frames
from posewright.kernels.tables import SLIDE


def place(figure, name, **values):
    q = np.array(figure.rest)
    for dof, value in values.items():
        q[figure.dof_index(dof.replace("__", "."))] = value
    return tuple(site_frames(figure, q[None], [name]).points[0, 0])


@pytest.mark.parametrize(
    "solver", [pw.LeastSquares(restarts=0), pw.Prioritized()], ids=["least squares", "prioritized"]
)
@pytest.mark.parametrize("pace", [{"turn": 0.05, "move": 10.0}, {"turn": 3.0, "move": 0.04}], ids=["turns", "ways"])
def test_no_joint_goes_or_turns_further_in_a_call_than_the_pace_allows(mixed_figure, solver, pace):
    """A target far away: every call goes about as far as it may, and ends where a solve does."""
    figure = mixed_figure
    goal = pw.Position("finger", place(figure, "finger"))
    live = solver.prepare(pw.Problem(figure, [goal], frozen=["root"]))
    target = place(figure, "finger", spine__rx=0.7, hand__rz=-0.8, hand__ry=0.6)
    own = pw.solvers.Pace(**pace)
    before, longest, slides = np.array(figure.rest), 0.0, figure.tables.dofs["kind"] == SLIDE
    for count in range(120):
        result = live.follow({"finger": target} if count == 0 else None, pace=own)
        q = result.q
        turned = np.abs(q - before)
        ways = np.linalg.norm(np.diff(joint_positions(figure, np.stack([before, q])), axis=0)[0], axis=-1)
        slid = turned[slides].max() / (own.move * figure.height)
        longest = max(longest, turned[~slides].max() / own.turn, ways.max() / (own.move * figure.height), slid)
        before = q
        if result.stopped in ("reached", "stationary"):
            break
    assert longest <= 1.0 + 1e-9
    assert longest > 0.8
    assert result.errors["finger"].value < 1e-3


def test_a_figure_without_height_goes_at_the_pace_of_its_reach():
    joint = pw.figures.Joint(name="buoy", slides=pw.figures.free_slides())
    figure = pw.Figure(name="buoy", joints=(joint,))
    live = pw.LeastSquares(restarts=0).prepare(pw.Problem(figure, [pw.Position("buoy", (0.3, 0.2, 0.1))]))
    assert [live.follow().stopped for _ in range(3)] == ["on the way"] * 3
    assert any(live.follow().reached for _ in range(10))


@pytest.mark.parametrize(
    "solver", [pw.LeastSquares(restarts=0), pw.Prioritized()], ids=["least squares", "prioritized"]
)
@pytest.mark.parametrize("n_links", [1, 2, 3])
def test_a_straight_finger_at_the_end_of_its_range_bends_towards_a_point_on_its_line(solver, n_links):
    """Each limit holds what has nothing to win by a small bend: only all of them together lead down."""
    hinge = {"axis": (0.0, 0.0, 1.0), "label": "flexion"}
    joints = [pw.figures.Joint(name="base", rotation=(pw.figures.Hinge(lower=-1.0, upper=1.0, **hinge),))]
    for k in range(n_links):
        bend = pw.figures.Hinge(lower=0.0, upper=2.0, **hinge)
        joints.append(
            pw.figures.Joint(name=f"link {k}", parent=joints[-1].name, offset=(1.0, 0.0, 0.0), rotation=(bend,))
        )
    tip = pw.figures.Site(name="tip", joint=joints[-1].name, point=(1.0, 0.0, 0.0), tip=True)
    finger = pw.Figure(name="finger", joints=tuple(joints), sites=(tip,))
    wanted = pw.Position("tip", (0.8 * (n_links + 1), 0.0, 0.0))
    live = solver.prepare(pw.Problem(finger, [wanted, pw.Posture(weight=1e-6)]))
    assert any(live.follow().reached for _ in range(30))
