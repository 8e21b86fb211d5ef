"""Feet of edits on paths made here: when they are displaced, how legs reach them, and where they are put down."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from naming_conventions import CONVENTIONS, biped

import posewright as pw
from posewright.figures import Figure, Hinge, Joint
from posewright.figures.joint import X, Y, Z
from posewright.figures.kinematics import joint_positions, site_frames
from posewright.motions import Motion
from posewright.motions.contacts import bars_of, feet_of, with_bars
from posewright.motions.quality.edited import Original
from posewright.motions.splines import ease
from posewright.workflows.editing.feet import Feet, _flying, _Hold, _stretch, behind
from posewright.workflows.editing.ground import _eased, _flat, put_down
from posewright.workflows.editing.legs import legs_of, lowered, on_paths

FPS = 30.0
HUMAN = pw.figure("human40")
N = 60


def standing(contacts: dict[str, list[tuple[int, int]]], motion: Motion | None = None) -> Feet:
    """The feet of somebody who stands, of whom contacts in some frames are said."""
    motion = motion or Motion(HUMAN, np.tile(HUMAN.rest, (N, 1)), FPS)
    bars = {foot: [] for foot in feet_of(HUMAN)} | contacts
    return Feet(Original(motion), with_bars(motion.contacts(), HUMAN, bars))


def key(frame: int, site: str = "left_sole", height: float = 0.0) -> pw.goals.Timed:
    return pw.Position(site, (0.0, height, 0.0)).at(frame)


LEFT = {"left_foot": [(10, 19), (30, 39)]}
ENDS = {"left_foot": [(0, 3), (10, 19), (30, 39), (50, N - 1)]}
USUAL = (7.0, 7.0)


@pytest.mark.parametrize(
    ("contacts", "frame", "window"),
    [
        (ENDS, 15, (12, 15)),  # in a contact: from where it takes off before, to where it lands after
        (ENDS, 10, (7, 20)),
        (ENDS, 19, (16, 11)),
        (ENDS, 25, (6, 5)),  # in a swing: from the contact before to the one after
        (ENDS, 22, (19, 8)),  # soon after a contact: displaced in that, too
        (ENDS, 23, (20, 7)),
        (ENDS, 24, (5, 6)),
        (ENDS, 27, (8, 23)),  # soon before the next
        (ENDS, 26, (7, 24)),
        (ENDS, 2, (USUAL[0], 8)),  # in a contact with which the motion begins, or ends
        (ENDS, 55, (16, USUAL[1])),
        (LEFT, 5, (15, 5)),  # in a swing with which it does: half a second
        (LEFT, 45, (6, 15)),
        (LEFT, 1, (15, 9)),
        (LEFT, 58, (19, 15)),
        (LEFT, 8, (15, 22)),
        (LEFT, 35, (16, 19)),
    ],
)
def test_a_foot_is_displaced_from_where_it_last_takes_off_to_where_it_next_lands(contacts, frame, window):
    assert standing(contacts).window(key(frame), USUAL) == window


def test_other_limbs_and_feet_that_never_leave_the_ground_have_windows_of_their_own():
    feet = standing({"left_foot": [(0, N - 1)]})
    assert feet.window(key(20, "right_hand"), USUAL) == USUAL
    assert feet.window(key(20), USUAL) == USUAL
    said = feet.moved_by([key(20), key(20, "right_hand")]).warnings(Motion(HUMAN, np.tile(HUMAN.rest, (N, 1)), FPS))
    assert said == ["'left_sole' moves a foot that rests on the ground in all frames, so it slides"]


@pytest.mark.parametrize("begin", [None, 2])
@pytest.mark.parametrize("end", [None, 20])
def test_shares_rise_to_a_hold_and_fall_after_it(begin, end):
    shares, frames = _Hold(begin, 8, 12, end).shares(np.arange(30.0)), np.arange(30.0)
    np.testing.assert_array_equal(shares[8:13], 1.0)
    np.testing.assert_allclose(shares[:8], 1.0 if begin is None else ease((frames[:8] - 2.0) / 6.0))
    np.testing.assert_allclose(shares[13:], 1.0 if end is None else ease((20.0 - frames[13:]) / 8.0))
    assert _Hold(begin, 8, 12, end).slides == (begin is None and end is None)


def test_stretches_are_all_frames_around_one_that_are_as_it_is():
    values = np.array([True, True, False, False, False, True, False])
    expected = [(0, 1), (0, 1), (2, 4), (2, 4), (2, 4), (5, 5), (6, 6)]
    assert [_stretch(values, frame) for frame in range(7)] == expected


@pytest.mark.parametrize(("last", "over"), [(4, 3.6), (20, 10.0), (40, 15.0)], ids=["short", "half", "long"])
def test_flights_begin_and_end_over_half_of_them_unless_the_motion_does(last, over):
    """But over no less than 0.12 s, and no more than 0.5 s."""
    flies = np.zeros(70, bool)
    flies[10 : 10 + last] = True
    found, frames = _flying(flies, FPS), np.arange(70.0)
    expected = ease((frames - 9.0) / over) * ease((10.0 + last - frames) / over)
    np.testing.assert_allclose(found, np.where(flies, expected, 0.0), atol=1e-12)
    np.testing.assert_allclose(_flying(flies[10:], FPS)[:last], ease((last - frames[:last]) / over), atol=1e-12)
    np.testing.assert_allclose(_flying(flies[: 10 + last], FPS)[10:], ease((frames[:last] + 1.0) / over), atol=1e-12)


def test_a_foot_that_a_key_moves_is_brought_back_by_the_share_that_is_left():
    """A leg raised by the same everywhere: in contacts it is brought back to its path but for what a key moves it."""
    motion = Motion(HUMAN, np.tile(HUMAN.rest, (N, 1)), FPS)
    feet = standing(LEFT | {"right_foot": [(0, N - 1)]}, motion).moved_by([key(25)])
    q = motion.q.copy()
    knee, hip = HUMAN.dof_index("left_knee.flexion"), HUMAN.dof_index("left_hip.flexion")
    q[1:-1, knee], q[1:-1, hip] = 0.4, 0.2
    raised = motion.with_q(q)
    made = feet.brought_back(raised, steady=False)
    points = [site_frames(HUMAN, m.q, ["left_sole"]).points[:, 0] for m in (motion, raised, made)]
    shares = _Hold(19, 25, 25, 30).shares(np.arange(N))[:, None]
    np.testing.assert_allclose(points[2], points[0] + shares * (points[1][25] - points[0]), atol=2e-4)
    right = [site_frames(HUMAN, m.q, ["right_sole"]).points for m in (motion, made)]
    np.testing.assert_allclose(right[1], right[0], atol=1e-6)


# Legs.


def hinge_after_hinge(figure: Figure) -> Figure:
    """As robots are built: a joint for each of the three axes of a hip, a little apart."""
    joints = []
    for joint in figure.joints:
        if joint.name.endswith("_hip"):
            yaw, roll = (f"{joint.name}_{axis}" for axis in ("yaw", "roll"))
            joints.append(Joint(name=yaw, parent=joint.parent, offset=joint.offset, rotation=(Hinge(axis=Y),)))
            joints.append(Joint(name=roll, parent=yaw, offset=(0.0, -0.02, 0.0), rotation=(Hinge(axis=Z),)))
            joint = replace(joint, parent=roll, offset=(0.0, -0.02, 0.0), rotation=(Hinge(axis=X),))
        joints.append(joint)
    return replace(figure, joints=tuple(joints), constraints=())


@pytest.mark.parametrize("name", ["human40", "mixamo", "unreal", "hinge after hinge"])
def test_legs_are_as_long_as_from_hip_to_ankle(name):
    figure = biped(CONVENTIONS[name]) if name in CONVENTIONS else pw.figure("human40")
    if name == "hinge after hinge":
        figure = hinge_after_hinge(figure)
    body = figure.anatomy
    for site, leg in zip(body.contact_sites, legs_of(figure, body.contact_sites), strict=True):
        side = (
            "left" if figure.joint_index(figure.site(site).joint) in figure.subtree(body.first("left_hip")) else "right"
        )
        places = joint_positions(figure, figure.rest[None])[0]
        centre = [body.segments.centre(f"{side}_{part}") for part in ("hip", "knee", "ankle")]
        assert figure.joint_names[leg.ankle] in body.parts[f"{side}_ankle"]
        np.testing.assert_allclose(places[leg.hip], places[centre[0]], atol=0.03)
        length = sum(np.linalg.norm(places[b] - places[a]) for a, b in pairwise([leg.hip, *centre[1:]]))
        assert leg.length == pytest.approx(length, rel=1e-6)
        turning = [figure.joint_index(joint) for joint in leg.joints]
        assert set(turning) <= leg.limb
        axes = [j for j in turning if np.linalg.norm(places[j] - places[leg.hip]) < 0.1 * length]
        assert sum(3 if figure.joints[j].ball else len(figure.joints[j].hinges) for j in axes) == 3
        assert figure.joint_index(figure.site(site).joint) == turning[-1]


def legs_apart(by: float, frames: slice) -> tuple[Motion, list, np.ndarray]:
    """Somebody who stands, and feet that are to be further out in some frames."""
    motion = Motion(HUMAN, np.tile(HUMAN.rest, (N, 1)), FPS)
    sites = list(HUMAN.anatomy.contact_sites)
    displaced = np.zeros((N, len(sites), 3))
    for k, site in enumerate(sites):
        displaced[frames, k, 0] = by if site.startswith("left") else -by
    return motion, legs_of(HUMAN, sites), displaced


@pytest.mark.parametrize("ahead", [None, 0.1, 0.3])
def test_the_root_sinks_until_straight_legs_reach(ahead):
    """Feet out by 0.3 m: by Pythagoras."""
    motion, legs, displaced = legs_apart(0.3, slice(20, 40))
    made = lowered(motion, motion, legs, displaced, ahead=ahead)
    places = joint_positions(HUMAN, motion.q[:1])[0]
    out = places[legs[0].ankle] + displaced[30, 0] - places[legs[0].hip]
    longest = max(0.999 * legs[0].length, np.linalg.norm(places[legs[0].hip] - places[legs[0].ankle]))
    need = -out[1] - np.sqrt(longest**2 - out[0] ** 2 - out[2] ** 2)
    assert need > 0.03
    drop = motion.q[:, 1] - made.q[:, 1]
    np.testing.assert_array_equal(np.delete(made.q, 1, axis=1), np.delete(motion.q, 1, axis=1))
    if ahead is None:  # softly, half of it at the ends
        assert drop[30] == pytest.approx(need, abs=1e-8)
        assert drop[20] + drop[19] == pytest.approx(need, abs=1e-8)
        assert drop.sum() == pytest.approx(20 * need, rel=1e-6)
    else:
        assert (drop[20:40] >= need - 1e-8).all()
        before = round(ahead * FPS)
        assert not drop[: 20 - 2 * before].any()
        assert drop[20 - before : 20].all()
        assert drop.max() < 1.2 * need


def test_the_root_stays_where_legs_reach_and_where_it_has_no_slides():
    motion, legs, displaced = legs_apart(-0.02, slice(20, 40))
    assert lowered(motion, motion, legs, displaced * [1.0, 0.0, 0.0] + [0.0, 0.01, 0.0]) is motion
    root = replace(HUMAN.joints[0], slides=HUMAN.joints[0].slides[:2])
    fixed = replace(HUMAN, joints=(root, *HUMAN.joints[1:]), constraints=())
    still = Motion(fixed, np.tile(fixed.rest, (N, 1)), FPS)
    assert lowered(still, still, legs_of(fixed, fixed.anatomy.contact_sites), 9.0 * displaced) is still


def test_legs_bring_feet_to_their_paths_and_leave_the_rest_of_the_body():
    motion, legs, displaced = legs_apart(0.05, slice(20, 40))
    sites = list(HUMAN.anatomy.contact_sites)
    low = lowered(motion, motion, legs, displaced)
    paths = site_frames(HUMAN, motion.q, sites).points + displaced
    made = on_paths(low, motion, sites, legs, paths)
    np.testing.assert_allclose(site_frames(HUMAN, made.q, sites).points, paths, atol=1e-4)
    turning = [HUMAN.joint_index(joint) for leg in legs for joint in leg.joints]
    other = ~np.isin(HUMAN.tables.dofs["joint"], turning)
    np.testing.assert_array_equal(made.q[:, other], low.q[:, other])
    assert on_paths(made, motion, sites, legs, paths) is made
    left = np.where([site.startswith("left") for site in sites], 1.0, 0.0)
    half = on_paths(low, motion, sites, legs, paths, np.tile(left, (N, 1)))
    away = np.linalg.norm(site_frames(HUMAN, half.q, sites).points - paths, axis=-1)[30]
    assert away[left == 1.0].max() < 1e-4
    assert away[left == 0.0].min() > 0.03


# Contacts that are set by hand.


def test_a_foot_in_the_air_is_laid_flat_under_where_it_is():
    """Its points are as far apart as at rest, at the heights at which they stand, around where they were."""
    motion = Motion(HUMAN, np.tile(HUMAN.rest, (8, 1)), FPS)
    contacts = motion.contacts()
    columns = [k for k, site in enumerate(contacts.sites) if site.startswith("left")]
    rest = site_frames(HUMAN, HUMAN.rest, [contacts.sites[k] for k in columns]).points
    turn = np.array([[0.8, -0.6, 0.0], [0.6, 0.8, 0.0], [0.0, 0.0, 1.0]]) @ np.array(
        [[1, 0, 0], [0, 0.96, -0.28], [0, 0.28, 0.96]]
    )
    raised = (rest - rest.mean(axis=0)) @ turn.T + [0.5, 0.4, -0.3]
    flat = _flat(HUMAN, raised, contacts, columns)
    np.testing.assert_allclose(contacts.floor.heights_of(flat), contacts.levels[columns], atol=1e-9)
    np.testing.assert_allclose(flat.mean(axis=0)[[0, 2]], [0.5, -0.3], atol=1e-9)
    spread = [np.linalg.norm(points - points.mean(axis=0)) for points in (flat, rest)]
    assert spread[0] == pytest.approx(spread[1], rel=1e-9)
    across = [(points - points.mean(axis=0))[:, [0, 2]] for points in (flat, raised)]
    np.testing.assert_allclose(across[0] * np.linalg.norm(across[1]), across[1] * np.linalg.norm(across[0]), atol=1e-9)


def test_displacements_fade_between_the_frames_in_which_a_foot_stands():
    stands = np.zeros(40, bool)
    stands[[10, 11, 12, 30]] = True
    along = np.where(stands[:, None], [[1.0, -2.0, 0.5]], 7.0)
    found, frames = _eased(along, stands, 6.0), np.arange(40.0)
    shares = np.where(stands, 1.0, 0.0)
    shares[:10] = 1.0 - ease((10.0 - frames[:10]) / 6.0)
    shares[13:30] = 2.0 - ease((frames[13:30] - 12.0) / 6.0) - ease((30.0 - frames[13:30]) / 6.0)
    shares[31:] = 1.0 - ease((frames[31:] - 30.0) / 6.0)
    np.testing.assert_allclose(found, shares[:, None] * [1.0, -2.0, 0.5], atol=1e-12)
    near = np.zeros(8, bool)
    near[[1, 5]] = True  # nearer than it takes: just as long as there is
    found = _eased(np.where(near[:, None], [[1.0, 0.0, 0.0]], 0.0), near, 6.0)[:, 0]
    own = np.arange(2.0, 5.0)
    np.testing.assert_allclose(found[2:5], 2.0 - ease((own - 1.0) / 4.0) - ease((5.0 - own) / 4.0), atol=1e-12)


def test_a_contact_that_is_added_holds_a_foot_where_it_stood():
    """A foot that steps aside for some frames of its contact: with these it stands on between both parts."""
    motion = Motion(HUMAN, np.tile(HUMAN.rest, (N, 1)), FPS)
    assert put_down(motion, bars_of(motion.contacts(), feet_of(HUMAN))).motion is motion
    q, bend = motion.q.copy(), 0.5 * np.sin(np.pi * (np.arange(20) + 0.5) / 20.0)
    for dof, angle in (("hip.flexion", bend), ("knee.flexion", 2.0 * bend), ("hip.abduction", bend)):
        q[20:40, HUMAN.dof_index(f"left_{dof}")] += angle
    stepping = motion.with_q(q)
    seen = stepping.contacts()
    columns = [k for k, site in enumerate(seen.sites) if site.startswith("left")]
    assert not seen.touching[26:34, columns].any()
    stands = put_down(stepping, {"left_foot": [(0, N - 1)]})
    assert not stands.warnings
    sites = [seen.sites[k] for k in columns]
    points, before = (site_frames(HUMAN, m.q, sites).points for m in (stands.motion, stepping))
    assert np.ptp(before, axis=0).max() > 0.1
    assert np.ptp(points, axis=0).max() < 2e-3
    assert stands.contacts.touching[:, columns].all()


# Goals beside those of an edit.


def test_feet_that_no_goal_moves_are_on_their_paths_before_the_others_wherever_these_count():
    motion = Motion(HUMAN, np.tile(HUMAN.rest, (N, 1)), FPS)
    hand = pw.Position("right_hand", (0.0, 1.0, 0.3)).during(20, 30, ease=(4.0, 0.0))
    asked = pw.MotionProblem(HUMAN, [hand, key(50)], motion)
    feet = standing(LEFT, motion).moved_by([key(50)])
    goals = feet.before(asked).goals
    sites = [site for site in HUMAN.anatomy.contact_sites if site.startswith("right")]
    assert [goal.goal.label for goal in goals[:-2]] == [f"path of {site}" for site in sites]
    active = np.any([schedule.activation > 0.0 for schedule in asked.schedules], axis=0)
    assert active[20:31].all()
    assert not active.all()
    for goal, site in zip(goals, sites, strict=False):
        np.testing.assert_array_equal(goal.activation > 0.0, active)
        np.testing.assert_allclose(goal.points, site_frames(HUMAN, motion.q, [site]).points[:, 0])
        assert goal.goal.priority == 1
    assert [goal.goal.priority for goal in goals[-2:]] == [2, 2]
    assert behind(replace(hand.goal, priority=3)).priority == 4


def test_feet_that_stand_are_left_there_by_no_joints_of_their_own():
    motion = Motion(HUMAN, np.tile(HUMAN.rest, (N, 1)), FPS)
    feet = standing({"left_foot": [(10, 19)], "right_foot": [(30, 39)]}, motion)
    some = np.arange(N) < 15
    goals = feet.planted(some)
    sites = [site for site in HUMAN.anatomy.contact_sites if site.startswith("left")]
    assert [goal.goal.site for goal in goals] == sites
    for goal in goals:
        assert goal.goal.joints == ()
        np.testing.assert_array_equal(goal.activation, (np.arange(N) >= 10) & some)
    assert not feet.moved_by([key(12)]).planted(some)
