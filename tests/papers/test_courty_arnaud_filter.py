"""Courty & Arnaud 2008: recursion, sampling, rejection, likelihood, annealing, resampling."""

import math
from dataclasses import replace

import numpy as np
import pytest

import posewright as pw
from posewright.figures.catalogue import arm4, build, chain, hand
from posewright.figures.kinematics import site_frames
from posewright.kernels.sampling import sequential_monte_carlo as kernels
from posewright.kernels.sampling.particles import composed, draw, inside
from posewright.kernels.sampling.sequential_monte_carlo import COST, LOG_WEIGHT
from posewright.problem.feasible import feasible_region
from posewright.problem.lowering import lower
from posewright.solvers.sampling.blocks import freedom_of
from posewright.solvers.sampling.prepared import SampledPrepared

FILTER = pw.SequentialMonteCarlo(polish=False)
TARGET = (0.4, 0.3, 0.2)


def reach_problem(**goal):
    return pw.Problem(arm4("ball"), [pw.Position("tip", TARGET, **goal)])


def begun(particles, noise=0.3, ess=0.5, gain=0.5):
    """A filter and its crowd after the first evaluation, one metre from the target, all weights alike."""
    solver = replace(FILTER, particles=particles, noise=noise, resample_below=ess, gain=gain)
    prepared = solver.prepare(reach_problem())
    search = prepared._filter
    stop, no_path = np.ones(1, np.int8), np.empty((0, 15))
    search.search(prepared._local_start[0], prepared._targets, prepared._references[0], stop, no_path)
    crowd = search._crowd
    crowd.judged[LOG_WEIGHT] = -math.log(particles)
    crowd.state["distance"], crowd.state["heat"], crowd.state["learned"] = 1.0, 1.0, 0
    return search, crowd


def one_iteration(particles, costs, noise=0.3, ess=0.5):
    """The state and crowd of a search whose particles have just been given costs."""
    _, crowd = begun(particles, noise, ess)
    crowd.judged[COST] = costs
    kernels.weigh(crowd)
    return crowd.state[0], crowd


def test_the_estimate_is_the_likeliest_particle_and_a_seed_repeats_it():
    problem = reach_problem()
    first, again = FILTER.solve(problem), FILTER.solve(problem)
    assert first.reached
    assert np.array_equal(first.path.q, again.path.q)
    assert not np.array_equal(first.q, replace(FILTER, seed=2).solve(problem).q)
    one = replace(FILTER, gain=1.0, max_iterations=1).prepare(problem)
    result = one.solve()
    q, costs = one.cloud
    assert np.array_equal(result.path.q[1], q[costs.argmin()])  # equal weights before: the cheapest is the likeliest


@pytest.mark.parametrize("predicates", [(), (lambda pose: True,)], ids=["kernel", "driven from Python"])
def test_particles_of_each_iteration_are_kept_when_asked(predicates):
    plainly = reach_problem()
    problem = pw.Problem(plainly.figure, plainly.goals, predicates=predicates)
    plain, prepared = FILTER.solve(problem), replace(FILTER, keep_particles=True).prepare(problem)
    result = prepared.solve()
    assert plain.particles.shape == (len(plain.path), 0, problem.figure.n_dofs)
    assert np.array_equal(result.path.q, plain.path.q)
    assert result.particles.shape == (len(result.path), prepared.particles, problem.figure.n_dofs)
    assert np.array_equal(result.particles[-1], prepared.cloud[0])
    assert (result.particles[0] == result.path.q[0]).all()  # everybody begins at the start
    assert (np.ptp(result.particles[1], axis=0) > 0.0).any()


def test_a_weight_is_the_product_of_all_likelihoods_since_the_crowd_was_resampled():
    first, second = np.array([0.1, 0.2, 0.3]), np.array([0.5, 0.1, 0.2])
    state, crowd = one_iteration(3, first, noise=1.0)
    crowd.judged[COST] = second
    kernels.weigh(crowd)
    weights = np.exp(-(first + second))  # σ_z is 1
    assert np.exp(crowd.judged[LOG_WEIGHT]) == pytest.approx(weights / weights.sum(), abs=1e-12)
    assert state["n_eff"] == pytest.approx(weights.sum() ** 2 / (weights**2).sum())


