import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import posewright as pw
from posewright.errors import FileProblem
from posewright.figures import catalogue, free_slides
from posewright.tasks.start import read_pose, write_pose

REACH = "goals: [{kind: position, site: right_hand, target: [-0.3, 1.2, 0.4]}]\n"


def task_of(folder: Path, text: str) -> pw.tasks.Task:
    path = folder / "task.yaml"
    path.write_text(text)
    return pw.tasks.load_task(path)


def test_degrees_become_radians_and_metres_stay(tmp_path):
    task = task_of(
        tmp_path,
        """
figure: human40
units: {angle: degrees, length: metres}
start: {values: {left_elbow.flexion: 90, pelvis.ty: 0.9}}
goals:
  - {kind: aim, site: view, target: [0, 1, 3], tolerance: 2, radius: 0.5}
  - {kind: position, site: left_hand, target: [0.3, 1, 0.3], tolerance: 0.01, weight: 3, priority: 2, name: touch}
  - {kind: any_of, name: either, tolerance: 3, members: [{kind: aim, site: view, target: [1, 1, 1]}]}
constraints:
  - {kind: linear, name: sum, sum: {waist.flexion: 1, back.flexion: 1}, lower: -10, upper: 60}
  - {kind: coupled, name: knees, follower: left_knee.flexion, leader: right_knee.flexion, ratio: 0.5, offset: 10}
""",
    )
    assert task.start["left_elbow.flexion"] == pytest.approx(math.pi / 2)
    assert task.start["pelvis.ty"] == 0.9
    aim, touch, either = task.problem.goals
    assert aim.tolerance == pytest.approx(math.radians(2))
    assert (touch.tolerance, touch.weight, touch.priority, touch.label) == (0.01, 3.0, 2, "touch")
    assert either.tolerance == pytest.approx(math.radians(3))
    total, knees = task.problem.constraints
    assert (total.lower, total.upper) == pytest.approx((math.radians(-10), math.radians(60)))
    assert knees.is_equality
    assert knees.upper == pytest.approx(math.radians(10))


def test_ranges_run_down_the_tree(tmp_path):
    text = "figure: human\nspace: {chain: [L5..T1, right_clavicle..right_wrist]}\n" + REACH + "frozen: [L5..L3]\n"
    task = task_of(tmp_path, text)
    joints = list(dict.fromkeys(name.split(".")[0] for name in task.problem.space.names))
    assert joints[0] == "L5"
    assert joints[16] == "T1"
    assert joints[17:] == ["right_clavicle", "right_shoulder", "right_elbow", "right_wrist"]
    assert task.problem.frozen == ("L5", "L4", "L3")


def test_figures_and_starts_come_from_files_beside_the_task(tmp_path):
    figure = catalogue.build("human40")
    start = pw.Pose.rest(figure).with_values({"left_elbow.flexion": 1.0, "pelvis.tx": 0.25})
    figure.save(tmp_path / "person.yaml")
    start.save(tmp_path / "start.npz")
    write_pose(start, tmp_path / "start.yaml")
    for file in ("start.npz", "start.yaml"):
        task = task_of(tmp_path, f"figure: person.yaml\nstart: {{file: {file}}}\n" + REACH)
        assert task.problem.figure.dof_names == figure.dof_names
        np.testing.assert_allclose(task.start.q, start.q, atol=1e-11)
    with pytest.raises(FileProblem, match="frame 7 is outside"):
        task_of(tmp_path, "figure: human40\nstart: {file: start.npz, frame: 7}\n" + REACH)
    with pytest.raises(FileProblem, match="whose dofs differ from those of"):
        task_of(tmp_path, "figure: human\nstart: {file: start.npz}\n" + REACH)


