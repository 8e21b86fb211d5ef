"""Which contacts carry a body, how far it departs for them, and which of them give way; on bodies made here."""

import math

import numpy as np
import pytest
from naming_conventions import CONVENTIONS, biped
from scipy.spatial.transform import Rotation

from posewright.motions.splines import ease
from posewright.workflows.retargeting.key_points import SourceFeet
from posewright.workflows.retargeting.yielding import (
    RELEASED,
    SOFT,
    STRICT,
    TIPPED,
    Contacted,
    Departure,
    sole_corrections,
    standing,
    within_reach,
)

BODY = biped(CONVENTIONS["mixamo"])
PARTS = BODY.anatomy.parts
FPS = 60.0


def feet(n: int, left: Rotation | None = None) -> SourceFeet:
    """Feet of 0.2 m that stand flat, but for how the left one is turned."""
    turns = np.tile(np.eye(3), (n, 2, 1, 1))
    if left is not None:
        turns[:, 0] = left.as_matrix()
    ends = np.zeros((n, 4, 3))
    ends[:, 1::2, 0] = 0.2
    return SourceFeet(ends, np.zeros((n, 2, 3)), turns, np.tile([0.0, 0.9, 0.0], (n, 1)))


def resting(n: int, *intervals: tuple[int, int] | None) -> np.ndarray:
    """(n, 4): from the first frame to before the second."""
    found = np.zeros((n, 4), bool)
    for end, interval in enumerate(intervals):
        if interval:
            found[slice(*interval), end] = True
    return found


@pytest.mark.parametrize(
    ("axis", "degrees", "stands"),
    [
        ((1.0, 0.0, 0.0), 70.0, True),  # rolled: not yet on its side
        ((1.0, 0.0, 0.0), 80.0, False),
        ((1.0, 0.0, 0.0), 100.0, False),
        ((0.0, 0.0, 1.0), -70.0, True),  # on tiptoe
        ((0.0, 0.0, 1.0), -89.0, True),
        ((0.0, 0.0, 1.0), -95.0, False),  # beyond
        ((0.0, 0.0, 1.0), 80.0, False),  # on the back of the heel
    ],
)
def test_soles_that_look_aside_or_up_carry_nobody(axis, degrees, stands):
    asked = resting(20, (3, 15), (5, 18), (0, 20))
    found = standing(feet(20, Rotation.from_rotvec(np.radians(degrees) * np.array(axis))), np.zeros((20, 4)), asked)
    np.testing.assert_array_equal(found[:, 2:], asked[:, 2:])
    np.testing.assert_array_equal(found[:, :2], asked[:, :2] & stands)


@pytest.mark.parametrize(("lying", "kept"), [(5, True), (7, False)])
def test_a_contact_counts_as_most_of_its_frames_do(lying, kept):
    turned = Rotation.from_rotvec(np.where(np.arange(20) < 4 + lying, 1.5, 0.0)[:, None] * [1.0, 0.0, 0.0])
    found = standing(feet(20, turned), np.zeros((20, 4)), resting(20, (4, 16)))
    assert found[4:16, 0].all() == kept
    assert found.any() == kept


def test_an_end_rests_while_it_is_low_beside_the_other_that_does():
    """Steeper than a fifth of the foot, at the beginning or the end of its contact; under the floor counts as on it."""
    heights, n = np.zeros((40, 4)), 40
    heights[:12, 1] = 0.06  # toes are still up while the heel rests
    heights[28:, 0] = 0.06  # the heel is up already while the toes rest
    heights[18:20, 0] = 0.06  # in the middle it does not matter
    heights[:, 1] -= 0.03 * (np.arange(n) > 20)
    found = standing(feet(n), heights, resting(n, (5, 33), (8, 36)))
    np.testing.assert_array_equal(found, resting(n, (5, 28), (12, 36)))
    low = standing(feet(n), 0.6 * heights, resting(n, (5, 33), (8, 36)))
    np.testing.assert_array_equal(low, resting(n, (5, 33), (8, 36)))
    alone = standing(feet(n), heights, resting(n, (5, 33), None))
    np.testing.assert_array_equal(alone, resting(n, (5, 33), None))
    both = standing(feet(n), np.tile([0.06, 0.06, 0.0, 0.0], (n, 1)), resting(n, (5, 12), (5, 12)))
    np.testing.assert_array_equal(both, resting(n, (5, 12), (5, 12)))
    always = standing(feet(n), np.tile([0.06, 0.0, 0.0, 0.0], (n, 1)), resting(n, (5, 12), (2, 30)))
    np.testing.assert_array_equal(always, resting(n, None, (2, 30)))


