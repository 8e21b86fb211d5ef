import json

import numpy as np
import pytest
from stepping import stepping

from posewright.clips import walk
from posewright.errors import InvalidMotion, UnknownName
from posewright.figures import Figure, Hinge, Joint, Slide, free_slides
from posewright.figures.catalogue import build
from posewright.figures.joint import X, Y
from posewright.motions import Motion
from posewright.motions.quality import kinds


def changed(motion, dof, change):
    q = motion.q.copy()
    q[:, motion.figure.dof_index(dof)] += change
    return motion.with_q(q)


def test_a_clean_motion_is_clean():
    motion = stepping(60.0)
    report = motion.quality()
    for name in ("limit violation", "foot skate", "contact drift", "penetration", "floating", "jumps"):
        assert report[name].value == pytest.approx(0.0, abs=1e-9), name
        assert report[name].source is None
    assert report["jerk"].value > 0.0


def test_skating_is_the_horizontal_speed_in_contact_and_drift_its_length():
    source = stepping(60.0)
    skating = changed(source, "left_foot.tx", 0.05 * source.times)
    report = skating.quality(source)
    touching = {"left": 0.5 + 1.0 + 0.5, "right": 1.0 + 1.0}  # s of contact, see stepping.STANCES
    share = touching["left"] / (touching["left"] + touching["right"])
    assert report["foot skate"].value == pytest.approx(0.05 * share, rel=1e-6)
    assert report["foot skate"].source == pytest.approx(0.0, abs=1e-9)
    assert report["contact drift"].value == pytest.approx(0.05 * 1.0, rel=1e-6)  # the longest contact


def test_vertical_movement_is_not_skating():
    source = stepping(60.0)
    assert changed(source, "left_foot.ty", 0.1 * source.times).quality(source)["foot skate"].value == pytest.approx(0.0)


def test_floating_is_the_mean_height_in_source_contacts_and_penetration_the_depth():
    source = stepping(60.0)
    up, down = changed(source, "left_foot.ty", 0.04), changed(source, "left_foot.ty", -0.03)
    report = up.quality(source)
    contact_frames = {"left": 31 + 61 + 31, "right": 61 + 61}
    assert report["floating"].value == pytest.approx(0.04 * contact_frames["left"] / sum(contact_frames.values()))
    assert report["penetration"].value == pytest.approx(0.0, abs=1e-12)
    deep = down.quality(source)
    assert (deep["penetration"].value, deep["penetration"].source) == pytest.approx((0.03, 0.0))
    assert deep["penetration"].frame == 0
    assert deep["floating"].value == pytest.approx(0.0)


def test_site_errors_are_distances_to_the_source():
    source = stepping(60.0)
    report = changed(source, "left_foot.tx", 0.06).quality(source, sites=["left_foot", "right_foot", "head"])
    assert report["site error"].value == pytest.approx(0.02)
    assert report["greatest site error"].value == pytest.approx(0.06)


def test_sites_of_another_figure_are_paired():
    source = stepping(60.0)
    names = {"head": "kopf", "left_foot": "fuss_links", "right_foot": "fuss_rechts"}
    figure = Figure(
        name="other",
        joints=tuple(Joint(name=names[j.name], offset=j.offset, slides=j.slides) for j in source.figure.joints),
    )
    feet = {"fuss_links": "left_foot", "fuss_rechts": "right_foot"}
    report = Motion(figure, source.q, 60.0).quality(source, sites={"kopf": "head"}, feet=feet)
    assert report["site error"].value == pytest.approx(0.0)
    assert report["jerk"].value == pytest.approx(report["jerk"].source)


LIMITED = Figure(
    name="limited",
    joints=(Joint(name="j", slides=(Slide(axis=Y, upper=1.0),), rotation=(Hinge(axis=X, lower=-0.5, upper=0.5),)),
            Joint(name="foot", parent="j", offset=(0, -1.0, 0))),
)  # fmt: skip


def test_limits_are_measured_apart_for_angles_and_lengths():
    q = np.zeros((10, 2))
    q[3] = [1.25, 0.0]
    q[7] = [0.0, -0.9]
    report = Motion(LIMITED, q, 30.0).quality()
    assert (report["limit violation"].value, report["limit violation"].frame) == (pytest.approx(0.4), 7)
    assert (report["slide limit violation"].value, report["slide limit violation"].frame) == (pytest.approx(0.25), 3)
    assert report["frames outside limits"].value == pytest.approx(0.2)


