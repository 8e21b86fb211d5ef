"""What retargeting does only when asked: hands kept, joint speeds, slides, other solvers, tracks of one's own."""

from dataclasses import replace

import numpy as np
import pytest

import posewright as pw
from posewright import Retargeter, retarget
from posewright.clips import golf_swing, walk
from posewright.errors import InvalidMotion, InvalidSetting, UnknownName
from posewright.figures.kinematics import site_frames
from posewright.figures.transforms.limits import with_max_speeds
from posewright.motions import Motion
from posewright.workflows import HeldObject
from posewright.workflows.retargeting.hands import held_object

HANDS = ["left_hand", "right_hand"]


@pytest.fixture(scope="module")
def stroll():
    return walk(pw.figure("human40"), seed=1, fps=60.0)[:60]


@pytest.fixture(scope="module")
def swing():
    return golf_swing(pw.figure("human40"), fps=30.0)


def palms(motion):
    return site_frames(motion.figure, motion.q, HANDS).points


def apart(motion):
    points = palms(motion)
    return points[:, 1] - points[:, 0]


# Hands on each other.


@pytest.mark.parametrize("name", ["norman", "abnorman1"])
def test_hands_stay_as_near_to_each_other_as_in_the_source(swing, name):
    figure = pw.figure(name)
    free, drawn, kept = (retarget(swing, figure, keep_hands=keep) for keep in (False, None, True))
    factor = _factor(swing, free)
    misses = [np.linalg.norm(apart(made.motion) - factor * apart(swing), axis=1) for made in (free, drawn, kept)]
    assert misses[0].mean() > 0.01
    assert misses[1].mean() < 0.85 * misses[0].mean()  # as far as arms give way easily
    assert misses[2].max() < 0.005
    assert kept.quality()["contact drift"].value < 0.001


def test_hands_that_are_apart_are_left_alone(stroll):
    figure = pw.figure("norman")
    free, kept = retarget(stroll, figure, keep_hands=False), retarget(stroll, figure, keep_hands=True)
    assert np.array_equal(free.motion.q, retarget(stroll, figure).motion.q)
    assert np.array_equal(free.motion.q, kept.motion.q)


def test_figures_without_palms_get_some(swing):
    figure = pw.figure("norman")
    bare = replace(figure, sites=tuple(site for site in figure.sites if "hand" not in site.name))
    made = retarget(swing, bare, keep_hands=True)
    assert set(HANDS) <= set(made.motion.figure.site_names)
    factor = _factor(swing, made)
    assert np.linalg.norm(apart(made.motion) - factor * apart(swing), axis=1).max() < 0.01


def _factor(source, made):
    """By which the way of the pelvis was scaled."""
    ours, theirs = (motion.with_standing_rest().figure.anatomy.segments for motion in (source, made.motion))
    return theirs.leg_length / ours.leg_length


# Hands on objects.


def test_a_hand_is_to_an_object_as_in_the_source(swing):
    """A club of the same size that is elsewhere and turned: the hand goes with it."""
    n = len(swing)
    grip = palms(swing)[:, 1] + (0.02, 0.05, 0.0)
    turn = np.tile([np.cos(0.1), 0.0, np.sin(0.1), 0.0], (n, 1))
    moved = grip + np.array([0.05, 0.0, 0.0])
    club = HeldObject("right", grip, np.tile([1.0, 0.0, 0.0, 0.0], (n, 1)), moved, turn)
    made = retarget(swing, pw.figure("human40"), objects=[club])
    offset = np.array([-0.02 * np.cos(0.2), -0.05, 0.02 * np.sin(0.2)])
    assert np.linalg.norm(palms(made.motion)[:, 1] - moved - offset, axis=1).max() < 0.01


def test_an_object_that_is_not_placed_grows_with_the_figure(swing):
    grip = palms(swing)[:, 1]
    made = retarget(swing, pw.figure("norman"), objects=[HeldObject("right", grip)], floor=0.0)
    assert np.linalg.norm(palms(made.motion)[:, 1] - _factor(swing, made) * grip, axis=1).max() < 0.02


@pytest.mark.parametrize("side", ["left", "right"])
def test_objects_are_named_for_a_hand_by_a_joint_or_a_table(swing, tmp_path, side):
    club = held_object(f"{side}=club_head", swing, slice(None))
    assert club.side == side
    assert np.array_equal(club.points, site_frames(swing.figure, swing.q, ["club_head"]).points[:, 0])
    table = tmp_path / "ball.csv"
    table.write_text("x,y,z\n" + "\n".join(f"{k},0.5,-1" for k in range(5)))
    ball = held_object(f"{side}={table}", swing, slice(1, 4))
    assert ball.side == side
    assert np.array_equal(ball.points, [[1.0, 0.5, -1.0], [2.0, 0.5, -1.0], [3.0, 0.5, -1.0]])
    for given in ("middle=club_head", side):
        with pytest.raises(InvalidSetting, match="it must be left="):
            held_object(given, swing, slice(None))


