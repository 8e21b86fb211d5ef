"""What retargeting makes ready before it solves: feet, weights, needs, pops, floors; on bodies made here."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from naming_conventions import CONVENTIONS, biped
from scipy.interpolate import BPoly
from scipy.spatial.transform import Rotation

import posewright as pw
from posewright.errors import InvalidSetting
from posewright.figures import Figure, Hinge, Joint, Site
from posewright.figures.joint import Y, Z
from posewright.figures.kinematics import joint_frames, joint_positions, site_frames
from posewright.formats import ReadOptions
from posewright.kernels.motion.feet import PATH
from posewright.matching import JointMatch, Scaling
from posewright.motions import Motion
from posewright.motions.contacts import Contacts
from posewright.motions.floor import Floor
from posewright.motions.quality.likeness import Stretch
from posewright.motions.smoothing import JerkSpectrum, smoothed_between
from posewright.motions.splines import ease
from posewright.workflows.retargeting.feet import Feet, FootShape, _bend
from posewright.workflows.retargeting.jerk_budget import JerkBudget, _furthest
from posewright.workflows.retargeting.key_points import KeyPoints, SourceFeet
from posewright.workflows.retargeting.pops import without_pops
from posewright.workflows.retargeting.reach import NeedFilter, clear_activation, smooth_need
from posewright.workflows.retargeting.retarget import RetargetResult
from posewright.workflows.retargeting.setup import RetargetSetup
from posewright.workflows.retargeting.stream import _Ground
from posewright.workflows.retargeting.words import named_solver, named_target, stated_speeds
from posewright.workflows.retargeting.yielding import RELEASED, SOFT, STRICT, TIPPED

FPS = 60.0
BODY = biped(CONVENTIONS["mixamo"])
PARTS = BODY.anatomy.parts
SHAPE = FootShape(
    heel=np.array([-0.10, 0.0, 0.0]),
    toe_tip=np.array([0.14, 0.0, 0.0]),
    ball=np.array([0.10, 0.03, 0.0]),
    ankle=np.array([-0.06, 0.08, 0.0]),
    bend=1.0,
    leg=0.8,
)
FEET = Feet({"left": SHAPE, "right": SHAPE}, FPS)


# Feet.


def test_the_shape_of_a_foot_is_that_of_the_rest_pose():
    figure = BODY.anatomy.with_soles()
    shape, body = FootShape.of(figure.anatomy, "left"), figure.anatomy
    sole, heel, tip = site_frames(figure, figure.rest, ["left_sole", "left_heel", "left_toe_tip"]).points
    places = joint_frames(figure, figure.rest).positions
    ankle, toes, knee, hip = (
        places[figure.joint_index(PARTS[f"left_{part}"][0])] for part in ("ankle", "toes", "knee", "hip")
    )
    # It stands ahead along z: seen from the sole, x is z and z is across.
    for own, place in ((shape.heel, heel), (shape.toe_tip, tip), (shape.ball, toes), (shape.ankle, ankle)):
        np.testing.assert_allclose(own[:2], (place - sole)[[2, 1]], atol=1e-9)
    assert shape.leg == pytest.approx(np.linalg.norm(hip - knee) + np.linalg.norm(knee - ankle))
    assert shape.has_toes
    assert (shape.ball_name, shape.bend) == (PARTS["left_toes"][0], math.inf)
    stiff = (replace(j, rotation=()) if j.name == PARTS["left_toes"][0] else j for j in figure.joints)
    fixed = FootShape.of(replace(figure, joints=tuple(stiff)).anatomy, "left")
    assert not fixed.has_toes
    assert (fixed.ball_name, fixed.bend) == ("left_toe_tip", 0.0)
    np.testing.assert_array_equal(fixed.ball, fixed.toe_tip)
    assert body.soles


@pytest.mark.parametrize(
    ("axis", "room"), [((-1.0, 0.0, 0.0), 0.7 - 0.1), ((1.0, 0.0, 0.0), 0.1 + 0.4)], ids=["raises", "lowers"]
)
def test_toes_bend_up_as_far_as_the_hinge_that_lifts_their_tip_most_lets_them(axis, room):
    toes = Joint(
        name="toes",
        rotation=(Hinge(axis=Y, lower=-9.0, upper=9.0), Hinge(axis=axis, lower=-0.4, upper=0.7, rest=0.1)),
    )
    figure = Figure(name="toes", joints=(toes,), sites=(Site(name="tip", joint="toes", point=Z),))
    assert _bend(figure, 0, "tip") == pytest.approx(room)


def carried(places, turns, high, lowest) -> tuple[np.ndarray, np.ndarray]:
    """Of feet whose posture has them at places and turned, and whose source has them so high, m."""
    n = len(places)
    zeros = np.zeros((n, 2, 3))
    posture = KeyPoints(places, turns, zeros, zeros, zeros, np.full(n, lowest))
    source = SourceFeet(np.zeros((n, 4, 3)), zeros + [0.0, 1.0, 0.0] * high[..., None], turns, zeros[:, 0])
    return FEET.carried(source, posture, Scaling(1.5, Floor(0.1)))


@pytest.mark.parametrize("lowest", [0.5, 0.008 + 0.05 * 0.8, 0.008])
def test_feet_are_as_high_as_the_sources_if_the_body_stands_on_them_but_no_further_off_than_a_tenth_of_a_leg(lowest):
    rng = np.random.default_rng(1)
    places = np.abs(rng.normal(size=(20, 2, 3)))
    places[..., 1] += 1.0
    high = (places[..., 1] + rng.uniform(-0.2, 0.2, size=(20, 2))) / 1.5 + 0.1
    found, turns = carried(places, np.tile(np.eye(3), (20, 2, 1, 1)), high, lowest)
    most = 0.08 * float(ease(np.array((lowest - 0.008) / 0.08)))
    expected = places[..., 1] + np.clip(1.5 * (high - 0.1) - places[..., 1], -most, most)
    np.testing.assert_allclose(found[..., 1], expected, atol=1e-12)
    np.testing.assert_array_equal(found[..., [0, 2]], places[..., [0, 2]])
    np.testing.assert_allclose(turns, np.tile(np.eye(3), (20, 2, 1, 1)), atol=1e-12)


@pytest.mark.parametrize(("degrees", "height"), [(-20.0, 0.0), (20.0, 0.0), (-20.0, 0.3), (-10.0, -0.3)])
def test_a_foot_of_which_one_end_sinks_is_pitched_to_lie_on_the_floor(degrees, height):
    """About its own side, whichever way it heads; in the air it keeps its turn, under the floor it is laid flat."""
    heading = Rotation.from_rotvec([0.0, 0.7, 0.0])
    pitched = heading * Rotation.from_rotvec([0.0, 0.0, math.radians(degrees)])
    turns = np.tile(pitched.as_matrix(), (1, 2, 1, 1))
    places = np.tile([0.3, height, 0.1], (1, 2, 1))
    high = np.full((1, 2), height / 1.5 + 0.1)
    found, pitches = carried(places, turns, high, 0.5)
    made = Rotation.from_matrix(pitches[0, 0])
    ends = [height + end * math.sin(math.radians(degrees)) for end in (-0.10, 0.10)]
    level = math.asin((max(0.0, ends[1]) - max(0.0, ends[0])) / 0.2)
    expected = heading * Rotation.from_rotvec([0.0, 0.0, level])
    np.testing.assert_allclose(made.as_matrix(), expected.as_matrix(), atol=1e-9)
    assert (found[0, 0] + made.apply(SHAPE.heel))[1] == pytest.approx(max(0.0, ends[0]), abs=1e-12)


def lying(n: int, ends: np.ndarray, which: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Places and turns of a left foot that rests at the origin, and of which ends lie from frame 20 to 99."""
    soles, turns, tips = np.zeros((n, 2, 3)), np.tile(np.eye(3), (n, 2, 1, 1)), np.tile(SHAPE.toe_tip, (n, 2, 1))
    lies = np.zeros((n, 4), bool)
    lies[20:100, list(which)] = True
    places, turned = FEET.sliding(soles, turns, tips, ends, lies)
    np.testing.assert_array_equal(places[:, 1], soles[:, 1])
    np.testing.assert_array_equal(turned[:, 1], turns[:, 1])
    return places[:, 0], turned[:, 0]


