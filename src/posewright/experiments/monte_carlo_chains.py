"""Sequential Monte Carlo (Courty & Arnaud 2008) on chains: an arm of four segments (3-A), a chain of 90 dofs (3-B)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

import posewright as pw
from posewright.conventions import Array
from posewright.experiments.experiment import Outcome, experiment
from posewright.figures.catalogue import arm4, chain
from posewright.figures.joint import Vector
from posewright.figures.kinematics import centre_of_mass, site_frames
from posewright.figures.vectors import vector
from posewright.report.camera import Direction
from posewright.report.picture import Picture
from posewright.report.plots import Curve, Plot, plot_picture
from posewright.report.result_pictures import side_by_side
from posewright.report.scene import Mark, Scene, SceneBody
from posewright.rotations import (
    quaternion_conjugate,
    quaternion_from_vector,
    quaternion_multiply,
    vector_from_quaternion,
)
from posewright.solvers.sampling.prepared import SampledPrepared

ARM_TARGET = (0.40, 0.30, 0.20)
ARM = pw.SequentialMonteCarlo.for_paths(polish=False)
"""Short steps, as an animation wants them."""
ALPHAS = (1.0, 0.7, 0.5, 0.3)
NEAR = 0.01
"""m: the iterations to here are compared between seeds."""


@dataclass(frozen=True)
class Trials:
    """The searches of one arm with one alpha, over all seeds."""

    joints: Literal["hinge", "ball"]
    alpha: float
    results: tuple[pw.PoseResult, ...]

    @property
    def reached(self) -> int:
        """How many."""
        return sum(result.reached for result in self.results)

    @property
    def to_near(self) -> list[int]:
        """Iterations until the estimate is within NEAR."""
        return [int(np.argmax(result.history["distance"] < NEAR)) for result in self.results]

    @property
    def jerk(self) -> float:
        """Of the tip's path: mean over seeds of √Σ‖third difference‖², m per frame³; the path ends in rest."""
        paths = [np.pad(_tip_path(result), ((0, 3), (0, 0)), mode="edge") for result in self.results]
        return float(np.mean([np.sqrt((np.diff(path, 3, axis=0) ** 2).sum()) for path in paths]))


