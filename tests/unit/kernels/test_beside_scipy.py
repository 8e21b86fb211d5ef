"""Frames, axes and turns of joints, shifts and steps: beside SciPy's rotations and dense matrices."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import posewright as pw
from posewright.figures import Figure, Hinge, Joint
from posewright.kernels.dense.problem import evaluate
from posewright.kernels.dense.step import DAMPING, STEP, dual_step
from posewright.kernels.goals.residuals import POSITION, ROTATION
from posewright.kernels.kinematics.fit_rotation import fit_rotation_all, solve_in_place
from posewright.kernels.kinematics.frames import centre_of_mass, place
from posewright.kernels.kinematics.jacobians import centre_of_mass_jacobian
from posewright.kernels.kinematics.rotations import left_jacobian, smoothstep, transposed_times, turn_before
from posewright.kernels.tables import BALL, SLIDE, TERM
from posewright.kernels.tree.least_squares import rechart
from posewright.kernels.tree.tracking_frame import missed, shift_missed, shift_target
from posewright.problem.dense_problem import dense_problem, point_of
from posewright.problem.lowering import lower
from random_figures import random_figure, random_q

BALLS = next(s for s in range(20) if sum(joint.ball is not None for joint in random_figure(s).joints) > 2)


def placed(figure: Figure, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    n = len(figure.joints)
    rotations, positions, axes = np.empty((n, 3, 3)), np.empty((n, 3)), np.empty((figure.n_dofs, 3))
    place(*figure.tables, q, rotations, positions, axes)
    return rotations, positions, axes


@pytest.mark.parametrize("seed", range(6))
def test_joints_are_placed_and_turned_one_after_another(seed):
    """Offset and slides in the frame of the joint above, then its rest turn, then hinges in order or a ball."""
    figure = random_figure(seed)
    q = random_q(figure, seed, 1)[0]
    rotations, positions, axes = placed(figure, q)
    for k, (joint, parent) in enumerate(zip(figure.joints, figure.parents, strict=True)):
        above = Rotation.from_matrix(rotations[parent]) if parent >= 0 else Rotation.identity()
        origin = positions[parent] if parent >= 0 else np.zeros(3)
        dof = figure.dof_slice(k).start
        shift = np.zeros(3) if joint.slides_replace_offset else np.array(joint.offset)
        for slide in joint.slides:
            np.testing.assert_allclose(axes[dof], above.apply(slide.axis), atol=1e-12)
            shift = shift + q[dof] * np.array(slide.axis)
            dof += 1
        np.testing.assert_allclose(positions[k], origin + above.apply(shift), atol=1e-12)
        turn = above * Rotation.from_quat(np.roll(joint.rest, -1))
        for hinge in joint.hinges:
            np.testing.assert_allclose(axes[dof], turn.apply(hinge.axis), atol=1e-12)
            turn = turn * Rotation.from_rotvec(q[dof] * np.array(hinge.axis))
            dof += 1
        if joint.ball is not None:
            h, w = 1e-6, q[dof : dof + 3]
            for i in range(3):
                both = [turn * Rotation.from_rotvec(w + s * h * np.eye(3)[i]) for s in (1.0, -1.0)]
                slope = (both[0] * both[1].inv()).as_rotvec() / (2.0 * h)
                np.testing.assert_allclose(axes[dof + i], slope, atol=1e-8)
            turn = turn * Rotation.from_rotvec(w)
        np.testing.assert_allclose(rotations[k], turn.as_matrix(), atol=1e-12)
    kinds = set(figure.tables.dofs["kind"])
    assert kinds & {BALL, SLIDE}


def test_small_systems_are_solved_in_place():
    rng = np.random.default_rng(1)
    for n in (1, 2, 4):
        A, g = rng.normal(size=(n, n)), rng.normal(size=n)
        H = A @ A.T + np.eye(n)
        expected = np.linalg.solve(H, g)
        solve_in_place(H, g, n)
        np.testing.assert_allclose(g, expected, rtol=1e-10)


def bent(limit: float = np.inf) -> Figure:
    """Two joints that turn about four axes in all."""
    axes = ((0.0, 0.0, 1.0), (0.6, 0.8, 0.0)), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    return Figure(
        name="bent",
        joints=tuple(
            Joint(
                name=f"joint {k}",
                parent=f"joint {k - 1}" if k else None,
                offset=(0.0, 0.3, 0.0),
                rest=(0.8, 0.0, 0.6, 0.0),
                rotation=tuple(Hinge(axis=axis, lower=-limit, upper=limit) for axis in own),
            )
            for k, own in enumerate(axes)
        ),
    )


@pytest.mark.parametrize("limit", [np.inf, 0.25])
@pytest.mark.parametrize("together", [False, True])
def test_chains_turn_their_last_joint_as_wanted_or_as_nearly_as_limits_let_them(limit, together):
    """`together`: the first and the last axis turn as one, by different amounts."""
    figure, rng = bent(), np.random.default_rng(2)
    matrix = np.array([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0], [0.5, 0, 0]]) if together else np.eye(4)[:, :3]
    offset = np.array([0.1, 0.0, -0.2, 0.3])
    n, frames = 3, 6
    bases = Rotation.random(frames, random_state=3)
    wanted_at = np.cumsum(rng.uniform(-0.2, 0.2, size=(frames, n)), axis=0)
    turns = [Rotation.from_matrix(placed(figure, matrix @ c + offset)[0][-1]) for c in wanted_at]
    wanted = Rotation.concatenate([base * turn for base, turn in zip(bases, turns, strict=True)])
    found, missing = np.zeros((frames, n)), np.empty((frames, 3))
    limits = np.array([[-limit] * n, [limit] * n])
    both = np.stack([bases.as_matrix(), wanted.as_matrix()])
    fit_rotation_all(*figure.tables, matrix, offset, limits, both, found, missing)
    assert (np.abs(found) <= limit).all()
    for k in range(frames):
        reached = bases[k] * Rotation.from_matrix(placed(figure, matrix @ found[k] + offset)[0][-1])
        np.testing.assert_allclose(missing[k], (wanted[k] * reached.inv()).as_rotvec(), atol=1e-9)
        if limit == np.inf:
            np.testing.assert_allclose(missing[k], 0.0, atol=1e-9)
        else:

            def off(c: np.ndarray, k: int = k) -> float:
                here = bases[k] * Rotation.from_matrix(placed(figure, matrix @ c + offset)[0][-1])
                return float(((wanted[k] * here.inv()).as_rotvec() ** 2).sum())

            best = minimize(off, found[k], bounds=[(-limit, limit)] * n, tol=1e-14)
            assert off(found[k]) <= best.fun + 1e-6
    if limit != np.inf:
        assert np.abs(missing).max() > 0.03


# Targets of what is served strictly first.


def test_targets_are_shifted_by_places_and_turns():
    rng = np.random.default_rng(4)
    turn = Rotation.random(random_state=5).as_matrix()
    target = np.concatenate([rng.normal(size=3), turn[:, 0], turn[:, 1]])
    for shift in (np.array([0.3, -0.2, 0.5]), np.array([1e-3, 0.0, 0.0]), np.zeros(3)):
        wanted = np.full(9, 7.0)
        shift_target(POSITION, target, shift, wanted)
        np.testing.assert_allclose(wanted[:3], target[:3] + shift, atol=1e-12)
        wanted = np.full(9, 7.0)
        shift_target(ROTATION, target, shift, wanted)
        np.testing.assert_allclose(wanted[3:6], Rotation.from_rotvec(shift).apply(turn[:, 0]), atol=1e-12)
        np.testing.assert_allclose(wanted[6:], Rotation.from_rotvec(shift).apply(turn[:, 1]), atol=1e-12)
        assert (wanted[:3] == 7.0).all()


def test_what_strict_goals_miss_is_added_to_their_shifts():
    rng, n = np.random.default_rng(6), 4
    figure = random_figure(1)
    rotations, positions, _ = placed(figure, random_q(figure, 1, 1)[0])
    terms = np.zeros(n, TERM)
    terms["kind"], terms["joint"] = [POSITION, ROTATION, POSITION, ROTATION], [3, 5, 7, 2]
    terms["point"] = rng.normal(size=(n, 3))
    own = Rotation.random(n, random_state=7).as_matrix()
    terms["x_axis"], terms["y_axis"] = own[:, :, 0], own[:, :, 1]
    held = np.array([1, 1, 0, 1], np.int8)
    there = Rotation.random(n, random_state=8).as_matrix()
    targets = np.concatenate([rng.normal(size=(n, 3)), there[:, :, 0], there[:, :, 1]], axis=1)
    gaps = np.zeros((n, 3))
    for k in range(n):
        j = terms[k]["joint"]
        if terms[k]["kind"] == POSITION:
            gaps[k] = targets[k, :3] - positions[j] - rotations[j] @ terms[k]["point"]
        else:
            gaps[k] = Rotation.from_matrix(there[k] @ (rotations[j] @ own[k]).T).as_rotvec()
    scratch = np.empty((3, 6))
    found = missed(terms, held, targets, rotations, positions, scratch)
    assert found == pytest.approx(np.abs(gaps[held == 1]).max())
    shifts = 0.1 * rng.normal(size=(n, 3))
    before, wanted = shifts.copy(), targets.copy()
    shift_missed(terms, held, targets, rotations, positions, False, shifts, wanted, scratch)
    expected = before + np.where(held[:, None] == 1, gaps, 0.0)
    np.testing.assert_allclose(shifts, expected, atol=1e-9)
    for k in (0, 1, 3):
        one = targets[k].copy()
        shift_target(int(terms[k]["kind"]), targets[k], shifts[k], one)
        np.testing.assert_allclose(wanted[k], one)
    np.testing.assert_array_equal(wanted[2], targets[2])
    shift_missed(terms, held, targets, rotations, positions, True, shifts, wanted, scratch)
    assert not shifts[held == 1].any()
    np.testing.assert_allclose(wanted, targets, atol=1e-12)


# Small parts.


@pytest.mark.parametrize("seed", range(3))
def test_the_centre_of_mass_is_the_mean_of_all_masses_and_moves_as_its_jacobian_says(seed):
    figure = random_figure(seed)
    joints, dofs = figure.tables
    masses = np.array([joint.mass for joint in figure.joints])

    def centre(q: np.ndarray) -> np.ndarray:
        rotations, positions, _ = placed(figure, q)
        middles = positions + np.einsum("jik,jk->ji", rotations, [joint.centre for joint in figure.joints])
        return masses @ middles / masses.sum()

    q = random_q(figure, seed, 1)[0]
    rotations, positions, axes = placed(figure, q)
    out, J = np.empty(3), np.zeros((3, figure.n_dofs))
    assert centre_of_mass(joints, rotations, positions, out) == pytest.approx(masses.sum())
    np.testing.assert_allclose(out, centre(q), atol=1e-12)
    centre_of_mass_jacobian(joints, dofs, rotations, positions, axes, J)
    for d, step in enumerate(1e-6 * np.eye(figure.n_dofs)):
        np.testing.assert_allclose(J[:, d], (centre(q + step) - centre(q - step)) / 2e-6, atol=1e-8)


def test_shares_rise_smoothly_from_0_to_1():
    s = np.linspace(0.0, 1.0, 11)
    found = [smoothstep(share) for share in (-3.0, *s, 4.0)]
    np.testing.assert_allclose(found, [0.0, *(3.0 * s**2 - 2.0 * s**3), 1.0], atol=1e-15)


def test_turns_before_rotation_vectors_are_products():
    rng = np.random.default_rng(9)
    q, columns = rng.normal(size=(5, 9)), np.array([[0, 1, 2], [5, 6, 7]])
    turns, before = Rotation.random(2, random_state=1), q.copy()
    turn_before(q, columns, np.roll(turns.as_quat(), 1, axis=1))
    for turn, own in zip(turns, columns, strict=True):
        expected = (turn * Rotation.from_rotvec(before[:, own])).as_rotvec()
        np.testing.assert_allclose(q[:, own], expected, atol=1e-9)
    np.testing.assert_array_equal(q[:, [3, 4, 8]], before[:, [3, 4, 8]])
    a, b, out = *rng.normal(size=(2, 3, 3)), np.empty((3, 3))
    transposed_times(a, b, out)
    np.testing.assert_allclose(out, a.T @ b, atol=1e-12)
    for size in (0.0, 1e-5, 0.5, 3.0):
        w, h = size * np.array([0.36, 0.48, 0.8]), 1e-6
        left_jacobian(w, out)
        steps = h * np.eye(3)
        slopes = [
            (Rotation.from_rotvec(w + step) * Rotation.from_rotvec(w - step).inv()).as_rotvec() / (2.0 * h)
            for step in steps
        ]
        np.testing.assert_allclose(out, np.stack(slopes, axis=1), atol=1e-8)


def test_long_rotation_vectors_are_brought_back_where_nothing_but_their_rotation_matters():
    figure = random_figure(BALLS, 12)
    joints, dofs = figure.tables
    balls = [k for k, joint in enumerate(figure.joints) if joint.ball is not None]
    assert len(balls) >= 2
    q, posture = np.zeros(figure.n_dofs), np.zeros(figure.n_dofs)
    for length in (3.0, 4.0, 7.0, 15.0):
        for k in balls:
            stop = figure.dof_slice(k).stop
            q[stop - 3 : stop] = length * np.array([0.36, -0.48, 0.8])
        given, dofs_ = q.copy(), dofs.copy()
        held = figure.dof_slice(balls[0]).stop - 1
        posture[held] = 1.0
        rechart(joints, dofs_, posture, given)
        for k in balls:
            own = slice(figure.dof_slice(k).stop - 3, figure.dof_slice(k).stop)
            if k == balls[0]:
                np.testing.assert_array_equal(given[own], q[own])
            else:
                assert np.linalg.norm(given[own]) <= np.pi + 1e-12
                np.testing.assert_allclose(
                    Rotation.from_rotvec(given[own]).as_matrix(), Rotation.from_rotvec(q[own]).as_matrix(), atol=1e-9
                )
        for field, value in (("lower", -100.0), ("upper", 100.0), ("scale", 0.0)):
            bound = dofs.copy()
            bound[field][held - 1] = value
            again = q.copy()
            rechart(joints, bound, np.zeros(figure.n_dofs), again)
            own = slice(held - 2, held + 1)
            np.testing.assert_array_equal(again[own], q[own])


def test_steps_of_few_rows_are_those_of_damped_least_squares_that_no_bound_blocks():
    figure = random_figure(3)
    lowered = lower(pw.Problem(figure, [pw.Position("site5", (0.3, 0.2, 0.1)), pw.Position("site9", (0.0, 0.5, 0.1))]))
    problem = dense_problem(lowered)
    point, n = point_of(problem), figure.n_dofs
    x = random_q(figure, 3, 1)[0]
    coordinates = problem.coordinates.copy()
    coordinates[0], coordinates[1] = x - 0.05, x + 0.05
    coordinates[0, ::3], coordinates[1, 1::4] = x[::3], x[1::4]
    problem = problem._replace(coordinates=coordinates)
    evaluate(problem, lowered.targets, x, point)
    places = np.zeros((9, n))
    places[DAMPING] = np.random.default_rng(4).uniform(0.5, 2.0, n)
    dual_step(problem, point, x, places)
    J, slope = point.J, point.J.T @ point.rho
    blocked = ((x <= coordinates[0]) & (slope > 0.0)) | ((x >= coordinates[1]) & (slope < 0.0))
    assert blocked.any()
    free = J * ~blocked
    step = -np.linalg.solve(free.T @ free + np.diag(places[DAMPING]), free.T @ point.rho)
    np.testing.assert_allclose(places[STEP], np.clip(step, coordinates[0] - x, coordinates[1] - x), atol=1e-9)
    assert (np.abs(places[STEP]) == 0.05).any() or np.abs(step).max() < 0.05
