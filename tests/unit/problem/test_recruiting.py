"""Which joints serve a goal, and which all goals of a problem share."""

import numpy as np
import pytest

import posewright as pw
from posewright.figures.catalogue import build
from posewright.problem.lowering import recruited_joints

ARM = {"left_clavicle", "left_shoulder", "left_elbow", "left_wrist"}
LEGS = {f"{side}_{joint}" for side in ("left", "right") for joint in ("hip", "knee", "ankle", "toes")}
HAND = pw.Position("left_hand", (0.3, 1.2, 0.4), joints="limb")


@pytest.mark.parametrize(
    ("site", "level", "joints"),
    [
        ("left_hand", "limb", ARM),
        ("left_hand", "limb+spine", ARM | {"waist", "back"}),
        ("left_sole", "limb", {"left_hip", "left_knee", "left_ankle"}),
        ("left_sole", "limb+spine", LEGS),
        ("view", "limb", {"neck", "head"}),
        ("view", "limb+spine", {"waist", "back", "neck", "head"}),
        ("back", "limb", {"waist", "back"}),
        ("back", "limb+spine", {"waist", "back"}),
        ("pelvis", "limb", {"pelvis"}),
        ("pelvis", "limb+spine", {"pelvis"}),
    ],
)
def test_levels(site, level, joints):
    figure = build("human40")
    goal = pw.Position(site, (0.0, 0.0, 0.0), joints=level)
    found = recruited_joints(figure, goal, goal.terms(figure))
    assert {figure.joint_names[index] for index in found} == joints


def moved(goals):
    figure = build("human40")
    result = pw.LeastSquares().solve(pw.Problem(figure, goals))
    away = np.abs(result.q - figure.rest) > 1e-9
    return {dof.split(".")[0] for dof, changed in zip(figure.dof_names, away, strict=True) if changed}


def test_a_posture_goal_keeps_the_body_at_ease_without_moving_more_of_it():
    assert moved([HAND]) <= ARM
    assert moved([HAND, pw.Posture(priority=2)]) <= ARM
    assert moved([HAND, pw.Posture(priority=2), pw.Smoothness(("waist", "back"), priority=2)]) <= ARM


def test_a_posture_goal_brings_in_the_joints_it_names_and_alone_all():
    bent = pw.Pose.rest(build("human40")).with_values({"waist.flexion": 0.3, "right_knee.flexion": 0.5})
    assert moved([HAND, pw.Posture(bent, priority=2, joints=("waist",))]) <= ARM | {"waist"}
    assert "waist" in moved([HAND, pw.Posture(bent, priority=2, joints=("waist",))])
    assert moved([pw.Posture(bent)]) == {"waist", "right_knee"}


def test_a_joint_that_serves_one_goal_serves_all():
    foot = pw.Position("left_sole", (0.2, 0.1, 0.2), joints="limb")
    whole = pw.CentreOfMass((0.05, 0.0, 0.0))
    assert moved([HAND, foot]) <= ARM | {"left_hip", "left_knee", "left_ankle"}
    assert "waist" in moved([HAND, whole])