def test_pose_files_are_read_back_and_their_mistakes_told(tmp_path):
    figure = catalogue.build("hand")
    path = tmp_path / "pose.yaml"
    write_pose(pw.Pose.rest(figure), path)
    np.testing.assert_allclose(read_pose(figure, path).q, figure.rest, atol=1e-11)
    path.write_text("figure: hand\nvalues: {wrist.flexio: 3}\n")
    with pytest.raises(FileProblem, match=r"line 2: .*did you mean 'wrist.flexion'\?"):
        read_pose(figure, path)
    path.write_text("- 3\n")
    with pytest.raises(FileProblem, match="is not a pose file: it holds a list, not fields such as figure and values"):
        read_pose(figure, path)


@pytest.mark.parametrize("spelling", ["LeastSquares", "least_squares", "least-squares"])
def test_solvers_have_one_name_in_any_spelling(tmp_path, spelling):
    task = task_of(tmp_path, "figure: human40\n" + REACH + f"solver: {{name: {spelling}, settings: {{seed: 5}}}}\n")
    assert task.solver == pw.LeastSquares(seed=5)


def test_a_task_prints_as_one_line(tmp_path):
    task = task_of(tmp_path, "figure: human40\n" + REACH)
    assert repr(task).startswith("<Task task.yaml: figure human40, goals right_hand, solver ")


words = st.sampled_from(
    ["figure", "goals", "kind", "position", "site", "right_hand", "target", "human40", "start", "values", "space",
     "chain", "all", "solver", "constraints", "frozen", "weight", "any_of", "members", "outside", "box", "a..b",
     "[key]", "<word>", ""]
)  # fmt: skip
scalars = words | st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.text(max_size=5)
trees = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=5), max_leaves=15
)


@settings(max_examples=150)
@given(extra=st.dictionaries(words, trees, max_size=3), goal=trees, text=st.text(max_size=60))
def test_no_file_makes_anything_but_a_task_or_one_sentence(tmp_path_factory, extra, goal, text):
    import yaml

    path = tmp_path_factory.getbasetemp() / "fuzz.yaml"
    tagged = {**goal, "kind": "position"} if isinstance(goal, dict) else goal
    for content in (text, yaml.safe_dump({"figure": "arm4", "goals": [goal, tagged], **extra}, allow_unicode=True)):
        path.write_bytes(content.encode("utf-8", "surrogatepass"))
        said = ""
        try:
            pw.tasks.load_task(path)
        except FileProblem as problem:
            said = str(problem)
        assert said == "" or said.startswith(str(path))
        assert "\n" not in said


@pytest.mark.parametrize("key", ["[key]", "<word>", "figur"])
def test_an_unknown_field_is_named_whatever_it_looks_like(tmp_path, key):
    path = tmp_path / "task.yaml"
    path.write_text(f"figure: human40\ngoals: []\n'{key}': 1\n", encoding="utf-8")
    with pytest.raises(pw.PosewrightError, match="has no field"):
        pw.tasks.load_task(path)


def test_a_target_may_be_a_site_of_another_figure_in_its_pose(tmp_path):
    partner = pw.figure("human40")
    pose = pw.Pose.rest(partner).with_values({"pelvis.tz": 0.8, "left_elbow.flexion": 0.5})
    pw.Motion(partner, np.stack([partner.rest, pose.q]), fps=30.0).save(tmp_path / "partner.npz")
    path = tmp_path / "task.yaml"
    path.write_text(
        "figure: human\n"
        "goals:\n"
        "  - {kind: position, site: right_hand, target: {figure: partner.npz, site: left_hand,"
        " pose: {file: partner.npz, frame: -1}}}\n"
        "  - {kind: aim, site: view, target: {figure: abnorman1, site: view}}\n"
        "  - {kind: plane, site: left_hand, normal: up, point: {figure: human40, site: left_hand,"
        " pose: {values: {pelvis.ty: 0.7, left_elbow.flexion: 90}}}}\n"
    )
    task = pw.tasks.load_task(path)
    hand, eyes, plane = task.problem.goals
    assert [other.figure.name for other in task.others] == ["human40", "abnorman1", "human40"]
    np.testing.assert_array_equal(task.others[0].q, pose.q)
    assert hand.target == pytest.approx(pose.point("left_hand"))
    assert eyes.target == pytest.approx(pw.Pose.rest(pw.figure("abnorman1")).point("view"))
    bent = pw.Pose.rest(partner).with_values({"pelvis.ty": 0.7, "left_elbow.flexion": np.pi / 2})
    assert plane.point == pytest.approx(bent.point("left_hand"))


