"""What each clip promises by itself: flight is ballistic, the ball is hit, the target is reached, legs alternate."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from posewright.clips import golf_swing, jump, kick, reach, run, sit, throw, walk
from posewright.conventions import GRAVITY
from posewright.errors import InvalidFigure, InvalidSetting, UnknownName
from posewright.figures.catalogue import build, chain, with_club
from posewright.figures.figure import Figure
from posewright.figures.kinematics import centre_of_mass, joint_frames, site_frames


@cache
def person(name: str = "human40") -> Figure:
    return build(name)


@pytest.mark.parametrize("name", ["human", "human40", "abnorman1", "abnorman2"])
def test_the_centre_of_mass_falls_freely_in_a_jump(name: str) -> None:
    clip = jump(person(name), fps=120.0)
    first, last = (round(clip.events[event] * clip.fps) for event in ("take_off", "landing"))
    path = centre_of_mass(clip.figure, clip.q[first + 1 : last])
    falls = np.diff(path, 2, axis=0) * clip.fps**2
    np.testing.assert_allclose(falls[:, 1], -GRAVITY, atol=0.05)
    np.testing.assert_allclose(falls[:, 2], 0.0, atol=0.05)
    apex = clip.frame_of("apex")
    assert path[:, 1].argmax() + first + 1 == pytest.approx(apex, abs=2)


def test_a_jump_is_as_long_and_high_as_asked() -> None:
    clip = jump(person(), length=1.0, height=0.3, fps=120.0)
    soles = site_frames(clip.figure, clip.q[[0, -1]], ["left_sole"]).points[:, 0]
    assert soles[1, 2] - soles[0, 2] == pytest.approx(1.0, abs=1e-6)
    heights = centre_of_mass(clip.figure, clip.q)[:, 1]
    assert heights.max() - heights[clip.frame_of("take_off")] == pytest.approx(0.3, abs=0.015)
    take_off = clip.frame_of("take_off")
    assert heights[:take_off].min() < heights[0] - 0.15  # it crouches first


def test_style_changes_a_jump() -> None:
    low, high = (jump(person(), style=style) for style in (-1.0, 1.0))
    arm = person().dof_index("left_shoulder.elevation")
    assert high.q[:, arm].max() > low.q[:, arm].max() + 0.3


@pytest.mark.parametrize("name", ["human40", "abnorman2"])
def test_the_centre_of_mass_falls_freely_between_steps_of_a_run(name: str) -> None:
    clip = run(person(name), steps=3, fps=240.0)
    first, last = (round(clip.events[event] * clip.fps) for event in ("take_off_1", "landing_2"))
    path = centre_of_mass(clip.figure, clip.q[first + 1 : last])
    falls = np.diff(path, 2, axis=0) * clip.fps**2
    np.testing.assert_allclose(falls[:, 1], -GRAVITY, atol=0.1)
    lowest = site_frames(clip.figure, clip.q[first + 2 : last - 1], ["left_toe_tip", "right_toe_tip"]).points[..., 1]
    assert lowest.min() > -1e-3


@pytest.mark.parametrize("gait", [walk, run])
def test_gaits_advance_at_their_speed_and_alternate(gait: type) -> None:
    clip = gait(person(), steps=4)
    pelvis = clip.q[:, :3]
    given = gait(person(), speed=1.4 if gait is walk else 3.0, steps=4)
    speed = (given.q[-1, 2] - given.q[0, 2]) / given.duration
    assert speed == pytest.approx(1.4 if gait is walk else 3.0, rel=0.03)
    assert np.ptp(pelvis[:, 1]) < 0.12
    hips = clip.q[:, [clip.figure.dof_index(f"{side}_hip.flexion") for side in ("left", "right")]]
    arms = clip.q[:, [clip.figure.dof_index(f"{side}_shoulder.elevation") for side in ("left", "right")]]
    assert np.corrcoef(hips[:, 0], hips[:, 1])[0, 1] < -0.3  # legs against each other
    assert np.corrcoef(arms[:, 0], hips[:, 1])[0, 1] > 0.3  # an arm with the other leg


def test_a_walk_strikes_with_the_heel_and_leaves_with_the_toes() -> None:
    clip = walk(person("human"), steps=4, fps=120.0)
    strike = clip.frame_of("strike_2")
    points = site_frames(clip.figure, clip.q, ["left_heel", "left_toe_tip"]).points[..., 1]
    assert points[strike, 0] < 1e-3
    assert points[strike, 1] > 0.03
    leaving = np.flatnonzero(points[:strike, 1] < 1e-3)[-1]
    assert points[leaving, 0] > 0.08
    assert clip.q[:, clip.figure.dof_index("left_toes.extension")].max() > 0.4


@pytest.mark.parametrize("name", ["human", "human40", "norman", "abnorman1"])
@pytest.mark.parametrize("slope", [0.0, 0.12])
def test_both_hands_hold_the_club_and_its_head_meets_the_ball(name: str, slope: float) -> None:
    clip = golf_swing(person(name), slope=slope, style=0.5)
    names = ["left_hand", "right_hand", "club_grip_left", "club_grip_right", "club_head", "left_sole", "right_sole"]
    frames = site_frames(clip.figure, clip.q, names)
    points = frames.points
    np.testing.assert_allclose(frames.x_axes[:, 1], frames.x_axes[:, 3], atol=1e-3)
    np.testing.assert_allclose(frames.y_axes[:, 1], frames.y_axes[:, 3], atol=1e-3)
    apart = np.linalg.norm(points[:, 0] - points[:, 1], axis=1)
    assert np.ptp(apart) < 1e-3
    assert np.linalg.norm(points[:, 1] - points[:, 3], axis=1).max() < 1e-3
    np.testing.assert_allclose(points[clip.frame_of("impact"), 4], clip.marks["ball"], atol=1e-6)
    up = np.array([-np.sin(slope), np.cos(slope), 0.0])
    assert points[clip.frame_of("impact"), 4] @ up == pytest.approx(0.0214, abs=2e-3)
    assert (points[:, 4] @ up).min() > -0.005
    assert abs(points[0, 5] @ up) < 1e-3
    assert abs(points[0, 6] @ up) < 1e-3
    speed = np.linalg.norm(np.diff(points[:, 4], axis=0), axis=1) * clip.fps
    assert abs(int(speed.argmax()) - clip.frame_of("impact")) < 12
    assert speed.max() > 10.0


@pytest.mark.parametrize("name", ["human", "human40", "norman", "abnorman1"])
@pytest.mark.parametrize(("slope", "style"), [(0.0, 1.0), (0.12, -1.0), (-0.2, 0.0)])
def test_wrists_and_shoulders_never_run_into_their_limits_in_a_swing(name: str, slope: float, style: float) -> None:
    clip = golf_swing(person(name), slope=slope, style=style, seed=3, fps=30.0)
    figure = clip.figure
    for side in ("left", "right"):
        for part in ("shoulder", "elbow", "wrist"):
            own = figure.dof_slice(figure.joint_index(f"{side}_{part}"))
            inside = np.minimum(clip.q - figure.lower, figure.upper - clip.q)[:, own]
            assert inside.min() > np.radians(0.5), part


def test_the_club_meets_the_ball_squarely_with_a_straight_lead_arm() -> None:
    clip = golf_swing(person())
    impact = clip.frame_of("impact")
    assert site_frames(clip.figure, clip.q[impact], ["club_head"]).x_axes[0, 0] > np.cos(0.1)
    assert clip.q[: impact + 1, clip.figure.dof_index("left_elbow.flexion")].max() < np.radians(32.0)


def test_arms_too_short_for_two_hands_on_a_club_are_told_so() -> None:
    with pytest.raises(InvalidFigure, match=r"'abnorman2.*' cannot hold a club with both hands.*0\.32 m long"):
        golf_swing(person("abnorman2"))


def test_a_swing_has_132_frames_and_its_impact_in_frame_94() -> None:
    clip = golf_swing(with_club(person()))
    assert len(clip) == 132
    assert clip.frame_of("impact") == 94


@pytest.mark.parametrize("name", ["human", "human40", "abnorman1"])
@pytest.mark.parametrize("place", [(0.2, 0.75, 0.25), (-0.25, 0.4, 0.3), (0.1, 0.2, 0.2), (-0.05, 1.0, 0.15)])
def test_a_hand_arrives_at_its_target_and_the_feet_stay(name: str, place: tuple[float, float, float]) -> None:
    figure = person(name)
    target = site_frames(figure, figure.rest, ["head_top"]).points[0, 1] * np.array(place)
    clip = reach(figure, target, fps=30.0)
    side = "left" if place[0] > 0.0 else "right"
    hand = site_frames(figure, clip.q, [f"{side}_hand"]).points[:, 0]
    assert np.linalg.norm(hand[clip.frame_of("arrive") + 1 :] - target, axis=1).max() < 2e-3
    toes = site_frames(figure, clip.q, ["left_toe_tip", "right_toe_tip"]).points
    assert np.abs(toes - toes[0]).max() < 1e-3


def test_a_target_out_of_reach_is_reached_for() -> None:
    clip = reach(person(), (0.5, 1.2, 4.0))
    hand = site_frames(clip.figure, clip.q[-1], ["left_hand"]).points[0]
    assert hand[2] > 0.6
    assert np.isfinite(clip.q).all()


def test_a_sitter_ends_on_the_seat() -> None:
    clip = sit(person(), seat_height=0.45)
    hips = joint_frames(clip.figure, clip.q[-1]).positions[[clip.figure.joint_index("left_hip")]]
    assert 0.45 < hips[0, 1] < 0.45 + 0.15
    knees = clip.q[-1, clip.figure.dof_index("left_knee.flexion")]
    assert 1.2 < knees < 1.9
    assert clip.marks["seat"][1] == 0.45


def test_a_kicking_foot_is_fastest_about_the_strike() -> None:
    clip = kick(person())
    foot = site_frames(clip.figure, clip.q, ["right_toe_tip"]).points[:, 0]
    speed = np.linalg.norm(np.diff(foot, axis=0), axis=1)
    assert abs(int(speed.argmax()) - clip.frame_of("strike")) < 12
    np.testing.assert_allclose(foot[clip.frame_of("strike")], clip.marks["ball"], atol=1e-9)


def test_a_throwing_hand_is_fastest_about_the_release() -> None:
    clip = throw(person())
    hand = site_frames(clip.figure, clip.q, ["right_hand"]).points[:, 0]
    speed = np.linalg.norm(np.diff(hand, axis=0), axis=1) * clip.fps
    assert abs(int(speed.argmax()) - clip.frame_of("release")) < 8
    assert speed.max() > 6.0


def test_bad_settings_are_told_in_a_sentence() -> None:
    with pytest.raises(InvalidSetting, match=r"a walk with legs of 0\.8"):
        walk(person(), speed=9.0)
    with pytest.raises(InvalidSetting, match=r"slope is 1 rad; it must be from -0\.2 to 0\.2"):
        golf_swing(person(), slope=1.0)
    with pytest.raises(UnknownName, match="no side 'rigth'; did you mean 'right'"):
        kick(person(), side="rigth")
    with pytest.raises(InvalidSetting, match="three finite numbers"):
        reach(person(), (1.0, 2.0))
    with pytest.raises(InvalidSetting, match="fps is 1"):
        sit(person(), fps=1.0)
    with pytest.raises(UnknownName, match="'pelvis'"):
        walk(chain(3))


def test_marks_go_where_the_clip_goes():
    """Mirrored, moved or turned, the ball stays at the toes that strike it."""
    clip = kick(build("human40"))
    frame = clip.frame_of("strike")
    turned = clip.moved((1.0, 0.2, -2.0), 0.7)
    for changed, foot in ((clip.mirrored(), "left"), (turned, "right"), (turned.mirrored(), "left")):
        assert changed.events == clip.events
        np.testing.assert_allclose(changed.point(f"{foot}_toe_tip", frame), changed.marks["ball"], atol=1e-9)
    later = clip.warped(events=[0.0, clip.events["strike"], clip.duration], onto=[0.0, 1.5, 3.0])
    assert not hasattr(later, "events")