@pytest.mark.parametrize("which", [(0, 1), (0,), (1,)])
@pytest.mark.parametrize("away", [0.15, 0.4])
def test_feet_that_lie_slide_as_the_sources_but_for_what_is_slight_and_what_is_far(which, away):
    """In a straight line, evenly: four hundredths of a leg less, a tenth and a bit at most."""
    n, shares = 120, np.linspace(-1.0, 1.0, 80)
    ends = np.zeros((n, 4, 3))
    ends[:, 1, 0] = 0.2
    ends[20:100, list(which)] += (0.5 * away * shares[:, None] * [0.6, 0.3, 0.8])[:, None]
    places, turned = lying(n, ends, which)
    far = np.minimum(np.maximum(0.0, 0.5 * away * np.abs(shares) - 0.04 * 0.8), 0.12 * 0.8)
    expected = (np.sign(shares) * far)[:, None] * [0.6, 0.0, 0.8]
    inner = slice(12, 24)
    np.testing.assert_allclose(places[20:100][inner], expected[inner], atol=0.02 * away)
    np.testing.assert_allclose(places[20:100][::-1][inner], expected[::-1][inner], atol=0.02 * away)
    assert np.abs(expected[inner]).max() > 0.01
    assert not places[:8].any()
    assert not places[112:].any()
    np.testing.assert_allclose(turned, np.tile(np.eye(3), (n, 1, 1)), atol=1e-12)