def test_the_estimate_follows_the_likeliest_particle_even_where_another_is_cheaper_now():
    search, crowd = begun(3, noise=1.0, gain=1.0)
    for costs in ((0.1, 2.0, 2.0), (0.3, 0.2, 2.0)):
        crowd.judged[COST] = costs
        kernels.weigh(crowd)
    assert crowd.state[0]["cheapest"] == 1
    assert crowd.state[0]["likeliest"] == 0
    crowd.trial[:] = 0.1 * np.arange(3)[:, None] + 0.1
    kernels.estimate(search._freedom, 0, crowd)
    assert np.array_equal(crowd.candidate, crowd.trial[0])
    search._crowd.state["gain"] = 0.25
    crowd.estimate[:] = 0.0
    crowd.trial[0] = (0.4, 0.0, 0.0) * 4
    kernels.estimate(search._freedom, 0, crowd)
    assert crowd.candidate == pytest.approx(np.array((0.1, 0.0, 0.0) * 4), abs=1e-12)


def test_weights_sum_to_one_and_do_not_underflow():
    for costs in (np.linspace(0.1, 5.0, 50), np.full(50, 1e6), np.geomspace(1e-9, 1e9, 50)):
        state, crowd = one_iteration(50, costs)
        assert np.exp(crowd.judged[LOG_WEIGHT]).sum() == pytest.approx(1.0, abs=1e-12)
        assert 1.0 <= state["n_eff"] <= 50.0 + 1e-9
        assert state["degenerate"] == 0


def test_without_any_finite_weight_all_count_alike():
    for hopeless in (np.full(50, np.inf), np.full(50, np.nan)):
        state, crowd = one_iteration(50, hopeless)
        assert np.exp(crowd.judged[LOG_WEIGHT]) == pytest.approx(np.full(50, 0.02))
        assert state["degenerate"] == 1
    state, crowd = one_iteration(50, np.array([np.nan] * 49 + [1.0]))
    assert state["likeliest"] == state["cheapest"] == 49


@pytest.mark.parametrize("name", ["human40", "hand"])
def test_every_estimate_and_particle_keeps_limits_constraints_and_predicates(name):
    figure = build(name)
    site = {"human40": "left_hand", "hand": "index_tip"}[name]
    start = pw.Pose.rest(figure).point(site)
    wall = pw.predicates.AbovePlane((site,), point=start, normal=(0.0, 1.0, 0.2))
    goal = pw.Position(site, tuple(np.add(start, (0.03, -0.05, 0.1))))
    problem = pw.Problem(figure, [goal], predicates=[wall])
    region, space = feasible_region(problem), problem.space
    prepared = replace(FILTER, max_iterations=30).prepare(problem)
    result = prepared.solve()
    for q in (*result.path.q, *prepared.cloud[0]):
        assert region.violation(space.encode(q)) <= 1e-9
        assert wall(pw.Pose(figure, q))
    assert len(result.path) > 5


def drawn(figure, count, spread, mode=None, problem=None):
    """Many particles drawn about one pose."""
    lowered = lower(problem or pw.Problem(figure, [pw.Position(figure.sites[-1].name, (9.0, 9.0, 9.0))]))
    freedom = freedom_of(lowered, 1.0)
    freedom.spread[:] = spread
    mode = np.zeros(len(freedom.spread)) if mode is None else mode
    out = np.empty((count, len(mode)))
    for i in range(count):
        draw(freedom, mode, mode, mode, 1.0, np.uint64(i), 100, out[i])
    return freedom, out


def test_samples_have_the_covariance_of_the_qutem_distribution():
    mode, spread = np.array([0.4, -1.0, 0.7]), np.array([0.5, 0.3, 0.1])
    _, out = drawn(chain(1), 20_000, spread, mode)
    tangent = np.array([composed(*-mode, *q) for q in out])
    assert np.abs(tangent.mean(axis=0) / (spread / math.sqrt(20_000))).max() < 4.0
    assert tangent.std(axis=0) == pytest.approx(spread, rel=0.05)
    correlation = np.corrcoef(tangent.T) - np.eye(3)
    assert np.abs(correlation).max() < 0.03


def test_no_draw_turns_further_than_half_a_turn():
    _, out = drawn(chain(1), 2000, np.full(3, 2.0))
    assert np.linalg.norm(out, axis=1).max() <= math.pi + 1e-12


def test_zero_sigma_keeps_the_axis_fixed():
    _, out = drawn(chain(1), 200, np.array([0.5, 0.0, 0.5]), np.array([0.2, 0.3, -0.4]))
    tangent = np.array([composed(-0.2, -0.3, 0.4, *q) for q in out])
    assert np.abs(tangent[:, 1]).max() < 1e-12
    assert np.abs(tangent[:, [0, 2]]).min(axis=0).max() > 0.0


