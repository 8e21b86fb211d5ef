"""Feet that keep their contacts, whatever path they were transferred to, in clips and in streams alike."""

import math

import numpy as np
import pytest

from posewright.figures.catalogue import build
from posewright.kernels.motion.feet import PATH, Carried, plan_feet
from posewright.matching import Scaling
from posewright.motions.floor import Floor
from posewright.rotations import matrix_from_axes, matrix_from_vector
from posewright.workflows.retargeting.feet import Feet, FootShape
from posewright.workflows.retargeting.key_points import KeyPoints, SourceFeet
from posewright.workflows.retargeting.yielding import STRICT, TIPPED

SHAPE = FootShape(
    heel=np.array([-0.12, 0.0, 0.0]),
    toe_tip=np.array([0.14, 0.0, 0.0]),
    ball=np.array([0.08, 0.03, 0.0]),
    ankle=np.array([-0.06, 0.08, 0.0]),
    bend=1.0,
    leg=0.8,
)
FPS = 60.0


@pytest.fixture
def step():
    """A foot that slides and sinks a little while it rests: heel first, then all of it, then the toes."""
    n = 60
    time = np.arange(n) / FPS
    pitch = np.interp(np.arange(n), [0, 10, 20, 35, 50, 59], [0.4, 0.3, 0.02, -0.02, -0.7, -0.9])
    x = np.stack([np.cos(pitch), np.sin(pitch), 0.05 * np.sin(9.0 * time)], axis=1)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    y = np.stack([-np.sin(pitch), np.cos(pitch), np.zeros(n)], axis=1)
    y -= np.sum(x * y, axis=1, keepdims=True) * x
    y /= np.linalg.norm(y, axis=1, keepdims=True)
    points = np.stack([0.1 * time, 0.02 - 0.03 * time, 0.02 * np.sin(5.0 * time)], axis=1)
    heel, toes = np.zeros(n, bool), np.zeros(n, bool)
    heel[8:36], toes[18:52] = True, True
    return points, matrix_from_axes(x, y), np.repeat(SHAPE.toe_tip[None], n, axis=0), heel, toes


def both(points, turned, tips, heel, toes):
    """What `Feet.paths` takes: two feet that do the same."""
    hips = points + np.array([0.0, 0.7, 0.0])
    there = (points, turned, tips, hips)
    return *(np.stack([v, v], axis=1) for v in there), np.stack([heel, toes, heel, toes], axis=1)


def planted(*step, shape=SHAPE):
    return Feet({"left": shape, "right": shape}, FPS).paths(*both(*step))[:, 0]


def test_what_rests_stays_in_its_place_on_the_floor(step):
    *_, heel, toes = step
    path = planted(*step)
    frames = path["frame"]
    heels = (path["place"] + frames @ SHAPE.heel)[heel]
    balls = path["place"] + frames @ SHAPE.ball
    tips = (balls + path["toes"] @ (SHAPE.toe_tip - SHAPE.ball))[toes]
    assert np.abs(heels - heels[0]).max() < 1e-9
    assert np.abs(tips - tips[0]).max() < 1e-9
    assert np.abs(heels[:, 1]).max() < 1e-9
    assert np.abs(tips[:, 1]).max() < 1e-9
    flat = heel & toes
    assert np.abs(frames[flat, :, 1] - [0.0, 1.0, 0.0]).max() < 1e-9


def test_toes_that_cannot_bend_far_enough_tip_with_the_foot(step):
    stiff = FootShape(SHAPE.heel, SHAPE.toe_tip, SHAPE.ball, SHAPE.ankle, bend=0.3, leg=0.8)
    path = planted(*step, shape=stiff)
    frames = path["frame"]
    bend = np.arccos(np.clip(np.sum(path["toes"][:, :, 0] * frames[:, :, 0], axis=1), -1.0, 1.0))
    rising = slice(40, 52)
    assert bend[rising].max() < 0.3 + 0.02
    tips = path["place"] + frames @ stiff.ball + path["toes"] @ (stiff.toe_tip - stiff.ball)
    assert np.abs(tips[rising] - tips[40]).max() < 1e-9