@experiment(
    "3-A",
    "Arm of four segments to a point: convergence, particle fan, smoothing",
    accepts="every seed arrives, iterations to 1 cm within a factor 3, smoothing lowers the jerk at least 2 times",
)
def arm_trials(found: Outcome, seeds: int = 20) -> None:
    """With and without smoothing."""
    found.columns = (
        "arm", "alpha", "reached", "iterations to 1 cm", "largest/smallest", "jerk (mm/frame³)", "times calmer",
        "at most (2-α)/α",
    )  # fmt: skip
    kinds: tuple[Literal["hinge", "ball"], ...] = ("hinge", "ball")
    trials: dict[tuple[str, float], Trials] = {}
    for kind, alpha in found.each([(kind, alpha) for kind in kinds for alpha in ALPHAS]):
        problem = pw.Problem(arm4(kind), [pw.Position("tip", ARM_TARGET, tolerance=1e-3)])
        results = (replace(ARM, gain=alpha, seed=seed).solve(problem) for seed in found.seeds(seeds, "arm"))
        these = trials[kind, alpha] = Trials(kind, alpha, tuple(results))
        steps, calmer = these.to_near, trials[kind, 1.0].jerk / these.jerk
        found.row(
            f"4 {kind}s", f"{alpha:g}", f"{these.reached}/{seeds}",
            f"{min(steps)}-{max(steps)}, median {np.median(steps):g}", f"{max(steps) / min(steps):.1f}",
            f"{1000 * these.jerk:.0f}", f"{calmer:.1f}", f"{(2.0 - alpha) / alpha:.1f}",
        )  # fmt: skip
        where = f"4 {kind}s, alpha {alpha:g}"
        found.require(these.reached == seeds, f"{where}: {seeds - these.reached} of {seeds} seeds missed the target")
        found.require(
            max(steps) <= 3 * min(steps),
            f"{where}: iterations to {NEAR} m from {min(steps)} to {max(steps)}, more than a factor 3",
        )
        if alpha == ARM.gain:
            found.require(calmer >= 2.0, f"{where}: smoothing lowers the jerk {calmer:.1f} times only")
    for kind in kinds:
        points = list(_reachable_points(arm4(kind), seeds, found.random(f"points of {kind}s")))
        problems = [pw.Problem(arm4(kind), [pw.Position("tip", point, tolerance=1e-3)]) for point in points]
        solvers = [replace(ARM, seed=seed) for seed in found.seeds(seeds, "other points")]
        others = [solver.solve(problem) for solver, problem in zip(solvers, problems, strict=True)]
        steps = Trials(kind, ARM.gain, tuple(others)).to_near
        found.beside(
            f"4 {kind}s to {seeds} random points: reached; iterations to 1 cm",
            f"{sum(one.reached for one in others)} of {seeds}; {min(steps)}-{max(steps)}",
        )
        wide = [
            replace(solver, spread=1.0).solve(problem).reached
            for solver, problem in zip(solvers, problems, strict=True)
        ]
        found.beside("the same with the default spread: reached", f"{sum(wide)} of {seeds}")
    found.note(
        "the paper shows curves: the same shape of convergence in every trial, and smooth paths of the tip",
        f"spread {ARM.spread} instead of 1: short steps, as a path that is watched wants them",
        '"4 pivots, i.e. 3 rotational dofs" contradicts itself: both readings are run',
        "a constant gain damps a jitter from frame to frame (2-α)/α times: 1.9 at α = 0.7, whatever the search does",
    )
    found.draw = lambda: _arm_picture(trials["ball", ARM.gain], trials["ball", 1.0])


def _reachable_points(figure: pw.Figure, count: int, random: np.random.Generator) -> list[Vector]:
    """Where random poses within limits, up to 1 rad from rest, have the tip."""
    away = random.uniform(-1.0, 1.0, (count, figure.n_dofs))
    q = np.clip(figure.rest + away, figure.lower, figure.upper)
    return [vector(point) for point in site_frames(figure, q, ["tip"]).points[:, 0]]


def _arm_picture(shown: Trials, raw: Trials) -> Picture:
    """The particle fan of the first iterations, the distance of every seed, and the tip's path with and without."""
    distances = [
        Curve(x=np.arange(len(d), dtype=np.float64), y=np.maximum(d, 1e-5), colour="indigo")
        for d in (result.history["distance"] for result in shown.results)
    ]
    paths = []
    for trials, colour in ((raw, "coral"), (shown, "indigo")):
        for k, result in enumerate(trials.results[:3]):
            x, y, _ = _tip_path(result).T
            paths.append(Curve(x=x, y=y, colour=colour, label="" if k else f"α = {trials.alpha:g}"))
    paths.append(Curve(x=[ARM_TARGET[0]], y=[ARM_TARGET[1]], style="points", colour="red", label="target"))
    plots = plot_picture(
        Plot(content=distances, title="distance, a line per seed", x_label="iteration",
             y_label="distance (m)", log_y=True),
        Plot(content=paths, title="path of the tip, seeds 1 to 3", x_label="x (m)",
             y_label="y (m)", equal_axes=True),
        width=330, height=240,
    )  # fmt: skip
    return np.vstack([_particle_fan((1, 2, 3, 4, 6, 12)), plots])