def test_a_frozen_component_keeps_its_value_in_every_frame():
    figure = arm4("ball")
    problem = pw.Problem(figure, [pw.Position("tip", TARGET)], frozen=["segment2.wz", "segment3"])
    start = pw.Pose(figure, np.full(12, 0.1))
    path = FILTER.solve(problem, start=start).path
    still = [figure.dof_index("segment2.wz"), *range(12)[figure.dof_slice("segment3")]]
    assert np.array_equal(path.q[:, still], np.full((len(path), 4), 0.1))
    assert np.ptp(path.q[:, figure.dof_index("segment2.wx")]) > 0.0


def test_a_stiffer_joint_moves_less_on_average():
    def moved(rigidity):
        joints = [
            pw.figures.Joint(name="a", rotation=(pw.figures.Hinge(axis=(0.0, 0.0, 1.0), rigidity=rigidity),)),
            pw.figures.Joint(name="b", parent="a", rotation=(pw.figures.Hinge(axis=(0.0, 0.0, 1.0)),)),
        ]
        figure = pw.Figure(
            name="two hinges", joints=joints, sites=[pw.figures.Site(name="end", joint="b", point=(1.0, 0.0, 0.0))]
        )
        problem = pw.Problem(figure, [pw.Position("end", (math.cos(0.3), math.sin(0.3), 0.0))])
        return np.mean([abs(replace(FILTER, seed=seed).solve(problem).q[0]) for seed in range(60)])

    means = [moved(rigidity) for rigidity in (0.0, 0.5, 0.9, 1.0)]
    assert means[1] < 0.8 * means[0]
    assert means[2] < 0.5 * means[1]
    assert means[-1] == 0.0


def test_no_particle_is_outside_the_limits():
    figure = hand()
    problem = pw.Problem(figure, [pw.Position("index_tip", (0.0, 0.1, 0.5))])
    freedom, out = drawn(figure, 300, 2.0, feasible_region(problem).projected(figure.rest), problem)
    assert (out >= freedom.lower - 1e-12).all()
    assert (out <= freedom.upper + 1e-12).all()
    assert all(inside(freedom, x) for x in out)
    values = [dict(zip(figure.dof_names, x.tolist(), strict=True)) for x in out]
    for row in figure.constraints:  # coupled joints follow exactly
        assert max(abs(row.value(v) - row.upper) for v in values) < 1e-12
    assert np.ptp(out[:, 0]) > 1.0


def test_a_users_predicate_holds_in_every_frame():
    def leans_left(pose):
        return pose.point("segment4")[0] > -1e-9

    problem = pw.Problem(arm4("ball"), [pw.Position("tip", (0.1, 0.5, -0.4))], predicates=[leans_left])
    result = FILTER.solve(problem)
    assert result.reached
    assert not result.warnings
    assert all(leans_left(pose) for pose in result.path)


def test_a_start_that_breaks_a_predicate_is_said_to_be_infeasible():
    result = FILTER.solve(pw.Problem(arm4(), [pw.Position("tip", TARGET)], predicates=[lambda pose: False]))
    assert result.stopped == "infeasible"
    assert np.array_equal(result.q, arm4().rest)
    assert "does not satisfy the predicate" in result.warnings[0]


def test_a_sharper_covariance_makes_the_cost_smaller():
    def error(weight):
        goals = [
            pw.Position("tip", (0.5, 0.5, 0.0), name="here"),
            pw.Position("tip", (-0.5, 0.5, 0.0), weight=weight, name="there"),
        ]
        return replace(FILTER, max_iterations=100).solve(pw.Problem(arm4("ball"), goals)).errors["there"]

    errors = [error(weight) for weight in (0.25, 1.0, 4.0)]
    assert errors == sorted(errors, reverse=True)
    assert errors == pytest.approx([0.8, 0.5, 0.2], abs=0.03)  # the weighted mean of the two places


def test_costs_in_python_are_asked_for_all_particles_at_once():
    calls = []

    def height(figure, q, frames):
        calls.append(len(q))
        return site_frames(figure, q, ["tip"]).points[:, 0, 1:2] - 0.6

    goals = [
        pw.PythonGoal(lambda pose: np.array([pose.point("tip")[1] - 0.6]), 1, crowd=height, name="height"),
        pw.Plane("tip", (0.3, 0.0, 0.0), (1.0, 0.0, 0.0)),
    ]
    result = FILTER.solve(pw.Problem(arm4("ball"), goals))
    assert result.reached
    assert result.pose.point("tip")[:2] == pytest.approx((0.3, 0.6), abs=1e-3)
    assert max(calls) == 50
    assert len(calls) <= 2 * (result.iterations + 2)


@pytest.mark.parametrize("decay", [0.0, 0.95])
def test_annealing_brings_the_distance_below_a_thousandth(decay):
    problem = pw.Problem(chain(5), [pw.Position("tip", (0.5, 0.9, 0.3), tolerance=1e-3)])
    result = replace(FILTER, decay=decay).solve(problem)
    assert result.errors["tip"] < 1e-3
    assert result.history["distance"][-1] < 1e-3


