"""Courty & Arnaud 2008, positioning tasks of chains: the arm of four segments (3-A) and the chain of 90 dofs (3-B)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from posewright.conventions import Array
from posewright.experiments.experiment import Outcome, Progress
from posewright.figures import Figure, Pose
from posewright.figures.catalogue import arm4, chain
from posewright.figures.kinematics import centre_of_mass, site_frames
from posewright.goals import CentreOfMass, Goal, Position, Smoothness
from posewright.problem.problem import Problem
from posewright.problem.result import PoseResult
from posewright.report.camera import Direction
from posewright.report.image_files import labelled
from posewright.report.picture import Extent, Picture, render
from posewright.report.plots import Curve, Plot, plot_picture
from posewright.report.scene import Mark, Scene, SceneBody
from posewright.rotations import (
    quaternion_conjugate,
    quaternion_from_vector,
    quaternion_multiply,
    vector_from_quaternion,
)
from posewright.solvers.prioritized import Prioritized
from posewright.solvers.sampling.prepared import SampledPrepared
from posewright.solvers.sampling.sequential_monte_carlo import SequentialMonteCarlo

ARM_TARGET = (0.40, 0.30, 0.20)
ARM = SequentialMonteCarlo(polish=False, sigma=0.3, particles=50)
"""Short steps, as an animation wants them."""
ALPHAS = (1.0, 0.7, 0.5, 0.3)
NEAR = 0.01
"""m: the iterations to here are compared between seeds."""

ROPE_TARGET = (0.6, 1.0, 0.5)
AXIS_TARGET = (0.0, 1.2, 0.0)
ROPE = SequentialMonteCarlo(polish=False, sigma=0.3, noise=0.1, particles=200, max_iterations=500)
SMOOTHNESS = 3e-3
"""Weight of the chain's smoothness beside the goals of weight 1."""
ROPE_LENGTH = 2.0


@dataclass(frozen=True)
class Trials:
    """The searches of one arm with one alpha, over all seeds."""

    joints: str
    alpha: float
    results: tuple[PoseResult, ...]

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
        return float(np.mean([_jerk(_tip_path(result)) for result in self.results]))


def arm_trials(progress: Progress, seeds: int = 20) -> Outcome:
    """3-A: an arm of four segments to a point, with and without smoothing."""
    kinds: tuple[Literal["hinge", "ball"], ...] = ("hinge", "ball")
    found: list[Trials] = []
    for kind in kinds:
        problem = Problem(arm4(kind), [Position("tip", ARM_TARGET, tolerance=1e-3)])
        for alpha in ALPHAS:
            results = [replace(ARM, alpha=alpha, seed=seed).solve(problem) for seed in range(1, seeds + 1)]
            found.append(Trials(kind, alpha, tuple(results)))
            progress(len(found) / (len(kinds) * len(ALPHAS)))
    rows, failures = [], []
    for trials in found:
        rough = next(t for t in found if t.joints == trials.joints and t.alpha == 1.0)
        steps, calmer = trials.to_near, rough.jerk / trials.jerk
        rows.append(
            (
                f"4 {trials.joints}s", f"{trials.alpha:g}", f"{trials.reached}/{seeds}",
                f"{min(steps)}-{max(steps)}, median {np.median(steps):g}", f"{max(steps) / min(steps):.1f}",
                f"{1000 * trials.jerk:.0f}", f"{calmer:.1f}", f"{(2.0 - trials.alpha) / trials.alpha:.1f}",
            )
        )  # fmt: skip
        where = f"4 {trials.joints}s, alpha {trials.alpha:g}"
        if trials.reached < seeds:
            failures.append(f"{where}: {seeds - trials.reached} of {seeds} seeds missed the target")
        if max(steps) > 3 * min(steps):
            failures.append(f"{where}: iterations to {NEAR} m from {min(steps)} to {max(steps)}, more than a factor 3")
        if trials.alpha == ARM.alpha and calmer < 2.0:
            failures.append(f"{where}: smoothing lowers the jerk {calmer:.1f} times only")
    columns = (
        "arm", "alpha", "reached", "iterations to 1 cm", "largest/smallest", "jerk (mm/frame³)", "times calmer",
        "at most (2-α)/α",
    )  # fmt: skip
    notes = (
        "the paper shows curves: the same shape of convergence in every trial, and smooth paths of the tip",
        '"4 pivots, i.e. 3 rotational dofs" contradicts itself: both readings are run',
        "a constant gain damps a jitter from frame to frame (2-α)/α times: 1.9 at α = 0.7, whatever the search does",
    )
    shown = next(t for t in found if t.joints == "ball" and t.alpha == ARM.alpha)
    raw = next(t for t in found if t.joints == "ball" and t.alpha == 1.0)
    return Outcome(columns, tuple(rows), tuple(failures), notes, draw=lambda: _arm_picture(shown, raw))


