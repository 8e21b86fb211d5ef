"""Slips in calls of the public functions: one sentence that says what was given and what is wanted, no traceback of
what happened to it inside.
"""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import posewright as pw
from posewright.clips import walk

FIGURE = pw.figure("human40")
REST = pw.Pose.rest(FIGURE)
GOAL = pw.Position("left_hand", (0.3, 1.2, 0.3))
KEY = GOAL.at(3)
POINTS = np.zeros((20, 3))
PATH = Path("motion.bvh")


@pytest.fixture(scope="module")
def given():
    clips = [walk(FIGURE, fps=30, seed=seed)[:20] for seed in (0, 1)]
    return SimpleNamespace(
        clip=clips[0],
        clips=clips,
        model=pw.MotionModel.fit(clips),
        postures=pw.Postures.build(clips, threshold=0.1),
        problem=pw.Problem(FIGURE, [GOAL]),
    )


EDITS = {
    "ease_in of .* must be a number of frames.*, got 'x'": lambda g: GOAL.during(1, 5, ease=("x", 0)),
    "has targets for 1 frames; from frame 1 to 5 there are 5": lambda g: pw.edit(
        g.clip, GOAL.along([(0, 0, 0)], start=1, end=5)
    ),
    "goals of a motion problem must be a list of goals.*, got None": lambda g: pw.edit(g.clip, None),
    "goals of a motion problem must be a list.*, got 'x'": lambda g: pw.edit(g.clip, "x"),
    "motion must be a Motion, such as pw.motion.*, got a Figure": lambda g: pw.edit(FIGURE, [KEY]),
    "motion must be a Motion.*, got .*Path.*": lambda g: pw.edit(PATH, [KEY]),
    "motion must be a Motion.*, got 'a.bvh'": lambda g: pw.edit("a.bvh", [KEY]),
    "the space of an edit must be a MotionModel or a Space, got 'a.npz'": lambda g: pw.edit(
        g.clip, [KEY], space="a.npz"
    ),
    "the space of an edit must be a MotionModel.*, got .*Path.*": lambda g: pw.edit(g.clip, [KEY], space=PATH),
    "a space or a motion model, got a Motion": lambda g: pw.MotionProblem(g.clip, [KEY], g.clip),
    "max_deviation must be a positive number.*, got '3'": lambda g: pw.edit(
        g.clip, [KEY], space=g.model, max_deviation="3"
    ),
    "hold_together must be a list of pairs.*, got True": lambda g: pw.edit(g.clip, [KEY], hold_together=True),
    "the solver is 'best'; it must be a solver object": lambda g: pw.edit(g.clip, [KEY], solver="best"),
    "LeastSquares does not solve motions whose frames share.*; Prioritized does": lambda g: pw.edit(
        g.clip, [KEY], space=g.model, solver=pw.LeastSquares()
    ),
}
MODELS = {
    "a clip of a model must be a Motion.*, got a Pose": lambda g: pw.MotionModel.fit(g.clip),
    "the clips of a model must be a list of motions.*, got None": lambda g: pw.MotionModel.fit(None),
    "a clip of a model must be a Motion.*, got 'a.bvh'": lambda g: pw.MotionModel.fit(["a.bvh"]),
    "explained_variance must be above 0.*, got '0.9'": lambda g: pw.MotionModel.fit(g.clips, explained_variance="0.9"),
    "explained_variance must be above 0.*, got None": lambda g: pw.MotionModel.fit(g.clips, explained_variance=None),
    "frames must be a whole number.*, got '20'": lambda g: pw.MotionModel.fit(g.clips, frames="20"),
    "frames must be a whole number.*, got 20.5": lambda g: pw.MotionModel.fit(g.clips, frames=20.5),
    "events must be a list.*, got 3": lambda g: pw.MotionModel.fit(g.clips, events=3),
    "the events of a clip must be numbers.*, got .*": lambda g: pw.MotionModel.fit(g.clips, events=[["a"], ["b"]]),
    "motion must be a Motion.*, got a Pose": lambda g: g.model.encode(REST),
    r"what is decoded must be a Latent.*, got \[0.0\]": lambda g: g.model.decode([0.0]),
    "a phase must be a number.*, got 'a'": lambda g: g.model.space(["a"]),
    r"detail has shape \(2, 3\); it must be \(1, 40\)": lambda g: g.model.space([1], detail=np.zeros((2, 3))),
    "the path of a file must be text or a Path, got a MotionModel": lambda g: g.model.save(g.model),
    "the path of a file must be text or a Path, got None": lambda g: pw.MotionModel.load(None),
    "the model must be a MotionModel.*, got a Motion": lambda g: pw.models.Latent.load("a.npz", g.clip),
}
RETARGETS = {
    "motion to retarget must be a Motion.*, got .*Path.*": lambda g: pw.retarget(PATH, FIGURE),
    "motion to retarget must be a Motion.*, got a Figure": lambda g: pw.retarget(FIGURE, FIGURE),
    "target must be a Figure.*, got 'human40'": lambda g: pw.retarget(g.clip, "human40"),
    "target must be a Figure.*, got a Motion": lambda g: pw.retarget(g.clip, g.clip),
    "match must be a JointMatch.*, got 'map.yaml'": lambda g: pw.retarget(g.clip, FIGURE, "map.yaml"),
    "contacts must be True, False.*, got 'yes'": lambda g: pw.retarget(g.clip, FIGURE, contacts="yes"),
    "floor must be a height.*, got '0'": lambda g: pw.retarget(g.clip, FIGURE, floor="0"),
    "scale must be a positive number.*, got '1'": lambda g: pw.retarget(g.clip, FIGURE, scale="1"),
    "smooth must be how many times.*, got 'a lot'": lambda g: pw.retarget(g.clip, FIGURE, smooth="a lot"),
    "objects must be a list of HeldObjects.*, got 'left'": lambda g: pw.retarget(g.clip, FIGURE, objects="left"),
    "one of the objects must be a HeldO.*, got 'left'": lambda g: pw.retarget(g.clip, FIGURE, objects=["left"]),
    "points of a held object must be numbers.*, got 'x'": lambda g: pw.workflows.HeldObject("left", "x"),
    "a held object has no points": lambda g: pw.workflows.HeldObject("left", None),
    "the scale of a held object must be.*, got '1'": lambda g: pw.workflows.HeldObject("left", POINTS, scale="1"),
    "goals must be a list.*, got a Timed": lambda g: pw.retarget(
        g.clip, FIGURE, goals=pw.goals.follow("left_hand", POINTS)
    ),
    "velocity_limits must be True.*, got 'file'": lambda g: pw.retarget(g.clip, FIGURE, velocity_limits="file"),
    "maximum speed of 'left_knee' must be.*, got 'fast'": lambda g: pw.retarget(
        g.clip, FIGURE, velocity_limits={"left_knee": "fast"}
    ),
    "imitation must be .*, got 'much'": lambda g: pw.retarget(g.clip, FIGURE, imitation="much"),
    "tracking must be a Tracking.*, got 'quick'": lambda g: pw.retarget(g.clip, FIGURE, tracking="quick"),
    "the solver is 'scipy'; it must be a solver": lambda g: pw.retarget(g.clip, FIGURE, solver="scipy"),
    "the solver is the class LeastSquares; it must": lambda g: pw.retarget(g.clip, FIGURE, solver=pw.LeastSquares),
    "progress is True; it must be a function": lambda g: pw.retarget(g.clip, FIGURE, progress=True),
    "the source must be a Figure, or a Motion.*, got 'a.bvh'": lambda g: pw.Retargeter("a.bvh", FIGURE),
    "fps must be a positive number.*, got '30'": lambda g: pw.Retargeter(FIGURE, FIGURE, fps="30"),
    "delay must be s, from 0 to 1.*, got 'x'": lambda g: pw.Retargeter(g.clip, FIGURE, delay="x"),
    "velocity_limits of a stream must be True.*, got .*": lambda g: pw.Retargeter(
        g.clip, FIGURE, velocity_limits={"left_knee": 3.0}
    ),
    "figure to be matched must be a F.*, got a Motion": lambda g: pw.JointMatch.between(FIGURE, g.clip),
    "motion to transfer must be.*, got a Figure": lambda g: pw.JointMatch.between(FIGURE, FIGURE).transfer(FIGURE),
}
POSTURES = {
    "threshold must be above 0.*, got '0.05'": lambda g: pw.Postures.build(g.clips, threshold="0.05"),
    "built of must be a list of motions.*, got None": lambda g: pw.Postures.build(None),
    "path of a file must be text or a Path, got a Postures": lambda g: pw.Postures.open(g.postures),
    "figure to put postures on must be a Figure.*, got 'human40'": lambda g: g.postures.on("human40"),
    "the start must be a Pose.*, got a ndarray": lambda g: pw.design(FIGURE, [GOAL], g.postures, start=REST.q),
    "attraction must be numbers from 0.*, got 0.5": lambda g: pw.design(FIGURE, [GOAL], g.postures, attraction=0.5),
    "attraction of 'head' must be from 0.*, got 'x'": lambda g: pw.design(
        FIGURE, [GOAL], g.postures, attraction={"head": "x"}
    ),
    "the solver is 'x'; it must be a solver": lambda g: pw.design(FIGURE, [GOAL], g.postures, solver="x"),
}
OTHERS = {
    "the path of a file must be text or a Path, got None": lambda g: pw.formats.load(None),
    "the path of a file must be text or a Path, got a Motion": lambda g: pw.motion(g.clip),
    "read option metres_per_unit must be.*, got 'cm'": lambda g: pw.formats.ReadOptions(metres_per_unit="cm"),
    "read option up must be 'y' or 'z', got 'x'": lambda g: pw.formats.ReadOptions(up="x"),
    "figure of a pose must be a Figure.*, got 'x'": lambda g: pw.Pose("x", REST.q),
    "what a pose has must be numbers.*, got 'x'": lambda g: pw.Pose(FIGURE, "x"),
    "frame rate of a motion must be a positive.*, got '30'": lambda g: pw.Motion(FIGURE, g.clip.q, "30"),
    "q must be numbers .* such as pose.q.*, got a Pose": lambda g: pw.figures.kinematics.joint_frames(FIGURE, REST),
    "sites must be a list of names, .*, got 'head'": lambda g: pw.figures.kinematics.site_frames(
        FIGURE, REST.q, "head"
    ),
    "the second motion must be a Motion.*, got 'x'": lambda g: g.clip.joined("x"),
    "a constraint must be a LinearConstraint.*, got 'x'": lambda g: pw.Problem(FIGURE, constraints=["x"]),
    "a predicate is 'x'; it must be a function": lambda g: pw.Problem(FIGURE, predicates=["x"]),
    "has no joint or dof 3": lambda g: pw.Problem(FIGURE, frozen=[3]),
    "what is solved must be a Problem.*, got a Figure": lambda g: pw.LeastSquares().solve(FIGURE),
    "example of a motion problem must be.*, got a Pose": lambda g: pw.MotionProblem(FIGURE, [], REST),
    "factor of 'a' in constraint 'c' must be .*, got 'x'": lambda g: pw.LinearConstraint(
        name="c", coefficients=(("a", "x"),)
    ),
    "the ratio of constraint 'c' must be.*, got 'x'": lambda g: pw.LinearConstraint.coupling("c", "a", "b", "x"),
    "polygon 'p' must be an array .*, got": lambda g: pw.LinearConstraint.polygon("p", "a", "b", 3),
    "the members of an AnyOf must be.*, got a Position": lambda g: pw.AnyOf(GOAL),
    "must be numbers by joint or dof, got 3": lambda g: pw.Posture(weights=3),
    "what is rendered must be a Scene.*, got a Pose": lambda g: pw.report.render(REST),
    "camera must be a Camera or a Dir.*, got 'front'": lambda g: pw.report.render(
        pw.report.Scene.of(REST), camera="front"
    ),
    "pose of a body must be a Pose.*, got a Figure": lambda g: pw.report.Scene.of(FIGURE),
}
WRONG = [*EDITS.items(), *MODELS.items(), *RETARGETS.items(), *POSTURES.items(), *OTHERS.items()]


@pytest.mark.parametrize(("sentence", "call"), WRONG, ids=[sentence[:60] for sentence, _ in WRONG])
def test_a_wrong_call_is_one_sentence(sentence, call, given):
    with pytest.raises(pw.PosewrightError, match=sentence) as caught:
        call(given)
    told = str(caught.value)
    assert "\n" not in told
    assert len(told) < 400


def test_numbers_of_numpy_are_numbers(given):
    model = pw.MotionModel.fit(given.clips, explained_variance=np.float32(0.9), frames=np.int64(10))
    assert model.n_frames == 10
    assert pw.Motion(FIGURE, given.clip.q, np.float32(30)).fps == 30
