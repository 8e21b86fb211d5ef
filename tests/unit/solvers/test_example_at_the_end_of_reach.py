"""Example-guided solves at their defaults: nothing jumps where a limb comes to the end of its reach, or beyond."""

import numpy as np
import pytest

import posewright as pw
from posewright.clips import kick, throw
from posewright.figures.kinematics import joint_frames, site_frames


def fastest_turn(motion: pw.Motion) -> float:
    """Degrees: of a joint in the world, from one frame to the next."""
    turns = joint_frames(motion.figure, motion.q).rotations
    trace = np.einsum("fjab,fjab->fj", turns[1:], turns[:-1])
    return float(np.degrees(np.arccos(np.clip(0.5 * (trace - 1.0), -1.0, 1.0))).max())


@pytest.mark.parametrize("figure", ["abnorman1", "abnorman2"])
@pytest.mark.parametrize(("make", "site"), [(throw, "right_hand"), (kick, "right_toe_tip")])
@pytest.mark.parametrize("beyond", [0.0, 0.5])
def test_a_track_on_other_proportions_is_followed_without_jumps(figure, make, site, beyond):
    example = make(pw.figure("norman"), fps=60.0)
    path = site_frames(example.figure, example.q, [site]).points[:, 0]
    outwards = path - example.q[:, :3]
    bell = np.exp(-(np.linspace(-2.5, 2.5, len(path)) ** 2))[:, None]
    track = path + beyond * bell * outwards / np.linalg.norm(outwards, axis=1, keepdims=True)
    place = ("pelvis.tx", "pelvis.ty", "pelvis.tz")
    problem = pw.MotionProblem(pw.figure(figure), [pw.goals.follow(site, track)], example, frozen=place)
    plain = pw.LeastSquares().solve(problem.with_imitation(pw.Imitation(leap=None)))
    made = pw.LeastSquares().solve(problem)
    leaps = fastest_turn(plain.motion) > 1.5 * fastest_turn(example)
    assert leaps == any("leapt" in warning for warning in made.warnings)
    assert leaps == bool((made.motion.q != plain.motion.q).any())
    assert fastest_turn(made.motion) < 1.6 * fastest_turn(example)
    if make is throw and beyond == 0.0:  # nearly all of it is in reach
        assert np.median(made.errors_by_frame[site]) < 1e-4