def _arm_picture(shown: Trials, raw: Trials) -> Picture:
    """The particle fan of the first iterations, the distance of every seed, and the tip's path with and without."""
    distances = [
        Curve(x=np.arange(len(d), dtype=np.float64), y=np.maximum(d, 1e-5), colour="indigo")
        for d in (result.history["distance"] for result in shown.results)
    ]
    paths = []
    for trials, colour, label in ((raw, "coral", "α = 1"), (shown, "indigo", f"α = {shown.alpha:g}")):
        for k, result in enumerate(trials.results[:3]):
            path = _tip_path(result)
            paths.append(Curve(x=path[:, 0], y=path[:, 1], colour=colour, label="" if k else label))
    paths.append(Curve(x=[ARM_TARGET[0]], y=[ARM_TARGET[1]], style="points", colour="red", label="target"))
    plots = plot_picture(
        Plot(content=distances, title="distance, a line per seed", x_label="iteration",
             y_label="distance (m)", log_y=True),
        Plot(content=paths, title="path of the tip, seeds 1 to 3", x_label="x (m)",
             y_label="y (m)", equal_axes=True),
        width=330, height=240,
    )  # fmt: skip
    return np.vstack([particle_fan(arm4("ball"), ARM_TARGET, (1, 2, 3, 4, 6, 12), width=220, height=150), plots])


def particle_fan(
    figure: Figure, target: tuple[float, float, float], iterations: Sequence[int], *, width: int, height: int
) -> Picture:
    """The particles of six iterations, the likelier the brighter; the estimate in coral."""
    scenes = []
    for k in iterations:
        prepared = replace(ARM, max_iterations=k).prepare(Problem(figure, [Position("tip", target)]))
        assert isinstance(prepared, SampledPrepared)
        result = prepared.solve()
        q, costs = prepared.cloud
        rank = np.argsort(np.argsort(costs))
        bodies = [SceneBody(pose=result.pose, colour="coral", sides=False)]
        for i in np.argsort(-costs)[::2]:
            likely = 1.0 - rank[i] / len(costs)
            bodies.append(
                SceneBody(pose=Pose(figure, q[i]), colour=_between(likely), opacity=0.15 + 0.35 * likely, sides=False)
            )
        scenes.append(Scene(bodies=tuple(bodies), marks=(Mark.target(target, radius=0.022),)))
    camera = Extent.of(*scenes).camera(Direction(azimuth=0.4, elevation=0.2), aspect=width / height)
    pictures = [render(scene, width, height, camera=camera) for scene in scenes]
    panels = [labelled(p, f"iteration {k}") for p, k in zip(pictures, iterations, strict=True)]
    return np.vstack([np.hstack(panels[:3]), np.hstack(panels[3:])])


def _between(share: float) -> str:
    """A colour from slate (0) to sand (1)."""
    low, high = np.array([0x6C, 0x7D, 0x92]), np.array([0xDB, 0xA6, 0x46])
    r, g, b = (low + share * (high - low)).astype(int).tolist()
    return f"#{r:02x}{g:02x}{b:02x}"


def _tip_path(result: PoseResult) -> Array:
    assert result.path is not None
    return site_frames(result.path.figure, result.path.q, ["tip"]).points[:, 0]


def _jerk(path: Array) -> float:
    rested = np.concatenate([path, np.repeat(path[-1:], 3, axis=0)])
    return float(np.sqrt((np.diff(rested, 3, axis=0) ** 2).sum()))


# 3-B


@dataclass(frozen=True)
class Rope:
    """One search of the long chain."""

    words: str
    smooth: bool
    result: PoseResult

    @property
    def energy(self) -> float:
        """Equation (10) of the paper with k = 1 (rad): twice the geodesic distances between neighbouring joints."""
        q = quaternion_from_vector(self.result.q.reshape(-1, 3))
        steps = vector_from_quaternion(quaternion_multiply(quaternion_conjugate(q[:-1]), q[1:]))
        return 2.0 * float(np.linalg.norm(steps, axis=1).sum())