@pytest.mark.parametrize("turn", [0.2, 0.8])
def test_feet_that_lie_turn_about_as_the_sources_by_a_quarter_of_a_radian_at_most(turn):
    n, yaws = 120, np.zeros(120)
    yaws[20:100] = 0.5 * turn * np.linspace(-1.0, 1.0, 80)
    ends = np.zeros((n, 4, 3))
    ends[:, 1] = Rotation.from_rotvec(yaws[:, None] * [0.0, 1.0, 0.0]).apply([0.2, 0.0, 0.0])
    turned = lying(n, ends, (0, 1))[1]
    found = Rotation.from_matrix(turned).as_rotvec()
    np.testing.assert_allclose(found[32:88, 1], np.clip(yaws, -0.25, 0.25)[32:88], atol=0.01)
    np.testing.assert_allclose(found[:, [0, 2]], 0.0, atol=1e-12)


def test_the_lowest_point_of_a_foot_is_its_heel_ankle_or_toes():
    rng, n = np.random.default_rng(2), 20
    soles, tips = rng.normal(size=(2, n, 2, 3))
    turns = Rotation.random(2 * n, random_state=3).as_matrix().reshape(n, 2, 3, 3)
    points = [turns @ SHAPE.heel, turns @ SHAPE.ankle, np.einsum("fsij,fsj->fsi", turns, tips)]
    expected = np.min([(soles + point)[..., 1] for point in points], axis=0)
    np.testing.assert_allclose(FEET.lowest(soles, turns, tips), expected, atol=1e-12)


@pytest.mark.parametrize("level", [STRICT, TIPPED, SOFT, RELEASED])
def test_only_soles_that_give_way_head_as_the_sources(level):
    n = 60
    heading = Rotation.from_rotvec(np.tile([0.0, 0.2, 0.0], (n, 1)))
    turns, theirs = (np.stack([r.as_matrix()] * 2, axis=1) for r in (heading, Rotation.from_rotvec(np.zeros((n, 3)))))
    levels = np.zeros((n, 2), int)
    levels[20:50, 1] = level
    found = FEET.headed(turns, theirs, levels)
    np.testing.assert_array_equal(found[:, 0], turns[:, 0])
    if level in (TIPPED, SOFT):
        np.testing.assert_allclose(found[30:40, 1], theirs[30:40, 1], atol=1e-3)
        np.testing.assert_allclose(found[:4, 1], turns[:4, 1], atol=1e-3)
    else:
        np.testing.assert_allclose(found[:, 1], turns[:, 1], atol=1e-12)