def test_a_foot_in_the_air_stays_above_the_floor(step):
    points, turned, tips, heel, toes = step
    sunk = points - [0.0, 0.1, 0.0]
    path = planted(sunk, turned, tips, heel & False, toes & False)
    for point in (SHAPE.heel, SHAPE.toe_tip):
        assert (path["place"] + path["frame"] @ point)[:, 1].min() > -1e-9


def test_corrections_come_and_go_smoothly(step):
    """Nothing jumps where contacts begin and end, and long after them feet go as they were transferred."""
    points, turned, tips, heel, toes = step
    heel, toes = heel.copy(), toes.copy()
    heel[8:], toes[8:] = False, False
    heel[2:8] = True
    still = np.repeat(points[:1] + np.array([0.0, 0.03, 0.0]), len(points), axis=0)
    path = planted(still, np.repeat(turned[20:21], len(points), axis=0), tips, heel, toes)
    added = path["place"] - still
    assert np.abs(np.diff(added, axis=0)).max() < 0.2 * np.abs(added).max()
    assert np.abs(np.diff(added, n=2, axis=0)).max() < 0.08 * np.abs(added).max()
    assert np.array_equal(added[8 + 12 :], np.zeros_like(added[8 + 12 :]))


def test_a_stream_that_sees_all_frames_ahead_plans_as_a_clip(step):
    feet, given = Feet({"left": SHAPE, "right": SHAPE}, FPS), both(*step)
    clip, kept, n = feet.paths(*given), feet.with_memory(), len(given[0])
    for frame in range(n):
        *ahead, resting = (np.ascontiguousarray(values[frame:]) for values in given)
        paths = np.empty((n - frame, 2), PATH)
        plan_feet(kept, Carried(*ahead), resting, 1, paths)
        for name in PATH.names:
            assert paths[name][0] == pytest.approx(clip[name][frame], abs=1e-9), (frame, name)


def test_a_contact_that_is_seen_late_is_reached_all_the_same(step):
    feet, given = Feet({"left": SHAPE, "right": SHAPE}, FPS), both(*step)
    kept, found = feet.with_memory(), []
    for frame in range(len(given[0])):
        *ahead, resting = (np.ascontiguousarray(values[frame : frame + 5]) for values in given)
        paths = np.empty((len(resting), 2), PATH)
        plan_feet(kept, Carried(*ahead), resting, 1, paths)
        found.append(paths[0, 0])
    path, heel = np.array(found), step[3]
    heels = (path["place"] + path["frame"] @ SHAPE.heel)[heel]
    assert np.abs(heels - heels[0]).max() < 1e-9
    assert np.linalg.norm(np.diff(path["place"], axis=0), axis=1).max() < 0.02


@pytest.mark.parametrize("name", ["human40", "abnorman1"])
def test_the_shape_of_a_foot_is_seen_from_its_sole(name):
    shape = FootShape.of(build(name).anatomy, "left")
    assert shape.heel[0] < 0.0 < shape.toe_tip[0]
    assert abs(shape.heel[1]) < 0.02
    assert shape.ankle[1] > 0.02


def test_the_end_of_a_tipped_sole_that_rests_is_held_as_its_contact_becomes_a_must(step):
    *_, heel, toes = step
    feet = Feet({"left": SHAPE, "right": SHAPE}, FPS)
    paths = feet.paths(*both(*step))
    resting = np.stack([heel, toes, heel, toes], axis=1)
    goals = feet.goals(paths, strict=True, levels=np.full((len(heel), 2), TIPPED), resting=resting)
    held = next(goal for goal in goals if goal.goal.label == "left_sole on its heel")
    active = paths[:, 0]["sole_active"]
    shares = np.where(feet.around(heel), 2.0 * active - 1.0, 0.0)
    assert held.activation == pytest.approx(shares)
    assert shares.max() == pytest.approx(1.0)
    assert 0.5 < shares[feet.around(heel)].min() < 0.85, "still a wish where it begins"


def test_smoothed_feet_keep_their_shape_and_what_rests_stays(step):
    given = both(*step)
    feet = Feet({"left": SHAPE, "right": SHAPE}, FPS)
    paths = feet.paths(*given)
    smooth = feet.smoothed(paths, given[-1], 1e2, settling=False)
    turns = smooth["frame"]
    assert np.abs(np.swapaxes(turns, -1, -2) @ turns - np.eye(3)).max() < 1e-12
    assert np.linalg.norm(turns - paths["frame"], axis=(-2, -1)).max() > 0.01
    rests = given[-1][:, :2].any(axis=1)
    assert np.abs(smooth["place"] - paths["place"])[rests].max() < 1e-12