POINT = Figure(
    name="point",
    joints=(
        Joint(name="p", slides=free_slides(), rotation=(Hinge(axis=X),)),
        Joint(name="q", parent="p", offset=(0, 1, 0)),
    ),
)


@pytest.mark.parametrize("fps", [30.0, 120.0])
def test_jerk_and_acceleration_are_those_of_mechanics(fps):
    t = np.arange(int(fps)) / fps
    q = np.zeros((len(t), 4))
    q[:, 0] = 2.0 * t**3  # third derivative 12
    assert Motion(POINT, q, fps).quality(feet=["p"])["jerk"].value == pytest.approx(12.0, rel=1e-4)
    q[:, 0] = 1.5 * t**2
    assert Motion(POINT, q, fps).quality(feet=["p"])["acceleration peak"].value == pytest.approx(3.0, rel=1e-4)


@pytest.mark.parametrize("fps", [30.0, 120.0])
def test_jumps_are_counted_once_each_whatever_the_rate(fps):
    t = np.arange(int(2 * fps)) / fps
    q = np.zeros((len(t), 4))
    q[:, 0], q[:, 3] = np.sin(3 * t), 2 * np.sin(5 * t)
    smooth = Motion(POINT, q, fps)
    assert smooth.quality(feet=["p"])["jumps"].value == 0
    q[t >= 0.5, 3] += 0.5
    q[t >= 1.5, 0] += 0.1
    report = Motion(POINT, q, fps).quality(smooth, feet=["p"])
    assert (report["jumps"].value, report["jumps"].source) == (2, 0)
    assert report["jumps"].frame in (round(0.5 * fps), round(1.5 * fps))


def test_a_whole_turn_is_no_jump():
    q = np.zeros((20, 4))
    q[10:, 3] = 2 * np.pi
    assert Motion(POINT, q, 30.0).quality(feet=["p"])["jumps"].value == 0


def test_short_motions_are_measured_too():
    for n_frames in (1, 2, 3):
        assert stepping(60.0)[:n_frames].quality()["jerk"].value == 0.0


def test_the_report_is_a_table_and_a_dictionary():
    motion = stepping(60.0)
    report = motion.quality(motion)
    lines = str(report).splitlines()
    assert lines[0].split() == ["measure", "value", "source", "unit", "worst", "frame"]
    assert len(lines) == 1 + len(report.measures)
    assert json.loads(json.dumps(report.as_dict()))["foot skate"]["unit"] == "m/s"
    with pytest.raises(UnknownName, match="did you mean 'foot skate'"):
        report["foot skating"]


def test_a_source_of_another_length_is_told():
    with pytest.raises(InvalidMotion, match=r"181 frames at 60.*resampled"):
        stepping(60.0).quality(stepping(60.0)[:50])


@pytest.mark.parametrize("piece", [1, 2, 7, 50])
def test_long_clips_are_measured_piece_by_piece(piece, monkeypatch):
    figure = build("human40")
    clip = walk(figure, seed=3, fps=30.0)[:50]
    q = clip.q + 0.01 * np.random.default_rng(5).normal(size=clip.q.shape)
    q[30:, 3] += 0.5
    whole = clip.with_q(q).quality()
    monkeypatch.setattr(kinds, "_PIECE", piece)
    pieces = clip.with_q(q).quality()
    assert whole["jumps"].value > 0
    assert [(m.name, m.frame) for m in pieces.measures] == [(m.name, m.frame) for m in whole.measures]
    np.testing.assert_allclose([m.value for m in pieces.measures], [m.value for m in whole.measures], rtol=1e-12)
    for mine, theirs in zip(pieces.series, whole.series, strict=True):
        np.testing.assert_allclose(mine.values, theirs.values, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", ["arm4", "chain"])
def test_a_mounted_arm_does_not_sink_into_the_floor_below_its_tip(name):
    figure = build(name)
    q = np.tile(figure.rest, (30, 1))
    q[:, -1] += 0.3 * np.sin(np.linspace(0.0, 6.0, 30))
    report = Motion(figure, q, 30.0).quality()
    assert report["penetration"].value < 0.03 * figure.height