def test_of_a_source_that_swivels_in_a_contact_a_quarter_of_a_radian_is_held():
    """By less, the foot heads where the source's does on the mean."""
    n, levels = 60, np.zeros((60, 2), int)
    levels[10:50] = TIPPED
    for swing, expected in ((0.2, 0.0), (0.6, 0.6 - 0.25)):
        yaws = np.where(np.arange(n) < 30, swing, -swing)
        theirs = np.stack([Rotation.from_rotvec(yaws[:, None] * [0.0, 1.0, 0.0]).as_matrix()] * 2, axis=1)
        found = FEET.headed(theirs.copy(), theirs, levels)[:, 0]
        heading = np.arctan2(-found[:, 0, 2], found[:, 2, 2])
        np.testing.assert_allclose(np.abs(heading[[20, 40]]), abs(expected), atol=0.02)


def paths(n: int, rng: np.random.Generator) -> np.ndarray:
    """Paths of both soles with noise."""
    made = np.zeros((n, 2), PATH)
    made["place"] = 0.1 * np.sin(np.arange(n)[:, None, None] / 9.0) + rng.normal(scale=1e-3, size=(n, 2, 3))
    turns = Rotation.from_rotvec(rng.normal(scale=0.01, size=(2 * n, 3))).as_matrix().reshape(n, 2, 3, 3)
    made["frame"], made["toes"] = turns, turns
    made["sole_active"] = np.linspace(0.5, 1.0, n)[:, None]
    made["toes_active"] = 0.01
    return made


@pytest.mark.parametrize("settling", [False, True])
def test_paths_are_smoothed_between_contacts_and_settle_at_their_ends_by_half_a_millimetre(settling):
    rng, n = np.random.default_rng(3), 60
    given, resting = paths(n, rng), np.zeros((n, 4), bool)
    resting[20:35, 0] = resting[25:40, 1] = True
    made = FEET.smoothed(given, resting, 50.0, settling=settling)
    rests = np.zeros(n, bool)
    rests[20:40] = True
    columns = np.hstack([given[:, 0]["place"], given[:, 0]["frame"][:, :, 0], given[:, 0]["frame"][:, :, 1]])
    expected = smoothed_between(columns, rests, 50.0)[:, :3]
    off = np.linalg.norm(made[:, 0]["place"] - given[:, 0]["place"], axis=1)[rests]
    if settling:
        assert 1e-4 < off.max() <= 0.0005 + 1e-9
        assert off[2:-2].max() < 1e-12
        inner = smoothed_between(columns, np.isin(np.arange(n), np.arange(21, 39)), 50.0)
        loose = inner[:, :3] - expected
        share = min(1.0, 0.0005 / np.linalg.norm(loose[rests], axis=1).max())
        np.testing.assert_allclose(made[:, 0]["place"], expected + share * loose, atol=1e-9)
    else:
        np.testing.assert_allclose(made[:, 0]["place"], expected, atol=1e-12)
        np.testing.assert_array_equal(off, 0.0)
    for field in ("toes", "sole_active", "toes_active"):
        np.testing.assert_array_equal(made[field], given[field])
    frames = made["frame"]
    np.testing.assert_allclose(frames @ np.swapaxes(frames, -1, -2), np.tile(np.eye(3), (n, 2, 1, 1)), atol=1e-12)