def test_bad_objects_are_refused(swing):
    with pytest.raises(InvalidSetting, match=r"points of the object in the left hand has shape \(2, 3\)"):
        retarget(swing, pw.figure("norman"), objects=[HeldObject("left", np.zeros((2, 3)))])
    with pytest.raises(InvalidSetting, match="must be 'left' or 'right', got 'middle'"):
        HeldObject("middle", np.zeros((2, 3)))
    with pytest.raises(InvalidSetting, match="must be a positive number"):
        HeldObject("left", np.zeros((2, 3)), scale=0.0)
    gaps = np.full((len(swing), 3), np.nan)
    with pytest.raises(InvalidMotion, match="is not finite in frame 0"):
        retarget(swing, pw.figure("norman"), objects=[HeldObject("left", gaps)])


def test_tracks_of_ones_own(stroll):
    figure = pw.figure("norman")
    points = palms(retarget(stroll, figure).motion)[:, 0] + (0.0, 0.15, 0.05)
    made = retarget(stroll, figure, goals=[pw.goals.follow("left_hand", points, weight=10.0, priority=2, name="wave")])
    assert made.errors["wave"] < 0.02
    with pytest.raises(UnknownName, match="left_hand"):
        retarget(stroll, figure, goals=[pw.goals.follow("left_hnd", points)])


# Joint speeds.


def share(motion):
    return float((np.abs(np.diff(motion.q, axis=0)) * motion.fps / motion.figure.max_speeds).max())


def test_joint_speeds_are_kept_and_told(stroll):
    speeds = {f"{side}_knee": 3.0 for side in ("left", "right")}
    made = retarget(stroll, pw.figure("norman"), velocity_limits=speeds)
    assert share(made.motion) <= 1.0
    assert set(made.solved.at_speed_limit) == {"left_knee.flexion", "right_knee.flexion"}
    assert any("left_knee.flexion" in note for note in made.warnings)
    figure = with_max_speeds(pw.figure("norman"), speeds)
    for asked in (True, None):  # by default the figure's own are kept
        assert np.array_equal(retarget(stroll, figure, velocity_limits=asked).motion.q, made.motion.q)
    assert share(retarget(stroll, figure, velocity_limits=False).motion) > 1.0


def test_a_stream_keeps_joint_speeds(stroll):
    figure = with_max_speeds(pw.figure("norman"), {"left_knee": 3.0})
    live = Retargeter(stroll, figure, floor=0.0, velocity_limits=True)
    poses = [pose for q in stroll.q if (pose := live.frame(q)) is not None]
    assert share(Motion(live.figure, np.array([pose.q for pose in poses]), stroll.fps)) <= 1.0


def test_a_figure_without_speeds_is_refused(stroll):
    with pytest.raises(InvalidSetting, match="has no speed limits; give velocity_limits by joint"):
        retarget(stroll, pw.figure("norman"), velocity_limits=True)


# Slides below the root.


def stretchy():
    figure = pw.figure("norman")
    slide = pw.figures.Slide(axis=(0.0, 1.0, 0.0), label="stretch", lower=-0.1, upper=0.1)
    joints = tuple(replace(j, slides=(slide,)) if j.name.endswith("_knee") else j for j in figure.joints)
    return replace(figure, joints=joints)


@pytest.mark.parametrize("free", [False, True])
def test_slides_below_the_root_move_only_if_asked(stroll, free):
    figure = stretchy()
    made = retarget(stroll, figure, free_translations=free)
    moved = np.abs(made.motion.q[:, figure.dof_index("left_knee.stretch")]).max()
    assert (moved > 1e-4) == free
    assert np.all((made.motion.q >= figure.lower) & (made.motion.q <= figure.upper))


# Other solvers.


@pytest.mark.parametrize("solver", [pw.Prioritized(), pw.ActiveSetBfgs()], ids=["prioritized", "active set"])
def test_other_solvers_plant_the_feet_too(stroll, solver):
    clip = stroll[10:16]
    made = retarget(clip, pw.figure("norman"), solver=solver)
    quick = retarget(clip, pw.figure("norman"))
    assert np.abs(made.motion.q - quick.motion.q).max() < 0.2
    assert np.all((made.motion.q >= made.motion.figure.lower) & (made.motion.q <= made.motion.figure.upper))
    assert any((one.activation >= 1.0).any() for one in made.solved.problem.schedules if "sole" in one.goal.label)
    assert max(error for label, error in made.errors.items() if "sole" in label) < 2e-3


def test_a_solver_and_a_tracking_are_one_too_many(stroll):
    with pytest.raises(InvalidSetting, match="both a solver and its tracking"):
        retarget(stroll, pw.figure("norman"), solver=pw.LeastSquares(), tracking=pw.solvers.Tracking())
