"""Bodies that lie, roll, sit and crawl on the ground, made here: trunks stay as carried over, nothing sinks."""

import pytest
from ground_motions import BODY, crawl, handstand, roll, sit_on_the_ground
from naming_conventions import CONVENTIONS, biped

import posewright as pw
from posewright import retarget
from posewright.figures.kinematics import site_frames
from posewright.workflows.retargeting.grounding import Ground
from posewright.workflows.retargeting.setup import RetargetSetup


@pytest.mark.parametrize("target", ["abnorman1", "abnorman2", "human40", "mixamo"])
@pytest.mark.parametrize("made_of", [roll, sit_on_the_ground, crawl])
def test_a_body_on_the_ground_is_as_plain_transfer_has_it_and_does_not_sink(made_of, target):
    made = retarget(made_of(), biped(CONVENTIONS[target]) if target in CONVENTIONS else pw.figure(target), floor=0.0)
    report = made.quality(body=False)
    assert report["likeness.beyond"].value < 15.0
    beyond = report.likeness.beyond(report.transferred)
    trunk = [k for k, bone in enumerate(report.likeness.bones) if bone in ("pelvis", "chest")]
    legs = [k for k, bone in enumerate(report.likeness.bones) if bone.endswith(("thigh", "shin"))]
    assert beyond[:, trunk].max() < 5.0
    assert beyond[:, legs].max() < 20.0
    assert report["penetration"].value < 0.01
    assert report["likeness.path"].value < 0.12  # bodies with short legs rise by more of them


@pytest.mark.parametrize("target", ["abnorman1", "abnorman2"])
def test_a_body_upside_down_stands_on_its_hands(target):
    """Hips were placed by the length of the legs alone, so legs folded and arms bent."""
    report = retarget(handstand(), pw.figure(target), floor=0.0).quality(body=False)
    beyond = report.likeness.beyond(report.transferred)
    limbs = [k for k, bone in enumerate(report.likeness.bones) if bone.endswith(("thigh", "shin", "arm"))]
    assert beyond[:, limbs].max() < 15.0
    assert report["penetration"].value < 0.01


def test_hands_that_point_into_the_floor_are_turned_until_they_lie_on_it():
    """As far as wrists bend."""
    setup = RetargetSetup.between(handstand(), BODY, None, floor=0.0, scale=None)
    ground, sites = Ground(setup), ("left_hand", "right_hand", "left_fingertips", "right_fingertips")
    hanging = ground.transferred()
    assert ground.turn_up(hanging)
    lying = ground.transferred()
    before, after = (site_frames(setup.figure, q, sites).points[..., 1].min(axis=0) for q in (hanging, lying))
    assert (before[:2] < -0.02).all()
    assert (after[:2] > -1e-3).all()
    assert (after[2:] > 0.5 * before[2:]).all()