@pytest.mark.parametrize(("level", "most"), [(STRICT, 1.0), (TIPPED, 0.9), (SOFT, 0.98)])
def test_goals_of_feet_are_musts_except_as_contacts_give_way(level, most):
    n = 40
    given, resting, levels = paths(n, np.random.default_rng(4)), np.zeros((n, 4), bool), np.zeros((n, 2), int)
    given["sole_active"] = 1.0
    resting[15:25, 0] = resting[15:20, 1] = True
    levels[15:25, 0] = level
    goals = {goal.goal.label: goal for goal in FEET.goals(given, strict=True, levels=levels, resting=resting)}
    near = FEET.around(levels[:, 0] == level)
    assert near.sum() == (n if level == STRICT else 10 + 2 * math.ceil(0.1 * FPS))
    np.testing.assert_allclose(goals["left_sole"].activation, np.where(near, most, 1.0))
    np.testing.assert_allclose(goals["right_sole"].activation, 1.0)
    ends = [label for label in goals if " on its " in label]
    assert ends == (["left_sole on its heel", "left_sole on its toes"] if level == TIPPED else [])
    for label, point in zip(ends, (SHAPE.heel, SHAPE.ball), strict=False):
        np.testing.assert_allclose(goals[label].points, given[:, 0]["place"] + given[:, 0]["frame"] @ point)
        rests = resting[:, 0 if label.endswith("heel") else 1]
        np.testing.assert_allclose(goals[label].activation, np.where(FEET.around(rests), 1.0, 0.0))
    for side, column in (("left", 0), ("right", 1)):
        sole, toes = goals[f"{side}_sole"], goals[f"{side}_toe_tip"]
        np.testing.assert_allclose(sole.points, given[:, column]["place"])
        np.testing.assert_allclose(sole.x, given[:, column]["frame"][:, :, 0])
        np.testing.assert_allclose(toes.y, given[:, column]["toes"][:, :, 1])
        assert (sole.goal.priority, toes.goal.priority, toes.goal.weight) == (1, 2, 10.0)
        np.testing.assert_allclose(toes.activation, 0.01)
    loose = FEET.goals(given, strict=False)
    assert [goal.goal.label for goal in loose] == ["left_sole", "right_sole"]
    assert [goal.goal.priority for goal in loose] == [2, 2]


# What the figures say.


def prepared(target: Figure, source: Figure = BODY, **settings: object) -> RetargetSetup:
    still = Motion(source, np.tile(source.rest, (4, 1)), FPS)
    return RetargetSetup.between(still, target, None, **{"floor": 0.0, "scale": None, **settings})


def test_trunks_and_the_place_of_the_root_weigh_more_than_limbs():
    setup = prepared(biped(CONVENTIONS["unreal"]))
    figure, weights = setup.figure, setup.imitation.weights
    root = figure.dof_slice(setup.root)
    expected = dict.fromkeys(figure.dof_names[root.start : root.start + 3], 100.0)
    for part, names in setup.match.target.parts.items():
        weight = {"knee": 5.0}.get(part.rpartition("_")[2])
        weight = 30.0 if part.rpartition("_")[2] in ("pelvis", "spine", "neck", "head", "clavicle") else weight
        for name in names if weight else ():
            where = figure.dof_slice(name)
            turning = where.start + len(figure.joints[figure.joint_index(name)].slides)
            expected |= dict.fromkeys(figure.dof_names[turning : where.stop], weight)
    assert dict(weights) == expected
    assert setup.weights(None) == setup.imitation
    assert setup.weights(0.3).weights == weights
    given = pw.Imitation(example=0.5)
    assert setup.weights(given) is given


def with_root(figure: Figure) -> Figure:
    """A turning joint above the pelvis, which is lifted up it by slides; slides in the knees."""
    pelvis, slide = figure.joints[0], pw.figures.Slide(axis=Y, label="stretch")
    knees = [PARTS[f"{side}_knee"][0] for side in ("left", "right")]
    turn = Rotation.from_rotvec([0.4, -0.7, 0.2])
    root = Joint(name="world", rest=tuple(np.roll(turn.as_quat(), 1)), rotation=(Hinge(axis=Y),))
    back = tuple(np.roll(turn.inv().as_quat(), 1))
    below = replace(pelvis, parent="world", offset=tuple(turn.inv().apply(pelvis.offset)), rest=back)
    others = (replace(j, slides=(slide,)) if j.name in knees else j for j in figure.joints[1:])
    return replace(figure, joints=(root, below, *others))


def test_the_body_is_lowered_by_the_slides_of_its_root_and_what_is_above_stays():
    setup = prepared(with_root(BODY))
    figure = setup.figure
    q, drop = np.tile(figure.rest, (3, 1)), np.array([0.1, 0.0, -0.2])
    made = setup.lowered(q, drop)
    moved = joint_positions(figure, made)[:, 2:] - joint_positions(figure, q)[:, 2:]
    np.testing.assert_allclose(moved, np.broadcast_to(drop[:, None, None] * [0.0, -1.0, 0.0], moved.shape), atol=1e-9)
    knees = [f"{PARTS[f'{side}_knee'][0]}.stretch" for side in ("left", "right")]
    assert sorted(setup.frozen(free_translations=False)) == sorted([figure.dof_names[0], *knees])
    assert setup.frozen(free_translations=True) == (figure.dof_names[0],)


