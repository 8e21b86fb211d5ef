"""Bodies that lie, roll, sit and crawl on the ground, made here: trunks stay as carried over, nothing sinks."""

import numpy as np
import pytest
from naming_conventions import CONVENTIONS, biped

import posewright as pw
from posewright import retarget
from posewright.figures.kinematics import joint_positions, site_frames
from posewright.motions import Motion
from posewright.rotations import matrix_from_vector, vector_from_matrix
from posewright.workflows.retargeting.grounding import Ground
from posewright.workflows.retargeting.setup import RetargetSetup

FPS, N = 60.0, 120
BODY = pw.figure("human40")
TIME = np.linspace(0.0, 1.0, N)


def _about(axis: int, angles: np.ndarray) -> np.ndarray:
    """Rotation matrices (frames, 3, 3) about x, y or z."""
    return matrix_from_vector(angles[:, None] * np.eye(3)[axis])


def _motion(turns: np.ndarray, lowest: float, **dofs: np.ndarray | float) -> Motion:
    """Frames with the pelvis turned (frames, 3, 3), joints at values by name, the lowest joint that high (m)."""
    q = np.repeat(BODY.rest[None], N, axis=0)
    q[:, 3:6] = vector_from_matrix(turns)
    for name, value in dofs.items():
        q[:, BODY.dof_names.index(name.replace("__", "."))] = value
    q = np.clip(q, BODY.lower, BODY.upper)
    q[:, 1] -= joint_positions(BODY, q)[..., 1].min(axis=1) - lowest
    return Motion(BODY, q, FPS, "made")


def roll() -> Motion:
    """On the floor from the back to the front and on."""
    lying = _about(0, np.full(N, -0.5 * np.pi))
    return _motion(
        _about(2, 1.5 * np.pi * TIME) @ lying, 0.06, left_shoulder__abduction=0.2, right_shoulder__abduction=0.2
    )


def sit_on_the_ground() -> Motion:
    """Legs ahead, rocking a little."""
    lean = _about(0, -0.15 + 0.1 * np.sin(2.0 * np.pi * TIME))
    return _motion(lean, 0.05, left_hip__flexion=1.5, right_hip__flexion=1.5)


def crawl() -> Motion:
    """On knees and hands, one arm after the other."""
    swing = 0.25 * np.sin(4.0 * np.pi * TIME)
    flexion = {"left_hip__flexion": 1.4 + 0.5 * swing, "right_hip__flexion": 1.4 - 0.5 * swing}
    arms = {"left_shoulder__elevation": 1.5 + swing, "right_shoulder__elevation": 1.5 - swing}
    return _motion(
        _about(0, np.full(N, 1.35)), 0.05, left_knee__flexion=1.5, right_knee__flexion=1.5, **flexion, **arms
    )


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


def handstand() -> Motion:
    """Upside down on stretched arms, rocking a little."""
    turns = _about(0, np.pi + 0.05 * np.sin(2.0 * np.pi * TIME))
    return _motion(turns, 0.05, left_shoulder__elevation=3.0, right_shoulder__elevation=3.0)


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
