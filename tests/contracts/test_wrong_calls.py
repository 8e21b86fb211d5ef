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
    "ease_in of .* is 'x'; it must be a number of frames": lambda g: GOAL.during(1, 5, ease=("x", 0)),
    "has targets for 1 frames; from frame 1 to 5 there are 5": lambda g: pw.edit(
        g.clip, GOAL.along([(0, 0, 0)], start=1, end=5)
    ),
    "one of the goals is a Position; it must be in time: goal.at": lambda g: pw.edit(g.clip, [GOAL]),
    "goals is None; it must be a list of goals in time": lambda g: pw.edit(g.clip, None),
    "goals is 'x'; it must be a list": lambda g: pw.edit(g.clip, "x"),
    "motion is a Figure; it must be a Motion, such as pw.motion": lambda g: pw.edit(FIGURE, [KEY]),
    "motion is .*Path.*; it must be a Motion": lambda g: pw.edit(PATH, [KEY]),
    "motion is 'a.bvh'; it must be a Motion": lambda g: pw.edit("a.bvh", [KEY]),
    "model is 'a.npz'; it must be a MotionModel, such as MotionModel.load": lambda g: pw.edit(
        g.clip, [KEY], model="a.npz"
    ),
    "model is .*Path.*; it must be a MotionModel": lambda g: pw.edit(g.clip, [KEY], model=PATH),
    "model is a Motion; it must be a MotionModel": lambda g: pw.PatternEditor(g.clip, g.model),
    "farthest is '3'; it must be a positive number": lambda g: pw.PatternEditor(g.model, g.clip, farthest="3"),
    "more than one frame; a drag takes goals at frames": lambda g: pw.PatternEditor(g.model, g.clip).edit(
        [GOAL.during(1, 5)]
    ),
    "hold_together is True; it must be a list of pairs": lambda g: pw.edit(g.clip, [KEY], hold_together=True),
    "the solver of an edit is 'best'; it must be a Prioritized": lambda g: pw.edit(g.clip, [KEY], solver="best"),
    "the solver of an edit is .*LeastSquares.*; it must be a Prioritized": lambda g: pw.edit(
        g.clip, [KEY], solver=pw.LeastSquares()
    ),
}
MODELS = {
    "a clip of a model is a Pose; it must be a Motion": lambda g: pw.MotionModel.fit(g.clip),
    "the clips of a model is None; it must be a list of motions": lambda g: pw.MotionModel.fit(None),
    "a clip of a model is 'a.bvh'; it must be a Motion": lambda g: pw.MotionModel.fit(["a.bvh"]),
    "explained_variance is '0.9'; it must be above 0": lambda g: pw.MotionModel.fit(g.clips, explained_variance="0.9"),
    "explained_variance is None; it must be above 0": lambda g: pw.MotionModel.fit(g.clips, explained_variance=None),
    "frames is '20'; it must be a whole number": lambda g: pw.MotionModel.fit(g.clips, frames="20"),
    "frames is 20.5; it must be a whole number": lambda g: pw.MotionModel.fit(g.clips, frames=20.5),
    "events is 3; it must be a list": lambda g: pw.MotionModel.fit(g.clips, events=3),
    "the events of a clip is .*; it must be numbers": lambda g: pw.MotionModel.fit(g.clips, events=[["a"], ["b"]]),
    "motion is a Pose; it must be a Motion": lambda g: g.model.encode(REST),
    r"what is decoded is \[0.0\]; it must be a Latent": lambda g: g.model.decode([0.0]),
    "x is 'x'; it must be numbers": lambda g: g.model.pose(1, "x"),
    r"x has shape \(20,\); it must be \(1,\)": lambda g: g.model.pose(1, [0.0] * 20),
    "a phase is 'a'; it must be a number": lambda g: g.model.space(["a"]),
    r"detail has shape \(2, 3\); it must be \(1, 40\)": lambda g: g.model.space([1], detail=np.zeros((2, 3))),
    "the path of a file is a MotionModel; it must be text": lambda g: g.model.save(g.model),
    "the path of a file is None; it must be text or a Path": lambda g: pw.MotionModel.load(None),
    "the model is a Motion; it must be a MotionModel": lambda g: pw.models.Latent.load("a.npz", g.clip),
}
RETARGETS = {
    "motion to retarget is .*Path.*; it must be a Motion": lambda g: pw.retarget(PATH, FIGURE),
    "motion to retarget is a Figure; it must be a Motion": lambda g: pw.retarget(FIGURE, FIGURE),
    "target is 'human40'; it must be a Figure": lambda g: pw.retarget(g.clip, "human40"),
    "target is a Motion; it must be a Figure": lambda g: pw.retarget(g.clip, g.clip),
    "match is 'map.yaml'; it must be a JointMatch": lambda g: pw.retarget(g.clip, FIGURE, "map.yaml"),
    "contacts is 'yes'; it must be True, False": lambda g: pw.retarget(g.clip, FIGURE, contacts="yes"),
    "floor is '0'; it must be a height": lambda g: pw.retarget(g.clip, FIGURE, floor="0"),
    "scale is '1'; it must be a positive number": lambda g: pw.retarget(g.clip, FIGURE, scale="1"),
    "smooth is 'a lot'; it must be how many times": lambda g: pw.retarget(g.clip, FIGURE, smooth="a lot"),
    "objects is 'left'; it must be a list of HeldObjects": lambda g: pw.retarget(g.clip, FIGURE, objects="left"),
    "one of the objects is 'left'; it must be a HeldO": lambda g: pw.retarget(g.clip, FIGURE, objects=["left"]),
    "points of a held object is 'x'; it must be numbers": lambda g: pw.HeldObject("left", "x"),
    "a held object has no points": lambda g: pw.HeldObject("left", None),
    "the scale of a held object is '1'; it must be": lambda g: pw.HeldObject("left", POINTS, scale="1"),
    "tracks is a Timed; it must be a list": lambda g: pw.retarget(
        g.clip, FIGURE, tracks=pw.follow("left_hand", POINTS)
    ),
    "velocity_limits is 'file'; it must be True": lambda g: pw.retarget(g.clip, FIGURE, velocity_limits="file"),
    "greatest speed of 'left_knee' is 'fast'; it must": lambda g: pw.retarget(
        g.clip, FIGURE, velocity_limits={"left_knee": "fast"}
    ),
    "imitation of a motion problem is 'much'": lambda g: pw.retarget(g.clip, FIGURE, guidance="much"),
    "tracking is 'quick'; it must be a Tracking": lambda g: pw.retarget(g.clip, FIGURE, tracking="quick"),
    "the solver is 'scipy'; it must be one with": lambda g: pw.retarget(g.clip, FIGURE, solver="scipy"),
    "the solver is the class LeastSquares; it must": lambda g: pw.retarget(g.clip, FIGURE, solver=pw.LeastSquares),
    "progress is True; it must be a function": lambda g: pw.retarget(g.clip, FIGURE, progress=True),
    "the source is 'a.bvh'; it must be a Figure, or a Motion": lambda g: pw.Retargeter("a.bvh", FIGURE),
    "fps is '30'; it must be a positive number": lambda g: pw.Retargeter(FIGURE, FIGURE, fps="30"),
    "delay is 'x'; it must be s, from 0 to 1": lambda g: pw.Retargeter(g.clip, FIGURE, delay="x"),
    "velocity_limits of a stream is .*; it must be True": lambda g: pw.Retargeter(
        g.clip, FIGURE, velocity_limits={"left_knee": 3.0}
    ),
    "figure to be matched is a Motion; it must be a F": lambda g: pw.JointMatch.between(FIGURE, g.clip),
    "motion to transfer is a Figure; it must be": lambda g: pw.JointMatch.between(FIGURE, FIGURE).transfer(FIGURE),
}
POSTURES = {
    "threshold is '0.05'; it must be above 0": lambda g: pw.Postures.build(g.clips, threshold="0.05"),
    "built of is None; it must be a list of motions": lambda g: pw.Postures.build(None),
    "path of a file is a Postures; it must be text": lambda g: pw.Postures.open(g.postures),
    "figure to put postures on is 'human40'; it must be a Figure": lambda g: g.postures.on("human40"),
    "the start of a design is a ndarray; it must be a Pose": lambda g: pw.design(
        FIGURE, [GOAL], g.postures, start=REST.q
    ),
    "attraction is 0.5; it must be numbers from 0": lambda g: pw.design(FIGURE, [GOAL], g.postures, attraction=0.5),
    "attraction of 'head' is 'x'; it must be from 0": lambda g: pw.design(
        FIGURE, [GOAL], g.postures, attraction={"head": "x"}
    ),
    "the solver is 'x'; it must be one with its": lambda g: pw.design(FIGURE, [GOAL], g.postures, solver="x"),
    "another pose is a ndarray; it must be a Pose": lambda g: pw.Postures.distance(REST, REST.q),
}
OTHERS = {
    "the path of a file is None; it must be text or a Path": lambda g: pw.formats.load(None),
    "the path of a file is a Motion; it must be text": lambda g: pw.motion(g.clip),
    "how to read a file is 'cm'; it must be ReadOptions": lambda g: pw.formats.load("a.bvh", "cm"),
    "read option metres_per_unit is 'cm'; it must be": lambda g: pw.formats.ReadOptions(metres_per_unit="cm"),
    "read option up is 'x'; it must be 'y' or 'z'": lambda g: pw.formats.ReadOptions(up="x"),
    "figure of a pose is 'x'; it must be a Figure": lambda g: pw.Pose("x", REST.q),
    "what a pose has is 'x'; it must be numbers": lambda g: pw.Pose(FIGURE, "x"),
    "frame rate of a motion is '30'; it must be a positive": lambda g: pw.Motion(FIGURE, g.clip.q, "30"),
    "q is a Pose; it must be numbers .* such as pose.q": lambda g: pw.kinematics.joint_frames(FIGURE, REST),
    r"sites is 'head'; it must be a list of names, such as \['head'\]": lambda g: pw.kinematics.site_frames(
        FIGURE, REST.q, "head"
    ),
    "the second motion is 'x'; it must be a Motion": lambda g: g.clip.joined("x"),
    "a constraint is 'x'; it must be a LinearConstraint": lambda g: pw.Problem(FIGURE, constraints=["x"]),
    "a predicate is 'x'; it must be a function": lambda g: pw.Problem(FIGURE, predicates=["x"]),
    "has no joint or dof 3": lambda g: pw.Problem(FIGURE, frozen=[3]),
    "what is solved is a Figure; it must be a Problem": lambda g: pw.LeastSquares().solve(FIGURE),
    "solved over time is .*; it must be a MotionProblem": lambda g: pw.solve_motion(g.problem),
    "example of a motion problem is a Pose; it must": lambda g: pw.MotionProblem(FIGURE, [], REST),
    "factor of 'a' in constraint 'c' is 'x'": lambda g: pw.LinearConstraint(name="c", coefficients=(("a", "x"),)),
    "the ratio of constraint 'c' is 'x'; it must be": lambda g: pw.LinearConstraint.coupling("c", "a", "b", "x"),
    "what polygon 'p' is made of is 3; it must be a list": lambda g: pw.LinearConstraint.polygon("p", "a", "b", 3),
    "what AnyOf chooses from is a Position; it must": lambda g: pw.AnyOf(GOAL),
    "weights is 3; it must be numbers by joint": lambda g: pw.Posture(weights=3),
    "what is rendered is a Pose; it must be a Scene": lambda g: pw.report.render(REST),
    "camera is 'front'; it must be a Camera or a Dir": lambda g: pw.report.render(
        pw.report.Scene.of(REST), camera="front"
    ),
    "pose of a body is a Figure; it must be a Pose": lambda g: pw.report.Scene.of(FIGURE),
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