@pytest.mark.parametrize("scale", [0.0, -1.0, 2000.0])
def test_scales_and_floors_that_are_slips_are_told(scale):
    with pytest.raises(InvalidSetting, match="scale must be a positive number such as 1, at most 1000"):
        prepared(BODY, scale=scale)
    with pytest.raises(InvalidSetting, match="floor must be a height in m, at most 1e"):
        prepared(BODY, floor=-2e6)
    assert prepared(BODY, scale=1000.0).scaling.factor == 1000.0


# Needs.


@pytest.mark.parametrize("ahead", [1, 2, 6])
def test_the_needs_of_a_stream_are_met_along_quintics_of_least_jerk(ahead):
    """Beside SciPy's polynomials: in every frame anew, from where the curve is to rest at the most that is needed."""
    rng, filtered = np.random.default_rng(8), NeedFilter(2, ahead)
    needs = np.where(rng.uniform(size=(40, 2)) < 0.1, rng.uniform(-0.1, 0.2, size=(40, 2)), 0.0)
    states = np.zeros((3, 2))
    for k in range(40 - ahead):
        seen = needs[k : k + 1 + ahead]
        goals = np.stack([seen.max(axis=0), np.zeros(2), np.zeros(2)])
        curve = BPoly.from_derivatives([0.0, ahead], [states, goals])
        states = np.stack([curve(1.0, nu) for nu in range(3)])
        np.testing.assert_allclose(filtered.next(seen), np.maximum(0.0, states[0]), atol=1e-12)


@pytest.mark.parametrize(("fps", "reach"), [(60.0, 5), (120.0, 10), (10.0, 0)])
def test_corrections_begin_before_they_are_needed_and_are_nowhere_too_small(fps, reach):
    need = np.zeros(80)
    need[40:44] = 0.2
    found = smooth_need(need, fps)
    assert (found >= need - 1e-12).all()
    touched = np.flatnonzero(found > 1e-12)
    assert touched.min() >= 40 - 2 * reach
    assert touched.min() == 40 if reach == 0 else touched.min() < 40 - reach // 2
    nothing = np.zeros(80)
    assert smooth_need(nothing, fps) is nothing


def test_hands_count_as_they_are_moved_until_two_centimetres():
    moved = np.array([0.0, 0.005, 0.01, 0.02, 0.5])
    np.testing.assert_allclose(clear_activation(moved), 0.015 * np.array([0.0, 0.25, 0.5, 1.0, 1.0]))


# Pops.


def limited(figure: Figure = BODY) -> Figure:
    """Elbows of one hinge with limits."""
    elbows = {PARTS[f"{side}_elbow"][0] for side in ("left", "right")}
    hinge = (Hinge(axis=Y, lower=-2.5, upper=2.5),)
    return replace(figure, joints=tuple(replace(j, rotation=hinge) if j.name in elbows else j for j in figure.joints))


def test_limbs_that_pop_are_smoothed_there_alone_and_no_more_than_it_takes():
    target, n = limited(), 240
    match, elbow = JointMatch.between(BODY, target), target.dof_slice(PARTS["left_elbow"][0]).start
    source = np.tile(BODY.rest, (n, 1))
    q = np.tile(target.rest, (n, 1))
    q[:, elbow] = 0.5
    np.testing.assert_array_equal(without_pops(match, source, q, 120.0), q)
    q[120:, elbow] = 0.9
    made = without_pops(match, source, q, 120.0)
    changed = np.flatnonzero((made != q).any(axis=1))
    assert changed.min() > 60
    assert changed.max() < 180
    np.testing.assert_array_equal(np.delete(made, elbow, axis=1), np.delete(q, elbow, axis=1))
    steps = [np.abs(m[3:, elbow] - m[:-3, elbow]).max() for m in (q, made)]
    assert steps[0] > math.radians(6.0)
    assert steps[1] < 0.7 * steps[0]
    assert (np.diff(made[:, elbow]) > -1e-9).all()
    rough = source.copy()
    bend = BODY.dof_slice(PARTS["left_elbow"][0]).stop - 2
    rough[120:, bend] = 0.4  # the source bends as quickly
    np.testing.assert_array_equal(without_pops(match, rough, q, 120.0), q)
    free = replace(
        target,
        joints=tuple(
            replace(j, rotation=(Hinge(axis=Y),)) if j.name in PARTS["left_elbow"] else j for j in target.joints
        ),
    )
    np.testing.assert_array_equal(without_pops(JointMatch.between(BODY, free), source, q, 120.0), q)


