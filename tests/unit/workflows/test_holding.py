"""What is held comes before all keys, in a pattern and in joint space: contacts, and sites that belong together."""

from __future__ import annotations

import numpy as np
import pytest

from posewright import MotionProblem, edit
from posewright.errors import InvalidSetting, UnknownName
from posewright.figures.kinematics import joint_frames, site_frames
from posewright.goals import Plane, Position
from posewright.goals.timed import Timed
from posewright.motions import Motion
from posewright.motions.splines import KochanekBartels
from posewright.workflows.editing.holding import contacts_in_model
from posewright.workflows.editing.in_model import PATTERN_SOLVER

CROUCHED = 8
"""A frame before take-off."""
HANDS = ("right_hand", "left_hand")
inside_and_outside = pytest.mark.parametrize("inside", [True, False], ids=["pattern", "joints"])


def place(motion: Motion, frame: int, site: str) -> np.ndarray:
    return np.asarray(site_frames(motion.figure, motion.q[frame], [site]).points[0])


def moved(motion: Motion, frame: int, site: str, by: tuple[float, float, float], **settings: object) -> Timed:
    return Position(site, tuple(place(motion, frame, site) + by), **settings).at(frame)


def drift(motion: Motion, source: Motion) -> float:
    """m, how far contacts of the source are from where they were."""
    touching = source.contacts()
    away = (site_frames(one.figure, one.q, touching.sites).points for one in (motion, source))
    return float(np.linalg.norm(next(away) - next(away), axis=2)[touching.touching].max())


def apart(motion: Motion) -> np.ndarray:
    """The right hand in the frame of the left hand's joint, over all frames."""
    figure = motion.figure
    frames, wrist = joint_frames(figure, motion.q), figure.joint_index(figure.site("left_hand").joint)
    away = site_frames(figure, motion.q, ["right_hand"]).points[:, 0] - frames.positions[:, wrist]
    return np.einsum("fji,fj->fi", frames.rotations[:, wrist], away)


@inside_and_outside
def test_contacts_are_held_and_the_key_is_met_with_them(jumps, model, inside):
    source = jumps[5]
    key = moved(source, CROUCHED, "pelvis", (0.02, -0.05, 0.04))
    result = edit(source, [key], space=model if inside else None, hold_contacts=True)
    assert result.reached
    assert drift(result.motion, source) < 1e-4
    assert not any("held" in warning for warning in result.warnings)


def test_a_key_against_a_contact_is_missed_and_told_so_in_a_pattern(jumps, model):
    source = jumps[5]
    foot = source.contacts().sites[0]
    assert source.contacts().of(foot)[CROUCHED]
    key = moved(source, CROUCHED, foot, (0.0, 0.05, 0.0))
    held = edit(source, [key], space=model, hold_contacts=True)
    assert not held.reached
    assert next(iter(held.errors.values())) == pytest.approx(0.05, abs=1e-3)
    assert drift(held.motion, source) < 1e-3
    assert any("comes first" in warning and foot in warning for warning in held.warnings)


@inside_and_outside
def test_sites_that_belong_together_stay_so(jumps, model, inside):
    source, pattern = jumps[5], model if inside else None
    key = moved(source, 14, "left_hand", (0.03, 0.04, 0.04))
    held = edit(source, [key], space=pattern, hold_contacts=True, hold_together=[HANDS])
    free = edit(source, [key], space=pattern, hold_contacts=True)
    gaps = [np.linalg.norm(apart(result.motion) - apart(source), axis=1).max() for result in (held, free)]
    assert held.reached
    assert gaps[0] < 1e-3 < 0.01 < gaps[1]
    assert drift(held.motion, source) < 1e-3
    if inside:
        np.testing.assert_allclose(model.decode(held.latent).q, held.motion.q, atol=1e-9)