def long_chain(progress: Progress, seeds: int = 3, iterations: int = ROPE.max_iterations) -> Outcome:
    """3-B: 90 dofs from a straight, singular start; centre of mass over the root; a smooth chain."""
    figure = chain(30, direction="y", length=ROPE_LENGTH)
    found: list[Rope] = []
    cases = [(words, target, smooth) for words, target in (("aside", ROPE_TARGET), ("on the axis", AXIS_TARGET))
             for smooth in (True, False)]  # fmt: skip
    for words, target, smooth in cases:
        goals: list[Goal] = [
            Position("tip", target, tolerance=0.01 * ROPE_LENGTH),
            CentreOfMass((0.0, 0.0, 0.0), tolerance=0.02 * ROPE_LENGTH),
        ]
        if smooth:
            goals.append(Smoothness(figure.joint_names, weight=SMOOTHNESS))
        for seed in range(1, seeds + 1):
            solver = replace(ROPE, seed=seed, max_iterations=iterations)
            found.append(Rope(words, smooth, solver.solve(Problem(figure, goals))))
            progress(len(found) / (len(cases) * seeds))
    stalled = Prioritized().solve(Problem(figure, [Position("tip", AXIS_TARGET)]))
    rows, failures = [], []
    for words, _, smooth in cases:
        ropes = [rope for rope in found if (rope.words, rope.smooth) == (words, smooth)]
        tips = [rope.result.errors["tip"] for rope in ropes]
        offsets = [float(np.linalg.norm(centre_of_mass(figure, rope.result.q)[[0, 2]])) for rope in ropes]
        rate = np.median([rope.result.iterations / rope.result.seconds for rope in ropes])
        energy = float(np.median([rope.energy for rope in ropes]))
        rows.append(
            (
                f"target {words}", "on" if smooth else "off", f"{sum(r.result.reached for r in ropes)}/{seeds}",
                f"{100 * max(tips) / ROPE_LENGTH:.2f} %", f"{100 * max(offsets) / ROPE_LENGTH:.2f} %",
                f"{energy:.1f} rad", f"{rate:.0f}",
            )
        )  # fmt: skip
        if max(tips) > 0.01 * ROPE_LENGTH or max(offsets) > 0.02 * ROPE_LENGTH:
            failures.append(f"target {words}, smoothness {'on' if smooth else 'off'}: beyond 1 % or 2 % of the length")
        if not smooth and energy <= float(np.median([r.energy for r in found if r.words == words and r.smooth])):
            failures.append(f"target {words}: the smoothness cost does not make the chain smoother")
    miss = stalled.errors["tip"]
    rows.append(("target on the axis, damped pseudo-inverse", "", f"{int(stalled.reached)}/1",
                 f"{100 * miss / ROPE_LENGTH:.0f} %", "", "0.0 rad", ""))  # fmt: skip
    if stalled.reached or miss < 0.3 * ROPE_LENGTH:
        failures.append("the damped pseudo-inverse does not stall on the axis")
    columns = ("90 dofs", "smoothness", "reached", "tip", "centre of mass", "energy (10)", "iterations/s")
    notes = (
        "paper: solved, about 60 frames per second; numerical inversion fails at this start",
        f"{ROPE.particles} particles; tip and centre of mass: the worst of the seeds, over the chain's length",
    )
    return Outcome(columns, tuple(rows), tuple(failures), notes, draw=lambda: _rope_picture(figure, found))


def _rope_picture(figure: Figure, found: Sequence[Rope]) -> Picture:
    """The chain's way with the smoothness cost, and where it ends without."""
    smooth, rough = (next(r for r in found if r.words == "aside" and r.smooth == on) for on in (True, False))
    scenes = []
    for rope in (smooth, rough):
        path = rope.result.path
        assert path is not None
        x, y, z = centre_of_mass(figure, rope.result.q).tolist()
        centre = (x, y, z)
        moments = np.unique(np.geomspace(1, len(path), 7).astype(int) - 1)[:-1]
        scene = Scene(
            bodies=(SceneBody(pose=rope.result.pose, colour="coral", sides=False),),
            marks=(Mark.target(ROPE_TARGET, radius=0.03), Mark.point(centre, colour="indigo", radius=0.035),
                   Mark.line([(0.0, 0.0, 0.0), (0.0, 2.0, 0.0)], colour="indigo", radius=0.006)),
        )  # fmt: skip
        scenes.append(scene.with_ghosts([path.pose(int(k)) for k in moments], opacity=0.4))
    camera = Extent.of(*scenes).camera(Direction(azimuth=0.5, elevation=0.15), aspect=0.8)
    words = ("smoothness on", "smoothness off")
    return np.hstack([labelled(render(s, 400, 500, camera=camera), w) for s, w in zip(scenes, words, strict=True)])