# Jerk.


def test_the_furthest_joint_is_named_with_its_frame():
    q = np.tile(BODY.rest, (5000, 1))
    other = q.copy()
    spine = PARTS["spine"][0]
    other[4500, BODY.dof_slice(spine).stop - 1] += 0.2
    other[100, BODY.dof_slice(spine).stop - 1] += 0.1
    far, joint, frame = _furthest(BODY, q, other)
    away = np.linalg.norm(joint_positions(BODY, other[4500:4501]) - joint_positions(BODY, q[4500:4501]), axis=-1)[0]
    assert (far, joint, frame) == (pytest.approx(away.max()), BODY.joint_names[int(away.argmax())], 4500)


def test_motions_are_smoothed_to_four_fifths_of_what_is_allowed_and_the_note_says_how_far():
    n, rng = 200, np.random.default_rng(7)
    q = np.tile(BODY.rest, (n, 1))
    q[:, 1] += 0.2 * np.sin(np.arange(n) / 15.0) + rng.normal(scale=1e-3, size=n)
    motion, match = Motion(BODY, q, FPS, first_frame=11), JointMatch.between(BODY, BODY)
    budget = JerkBudget.beside(motion, 0.5, match)
    jerk = np.sqrt((np.diff(q[:, 1], 3) ** 2).mean()) * FPS**3
    assert (budget.source, budget.allowed) == (pytest.approx(jerk), pytest.approx(0.5 * jerk))
    smooth, (note,) = budget.smoothed(BODY, q, FPS)
    after = np.sqrt((np.diff(smooth[:, 1], 3) ** 2).mean()) * FPS**3
    assert after == pytest.approx(0.8 * 0.5 * jerk, rel=0.1)
    moved = np.abs(smooth - q).max(axis=1)
    assert note.startswith("jerk was 1.00 times the source's: ")
    assert f"by at most {1e3 * moved.max():.3g} mm" in note
    assert note.endswith(f"frame {11 + int(moved.argmax())})")
    rms = float(note.partition("joints by ")[2].partition(" mm")[0])
    assert rms == pytest.approx(1e3 * np.sqrt(((smooth - q) ** 2).sum(axis=1).mean()), rel=0.1)
    roomy = JerkBudget.beside(motion, 2.0, match).smoothed(BODY, q, FPS)
    assert roomy[0] is q
    assert roomy[1] == ()
    assert JerkBudget.beside(motion, 0.0, match).smoothed(BODY, q, FPS)[0] is q
    assert JerkSpectrum.of(BODY, q, FPS).jerk == pytest.approx(jerk)


def test_a_solved_motion_is_smoothed_only_if_that_makes_nothing_else_worse():
    q = np.tile(BODY.rest, (60, 1))
    q[:, :3] += 0.01 * np.random.default_rng(4).normal(size=(60, 3))
    motion = Motion(BODY, q, FPS)
    head = PARTS["head"][0]

    def plant(q: np.ndarray, *_: object) -> list[pw.goals.Timed]:
        return [pw.goals.follow(head, joint_positions(BODY, q)[:, BODY.joint_index(head)])]

    solver = pw.LeastSquares()
    result = solver.solve(pw.MotionProblem(BODY, plant(q), motion))
    budget = JerkBudget.beside(motion, 0.5, JointMatch.between(BODY, BODY))
    smooth = budget.kept(result, solver, plant, lambda *_: True).motion
    assert JerkSpectrum.of(BODY, smooth.q, FPS, budget.joints).jerk <= budget.allowed
    kept = budget.kept(result, solver, plant, lambda *_: False)
    np.testing.assert_array_equal(kept.motion.q, result.motion.q)
    assert [warning for warning in kept.warnings if warning.startswith("jerk remains ")]


# Streams.