def test_a_task_without_goals_says_that_its_start_is_the_answer(tmp_path):
    path = tmp_path / "task.yaml"
    path.write_text("figure: human40\ngoals: []\n")
    assert pw.tasks.load_task(path).notes == ("the task has no enabled goals, so its start is the answer",)


def test_what_a_chain_leaves_out_is_first_moved_within_its_limits(tmp_path):
    path = tmp_path / "task.yaml"
    path.write_text(
        "figure: human40\n"
        "start: {values: {left_knee.flexion: -3, right_knee.flexion: 20}}\n"
        "space: {chain: [right_shoulder, right_elbow, right_wrist]}\n"
        "goals: [{kind: position, site: right_hand, target: [-0.42, 1.5, 0.28]}]\n"
    )
    task = pw.tasks.load_task(path)
    result = task.solver.solve(task.problem, task.start)
    assert result.reached
    assert result.pose["left_knee.flexion"] == 0.0
    assert result.pose["right_knee.flexion"] == task.start["right_knee.flexion"]


def test_start_is_where_the_goals_own_site_is_and_how_it_is_turned_in_the_start(tmp_path):
    from posewright.figures.kinematics import centre_of_mass, site_frames

    task = task_of(
        tmp_path,
        "figure: human40\nstart: {values: {left_hip.flexion: 50, left_knee.flexion: 20, pelvis.wy: 30}}\ngoals:\n"
        "  - {kind: position, site: right_sole, target: start}\n"
        "  - {kind: placement, site: left_sole, target: start, like: start}\n"
        "  - {kind: orientation, site: view, like: start}\n"
        "  - {kind: centre_of_mass, target: start}\n",
    )
    right, left, head, balance = task.problem.goals
    frames = site_frames(task.start.figure, task.start.q, ["right_sole", "left_sole", "view"])
    np.testing.assert_allclose([right.target, left.target], frames.points[:2], atol=1e-12)
    np.testing.assert_allclose([left.x, head.x], frames.x_axes[1:], atol=1e-12)
    np.testing.assert_allclose([left.y, head.y], frames.y_axes[1:], atol=1e-12)
    x, _, z = centre_of_mass(task.start.figure, task.start.q)
    np.testing.assert_allclose(balance.target, [x, 0.0, z], atol=1e-12)
    assert left.like is None
    assert task.solver.solve(task.problem, task.start).stopped == "reached", "the start meets all of them"


def test_a_site_called_start_is_that_site(tmp_path):
    arm = catalogue.build("arm4")
    named = arm.with_sites(pw.figures.Site(name="start", joint=arm.joint_names[0]))
    named.save(tmp_path / "arm.yaml")
    task = task_of(
        tmp_path, f"figure: arm.yaml\ngoals: [{{kind: position, site: {arm.joint_names[-1]}, target: start}}]\n"
    )
    assert task.problem.goals[0].target == "start"


def test_a_goal_may_be_turned_like_a_site_of_another_figure(tmp_path):
    from posewright.figures.kinematics import site_frames

    task = task_of(
        tmp_path,
        "figure: human40\ngoals: [{kind: orientation, site: left_hand, like: {figure: human, site: right_hand, pose: "
        "{values: {right_elbow.flexion: 70}}}}]\n",
    )
    pose = pw.Pose.rest(pw.figure("human")).with_values({"right_elbow.flexion": np.radians(70.0)})
    frames = site_frames(pose.figure, pose.q, ["right_hand"])
    goal = task.problem.goals[0]
    np.testing.assert_allclose([goal.x, goal.y], [frames.x_axes[0], frames.y_axes[0]], atol=1e-12)