def turned(joint: str, degrees: float, axis: tuple[float, float, float] = (1.0, 0.0, 0.0), n: int = 6) -> np.ndarray:
    """The body at rest, with a joint turned."""
    q, where = np.tile(BODY.rest, (n, 1)), BODY.dof_slice(joint)
    q[:, where.stop - 3 : where.stop] = np.radians(degrees) * np.array(axis)
    return q


def test_trunks_depart_by_the_angle_of_what_turned_furthest_and_legs_by_that_of_thigh_or_shin():
    departure, rest = Departure(BODY.anatomy), np.tile(BODY.rest, (6, 1))
    spine, thigh, shin = PARTS["spine"][-1], PARTS["left_hip"][0], PARTS["right_knee"][0]
    for degrees in (5.0, 17.0, 60.0):
        trunk, legs = departure.between(turned(spine, degrees), rest, 120.0)
        np.testing.assert_allclose(trunk, degrees / 17.0, rtol=1e-9)
        np.testing.assert_allclose(legs, 0.0, atol=1e-6)
        trunk, legs = departure.between(turned(thigh, degrees), rest, 120.0)
        np.testing.assert_allclose(legs, np.tile([degrees / 35.0, 0.0], (6, 1)), rtol=1e-9, atol=1e-6)
        np.testing.assert_allclose(trunk, 0.0, atol=1e-6)
        trunk, legs = departure.between(turned(shin, degrees), rest, 120.0)
        np.testing.assert_allclose(legs, np.tile([0.0, degrees / 35.0], (6, 1)), rtol=1e-9, atol=1e-6)
        trunk, legs = departure.between(turned(PARTS["pelvis"][0], degrees), rest, 120.0)
        np.testing.assert_allclose(trunk, degrees / 17.0, rtol=1e-9)
        np.testing.assert_allclose(legs, degrees / 35.0, rtol=1e-9)


@pytest.mark.parametrize("tilt", [30.0, 60.0, 70.0, 85.0])
def test_legs_that_carry_nobody_may_depart_by_less(tilt):
    departure, shin = Departure(BODY.anatomy), PARTS["left_knee"][0]
    posture = turned(shin, tilt)
    legs = departure.between(turned(shin, tilt + 10.0), posture, 120.0)[1]
    steep = math.radians(tilt) + math.atan2(0.03, 0.42)  # at rest the ankle is a little behind the knee
    carried = ease(np.array((math.cos(steep) - 0.2) / 0.4))
    np.testing.assert_allclose(legs[:, 0], 10.0 / (12.0 + 23.0 * carried), rtol=1e-9)


def test_a_pelvis_departs_by_its_path_wherever_the_body_is_on_the_mean():
    departure, rest = Departure(BODY.anatomy), np.tile(BODY.rest, (9, 1))
    q = rest + 0.3 * (np.arange(BODY.n_dofs) == 1)
    np.testing.assert_allclose(departure.between(q, rest, 120.0)[0], 0.0, atol=1e-6)
    q[4, 0] += 0.2
    expected = np.where(np.arange(9) == 4, 0.2 / (0.25 * BODY.anatomy.segments.leg_length), 0.0)
    np.testing.assert_allclose(departure.between(q, rest, 120.0)[0], expected, atol=1e-6)


def test_contacts_give_way_as_a_whole_where_legs_depart_for_long_enough():
    n = 60
    contacts = Contacted(resting(n, (10, 20), (14, 30), (10, 20), (40, 50)), FPS)
    np.testing.assert_array_equal(contacts.resting, resting(n, (10, 20), (14, 30), (10, 20), (40, 50)))
    calm, none, even = np.zeros(n), np.zeros(n), np.ones((n, 2))
    assert not contacts.loosen(calm, np.zeros((n, 2)), none, even)
    legs = np.zeros((n, 2))
    legs[15:17, 0] = 2.0  # for less than 0.05 s
    assert not contacts.loosen(calm, legs, none, even)
    legs[34:36, 0] = 2.0  # near its end
    assert contacts.loosen(calm, legs, none, even)
    levels = np.zeros((n, 2), int)
    levels[10:30, 0] = TIPPED
    np.testing.assert_array_equal(contacts.levels, levels)
    np.testing.assert_array_equal(contacts.resting, resting(n, None, (14, 30), (10, 20), (40, 50)))
    assert contacts.loosen(calm, legs, none, even)
    assert contacts.levels[20].tolist() == [SOFT, STRICT]
    assert contacts.loosen(calm, legs, none, even)
    assert contacts.levels[20].tolist() == [RELEASED, STRICT]
    assert not contacts.loosen(calm, 0.5 * legs, none, even)  # it was worth it
    np.testing.assert_array_equal(contacts.resting, resting(n, None, None, (10, 20), (40, 50)))


