"""Contacts set by hand: exactly these are held; feet are put down where one is added."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import posewright as pw
from posewright import clips, edit
from posewright.errors import InvalidSetting, UnknownName
from posewright.figures.kinematics import site_frames
from posewright.motions.contacts import bars_of, feet_of, with_bars

WALK = clips.walk(pw.figure("human40"), steps=4, fps=30.0)
FEET = feet_of(WALK.figure)
FOUND = bars_of(WALK.contacts(), FEET)


def slides(motion: pw.Motion, site: str, start: int, end: int) -> float:
    """m: how far a point moves between two frames, both included."""
    points = site_frames(motion.figure, motion.q[start : end + 1], [site]).points[:, 0]
    return float(np.ptp(points, axis=0).max())


def test_the_contacts_that_are_found_change_nothing():
    assert edit(WALK, [], contacts=FOUND).motion.q.tobytes() == WALK.q.tobytes()
    assert edit(WALK, [], contacts={}).motion.q.tobytes() == WALK.q.tobytes()


def test_a_foot_stands_on_in_frames_that_are_added_and_swings_on_after_them():
    first, last = FOUND["left_foot"][0]
    longer = {"left_foot": [(first, last + 3), *FOUND["left_foot"][1:]]}
    made = edit(WALK, [], contacts=longer)
    assert slides(WALK, "left_toes", last, last + 3) > 0.1
    assert slides(made.motion, "left_toes", last, last + 3) < 5e-3
    changed = np.flatnonzero((made.motion.q != WALK.q).any(axis=1))
    assert last - 2 <= changed.min()
    assert changed.max() <= FOUND["left_foot"][1][0]  # before the next contact it is on its path again
    for site in FEET["right_foot"]:
        both = [site_frames(WALK.figure, q, [site]).points for q in (made.motion.q, WALK.q)]
        assert np.abs(both[0] - both[1]).max() < 1e-3


def test_a_foot_that_never_stood_is_put_on_the_floor():
    jump = clips.jump(pw.figure("human40"), fps=30.0)
    flight = next(k for k in range(len(jump)) if not jump.contacts().touching[k : k + 4].any())
    made = edit(jump, [], contacts={"left_foot": [(flight, flight + 3)], "right_foot": []})
    low = [site_frames(jump.figure, m.q[flight + 1], FEET["left_foot"]).points[:, 1].max() for m in (jump, made.motion)]
    assert low[1] < low[0] - 0.03 or any("does not reach" in warning for warning in made.warnings)


def test_a_foot_that_a_key_moves_stands_displaced_in_its_own_contact_only():
    first, last = FOUND["right_foot"][1]
    middle = (first + last) // 2
    cut = {"right_foot": [FOUND["right_foot"][0], (first, middle - 2), (middle + 2, last), FOUND["right_foot"][2]]}
    key = pw.Position("right_ankle", WALK.point("right_ankle", first + 3) - np.array([0.08, 0.0, 0.0])).at(first + 3)

    def away(bars, frame):
        motion = edit(WALK, [key], contacts=bars).motion
        return float(np.linalg.norm(motion.point("right_ankle", frame) - WALK.point("right_ankle", frame)))

    assert away(None, last - 2) > 0.07
    assert away(cut, last - 2) < 5e-3  # it came back while it was off the ground
    assert away(cut, middle - 3) > 0.07


def test_in_a_model_exactly_these_contacts_are_held(jumps, model):
    clip = jumps[0]
    found = bars_of(clip.contacts(), FEET)
    key = pw.Position("head", clip.point("head", 18) + np.array([0.0, 0.05, 0.0])).at(18)
    start, end = found["left_foot"][0]
    only = {"left_foot": [(start, end)], "right_foot": []}
    free, held = edit(clip, key, space=model), edit(clip, key, space=model, contacts=only)
    assert max(slides(free.motion, site, start, end) for site in FEET["left_foot"]) > 1e-3
    sites = list(FEET["left_foot"])
    moved = [site_frames(clip.figure, m.q[start : end + 1], sites).points for m in (clip, held.motion)]
    touching = clip.contacts(sites).touching[start : end + 1]
    assert np.linalg.norm(moved[0] - moved[1], axis=-1)[touching].max() < 2e-3


frames = st.integers(0, len(WALK) - 1)
bars = st.lists(st.tuples(frames, frames).map(lambda two: (min(two), max(two))), max_size=3)


@settings(max_examples=25, deadline=None)
@given(st.fixed_dictionaries({"left_foot": bars, "right_foot": bars}))
def test_any_contacts_are_those_that_hold(wanted):
    held = with_bars(WALK.contacts(), WALK.figure, wanted)
    for foot, sites in FEET.items():
        on = np.zeros(len(WALK), np.bool_)
        for start, end in wanted[foot]:
            on[start : end + 1] = True
        np.testing.assert_array_equal(held.any_of(sites), on)
    made = edit(WALK, [], contacts=wanted).motion
    assert np.isfinite(made.q).all()
    assert (made.q >= WALK.figure.lower - 1e-6).all()
    assert (made.q <= WALK.figure.upper + 1e-6).all()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"left_fot": []}, "no foot 'left_fot', did you mean 'left_foot'"),
        ({"left_foot": [(3, 2)]}, "from frame 3 to 2"),
        ({"left_foot": [(0, 10_000)]}, f"the motion has frames 0 to {len(WALK) - 1}"),
    ],
)
def test_contacts_that_make_no_sense_are_one_sentence(given, says):
    with pytest.raises((InvalidSetting, UnknownName)) as error:
        edit(WALK, [], contacts=given)
    assert says.split(",")[0] in str(error.value)


def test_figures_without_feet_have_no_contacts():
    arm = pw.figure("arm4")
    with pytest.raises(InvalidSetting, match="no recognised feet"):
        edit(pw.Motion(arm, np.zeros((5, arm.n_dofs)), 30.0), [], contacts={"left_foot": []})