def test_a_figure_that_lends_two_sites_in_one_pose_is_kept_once(tmp_path):
    partner = "{figure: human40, site: SITE, pose: {values: {pelvis.tz: 0.9}}}"
    task = task_of(
        tmp_path,
        "figure: human40\ngoals:\n"
        f"  - {{kind: position, site: right_hand, target: {partner.replace('SITE', 'left_hand')}}}\n"
        f"  - {{kind: aim, site: view, target: {partner.replace('SITE', 'view')}}}\n",
    )
    assert [other["pelvis.tz"] for other in task.others] == [0.9]


@pytest.mark.parametrize("suffix", [".bvh", ".glb", ".npz", ".yaml"])
def test_a_pose_written_in_any_format_may_be_the_next_start(tmp_path, suffix):
    person = catalogue.build("human")
    pose = pw.Pose.rest(person).with_values({"left_elbow.flexion": 1.2, "right_hip.flexion": 0.8, "pelvis.wy": 0.5})
    path = tmp_path / f"pose{suffix}"
    write_pose(pose, path) if suffix == ".yaml" else pose.save(path)
    task = task_of(tmp_path, f"figure: human\nstart: {{file: pose{suffix}}}\n" + REACH)
    for site in person.site_names:
        np.testing.assert_allclose(task.start.point(site), pose.point(site), atol=1e-6)


@pytest.mark.parametrize("suffix", [".bvh", ".glb"])
@pytest.mark.parametrize("name", catalogue.CATALOGUE)
def test_a_pose_of_any_figure_written_as_bvh_may_be_the_next_start(tmp_path, name, suffix):
    """BVH says neither its unit nor how segments are turned: small figures, and fingers at an angle, need both."""
    figure = catalogue.build(name)
    narrow = np.clip(
        figure.rest + np.random.default_rng(3).uniform(0.05, 0.3, figure.n_dofs), figure.lower, figure.upper
    )
    pose = pw.Pose(figure, narrow)
    pose.save(tmp_path / f"pose{suffix}")
    task = task_of(tmp_path, f"figure: {name}\nstart: {{file: pose{suffix}}}\ngoals: []\n")
    np.testing.assert_allclose(task.start.q, pose.q, atol=1e-6)


def test_a_bvh_is_read_in_the_unit_that_makes_its_bones_those_of_the_figure(tmp_path):
    """A dog whose joints are BVH joints: where its file is taken for inches, it would stand elsewhere."""
    x, y, z = (pw.figures.Hinge(axis=axis) for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
    dog = pw.Figure(
        name="dog",
        joints=[
            pw.figures.Joint(name="hips", slides=free_slides(), rotation=(z, x, y)),
            pw.figures.Joint(name="neck", parent="hips", offset=(0.0, 0.6, 0.0), rotation=(x,)),
        ],
        sites=[pw.figures.Site(name="nose", joint="neck", point=(0.0, 0.3, 0.0), tip=True)],
    )
    pose = pw.Pose(dog, [0.5, 0.4, -0.3, 0.1, 0.2, 0.3, 0.4])
    pose.save(tmp_path / "pose.bvh")
    dog.save(tmp_path / "dog.yaml")
    task = task_of(tmp_path, "figure: dog.yaml\nstart: {file: pose.bvh}\ngoals: []\n")
    np.testing.assert_allclose(task.start.q, pose.q, atol=1e-6)


def test_a_frame_of_a_file_without_frames_is_refused(tmp_path):
    pw.Pose.rest(catalogue.build("human40")).save(tmp_path / "pose.glb")
    with pytest.raises(FileProblem, match="contains a figure but no motion to take frame 3 from"):
        task_of(tmp_path, "figure: human40\nstart: {file: pose.glb, frame: 3}\n" + REACH)