def _particle_fan(iterations: Sequence[int]) -> Picture:
    """The particles of some iterations, the likelier the brighter; the estimate in coral."""
    figure = arm4("ball")
    low, high = np.array([0x6C, 0x7D, 0x92]), np.array([0xDB, 0xA6, 0x46])  # from slate to sand
    panels = []
    for k in iterations:
        prepared = replace(ARM, max_iterations=k).prepare(pw.Problem(figure, [pw.Position("tip", ARM_TARGET)]))
        assert isinstance(prepared, SampledPrepared)
        result = prepared.solve()
        q, costs = prepared.cloud
        rank = np.argsort(np.argsort(costs))
        bodies = [SceneBody(pose=result.pose, colour="coral", sides=False)]
        for i in np.argsort(-costs)[::2]:
            likely = 1.0 - rank[i] / len(costs)
            colour = "#{:02x}{:02x}{:02x}".format(*(low + likely * (high - low)).astype(int))
            opacity = 0.15 + 0.35 * likely
            bodies.append(SceneBody(pose=pw.Pose(figure, q[i]), colour=colour, opacity=opacity, sides=False))
        panels.append((f"iteration {k}", Scene(bodies=tuple(bodies), marks=(Mark.target(ARM_TARGET, radius=0.022),))))
    return side_by_side(panels, 220, 150, camera=Direction(azimuth=0.4, elevation=0.2), columns=3)


def _tip_path(result: pw.PoseResult) -> Array:
    assert result.path is not None
    return site_frames(result.path.figure, result.path.q, ["tip"]).points[:, 0]


ROPE_TARGET, AXIS_TARGET = (0.6, 1.0, 0.5), (0.0, 1.2, 0.0)
# Short steps and a greedy crowd: smoothness has no tolerance, it is made as small as 500 iterations make it.
ROPE = pw.SequentialMonteCarlo.for_smooth_chains(polish=False)
SMOOTHNESS = 3e-3
"""Weight of the chain's smoothness beside the goals of weight 1."""
ROPE_LENGTH = 2.0


@experiment(
    "3-B",
    "Chain of 90 dofs from a singular start, centre of mass over the root, smooth",
    accepts="tip within 1 % and centre of mass within 2 % of the length; a pseudo-inverse stalls on the axis",
)
def long_chain(found: Outcome, seeds: int = 3, iterations: int = ROPE.max_iterations) -> None:
    """From a straight start, with and without a cost on smoothness."""
    found.columns = ("90 dofs", "smoothness", "reached", "tip", "centre of mass", "energy (10)", "iterations/s")
    figure = chain(30, direction="y", length=ROPE_LENGTH)
    ropes: dict[tuple[str, bool], list[pw.PoseResult]] = {}
    targets: dict[str, Vector] = {"aside": ROPE_TARGET, "on the axis": AXIS_TARGET}
    for words, smooth in found.each([(words, smooth) for words in targets for smooth in (True, False)]):
        solvers = [replace(ROPE, seed=seed, max_iterations=iterations) for seed in found.seeds(seeds, "rope")]
        problem = _rope_problem(figure, targets[words], smooth)
        results = ropes[words, smooth] = [solver.solve(problem) for solver in solvers]
        tip = max(result.errors["tip"] for result in results) / ROPE_LENGTH
        centres = [np.linalg.norm(centre_of_mass(figure, result.q)[[0, 2]]) for result in results]
        offset = float(max(centres)) / ROPE_LENGTH
        bent = _median_energy(results)
        found.row(
            f"target {words}", "on" if smooth else "off", f"{sum(result.reached for result in results)}/{seeds}",
            f"{100 * tip:.2f} %", f"{100 * offset:.2f} %", f"{bent:.1f} rad",
            f"{np.median([result.iterations / result.seconds for result in results]):.0f}",
        )  # fmt: skip
        found.require(
            tip <= 0.01 and offset <= 0.02,
            f"target {words}, smoothness {'on' if smooth else 'off'}: beyond 1 % or 2 % of the length",
        )
        found.require(
            smooth or bent > _median_energy(ropes[words, True]),
            f"target {words}: the smoothness cost does not make the chain smoother",
        )
    random = found.random("other targets")
    for smooth, solver in ((True, ROPE), (False, ROPE), (False, pw.SequentialMonteCarlo(polish=False))):
        problems = [_rope_problem(figure, point, smooth) for point in _met_by_least_squares(figure, 5, random)]
        results = [replace(solver, seed=found.seed).solve(problem) for problem in problems]
        words = f"smoothness {'on' if smooth else 'off'}, {'these settings' if solver is ROPE else 'the defaults'}"
        found.beside(
            f"five targets that can be met, {words}: reached", f"{sum(result.reached for result in results)} of 5"
        )
    stalled = pw.Prioritized().solve(pw.Problem(figure, [pw.Position("tip", AXIS_TARGET)]))
    miss = stalled.errors["tip"] / ROPE_LENGTH
    found.row("target on the axis, damped pseudo-inverse", "", f"{int(stalled.reached)}/1", f"{100 * miss:.0f} %", "",
              "0.0 rad", "")  # fmt: skip
    found.require(not stalled.reached and miss >= 0.3, "the damped pseudo-inverse does not stall on the axis")
    found.note(
        "paper: solved, about 60 frames per second; numerical inversion fails at this start",
        f"{ROPE.particles} particles, spread {ROPE.spread}, noise {ROPE.noise}: smoothness has no tolerance and is "
        "made as small as the iterations allow",
        "tip and centre of mass: the worst of the seeds, over the chain's length",
    )
    found.draw = lambda: _rope_picture({"on": ropes["aside", True][0], "off": ropes["aside", False][0]})