def test_a_crowd_also_settles_where_the_goal_is_out_of_reach():
    figure, target = chain(5), np.array([3.0, 2.0, 1.0])
    result = replace(FILTER, max_iterations=400).solve(pw.Problem(figure, [pw.Position("tip", tuple(target))]))
    assert result.stopped == "stationary"
    best = np.linalg.norm(target) - 2.0
    assert result.errors["tip"] <= 1.02 * best
    tip = np.array(result.pose.point("tip"))
    assert math.degrees(math.acos(tip @ target / np.linalg.norm(tip) / np.linalg.norm(target))) < 2.0


def test_a_kick_scatters_the_crowd_about_the_start_however_near_it_was():
    search, crowd = begun(2000)
    everybody = np.ones(2000, np.int8)
    crowd.x[:] = 1.0
    crowd.state["distance"] = 0.01
    kernels.propose(search._freedom, everybody, 0, crowd)
    assert np.linalg.norm(crowd.trial - crowd.x, axis=1).max() < 0.2
    crowd.state["kicked"] = 1
    kernels.propose(search._freedom, everybody, 0, crowd)
    assert crowd.base == pytest.approx(np.zeros(12))
    assert crowd.trial.mean(axis=0) == pytest.approx(np.zeros(12), abs=0.1)
    assert crowd.trial.std(axis=0) == pytest.approx(1.5 * search._freedom.spread, rel=0.1)


def test_draws_in_vain_come_closer_until_one_is_within_narrow_limits():
    """A ball whose box is a hundredth of what is drawn: one draw in a million would hit it."""
    box = pw.figures.Ball(lower=(-0.01, -0.01, -0.01), upper=(0.01, 0.01, 0.01))
    figure = pw.Figure(
        name="narrow",
        joints=[pw.figures.Joint(name="ball", rotation=box)],
        sites=[pw.figures.Site(name="end", joint="ball", point=(1.0, 0.0, 0.0))],
    )
    _, out = drawn(figure, 50, 1.0)
    assert (np.abs(out) <= 0.01).all()
    assert (np.abs(out).max(axis=1) > 0.0).sum() > 25, "the others found no place and stayed"


def test_a_low_effective_size_resamples_and_recovers():
    state, crowd = one_iteration(50, np.array([0.01] * 5 + [4.0] * 45))
    crowd.trial[:] = np.arange(50)[:, None]
    assert state["n_eff"] == pytest.approx(5.0, rel=0.01)
    kernels.resample(crowd)
    assert set(crowd.x[:, 0]) == {0.0, 1.0, 2.0, 3.0, 4.0}
    assert np.exp(-np.log(50)) == pytest.approx(np.exp(crowd.judged[LOG_WEIGHT]).max())


def test_systematic_resampling_copies_each_in_proportion():
    weights = np.random.default_rng(1).dirichlet(np.full(50, 0.5))
    state, crowd = one_iteration(50, np.ones(50))
    crowd.trial[:] = np.arange(50)[:, None]
    crowd.judged[LOG_WEIGHT] = np.log(weights)
    state["n_eff"] = 1.0 / (weights**2).sum()
    kernels.resample(crowd)
    counts = np.bincount(crowd.x[:, 0].astype(int), minlength=50)
    assert np.abs(counts - 50 * weights).max() < 1.0
    state, crowd = one_iteration(50, np.ones(50), ess=1.0)
    crowd.trial[:] = np.arange(50)[:, None]
    state["n_eff"] = 49.0
    kernels.resample(crowd)
    assert np.array_equal(crowd.x[:, 0], np.arange(50))


def test_enough_effective_particles_are_left_alone():
    _, crowd = one_iteration(50, np.linspace(1.0, 1.01, 50))
    crowd.trial[:] = np.arange(50)[::-1, None]
    kernels.resample(crowd)
    assert np.array_equal(crowd.x, crowd.trial)
    assert crowd.judged[LOG_WEIGHT].std() > 0.0


def test_one_particle_is_a_random_walk_and_says_so():
    result = replace(FILTER, particles=1, max_iterations=20).solve(reach_problem())
    assert any("random walk" in warning for warning in result.warnings)
    assert result.iterations == 20


def test_with_everything_rigid_there_is_nothing_to_do():
    problem = pw.Problem(arm4(), [pw.Position("tip", TARGET)], frozen=arm4().joint_names)
    assert FILTER.solve(problem).stopped == "nothing to do"
    assert isinstance(FILTER.prepare(reach_problem()), SampledPrepared)