def test_contacts_that_are_given_up_in_vain_are_kept_after_all_and_for_good():
    n = 60
    contacts = Contacted(resting(n, (10, 30)), FPS)
    calm, none, even, legs = np.zeros(n), np.zeros(n), np.ones((n, 2)), np.zeros((n, 2))
    legs[14:20, 0] = 2.0
    for level in (TIPPED, SOFT, RELEASED):
        assert contacts.loosen(calm, legs, none, even)
        assert contacts.levels[20, 0] == level
    legs[14:20, 0] = 1.6  # more than half of what was too much is left
    assert contacts.loosen(calm, legs, none, even)
    assert not contacts.levels.any()
    assert not contacts.loosen(calm, 2.0 * legs, none, even)


def test_of_a_sole_that_gives_way_the_end_that_rests_longer_stays():
    contacts = Contacted(resting(40, (10, 30), (20, 35)), FPS)
    contacts.levels[10:35, 0] = TIPPED
    np.testing.assert_array_equal(contacts.resting, resting(40, (10, 30)))


def test_trunks_that_are_pulled_and_bodies_that_sink_ask_the_feet_that_are_asked_most():
    n, trunk, none = 60, np.zeros(60), np.zeros(60)
    trunk[20:24] = 1.5
    asked = np.tile([0.1, 0.06], (n, 1))
    for pulled in ((trunk, none), (0.5 * trunk, trunk)):
        contacts = Contacted(resting(n, (10, 30), None, (10, 30)), FPS)
        assert contacts.loosen(pulled[0], np.zeros((n, 2)), pulled[1], asked)
        assert contacts.levels[20].tolist() == [TIPPED, STRICT]
        assert contacts.loosen(pulled[0], np.zeros((n, 2)), pulled[1], asked + 0.1)
        assert contacts.levels[20].tolist() == [SOFT, TIPPED]
    short = Contacted(resting(n, (10, 30)), FPS)
    assert not short.loosen(np.where(np.arange(n) == 20, 1.5, 0.0), np.zeros((n, 2)), none, asked)
    assert short.loosen(
        np.zeros(n), np.zeros((n, 2)), 2.0 * (np.arange(n) == 20), asked
    )  # one frame under the floor is shown for longer


def test_soles_are_asked_by_their_way_and_their_turn():
    rng = np.random.default_rng(1)
    places, soles = rng.normal(size=(2, 5, 2, 3))
    one, other = (Rotation.random(10, random_state=seed) for seed in (2, 3))
    expected = np.linalg.norm(places - soles, axis=-1) + 0.3 * (one.inv() * other).magnitude().reshape(5, 2)
    frames, turns = (turn.as_matrix().reshape(5, 2, 3, 3) for turn in (one, other))
    np.testing.assert_allclose(sole_corrections(places, frames, soles, turns), expected, atol=1e-9)


def test_a_knee_that_bends_more_suddenly_than_the_carried_one_departs_too_far():
    departure, knee = Departure(BODY.anatomy), PARTS["left_knee"][0]
    q = np.concatenate([turned(knee, degrees, n=10) for degrees in (5.0, 25.0)])
    rest = np.tile(BODY.rest, (20, 1))
    trunk, _ = departure.between(q, rest, 40.0)
    np.testing.assert_allclose(trunk, np.where(np.isin(np.arange(20), (9, 10)), 20.0 / 10.0, 0.0), atol=1e-6)
    np.testing.assert_allclose(departure.between(q, q, 40.0)[0], 0.0, atol=1e-9)


def test_feet_leave_a_little_earlier_where_legs_do_not_reach_at_the_ends_of_a_contact():
    resting, drops = np.zeros((60, 4), np.bool_), np.zeros((60, 2))
    resting[5:30, :2], resting[:25, 2:] = True, True
    resting[45:, 2:] = True
    drops[5:8], drops[27:30], drops[45:47] = 0.1, 0.1, 0.1
    kept = within_reach(resting, drops, 120.0)
    assert np.array_equal(np.flatnonzero(kept[:, 0]), np.arange(8, 27))
    assert np.array_equal(np.flatnonzero(kept[:, 2]), [*range(25), *range(47, 60)])
    slow = within_reach(resting, np.full((60, 2), 0.1), 120.0)
    assert np.array_equal(slow, resting)  # legs that never reach are what giving way is for