def test_what_lies_slides_and_turns_as_the_sources_do_but_for_what_is_slight(step):
    points, turned, tips, *_ = step
    n, up = len(points), np.array([0.0, 1.0, 0.0])
    own = points + 0.04 * np.sin(np.arange(n) / 9.0)[:, None] * [1.0, 0.5, -1.0]
    swivelling = matrix_from_vector(np.linspace(0.1, -0.1, n)[:, None] * up) @ turned
    lying = np.tile(np.arange(n)[:, None] >= 10, (1, 4))
    ends = np.stack([points + turned @ SHAPE.heel, points + turned @ SHAPE.toe_tip], axis=1)
    feet = Feet({"left": SHAPE, "right": SHAPE}, FPS)
    given = (np.stack([each, each], axis=1) for each in (own, swivelling, tips))
    places, turns = feet.sliding(*given, np.concatenate([ends, ends], axis=1), lying)
    for end, point in enumerate((SHAPE.heel, SHAPE.toe_tip)):
        slides, wished, before = (
            (p + t @ point)[22:48, [0, 2]]
            for p, t in ((places[:, 0], turns[:, 0]), (points, turned), (own, swivelling))
        )
        slides, wished, before = (each - each.mean(axis=0) for each in (slides, wished, before))
        assert np.abs(slides - wished).max() < 0.02 * SHAPE.leg + 0.004
        assert np.abs(before - wished).max() > 0.03, end
    assert np.array_equal(places[..., 1], np.stack([own[:, 1]] * 2, axis=1))
    assert np.allclose(places[0], own[0], atol=0.003)


@pytest.mark.parametrize("tilt", [0.0, 2.6, math.pi])
def test_feet_that_recordings_have_in_the_floor_are_carried_above_it_whichever_side_is_down(tilt):
    """Of one who kneels, the instep is down."""
    feet = Feet({"left": SHAPE, "right": SHAPE}, FPS)
    rolled, pitched = (matrix_from_vector(np.array(w)) for w in ([tilt, 0.0, 0.0], [0.0, 0.0, 0.4]))
    turns = np.tile(rolled @ pitched, (1, 2, 1, 1))
    soles = np.full((1, 2, 3), -0.02)
    posture = KeyPoints(soles, turns, np.zeros((1, 2, 3)), soles, soles, np.array([0.5]))
    source = SourceFeet(np.zeros((1, 4, 3)), soles, turns, np.zeros((1, 3)))
    places, carried = feet.carried(source, posture, Scaling(1.0, Floor(0.0)))
    ball = SHAPE.ball * [1.0, 0.0, 1.0]
    assert min((places[0, 0] + carried[0, 0] @ end)[1] for end in (SHAPE.heel, ball)) > -0.003


def test_a_foot_whose_contact_gives_way_heads_as_the_sources(step):
    """Hips that could not turn swivelled it about the end that was kept, by half a foot's length."""
    points, turned, *_ = step
    n, up = len(points), np.array([0.0, 1.0, 0.0])
    swivelling = matrix_from_vector(np.linspace(1.5, -1.5, n)[:, None] * up) @ turned
    levels = np.full((n, 2), STRICT)
    levels[20:40] = TIPPED
    feet = Feet({"left": SHAPE, "right": SHAPE}, FPS)
    headed = feet.headed(*(np.stack([t, t], axis=1) for t in (swivelling, turned)), levels)[:, 0]
    across, theirs, before = headed[:, :, 2], turned[:, :, 2], swivelling[:, :, 2]
    assert np.abs(np.cross(across, theirs)[22:38]).max() < 0.15
    assert np.abs(np.cross(before, theirs)[22:38]).max() > 0.3
    assert np.allclose(headed[:2], swivelling[:2])
    assert np.allclose(headed[-1], swivelling[-1])
    assert np.linalg.norm(np.diff(across, axis=0), axis=1).max() < 0.2
    assert np.allclose(headed[:, 1, 1], turned[:, 1, 1])