def test_a_stream_takes_the_lowest_foot_for_the_floor_until_it_has_found_it():
    figure = BODY.anatomy.with_soles()
    ground, level = _Ground(figure, 30.0, None), 0.0
    heights = 0.3 + 0.1 * np.cos(np.arange(70) / 4.0)
    for k, height in enumerate(heights[:30]):
        level = ground.level(figure.rest, np.full((4, 3), height))
        assert level == heights[: k + 1].min()
    # From a second of standing still the floor was found under the soles: it is neared within 0.3 s.
    for _ in range(3):
        before, level = level, ground.level(figure.rest, np.full((4, 3), 0.5))
        assert level - ground._goes_to == pytest.approx((before - ground._goes_to) * (1.0 - 3.0 / 9.0))
    soles = site_frames(figure, figure.rest, ["left_heel", "right_heel"]).points[:, 1]
    assert ground._goes_to == pytest.approx(soles.mean(), abs=1e-6)
    given = _Ground(figure, 30.0, 0.2)
    assert {given.level(figure.rest, np.full((4, 3), height)) for height in heights} == {0.2}


# Words of the command line.


def test_targets_are_built_in_figures_or_files(tmp_path):
    assert named_target("human40", ReadOptions()).name == "human40"
    with pytest.raises(InvalidSetting, match="--to-up is for files, but human40 is a built-in figure"):
        named_target("human40", ReadOptions(up="z"))
    with pytest.raises(InvalidSetting, match="neither a file nor a built-in figure; did you mean 'human40'"):
        named_target("human4", ReadOptions())
    BODY.save(tmp_path / "body.yaml")
    assert named_target(str(tmp_path / "body.yaml"), ReadOptions()).joint_names == BODY.joint_names


def test_speeds_are_those_of_the_file_none_one_for_all_or_by_joint():
    target = limited()
    hinges = {PARTS[f"{side}_elbow"][0] for side in ("left", "right")}
    assert [stated_speeds(text, target) for text in (None, "file", "none")] == [None, True, False]
    assert set(stated_speeds("2.5", target)) == hinges
    assert set(stated_speeds("2.5", target).values()) == {2.5}
    assert stated_speeds(" a = 2,b=0.5", target) == {"a": 2.0, "b": 0.5}
    for wrong in ("fast", "-1", "0", "a=inf", "a=1,b"):
        with pytest.raises(InvalidSetting, match=r"--velocity-limits is .* must be 'file', 'none', a positive number"):
            stated_speeds(wrong, target)


def test_the_usual_solver_is_left_to_retargeting():
    assert named_solver(None) is None
    assert named_solver("least_squares") is None
    assert isinstance(named_solver("prioritized"), pw.Prioritized)


# Notes.


def test_stretches_that_are_off_are_named_with_the_contacts_in_them_and_many_are_counted(monkeypatch):
    touching = np.zeros((30, 2), bool)
    touching[5, 0] = touching[5:9, 1] = True
    contacts = Contacts(("left_heel", "right_toe_tip"), touching, Floor(0.0), np.zeros(2), FPS)
    frames = [(0, 4), (0, 5), (6, 8), (9, 12), (8, 8), (5, 5), (0, 29), (3, 3)]
    stretches = [Stretch("left shin", first, last, 20.0) for first, last in frames]
    made = SimpleNamespace(contacts=contacts, _likenesses=())
    made._resting_in = lambda stretch: RetargetResult._resting_in(made, stretch)
    monkeypatch.setattr("posewright.workflows.retargeting.retarget.unlike", lambda *_: stretches)
    *named, more = RetargetResult._unlike_notes(made)
    rests = ["", "left heel and right toe tip", "right toe tip", "", "right toe tip", "left heel and right toe tip"]
    expected = [
        f"{stretch}{f', while {rest} rest' if rest else ''}" for stretch, rest in zip(stretches, rests, strict=False)
    ]
    assert named == expected
    assert " 2 more" in more
    made.contacts = None
    assert next(RetargetResult._unlike_notes(made)) == str(stretches[0])
    monkeypatch.setattr("posewright.workflows.retargeting.retarget.unlike", lambda *_: stretches[:6])
    assert len(list(RetargetResult._unlike_notes(made))) == 6
