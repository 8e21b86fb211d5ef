"""Kernels are plain Python too: with NUMBA_DISABLE_JIT=1 they give the numbers that the compiled ones give."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

import posewright as pw
from posewright.clips import walk
from posewright.clips.biped import measure
from posewright.conventions import Array
from posewright.figures import Figure
from posewright.figures.catalogue import arm4, human40
from posewright.figures.kinematics import (
    centre_of_mass,
    centre_of_mass_jacobian,
    joint_frames,
    site_frames,
    site_jacobians,
)
from posewright.figures.transforms.coordinates import converted_q
from posewright.goals import Position
from posewright.kernels.postures.splicing import splice
from posewright.matching import JointMatch
from posewright.models.postures.splicing import Splicer
from posewright.motions.smoothing import smoothed_q
from posewright.problem import Problem
from posewright.problem.lowering import lower
from posewright.rotations import matrix_from_vector
from posewright.solvers.active_set_bfgs import ActiveSetBfgs
from posewright.solvers.sampling.sequential_monte_carlo import SequentialMonteCarlo
from random_figures import random_figure, random_q, smooth_q


def numbers() -> dict[str, Array]:
    """What some kernels answer for a generated figure."""
    figure = random_figure(7, 8)
    q = random_q(figure, 7, 2)
    frames = joint_frames(figure, q)
    sites = site_frames(figure, q, figure.site_names)
    balls = figure.with_balls()
    w = converted_q(figure, balls, q)
    return {
        "positions": frames.positions,
        "rotations": frames.rotations,
        "points": sites.points,
        "jacobians": site_jacobians(figure, q, figure.site_names[-2:]),
        "centre": centre_of_mass(figure, q),
        "centre_jacobian": centre_of_mass_jacobian(figure, q),
        "balls": w,
        "hinges": converted_q(balls, figure, w, near=q[0]),
        **limb_numbers(),
        "carried": transferred(human40()),
        "carried to balls": transferred(human40().with_balls(drop_limits=True)),
        "smoothed": smoothed_q(balls, w[[0, 1, 0, 1, 1]], 0.5),
        "search": ActiveSetBfgs(max_iterations=6, restarts=0).solve(reaching(figure, q[0])).q,
        **motion_numbers(),
        "particles": particle_path(),
        **edit_numbers(),
        **spliced_numbers(),
        **posture_numbers(),
    }


def transferred(target: pw.Figure) -> Array:
    """A few frames of a walk on another figure."""
    stroll = walk(human40(), seed=1, fps=10.0)[:4]
    return JointMatch.between(stroll.figure, target).transfer(stroll).q


def edit_numbers() -> dict[str, Array]:
    """What edits with and without a pattern answer, with two sites held together."""
    figure = human40()
    rng = np.random.default_rng(0)
    clips = [pw.Motion(figure, figure.rest + 0.05 * rng.normal(size=(4, figure.n_dofs)), 30.0) for _ in range(3)]
    there = site_frames(figure, clips[1].q[2], ["left_hand"]).points[0]
    key = Position("left_hand", tuple(there), tolerance=1e-3).at(2)
    model = pw.MotionModel.fit(clips, explained_variance=1.0)
    return {
        "pattern": pw.edit(clips[0], [key], space=model).motion.q,
        "joints": pw.edit(clips[0], [key], hold_together=[("right_hand", "left_hand")]).motion.q,
    }


def particle_path() -> Array:
    """What the particle filter walks in a few iterations."""
    problem = Problem(arm4("ball"), [Position("tip", (0.4, 0.3, 0.2))])
    path = SequentialMonteCarlo(particles=5, max_iterations=3, polish=False).solve(problem).path
    assert path is not None
    return path.q


def reaching(figure: Figure, q: Array) -> Problem:
    """Every site where a pose has it, more or less."""
    points = site_frames(figure, q, figure.site_names).points + 0.05
    return Problem(figure, [Position(name, point) for name, point in zip(figure.site_names, points, strict=True)])


def motion_numbers() -> dict[str, Array]:
    """What the kernel of clips answers for an arm with a track served strictly first and another."""
    figure = arm4()
    q = figure.rest + 0.1 * np.outer(np.arange(3), np.ones(figure.n_dofs))
    example = pw.Motion(figure, q, 30.0)
    points = site_frames(figure, q, figure.site_names[:1]).points[:, 0]
    first = pw.goals.follow(figure.site_names[0], points + 0.02)
    second = pw.goals.follow(figure.joint_names[1], points - 0.1, priority=2, name="second")
    return {"clip": pw.LeastSquares().solve(pw.MotionProblem(figure, [first, second], example)).motion.q}


def posture_numbers() -> dict[str, Array]:
    """What the kernels of posture databases keep of some poses, and find in them."""
    figure = random_figure(5, 6)
    poses = pw.Motion(figure, smooth_q(figure, 5, 60), 30.0)
    database = pw.Postures.build([poses], threshold=0.2)
    on = database.on(figure)
    values = on.values(figure.site_names[-1])
    rows, distances, _ = on.nearest([(values, values.mean(axis=0), 2.0)], 2)
    return {"postures": database.q, "nearest": rows.astype(np.float64), "how near": distances}


def spliced_numbers() -> dict[str, Array]:
    """Weights and a posture blended from samples."""
    figure = human40().with_balls(drop_limits=True)
    rng = np.random.default_rng(3)
    away, q, weights, found = rng.normal(size=(9, 5)), rng.normal(size=(9, figure.n_dofs)), np.empty(9), np.zeros(40)
    members = np.arange(len(figure.joints))
    splice(*figure.tables, members, away, np.sort(np.linalg.norm(away, axis=1)), q, weights, found)
    return {"weights": weights, "spliced": found, "drag": dragged_splice()}


def dragged_splice() -> Array:
    """A posture spliced for two points."""
    figure = human40()
    database = pw.Postures.build([walk(figure, seed=1, fps=10.0)], threshold=0.05)
    goals = [Position("left_hand", (0.3, 1.1, 0.3)), Position("right_sole", (-0.1, 0.1, 0.2))]
    problem = lower(Problem(figure, goals))
    return Splicer(problem, database.on(figure), figure.rest).splice(problem.targets).q


def limb_numbers() -> dict[str, Array]:
    """What the kernels of procedural clips answer for a leg and a spine."""
    biped = measure(human40())
    hips = np.array([[0.1, 0.9, 0.0], [0.1, 0.85, 0.1]])
    rotations, angles, misses = biped.legs[0].limb.place(hips, np.zeros((2, 3)), np.tile([0.0, 0.0, 1.0], (2, 1)))
    q = np.tile(biped.figure.rest, (2, 1))
    wanted = matrix_from_vector(np.array([[0.2, 0.3, -0.1], [0.9, 1.5, 0.2]]))  # the second is beyond the limits
    missing = biped.spine_chain.fit(np.tile(np.eye(3), (2, 1, 1)), wanted, q)
    return {"limb": rotations, "bend": angles, "misses": misses, "spine": q, "missing": missing}


def test_plain_python_gives_the_same_numbers(tmp_path: Path) -> None:
    code = (
        "import sys, numba, numpy; sys.path.insert(0, sys.argv[1]); import test_kernels_plain as t; "
        "assert numba.config.DISABLE_JIT; numpy.savez(sys.argv[2], **t.numbers())"
    )
    here = Path(__file__).parent
    environment = {
        **os.environ,
        "NUMBA_DISABLE_JIT": "1",
        "PYTHONPATH": os.pathsep.join([str(here.parent), *filter(None, sys.path)]),
    }
    done = subprocess.run(
        [sys.executable, "-c", code, str(here), str(tmp_path / "plain.npz")],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    plain = np.load(tmp_path / "plain.npz")
    for name, value in numbers().items():
        np.testing.assert_allclose(plain[name], value, rtol=0.0, atol=1e-13, err_msg=name)
