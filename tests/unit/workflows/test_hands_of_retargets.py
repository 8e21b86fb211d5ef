"""Hands that keep to each other and to objects: places worked out beside SciPy's rotations and closed forms."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from naming_conventions import CONVENTIONS, biped
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import posewright as pw
from posewright.errors import FileProblem, InvalidSetting, UnknownName
from posewright.figures.kinematics import joint_positions, site_frames
from posewright.matching import JointMatch, Scaling
from posewright.motions import Motion
from posewright.motions.floor import Floor
from posewright.motions.splines import ease, ramp
from posewright.workflows import HeldObject
from posewright.workflows.retargeting.hands import (
    _turning,
    _within_reach,
    drawn_together,
    goals_together,
    held_goal,
    held_object,
    with_palms,
)

FPS = 30.0
BODY = biped(CONVENTIONS["mixamo"])
PARTS = BODY.anatomy.parts
HANDS = ("left_hand", "right_hand")


def meeting(apart: np.ndarray, scale: float = 1.0) -> Motion:
    """Hands ahead of the chest, so far apart (m), by turning both shoulders and elbows inwards."""
    figure = biped(CONVENTIONS["mixamo"], scale=scale)
    with_hands = with_palms(figure.anatomy)
    goals = [
        pw.Position(hand, (0.0, 0.0, 0.0)).along(
            np.stack([sign * 0.5 * apart, np.full(len(apart), 1.3), np.full(len(apart), 0.35)], axis=1) * scale
        )
        for hand, sign in zip(HANDS, (1.0, -1.0), strict=True)
    ]
    near = Motion(with_hands, np.tile(figure.rest, (len(apart), 1)), FPS)
    frozen = [name for part in ("pelvis", "spine") for name in PARTS[part]]
    made = pw.LeastSquares().solve(pw.MotionProblem(with_hands, goals, near, frozen=frozen))
    return Motion(figure, made.motion.q, FPS)


APART = np.concatenate([np.full(10, 0.6), np.linspace(0.6, 0.1, 10), np.full(20, 0.1), np.linspace(0.1, 0.6, 20)])


@pytest.fixture(scope="module")
def source() -> Motion:
    return meeting(APART)


def palms(figure: pw.Figure, q: np.ndarray) -> np.ndarray:
    return site_frames(with_palms(figure.anatomy), q, HANDS).points


def test_palms_are_in_the_middle_of_hands_and_no_further_from_the_wrist_than_hands_are_long():
    body = BODY.anatomy
    for side in ("left", "right"):
        site = with_palms(body).site(f"{side}_hand")
        assert site.joint == PARTS[f"{side}_wrist"][0]
        wrist = BODY.joint_index(site.joint)
        names = [BODY.joint_names[k] for k in BODY.subtree(wrist)]
        names += [tip.name for tip in BODY.sites if tip.joint in names]
        points = site_frames(BODY, BODY.rest, names).points - body.segments.positions[wrist]
        longest = points[np.linalg.norm(points, axis=1).argmax()]
        expected = longest * min(0.5, 0.12 * body.segments.leg_length / np.linalg.norm(longest))
        np.testing.assert_allclose(site.point, body.segments.rotations[wrist].T @ expected, atol=1e-12)
    known = with_palms(body)
    assert with_palms(known.anatomy).sites == known.sites


@pytest.mark.parametrize("scale", [1.0, 1.3])
def test_kept_hands_are_as_far_apart_as_in_the_source_around_the_middle_of_the_posture(source, scale):
    figure = biped(CONVENTIONS["mixamo"], scale=scale)
    match = JointMatch.between(source.figure, with_palms(figure.anatomy))
    scaling = Scaling(1.5, Floor(0.0))
    goals = goals_together(source, match, scaling, source.q)
    found, posture = np.stack([goal.points for goal in goals], axis=1), palms(figure, source.q)
    theirs = palms(source.figure, source.q)
    np.testing.assert_allclose(found[:, 1] - found[:, 0], 1.5 * (theirs[:, 1] - theirs[:, 0]), atol=1e-9)
    np.testing.assert_allclose(found.mean(axis=1), posture.mean(axis=1), atol=1e-9)
    legs = source.figure.anatomy.segments.leg_length
    away = np.linalg.norm(theirs[:, 1] - theirs[:, 0], axis=1)
    for goal in goals:
        np.testing.assert_allclose(goal.activation, 1.0 - ease((away / legs - 0.25) / 0.15), atol=1e-9)
        assert goal.goal.priority == 2
    apart = meeting(np.full(3, 0.7))
    assert goals_together(apart, JointMatch.between(apart.figure, match.target.figure), scaling, apart.q) == []


def test_what_arms_do_not_reach_is_asked_of_them_as_near_as_both_do():
    figure = with_palms(BODY.anatomy)
    body = figure.anatomy
    places = joint_positions(BODY, BODY.rest[None])[0]
    shoulders = places[[body.segments.centre(f"{side}_shoulder") for side in ("left", "right")]]
    chain = [places[body.segments.centre(f"left_{part}")] for part in ("shoulder", "elbow", "wrist")]
    chain.append(site_frames(figure, figure.rest, ["left_hand"]).points[0])
    arm = 0.98 * sum(float(np.linalg.norm(b - a)) for a, b in pairwise(chain))
    half = np.array([[[0.1, 0.0, 0.0], [-0.1, 0.0, 0.0]]])
    near, far = np.array([[0.0, 1.4, 0.3]]), np.array([[0.5, 1.2, 1.0]])
    np.testing.assert_array_equal(_within_reach(body, shoulders[None], near, half), near)
    found = _within_reach(body, shoulders[None], far, half)[0]

    def miss(middle: np.ndarray) -> float:
        return float(np.maximum(np.linalg.norm(middle + half[0] - shoulders, axis=1) - arm, 0.0).max())

    assert miss(far[0]) > 0.3
    assert miss(found) < 5e-3
    best = minimize(
        lambda m: float(((m - far[0]) ** 2).sum()), found, constraints={"type": "ineq", "fun": lambda m: 1e-4 - miss(m)}
    )
    assert np.linalg.norm(found - far[0]) < 1.2 * np.linalg.norm(best.x - far[0])


def test_wrists_give_way_by_the_least_turns_of_arms():
    """Across the line from shoulder to wrist an arm turns as a whole; along it, its elbow bends."""
    for side, sign in (("left", 1.0), ("right", -1.0)):
        q = BODY.rest[None].copy()
        elbow = BODY.dof_slice(PARTS[f"{side}_elbow"][0])
        q[0, elbow.stop - 3 : elbow.stop] = (0.0, -sign * 1.1, 0.0)
        cost = _turning(BODY.anatomy, side, q)[0]
        places = joint_positions(BODY, q)[0]
        a, b, c = (places[BODY.anatomy.segments.centre(f"{side}_{part}")] for part in ("shoulder", "elbow", "wrist"))
        reach = np.linalg.norm(c - a)
        along = (c - a) / reach
        across = np.cross(along, (0.0, 1.0, 0.0))
        across /= np.linalg.norm(across)
        assert math.sqrt(across @ cost @ across) == pytest.approx(1.0 / reach)
        height = np.linalg.norm(b - a - ((b - a) @ along) * along)
        assert math.sqrt(along @ cost @ along) == pytest.approx(1.0 / height)
        np.testing.assert_allclose(cost @ along, (along @ cost @ along) * along, atol=1e-9)
        straight = _turning(BODY.anatomy, side, BODY.rest[None])[0]
        bone = min(np.linalg.norm(b - a), np.linalg.norm(c - b))
        assert np.linalg.eigvalsh(straight).max() == pytest.approx(1.0 / (0.15 * bone) ** 2)


def drawn(source: Motion, target: pw.Figure, factor: float, q: np.ndarray) -> np.ndarray:
    match = JointMatch.between(source.figure, target)
    ends = [target.anatomy.first(f"{side}_wrist") for side in ("right", "left")]
    return drawn_together(match, source, ends, factor, q)[:, ::-1]


def test_hands_that_hold_each_other_are_drawn_together_as_far_as_arms_give_way(source):
    """Beside the least squared angles of both arms and of what is still missing, found by an optimiser."""
    q = meeting(APART + 0.02).q
    moved = drawn(source, BODY, 1.0, q)
    assert not moved[:4].any()
    frame, theirs = 30, palms(BODY, source.q)
    ours = palms(BODY, q)
    missing = (theirs[:, 1] - theirs[:, 0] - ours[:, 1] + ours[:, 0])[frame]
    costs = [_turning(BODY.anatomy, side, q[frame : frame + 1])[0] for side in ("left", "right")]

    def total(x: np.ndarray) -> float:
        left, right = x[:3], x[3:]
        return float(
            left @ costs[0] @ left + right @ costs[1] @ right + ((missing - right + left) ** 2).sum() / 0.25**2
        )

    best = minimize(total, np.zeros(6), tol=1e-14).x.reshape(2, 3)
    for k, cost in enumerate(costs):
        turned = math.sqrt(best[k] @ cost @ best[k])
        best[k] *= math.radians(6.0) * math.tanh(turned / math.radians(6.0)) / turned
    np.testing.assert_allclose(moved[frame], best, atol=2e-4)
    assert np.linalg.norm(best) > 3e-3


def test_hands_come_together_softly_and_only_if_they_hold_each_other_for_a_while(source):
    q = meeting(APART + 0.02).q
    moved = np.linalg.norm(drawn(source, BODY, 1.0, q), axis=-1)[:, 0]
    legs = BODY.anatomy.segments.leg_length
    near = np.flatnonzero(np.linalg.norm(np.diff(palms(BODY, source.q), axis=1)[:, 0], axis=1) < 0.25 * legs)
    shares = ramp(np.arange(60), near[0], near[-1], ease_in=0.15 * FPS, ease_out=0.15 * FPS)
    assert not moved[shares == 0.0][:3].any()
    assert moved[near].min() > 0.3 * moved.max()
    assert np.abs(np.diff(moved)).max() < 0.25 * moved.max()
    few = slice(0, int(near[0] + 0.4 * FPS - 1))  # not long enough before the clip ends
    assert not drawn(source[few], BODY, 1.0, q[few]).any()
    enough = slice(0, int(near[0] + 0.4 * FPS + 1))
    assert drawn(source[enough], BODY, 1.0, q[enough]).any()


@pytest.mark.parametrize("placed", [False, True])
def test_a_hand_is_to_its_object_as_in_the_source_wherever_that_is_and_however_it_turns(source, placed):
    rng, n = np.random.default_rng(3), len(source)
    points, there = rng.normal(size=(2, n, 3))
    turns, onto = (Rotation.random(n, random_state=seed) for seed in (4, 5))
    when = np.linspace(0.0, 1.0, n)
    scaling = Scaling(1.4, Floor(0.1))
    quaternions = np.roll(turns.as_quat(), 1, axis=1) * np.where(np.arange(n) % 2, 1.0, -2.0)[:, None]
    held = HeldObject("left", points, quaternions, activation=when)
    if placed:
        held = replace(held, target_points=there, target_turns=onto.as_matrix(), scale=1.7)
    goal = held_goal(held, source, source.figure.anatomy, scaling)
    own = turns.inv().apply(palms(source.figure, source.q)[:, 0] - points)
    scaled = 1.4 * (points - [0.0, 0.1, 0.0]) + 1.4 * turns.apply(own)
    expected = there + 1.7 * onto.apply(own) if placed else scaled
    np.testing.assert_allclose(goal.points, expected, atol=1e-9)
    np.testing.assert_allclose(goal.activation, when)
    plain = held_goal(HeldObject("right", points), source, source.figure.anatomy, scaling)
    np.testing.assert_allclose(plain.points, 1.4 * (palms(source.figure, source.q)[:, 1] - [0.0, 0.1, 0.0]), atol=1e-9)


def test_tables_of_objects_hold_turns_targets_and_when_the_hand_is_there(source, tmp_path):
    names = "x,y,z,qw,qx,qy,qz,target_x,target_y,target_z,target_qw,target_qx,target_qy,target_qz,activation"
    rows = np.random.default_rng(6).normal(size=(4, 15)).round(6)
    table = tmp_path / "ball.csv"
    table.write_text(names + "\n" + "\n".join(",".join(map(str, row)) for row in rows))
    ball = held_object(f"right={table}", source, slice(1, 3))
    found = (ball.points, ball.turns, ball.target_points, ball.target_turns)
    for values, (first, after) in zip(found, ((0, 3), (3, 7), (7, 10), (10, 14)), strict=True):
        np.testing.assert_array_equal(values, rows[1:3, first:after])
    np.testing.assert_array_equal(ball.activation, rows[1:3, 14])
    turning = held_object(f"left={PARTS['spine'][0]}", source, slice(None))
    assert turning.turns is not None
    assert turning.turns.shape == (len(source), 4)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x,y\n1,2", "no columns x,y,z in the first line"),
        ("", "no columns x,y,z in the first line"),
        ("x,y,z,w\n1,2,3,4", "the column 'w' in the first line"),
        ("x,y,z,qw\n1,2,3,4", "has qw but not all of qw, qx, qy, qz"),
        ("x,y,z\n1,2,3\n1,a,3", "line 3: a cell is not a number"),
        ("x,y,z\n1,2,3\n1,2", "line 3: 2 cells; the first line names 3 columns"),
    ],
)
def test_tables_that_are_wrong_say_where(source, tmp_path, text, says):
    table = tmp_path / "ball.csv"
    table.write_text(text)
    with pytest.raises(FileProblem) as error:
        held_object(f"left={table}", source, slice(None))
    assert says in str(error.value)


def test_objects_that_are_wrong_are_told(source):
    with pytest.raises(UnknownName, match="to be held"):
        held_object("left=mixamorig:Hand", source, slice(None))
    nothing = np.zeros((len(source), 4))
    nothing[:3, 0] = 1.0
    with pytest.raises(InvalidSetting, match="turns of the object in the left hand vanishes in frame 3"):
        held_goal(
            HeldObject("left", np.zeros((len(source), 3)), nothing),
            source,
            source.figure.anatomy,
            Scaling(1.0, Floor(0.0)),
        )