def _met_by_least_squares(figure: pw.Figure, count: int, random: np.random.Generator) -> list[Vector]:
    """Random targets that can be met together with the centre of mass."""
    found: list[Vector] = []
    while len(found) < count:
        point = vector(random.uniform((-0.8, 0.6, -0.8), (0.8, 1.2, 0.8)))
        if pw.LeastSquares().solve(_rope_problem(figure, point, False)).reached:
            found.append(point)
    return found


def _rope_problem(figure: pw.Figure, target: Vector, smooth: bool) -> pw.Problem:
    goals: list[pw.Goal] = [
        pw.Position("tip", target, tolerance=0.01 * ROPE_LENGTH),
        pw.CentreOfMass((0.0, 0.0, 0.0), tolerance=0.02 * ROPE_LENGTH),
        *([pw.Smoothness(figure.joint_names, weight=SMOOTHNESS)] if smooth else []),
    ]
    return pw.Problem(figure, goals)


def energy(q: Array) -> float:
    """Equation (10) of the paper with k = 1 (rad): twice the geodesic distances between neighbouring joints."""
    turns = quaternion_from_vector(q.reshape(-1, 3))
    steps = vector_from_quaternion(quaternion_multiply(quaternion_conjugate(turns[:-1]), turns[1:]))
    return 2.0 * float(np.linalg.norm(steps, axis=1).sum())


def _median_energy(results: Sequence[pw.PoseResult]) -> float:
    return float(np.median([energy(result.q) for result in results]))


def _rope_picture(results: dict[str, pw.PoseResult]) -> Picture:
    """The chain's path with the smoothness cost and without."""
    panels = []
    for words, result in results.items():
        path = result.path
        assert path is not None
        centre = vector(centre_of_mass(path.figure, result.q))
        moments = np.unique(np.geomspace(1, len(path), 7).astype(int) - 1)[:-1]
        scene = Scene(
            bodies=(SceneBody(pose=result.pose, colour="coral", sides=False),),
            marks=(Mark.target(ROPE_TARGET, radius=0.03), Mark.point(centre, colour="indigo", radius=0.035),
                   Mark.line([(0.0, 0.0, 0.0), (0.0, 2.0, 0.0)], colour="indigo", radius=0.006)),
        )  # fmt: skip
        panels.append((f"smoothness {words}", scene.with_ghosts([path.pose(int(k)) for k in moments], opacity=0.4)))
    return side_by_side(panels, 400, 500, camera=Direction(azimuth=0.5, elevation=0.15))
