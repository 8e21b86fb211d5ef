import numpy as np
import pytest
from stepping import STANCES, stepping

from posewright.errors import InvalidMotion, InvalidSetting, UnknownName
from posewright.motions import ContactSettings, Motion


@pytest.mark.parametrize("fps", [24.0, 30.0, 60.0, 120.0])
@pytest.mark.parametrize(("size", "floor"), [(1.0, 0.0), (0.02, 5.0), (30.0, -1.0)])
def test_contacts_are_exact_at_every_rate_and_size(fps, size, floor):
    found = stepping(fps, size=size, floor=floor).contacts()
    assert found.sites == ("left_foot", "right_foot")
    assert found.floor.height == pytest.approx(floor, abs=1e-9)
    for foot, stances in STANCES.items():
        np.testing.assert_allclose(found.times(foot), stances, atol=1e-9)


def test_resampling_hardly_moves_them():
    fast = stepping(120.0)
    for foot in STANCES:
        np.testing.assert_allclose(
            fast.resampled(fps=30.0).contacts().times(foot), fast.contacts().times(foot), atol=0.05
        )


def test_a_given_floor_is_believed():
    assert not stepping(30.0, floor=0.5).contacts(floor=0.0).touching.any()
    assert stepping(30.0, floor=0.05).contacts(floor=0.0).touching.any()  # an ankle stands a little above the floor


def test_a_slightly_tilted_recording_is_seen_through():
    level = stepping(60.0)
    q = level.q.copy()
    for foot in STANCES:
        q[:, level.figure.dof_index(f"{foot}.ty")] += 0.03 * q[:, level.figure.dof_index(f"{foot}.tz")]
    found = level.with_q(q).contacts()
    assert found.floor.tilt_z == pytest.approx(0.03, rel=0.1)
    for foot, stances in STANCES.items():
        np.testing.assert_allclose(found.times(foot), stances, atol=1e-9)


def still(heights, fps=100.0):
    """The stepper with its left foot at given heights and nothing else moving."""
    base = stepping(fps).figure
    q = np.zeros((len(heights), base.n_dofs))
    q[:, base.dof_index("left_foot.ty")] = heights
    return Motion(base, q, fps)


def test_between_the_thresholds_a_contact_goes_on_but_does_not_begin():
    heights = np.concatenate([np.full(20, 0.0), np.full(20, 0.025), np.full(20, 0.2), np.full(20, 0.025)])
    slow = ContactSettings(speed=1e6, standing_level=0.0)
    touching = still(heights).contacts(["left_foot"], floor=0.0, settings=slow).of("left_foot")
    np.testing.assert_array_equal(touching, [True] * 40 + [False] * 40)
    strict = ContactSettings(speed=1e6, standing_level=0.0, release=1.0)
    assert still(heights).contacts(["left_foot"], floor=0.0, settings=strict).of("left_foot").sum() == 20


def test_short_gaps_are_closed_and_short_contacts_dropped():
    heights = np.full(100, 0.5)
    heights[10:40] = 0.0
    heights[20:22] = 0.5  # 0.02 s in the air
    heights[70:72] = 0.0  # 0.02 s on the floor
    found = still(heights).contacts(["left_foot"], floor=0.0, settings=ContactSettings(speed=1e6))
    np.testing.assert_array_equal(found.intervals("left_foot"), [[10, 40]])


def test_heel_and_toes_make_a_foot():
    found = stepping(30.0).contacts()
    np.testing.assert_array_equal(found.any_of(["left_foot", "right_foot"]), found.touching.any(axis=1))


def test_one_frame_is_slow():
    assert stepping(30.0)[:1].contacts().touching.all()


def test_wrong_requests_are_told():
    motion = stepping(30.0)
    with pytest.raises(UnknownName, match="left_foot"):
        motion.contacts().of("left_fot")
    with pytest.raises(UnknownName, match="did you mean 'left_foot'"):
        motion.contacts(["left_fot"])
    with pytest.raises(InvalidMotion, match="at least one frame"):
        motion[:0].contacts()
    for name, value in {"height": 0.0, "release": 0.5, "min_duration": -1.0}.items():
        with pytest.raises(InvalidSetting, match=f"{name} must be .*, got {value}"):
            ContactSettings(**{name: value})


def test_contacts_say_in_a_line_which_sites_stand_how_often():
    found = stepping(30.0).contacts()
    assert repr(found).startswith(f"<Contacts in {len(found.touching)} frames: left_foot ")
