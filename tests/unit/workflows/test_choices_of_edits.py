"""What edits decide before and after they are solved: how long changes take, which try is kept, what is held."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import posewright as pw
from posewright.errors import InvalidSetting
from posewright.figures.kinematics import joint_frames, site_frames
from posewright.goals import CentreOfMass, Orientation, Position
from posewright.motions import Motion
from posewright.motions.quality.edited import JERKY
from posewright.motions.splines import KochanekBartels, ease
from posewright.problem.displacements import Stretch
from posewright.workflows.checking import _at_the_same_rate, quality_beside
from posewright.workflows.editing.edit import _sudden, _with_windows
from posewright.workflows.editing.holding import (
    HELD,
    brought_together,
    checked_pairs,
    contacts_in_model,
    kept_together,
    not_held,
)
from posewright.workflows.editing.in_joints import _best, _moves_root, _recruited, _stretch, path_jerk, windows
from posewright.workflows.editing.steps import counted, untold

FPS = 30.0
HUMAN = pw.figure("human40")
STILL = Motion(HUMAN, np.tile(HUMAN.rest, (90, 1)), FPS, first_frame=100)
HAND = site_frames(HUMAN, HUMAN.rest, ["left_hand"]).points[0]


def hand(away: float) -> Position:
    """A left hand that is wanted so far (m) from where it is."""
    return Position("left_hand", (HAND[0], HAND[1] + away, HAND[2]))


# How long changes take.


@pytest.mark.parametrize("away", [0.0, 0.1, 0.3, 0.8])
def test_a_change_takes_half_a_second_or_as_long_as_its_pace_allows(away):
    """At its fastest, a displacement of least jerk goes by 0.6 figure heights a second."""
    before, after = windows(STILL, hand(away).at(40))
    assert before == after
    shares = ease(np.linspace(0.0, 1.0, 10_001))
    pace = away * np.diff(shares).max() * 10_000 / (before / FPS)
    if before > 0.5 * FPS:
        assert pace == pytest.approx(0.6 * HUMAN.height, rel=1e-4)
    else:
        assert before == 0.5 * FPS
        assert pace <= 0.6 * HUMAN.height


def test_windows_that_are_given_are_kept_but_a_key_is_felt_for_a_frame():
    assert windows(STILL, hand(0.3).at(40, ease=(3.0, 7.0))) == (3.0, 7.0)
    assert windows(STILL, hand(0.3).at(40, ease=0)) == (1.0, 1.0)
    assert windows(STILL, hand(0.3).during(40, 50, ease=0)) == (0.0, 0.0)
    assert windows(STILL, Orientation("left_hand", x=(1.0, 0.0, 0.0)).at(40)) == (15.0, 15.0)


def test_along_a_path_each_end_takes_as_long_as_it_is_away():
    points = HAND + np.linspace(0.0, 0.8, 11)[:, None] * [0.0, 1.0, 0.0]
    for path in (points, KochanekBartels(np.arange(40, 51), points)):
        goal = Position("left_hand", (0.0, 0.0, 0.0)).along(path, start=40, end=50)
        assert windows(STILL, goal) == (windows(STILL, hand(0.0).at(1))[0], windows(STILL, hand(0.8).at(1))[1])


def test_goals_over_several_frames_get_windows_unless_they_say_theirs():
    goals = [hand(0.8).during(40, 50), hand(0.8).during(40, 50, ease=(2.0, 3.0)), hand(0.8).at(40), hand(0.1)]
    eased = _with_windows(STILL, goals)
    assert (eased[0].ease_in, eased[0].ease_out) == windows(STILL, goals[0])
    assert eased[1:] == goals[1:]


def test_what_begins_or_ends_at_once_inside_the_motion_is_told():
    def said(start: int, end: int, ease: tuple[float, float], **settings: bool) -> list[str]:
        goal = Position("left_hand", tuple(HAND), **settings).during(start, end, ease=ease)
        return _sudden(pw.MotionProblem(HUMAN, [goal], STILL))

    assert len(said(10, 20, (0.0, 0.0))) == len(said(10, 20, (0.0, 5.0))) == len(said(10, 20, (5.0, 0.0))) == 1
    assert said(10, 20, (5.0, 5.0)) == said(0, 20, (0.0, 5.0)) == said(10, 89, (5.0, 0.0)) == []
    assert said(10, 20, (0.0, 0.0), enabled=False) == []


def test_a_displacement_is_in_full_where_its_goal_is_on():
    on = np.zeros(90)
    on[20:31] = 0.5
    path = Position("left_hand", (0.0, 0.0, 0.0)).along(np.tile(HAND, (90, 1)), activation=on)
    assert _stretch(STILL, replace(path, ease_in=4.0, ease_out=6.0), None) == Stretch(20, 30, (4.0, 6.0))
    assert _stretch(STILL, hand(0.0).at(-1), None) == Stretch(89, 89, (15.0, 15.0))


def test_paths_jerk_as_their_third_differences_do():
    time = np.arange(30) / FPS
    swing = HAND + 0.1 * np.sin(40.0 * time)[:, None] * [1.0, 0.0, 0.0]
    goals = [Position("left_hand", (0.0, 0.0, 0.0)).along(swing, start=10, end=39), hand(0.1).at(3)]
    rms = np.sqrt((np.diff(swing[:, 0], 3) ** 2).mean()) * FPS**3
    assert path_jerk(STILL, goals) == pytest.approx(rms)
    assert path_jerk(STILL, goals[1:]) == 0.0
    short = Position("left_hand", (0.0, 0.0, 0.0)).along(swing[:3], start=10, end=12)
    assert path_jerk(STILL, [short]) == 0.0


# Which try is kept.


def tried(*pairs: tuple[float, float]) -> list[SimpleNamespace]:
    """Ways to meet the goals: how far they are missed (tolerances), and how much they jerk (times the allowed)."""

    def change(ratio: float) -> SimpleNamespace:
        return SimpleNamespace(jerk_ratio=lambda allowed=0.0: ratio / (1.0 + allowed))

    return [SimpleNamespace(missed=missed, change=change(ratio)) for missed, ratio in pairs]


@pytest.mark.parametrize(
    ("ways", "along", "asked", "kept"),
    [
        ([(1.0, 1.0)], False, 0.0, 0),
        ([(1.0, 1.0), (1.0, 1.2)], False, 0.0, 1),  # of those that meet all goals the last
        ([(1.0, 2.0), (1.0, 1.2)], False, 0.0, 1),
        ([(1.0, 2.0), (150.0, 1.2), (190.0, 1.0)], False, 0.0, 1),  # a smooth one that is nearly there
        ([(1.0, 2.0), (250.0, 1.2)], False, 0.0, 0),  # too far
        ([(1.0, 2.0), (25.0, 1.0)], True, 0.0, 0),  # paths are followed more nearly
        ([(1.0, 2.0), (15.0, 1.0)], True, 0.0, 1),
        ([(1.0, 2.0), (15.0, 1.0)], True, 1.0, 0),  # it jerks as the path does, and meets it
        ([(3.0, 2.0), (15.0, 1.0)], True, 1.0, 0),  # or is nearer to it
        ([(400.0, 2.0), (590.0, 1.0)], False, 0.0, 1),  # missed anyway, by half as much again at most
        ([(400.0, 2.0), (610.0, 1.0)], False, 0.0, 0),
        ([(1.0, 2.0), (1.0, 1.5), (1.0, 1.8)], False, 0.0, 1),  # none is smooth
    ],
)
def test_of_what_was_tried_the_smooth_one_nearest_to_the_goals_is_kept(ways, along, asked, kept):
    found = tried(*ways)
    goal = Position("left_hand", (0.0, 0.0, 0.0)).along(np.zeros((90, 3))) if along else hand(0.1).at(3)
    assert _best(found, [goal], asked) is found[kept]
    assert JERKY == 1.3


@pytest.mark.parametrize(
    ("goal", "moves"),
    [
        (Position("pelvis", (0.0, 1.0, 0.0)), True),
        (CentreOfMass((0.0, 1.0, 0.0)), True),
        (hand(0.1), False),
        (Position("left_sole", (0.0, 0.0, 0.0)), False),
    ],
)
def test_goals_of_the_pelvis_or_the_centre_of_mass_move_the_root(goal, moves):
    assert _moves_root(HUMAN, goal) == moves


def test_goals_are_served_by_as_much_of_the_body_as_is_tried_unless_they_say_which():
    own = replace(hand(0.1), joints="limb", priority=2).at(4)
    assert _recruited(own, "whole", behind=True).goal.joints == "limb"
    for behind, priority in ((True, 2), (False, 1)):
        found = _recruited(hand(0.1).at(4), "limb+spine", behind=behind).goal
        assert (found.joints, found.priority) == ("limb+spine", priority)


# What is held.


def test_contacts_in_a_pattern_are_looked_at_at_both_ends_and_the_middle():
    walk = pw.clips.walk(HUMAN, steps=2, fps=FPS)
    touching = walk.contacts()
    keys = [replace(hand(0.1), weight=2.0), replace(hand(0.2), weight=3.0, priority=2), hand(0.0)]
    goals = contacts_in_model(walk, touching, [replace(key, priority=2) for key in keys[:2]] + [keys[2]])
    moments = []
    for site, column in zip(touching.sites, touching.touching.T, strict=True):
        edges = np.flatnonzero(np.diff(np.concatenate([[0], column.astype(int), [0]]))).reshape(-1, 2)
        for first, after in edges.tolist():
            moments += [(site, k) for k in sorted({first, round(0.5 * (first + after - 1)), after - 1})]
    assert [(goal.goal.site, goal.start) for goal in goals] == moments
    for goal in goals:
        point = site_frames(HUMAN, walk.q[goal.start], [goal.goal.site]).points[0]
        np.testing.assert_allclose(goal.goal.target, point)
        assert (goal.goal.priority, goal.goal.tolerance) == (2, HELD)
        assert goal.goal.weight == pytest.approx(8.0 * 5.0 / len(moments))
    assert contacts_in_model(walk, touching, []) == []


def test_pairs_keep_their_place_on_the_joint_of_the_other_and_are_brought_there():
    walk = pw.clips.walk(HUMAN, steps=2, fps=FPS)[:40]
    pair = ("left_hand", "right_hand")
    (goal,) = kept_together(walk, [pair])
    wrist = HUMAN.joint_index(HUMAN.site("right_hand").joint)
    frames = joint_frames(HUMAN, walk.q)
    away = site_frames(HUMAN, walk.q, ["left_hand"]).points[:, 0] - frames.positions[:, wrist]
    np.testing.assert_allclose(goal.points, np.einsum("fji,fj->fi", frames.rotations[:, wrist], away), atol=1e-12)
    q = walk.q.copy()
    q[10:30, HUMAN.dof_index("left_elbow.flexion")] += 0.1 * np.sin(np.pi * (np.arange(20) + 0.5) / 20.0)
    made = walk.with_q(q)
    (said,) = not_held(walk, made, None, [pair])
    assert said.startswith("left_hand on right_hand ")
    points = [site_frames(HUMAN, m.q, ["left_hand"]).points[:, 0] for m in (walk, made)]
    moved = np.linalg.norm(points[1] - points[0], axis=1)
    assert said.endswith(f"at frame {walk.first_frame + int(moved.argmax())}")
    assert not_held(walk, made, None, [pair], most=1.01 * float(moved.max())) == []
    back = brought_together(walk, made, [pair], untold)
    assert not_held(walk, back, None, [pair], most=1e-4) == []
    arm = np.isin(HUMAN.tables.dofs["joint"], HUMAN.subtree(HUMAN.joint_index("left_shoulder")))
    np.testing.assert_array_equal(back.q[:, ~arm], walk.q[:, ~arm])
    assert brought_together(walk, walk, [pair], untold) is walk
    with pytest.raises(InvalidSetting, match="are both on 'left_wrist'"):
        checked_pairs(walk, [("left_hand", "left_fingertips")])
    with pytest.raises(InvalidSetting, match="it must be pairs of sites"):
        checked_pairs(walk, [("left_hand",)])


def test_contacts_that_are_left_are_told():
    contacts = np.zeros((len(STILL), len(HUMAN.anatomy.contact_sites)), bool)
    contacts[20:40, 1] = True
    q = STILL.q.copy()
    q[:, 0] += np.where(np.arange(90) == 30, 0.02, np.where(np.arange(90) == 50, 0.5, 0.0009))
    (said,) = not_held(STILL, STILL.with_q(q), contacts, [])
    assert said == f"contact of {HUMAN.anatomy.contact_sites[1]} 20 mm at frame 130"


def test_steps_are_counted():
    told: list[int] = []
    step = counted(told.append)
    for _ in range(3):
        step()
    assert told == [1, 2, 3]
    assert counted(None) is untold


# A motion beside its source.


def test_a_source_is_brought_to_the_rate_of_a_motion_that_is_as_long():
    walk = pw.clips.walk(HUMAN, steps=2, fps=60.0)
    half = walk.resampled(fps=30.0)
    assert _at_the_same_rate(walk, walk) is walk
    same = _at_the_same_rate(walk, half)
    assert (same.fps, len(same)) == (30.0, len(half))
    np.testing.assert_allclose(same.q, half.q, atol=1e-9)
    assert _at_the_same_rate(walk, half[:-3]) is walk
    assert len(_at_the_same_rate(walk, half[:-1])) == len(half) - 1
    report, source = quality_beside(half, walk)
    assert source.fps == 30.0
    assert report["likeness.mean"].value < 0.1