@inside_and_outside
def test_a_key_against_what_belongs_together_is_missed_and_told_so(jumps, model, inside):
    source, pattern = jumps[5], model if inside else None
    keys = [moved(source, 14, "left_hand", (0.0, 0.1, 0.0)), moved(source, 14, "right_hand", (0.0, -0.1, 0.0))]
    result = edit(source, keys, space=pattern, hold_together=[HANDS])
    assert not result.reached
    assert np.linalg.norm(apart(result.motion) - apart(source), axis=1).max() < 1e-3


@inside_and_outside
def test_trajectories_and_planes_are_followed_with_contacts_held(jumps, model, inside):
    source = jumps[5]
    track = np.array([place(source, frame, "pelvis") for frame in range(4, 9)])
    down = np.array([0.0, 0.03, 0.0])
    path = KochanekBartels(np.arange(4, 9), track + np.linspace(0.0, 1.0, 5)[:, None] * (0.02, -0.02, 0.0))
    keys = [
        Position("pelvis", (0.0, 0.0, 0.0)).along(path, start=4, end=8, ease=4),
        Plane("head", tuple(place(source, -1, "head") - down), (0.0, 1.0, 0.0)).at(-1),
    ]
    result = edit(source, keys, space=model if inside else None, hold_contacts=True)
    assert result.reached
    assert drift(result.motion, source) < 1e-3


def test_pairs_that_are_none_are_refused(jumps):
    key = moved(jumps[0], 5, "head", (0.0, 0.01, 0.0))
    with pytest.raises(UnknownName, match="left_hand"):
        edit(jumps[0], [key], hold_together=[("right_hand", "left_hnd")])
    with pytest.raises(InvalidSetting, match="together anyway"):
        edit(jumps[0], [key], hold_together=[("left_hand", "left_fingertips")])
    with pytest.raises(InvalidSetting, match="pairs of sites"):
        edit(jumps[0], [key], hold_together=[("left_hand",)])


def test_the_pattern_itself_looks_for_motions_that_leave_the_feet_alone(jumps, model):
    source = jumps[5]
    keys = [moved(source, CROUCHED, "pelvis", (0.0, -0.05, 0.04))]
    beside = contacts_in_model(source, source.contacts(), [key.goal for key in keys])
    alone, with_contacts = (
        PATTERN_SOLVER.solve(MotionProblem(model, goals, source)).motion for goals in (keys, [*keys, *beside])
    )
    assert drift(with_contacts, source) < 0.5 * drift(alone, source)
    whole = edit(source, keys, space=model, hold_contacts=True)
    assert whole.reached
    assert list(whole.errors) == [key.label for key in keys]
    assert drift(whole.motion, source) < 1e-3


def test_contacts_weigh_the_same_however_many_there_are(jumps):
    source = jumps[5]
    keys = [
        moved(source, 14, "pelvis", (0.0, 0.05, 0.0)),
        moved(source, 14, "head", (0.0, 0.05, 0.0), priority=3, weight=2.0),
        moved(source, 14, "left_hand", (0.0, 0.05, 0.0), priority=3),
    ]
    beside = contacts_in_model(source, source.contacts(), [key.goal for key in keys])
    touching = source.contacts()
    assert sum(key.goal.weight for key in beside) == pytest.approx(8.0 * 3.0), "of the keys of the last priority"
    assert {key.goal.priority for key in beside} == {3}
    for key in beside:
        assert touching.of(key.goal.site)[key.start]
        np.testing.assert_allclose(key.goal.target, place(source, key.start, key.goal.site))
    assert not contacts_in_model(source, source.contacts(), [])


def test_what_joints_had_to_do_for_the_pattern_is_told(jumps, model):
    source = jumps[5]
    keys = [moved(source, 14, "left_hand", (0.2, 0.3, -0.3))]
    result = edit(source, keys, space=model, hold_contacts=True, max_deviation=1.0)
    assert result.reached
    assert any("the model alone misses" in warning and "joints do the rest" in warning for warning in result.warnings)
