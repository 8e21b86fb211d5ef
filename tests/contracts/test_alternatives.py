"""What every solver promises of a choice: a nearest alternative that cannot be met is left for one that can."""

from functools import cache

import numpy as np
import pytest

import posewright as pw
from posewright.figures.catalogue import build
from posewright.solvers.registry import SOLVERS

CASES = 24
LIMBS = {
    "hand": ("human40", "left_hand", ("pelvis",)),
    "hand with clavicle": ("human", "right_hand", ("pelvis",)),
    "leg": ("human40", "left_sole", ("pelvis",)),
    "arm": ("arm4", "tip", ()),
}
over_solvers = pytest.mark.parametrize("solver", [make() for make in SOLVERS.values()], ids=list(SOLVERS))


@cache
def decoys(limb):
    """(decoy, point) pairs: one that no start reaches, and a reachable one that is further from the rest pose."""
    name, site, frozen = LIMBS[limb]
    figure = build(name)
    rng, found = np.random.default_rng(7), []
    here = pw.Pose.rest(figure).point(site)
    while len(found) < CASES:
        q = np.clip(figure.rest + rng.uniform(-0.8, 0.8, figure.n_dofs), figure.lower, figure.upper)
        for joint in frozen:
            q[figure.dof_slice(joint)] = figure.rest[figure.dof_slice(joint)]
        point = pw.Pose(figure, q).point(site)
        away = rng.normal(size=3)
        decoy = here + 0.8 * np.linalg.norm(point - here) * away / np.linalg.norm(away)
        alone = pw.Problem(figure, [pw.Position(site, tuple(decoy))], frozen=frozen)
        if not pw.LeastSquares().solve(alone).reached:
            found.append((tuple(decoy), tuple(point)))
    return figure, site, frozen, found


@over_solvers
@pytest.mark.parametrize("limb", LIMBS)
def test_an_unreachable_nearest_alternative_is_left(solver, limb):
    figure, site, frozen, cases = decoys(limb)
    reached = 0
    for decoy, point in cases:
        either = pw.AnyOf((pw.Position(site, decoy), pw.Position(site, point)), name="either")
        result = solver.solve(pw.Problem(figure, [either], frozen=frozen))
        reached += result.reached
        assert not result.reached or np.linalg.norm(result.pose.point(site) - point) < 1e-3
    assert reached >= CASES - 1


@over_solvers
def test_many_solves_leave_it_too_as_single_ones_do(solver):
    figure, site, frozen, cases = decoys("arm")
    either = pw.AnyOf(tuple(pw.Position(site, point) for point in cases[0]), name="either")
    prepared = solver.prepare(pw.Problem(figure, [either], frozen=frozen))
    targets = np.repeat(prepared.lowered.targets[None], len(cases), axis=0)
    targets[:, :, :3] = np.array(cases)
    many = prepared.solve_many(targets)
    assert many.reached.sum() >= CASES - 1
    one = solver.prepare(pw.Problem(figure, [either], frozen=frozen)).solve(targets[3])
    assert np.array_equal(one.q, many.q[3])


@over_solvers
def test_two_choices_are_changed_one_at_a_time_and_together(solver):
    figure = build("human40")
    _, _, frozen, cases = decoys("hand")
    rest = pw.Pose.rest(figure)
    decoy, point = cases[0]
    mirrored = [tuple(np.array(p) * (-1.0, 1.0, 1.0)) for p in (decoy, point)]
    near = tuple(rest.point("right_hand") + np.array((-0.05, 0.1, 0.1)))
    left = pw.AnyOf((pw.Position("left_hand", decoy), pw.Position("left_hand", point)), name="left")
    for other in (mirrored[1], near):
        right = pw.AnyOf((pw.Position("right_hand", mirrored[0]), pw.Position("right_hand", other)), name="right")
        result = solver.solve(pw.Problem(figure, [left, right], frozen=frozen))
        assert result.reached, result


@pytest.mark.parametrize("name", ["prioritized", "least_squares"])
def test_of_a_choice_that_cannot_be_met_at_all_the_nearest_end_is_kept(name):
    figure, site, frozen, _ = decoys("arm")
    here = pw.Pose.rest(figure).point(site)
    far, farther = (tuple(here + distance * np.array((1.0, 0.2, 0.1))) for distance in (5.0, 9.0))
    solver, alone = SOLVERS[name](), pw.Problem(figure, [pw.Position(site, far)], frozen=frozen)
    either = pw.AnyOf((pw.Position(site, farther), pw.Position(site, far)), name="either")
    result = solver.solve(pw.Problem(figure, [either], frozen=frozen))
    assert not result.reached
    assert result.errors["either"] == pytest.approx(solver.solve(alone).errors[site], rel=1e-3)


def test_a_better_first_level_outweighs_what_it_costs_below():
    """The alternative that is met takes the hand from where a goal of a lower priority wants it."""
    figure, site, frozen, cases = decoys("hand")
    decoy, point = cases[1]
    either = pw.AnyOf((pw.Position(site, decoy), pw.Position(site, point)), name="either", priority=1)
    wish = pw.Position(site, decoy, name="wish", priority=2)
    result = pw.Prioritized().solve(pw.Problem(figure, [either, wish], frozen=frozen))
    assert result.errors["either"].reached
    assert not result.errors["wish"].reached


def test_frames_of_a_motion_do_not_leap_to_another_alternative():
    figure, site, frozen, cases = decoys("arm")
    decoy, point = cases[0]
    still = pw.Motion(figure, np.repeat(pw.Pose.rest(figure).q[None], 4, axis=0), 30.0)
    either = pw.AnyOf((pw.Position(site, decoy), pw.Position(site, point)), name="either").during(0, 3)
    result = pw.ActiveSetBfgs(restarts=0).solve(pw.MotionProblem(figure, [either], still, frozen=frozen))
    tips = [result.motion.pose(k).point(site) for k in range(4)]
    assert all(np.linalg.norm(tip - point) > 1e-2 for tip in tips)
