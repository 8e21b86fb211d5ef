"""Layouts of robot motions: what they hold, against MuJoCo; what comes back; what is refused."""

from __future__ import annotations

import contextlib
import io
import pickle
import pickletools
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import joblib
import mujoco
import numpy as np
import pytest
from layout_oracles import Simulated, breadth_first, same_turn, urdf_model
from robot_samples import BIPED, random_mjcf, random_urdf
from scipy.spatial.transform import Rotation

import posewright as pw
from posewright.errors import FileProblem, UnknownName
from posewright.figures.kinematics import joint_positions
from posewright.formats import ReadOptions, load_figure, load_motion
from posewright.formats.assumptions import doubts
from posewright.formats.layouts import LAYOUTS
from posewright.formats.layouts.pickles import pickled, unpickled
from posewright.formats.robots.motion import robot_motion
from posewright.motions import Motion

Array = np.ndarray[Any, Any]
ROBOTS = {
    "urdf 1": random_urdf(1),
    "urdf 2": random_urdf(2, 20),
    "mjcf 4": random_mjcf(4, 16),
}
TRAINING = ("beyondmimic", "mjlab", "holosoma")


@pytest.fixture(params=ROBOTS)
def robot(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return a_robot(tmp_path, ROBOTS[request.param])


def a_robot(folder: Path, text: str) -> Path:
    path = folder / f"robot.{'xml' if 'mujoco' in text else 'urdf'}"
    path.write_text(text)
    return path


def free(path: Path, **more: Any) -> ReadOptions:
    return ReadOptions(skeleton=path, base="free" if path.suffix == ".urdf" else None, **more)


def a_motion(path: Path, fps: float, frames: int = 40, name: str = "clip") -> Motion:
    """A motion that turns around and over, on a branch of its own."""
    figure = load_figure(path, ReadOptions(base="free" if path.suffix == ".urdf" else None))
    rng = np.random.default_rng(7)
    steps = 0.15 * rng.normal(size=(frames, figure.n_dofs)).cumsum(axis=0)
    q = figure.rest + steps
    q[:, 3:6] = [0.4, 0.3, 3.5] + steps[:, 3:6]
    return Motion(figure, q, fps=fps, name=name)


def saved(motion: Motion, folder: Path, layout: str, stem: str = "clip") -> Path:
    path = folder / f"{stem}{LAYOUTS[layout].suffix}"
    motion.save(path, layout=layout)
    return path


def bytes_of(path: Path) -> dict[str, bytes]:
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    return {file.name if path.is_dir() else "": file.read_bytes() for file in files}


def simulated(robot: Path, motion: Motion) -> Simulated:
    text = robot.read_text()
    model = urdf_model(text) if robot.suffix == ".urdf" else mujoco.MjModel.from_xml_string(text)
    told = robot_motion(motion)
    columns = [told.joint_names.index(model.joint(k).name) for k in range(1, model.njnt)]
    return Simulated(
        model, np.hstack([told.root_position, told.root_wxyz, told.joint_positions[:, columns]]), motion.fps
    )


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_motion_comes_back_and_is_written_the_same_again(robot: Path, layout: str, tmp_path: Path) -> None:
    motion = a_motion(robot, LAYOUTS[layout].fps, name="named otherwise")
    first = saved(motion, tmp_path, layout)
    base = "free" if robot.suffix == ".urdf" else None
    again = pw.motion(first, layout=layout, skeleton=str(robot), base=base)  # as the docs call it
    told, came = robot_motion(motion), robot_motion(again)
    one = {"<f4": 1e-6, "<f8": 1e-9, "%.6f": 1.01e-6, "%.18e": 1e-9}[LAYOUTS[layout].fields[0].numbers]
    degrees = np.pi / 180.0 if layout == "bones" else 1.0
    assert again.fps == motion.fps
    assert came.joint_names == told.joint_names
    scale = np.maximum(1.0, np.abs(told.joint_positions)) if one == 1e-6 else 1.0
    assert (np.abs(came.joint_positions - told.joint_positions) <= one * degrees * scale).all()
    assert np.abs(came.root_position - told.root_position).max() <= one * (0.01 if layout == "bones" else 4.0)
    assert same_turn(came.root_wxyz, told.root_wxyz) <= one
    (tmp_path / "again").mkdir()
    second = saved(again, tmp_path / "again", layout)
    assert bytes_of(second) == bytes_of(first)
    third = saved(motion, tmp_path / "again", layout, "third")
    if layout != "sonic":  # its texts name the clip's folder
        assert bytes_of(third) == bytes_of(first)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_any_turn_is_written_the_same_again(layout: str, tmp_path: Path) -> None:
    robot = a_robot(tmp_path, BIPED)
    motion = a_motion(robot, LAYOUTS[layout].fps, frames=2000)
    q = np.array(motion.q)
    q[:, 3:6] = 0.1 * np.random.default_rng(4).normal(size=(2000, 3))  # it leans a little and heads anywhere
    q[:, 5] += np.linspace(-3.0, 3.0, 2000)
    first = saved(motion.with_q(q), tmp_path, layout)
    (tmp_path / "again").mkdir()
    second = saved(load_motion(first, free(robot, layout=layout)), tmp_path / "again", layout)
    assert bytes_of(second) == bytes_of(first)


@pytest.mark.parametrize("layout", TRAINING)
def test_bodies_and_velocities_are_the_simulators(robot: Path, layout: str, tmp_path: Path) -> None:
    motion = a_motion(robot, 50.0)
    path = saved(motion, tmp_path, layout)
    sim = simulated(robot, load_motion(path, free(robot, layout=layout)))
    model = sim.model
    bodies = {
        "beyondmimic": breadth_first(model, robot.read_text() if robot.suffix == ".urdf" else ""),
        "mjlab": list(range(1, model.nbody)),
        "holosoma": list(range(model.nbody)),
    }[layout]
    joints = [k for body in bodies for k in range(1, model.njnt) if model.jnt_bodyid[k] == body]
    columns = np.array(joints) - 1
    with np.load(path) as arrays:
        close = 1e-9 if layout == "holosoma" else 2e-6
        root = 7 if layout == "holosoma" else 0
        tell = 6 if layout == "holosoma" else 0
        np.testing.assert_allclose(arrays["joint_pos"][:, root:], sim.qpos[:, 7 + columns], rtol=1e-6, atol=close)
        np.testing.assert_allclose(arrays["joint_vel"][:, tell:], sim.joint_velocity[:, columns], rtol=1e-5, atol=1e-5)
        if root:
            np.testing.assert_allclose(arrays["joint_vel"][:, :3], sim.root_velocity, atol=1e-9)
            np.testing.assert_allclose(arrays["joint_vel"][:, 3:6], sim.root_spin, atol=1e-9)
            assert arrays["joint_names"].tolist() == [model.joint(k).name for k in joints]
            assert arrays["body_names"].tolist()[0] == "world"
        scale = np.maximum(1.0, np.abs(sim.position[:, bodies]))
        assert (np.abs(arrays["body_pos_w"] - sim.position[:, bodies]) <= close * scale).all()
        assert same_turn(arrays["body_quat_w"].astype(float), sim.wxyz[:, bodies]) <= close
        velocity = sim.origin_velocity if layout == "mjlab" else merged_centres(sim, layout)
        velocity = velocity[:, bodies].copy()
        if layout == "beyondmimic":
            velocity[:, 0] = sim.root_velocity
        np.testing.assert_allclose(arrays["body_lin_vel_w"], velocity, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(arrays["body_ang_vel_w"], sim.spin[:, bodies], rtol=1e-5, atol=1e-5)
        kinds = {"beyondmimic": (np.int64, (1,)), "mjlab": (np.float64, (1,)), "holosoma": (np.int64, (1,))}
        assert (arrays["fps"].dtype, arrays["fps"].shape) == kinds[layout]
        assert arrays["joint_pos"].dtype == (np.float64 if layout == "holosoma" else np.float32)


def merged_centres(sim: Simulated, layout: str) -> Array:
    """Velocities of centres of mass; of bodies with what is rigid on them where a layout has only moving ones."""
    if layout == "holosoma":
        return sim.centre_velocity
    model, carrier = sim.model, {0: 0}
    for body in range(1, model.nbody):
        carrier[body] = body if model.body_jntnum[body] else carrier[int(model.body_parentid[body])]
    out = np.zeros_like(sim.centre_velocity)
    for body in range(model.nbody):
        group = [b for b in range(1, model.nbody) if carrier[b] == body]
        if group:
            out[:, body] = np.average(sim.centre_velocity[:, group], axis=1, weights=model.body_mass[group])
    return out


def test_the_other_layouts_hold_what_they_say(robot: Path, tmp_path: Path) -> None:
    motion = a_motion(robot, 30.0)
    told = robot_motion(motion)
    sim = simulated(robot, motion)
    names = [sim.model.joint(k).name for k in range(1, sim.model.njnt)]
    unitree = np.loadtxt(saved(motion, tmp_path, "unitree", "u"), delimiter=",")
    assert same_turn(np.roll(unitree[:, 3:7], 1, axis=1), told.root_wxyz) < 2e-6
    np.testing.assert_allclose(unitree[:, 7:], told.joint_positions, atol=1e-6)
    qpos = np.loadtxt(saved(motion, tmp_path, "qpos", "q"), delimiter=",")
    assert same_turn(qpos[:, 3:7], sim.qpos[:, 3:7]) < 1e-9
    np.testing.assert_array_equal(np.delete(qpos, range(3, 7), axis=1), np.delete(sim.qpos, range(3, 7), axis=1))
    bones = saved(Motion(motion.figure, motion.q, 120.0), tmp_path, "bones", "b")
    head = bones.read_text().splitlines()[0].split(",")
    assert head[0] == "Frame"
    assert head[7:] == [f"{name}_dof" for name in names]
    rows = np.loadtxt(bones, delimiter=",", skiprows=1)
    np.testing.assert_array_equal(rows[:, 0], np.arange(len(motion)))
    np.testing.assert_allclose(rows[:, 1:4], 100.0 * sim.qpos[:, :3], atol=1e-6)
    turns = Rotation.from_euler("xyz", rows[:, 4:7], degrees=True).as_quat()[:, [3, 0, 1, 2]]
    assert same_turn(turns, sim.qpos[:, 3:7]) < 1e-7
    np.testing.assert_allclose(np.radians(rows[:, 7:]), sim.qpos[:, 7:], atol=1e-7)
    with np.load(saved(motion, tmp_path, "pyroki", "p")) as arrays:
        assert same_turn(arrays["base_frame_wxyz"].astype(float), told.root_wxyz) < 1e-6
        np.testing.assert_allclose(arrays["joint_angles"], told.joint_positions, atol=1e-5)
        assert float(arrays["fps"]) == 30.0


def test_pickles_hold_what_they_say(robot: Path, tmp_path: Path) -> None:
    motion = a_motion(robot, 30.0)
    sim = simulated(robot, motion)
    gmr = pickle.loads(saved(motion, tmp_path, "gmr", "g").read_bytes())
    assert gmr["fps"] == 30
    np.testing.assert_allclose(gmr["dof_pos"], sim.qpos[:, 7:], atol=1e-12)
    assert same_turn(np.roll(gmr["root_rot"], 1, axis=1), sim.qpos[:, 3:7]) < 1e-9
    assert gmr["link_body_list"] == [sim.model.body(b).name for b in range(1, sim.model.nbody)]
    turns = Rotation.from_quat(sim.qpos[:, [4, 5, 6, 3]])
    for body, place in enumerate(gmr["local_body_pos"].transpose(1, 0, 2), start=1):
        theirs = turns.inv().apply(sim.position[:, body] - sim.qpos[:, :3])
        np.testing.assert_allclose(place, theirs, atol=1e-5)
    clips = joblib.load(saved(motion, tmp_path, "phc", "h"))
    clip = clips["clip"]
    assert clip["fps"] == 30
    n = sim.model.njnt - 1
    assert clip["pose_aa"].shape == (len(motion), 1 + n + 3, 3)
    np.testing.assert_allclose(clip["dof"], sim.qpos[:, 7:], rtol=1e-6, atol=1e-6)
    vectors = Rotation.from_rotvec(clip["pose_aa"][:, 0].astype(float))
    assert np.abs((vectors * turns.inv()).as_rotvec()).max() < 1e-6
    for k in range(1, sim.model.njnt):
        axis = sim.model.jnt_axis[k] if sim.model.jnt_type[k] == 3 else np.zeros(3)
        np.testing.assert_allclose(clip["pose_aa"][:, k], sim.qpos[:, 6 + k, None] * axis, rtol=1e-5, atol=1e-5)


def test_a_sonic_folder(robot: Path, tmp_path: Path) -> None:
    motion = a_motion(robot, 50.0)
    folder = saved(motion, tmp_path, "sonic")
    sim = simulated(robot, motion)
    bodies = breadth_first(sim.model, robot.read_text() if robot.suffix == ".urdf" else "")
    tables = {file.stem: np.loadtxt(file, delimiter=",", skiprows=1) for file in folder.glob("*.csv")}
    assert set(tables) == {"joint_pos", "joint_vel", "body_pos", "body_quat", "body_lin_vel", "body_ang_vel"}
    np.testing.assert_allclose(tables["body_pos"].reshape(len(motion), -1, 3), sim.position[:, bodies], atol=5e-6)
    head = (folder / "body_quat.csv").read_text().splitlines()[0]
    assert head.startswith("body_0_w,body_0_x,body_0_y,body_0_z,body_1_w")
    listed = ", ".join(map(str, range(len(bodies))))
    assert f"Body part indexes:\n[{listed}]" in (folder / "metadata.txt").read_text()
    subset = folder / "metadata.txt"
    subset.write_text(subset.read_text().replace(f"[{listed}]", "[0]"))
    for name, width in (("body_pos", 3), ("body_quat", 4)):
        lines = (folder / f"{name}.csv").read_text().splitlines()
        (folder / f"{name}.csv").write_text("\n".join(",".join(line.split(",")[:width]) for line in lines))
    again = load_motion(folder, free(robot, layout="sonic"))
    np.testing.assert_allclose(again.q[:, 6:], motion.q[:, 6:], atol=1e-6)


def globals_of(data: bytes) -> Iterator[str]:
    return (str(argument) for code, argument, _ in pickletools.genops(data) if code.name in ("GLOBAL", "STACK_GLOBAL"))


@pytest.mark.parametrize("layout", ["gmr", "phc"])
def test_pickles_name_array_constructors_only(layout: str, tmp_path: Path) -> None:
    robot = a_robot(tmp_path, random_urdf(1))
    data = saved(a_motion(robot, 30.0), tmp_path, layout).read_bytes()
    assert set(globals_of(data)) == {"numpy.core.multiarray _reconstruct", "numpy ndarray", "numpy dtype"}


def joblib_bytes(value: object, **options: Any) -> bytes:
    out = io.BytesIO()
    joblib.dump(value, out, **options)
    return out.getvalue()


VALUE = {
    "one": np.arange(6.0).reshape(2, 3).T,
    "two": np.float32(2.5),
    "names": ["a", "é"],
    "empty": np.zeros((0, 3), np.float32),
    "big": np.arange(5, dtype=">i4"),
    "none": None,
}


@pytest.mark.parametrize(
    "data",
    [
        *(pickle.dumps(VALUE, protocol) for protocol in range(2, 6)),
        joblib_bytes(VALUE),
        joblib_bytes(VALUE, compress=True),
        zlib.compress(pickle.dumps(VALUE)),
    ],
)
def test_pickles_of_other_programs_are_read(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.pkl").write_bytes(data)
    found = unpickled(tmp_path / "a.pkl")
    assert list(found) == list(VALUE)
    for name in ("one", "empty", "big"):
        np.testing.assert_array_equal(found[name], VALUE[name])
        assert found[name].dtype.kind == np.asarray(VALUE[name]).dtype.kind
    assert found["two"] == 2.5
    assert found["names"] == ["a", "é"]


class Marked:
    """Leaves a mark where it is made."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return (Path.touch, (Path(self.path),))


def test_nothing_that_a_pickle_names_is_run(tmp_path: Path) -> None:
    robot = a_robot(tmp_path, random_urdf(1))
    for dump in (pickle.dumps, joblib_bytes):
        (tmp_path / "evil.pkl").write_bytes(dump({"root_pos": Marked(str(tmp_path / "mark"))}))
        with pytest.raises(FileProblem, match=r"evil.pkl: names '.*'; a motion needs arrays"):
            load_motion(tmp_path / "evil.pkl", free(robot, layout="gmr"))
        assert not (tmp_path / "mark").exists()
    for code in (b"cos\nsystem\n(S'true'\ntR.", b"(S'true'\nios\nsystem\n.", b"\x80\x04\x8c\x02os\x8c\x06system\x93."):
        (tmp_path / "evil.pkl").write_bytes(code)
        with pytest.raises(FileProblem, match=r"names 'os\.system'"):
            unpickled(tmp_path / "evil.pkl")


def test_damaged_pickles_are_told(tmp_path: Path) -> None:
    whole = pickled({"a": np.arange(10.0), "b": [1, 2.0, None, True, "x"]})
    path = tmp_path / "a.pkl"
    for end in range(0, len(whole), 7):
        path.write_bytes(whole[:end])
        with pytest.raises(FileProblem):
            unpickled(path)
    rng = np.random.default_rng(0)
    for _ in range(200):
        data = bytearray(whole)
        data[int(rng.integers(len(data)))] = int(rng.integers(256))
        path.write_bytes(data)
        with contextlib.suppress(FileProblem):
            unpickled(path)


def test_a_rate_that_readers_do_not_have_is_refused(tmp_path: Path) -> None:
    robot = a_robot(tmp_path, random_urdf(1))
    motion = a_motion(robot, 120.0)
    for name, layout in LAYOUTS.items():
        path = tmp_path / f"{name}_x{layout.suffix}"
        if layout.any_rate or layout.fps == 120.0:
            continue
        with pytest.raises(
            FileProblem, match=rf"layout '{name}' is read at {layout.fps:g} .*--resample {layout.fps:g}"
        ):
            motion.save(path, layout=name)
        assert not path.exists()
        motion.save(path, layout=name, fps=layout.fps)
        assert load_motion(path, free(robot, layout=name)).fps == layout.fps
    motion.save(tmp_path / "y.csv", layout="qpos", fps=25.0)
    assert load_motion(tmp_path / "y.csv", free(robot, layout="qpos", fps=25.0)).fps == 25.0
    with pytest.raises(FileProblem, match=r"stores a whole frame rate, not 29\.97"):
        motion.save(tmp_path / "z.npz", layout="beyondmimic", fps=29.97)


def test_another_robots_joints_are_refused(tmp_path: Path) -> None:
    mine, theirs = a_robot(tmp_path, random_urdf(1)), tmp_path / "other.urdf"
    theirs.write_text(random_urdf(2, 20))
    motion = a_motion(mine, 30.0)
    for name, layout in LAYOUTS.items():
        path = saved(Motion(motion.figure, motion.q, layout.fps), tmp_path, name, name)
        with pytest.raises(FileProblem) as caught:
            load_motion(path, free(theirs, layout=name))
        assert "numbers a frame; layout" in str(caught.value) or "has no joint" in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("layout", TRAINING)
def test_arrays_without_bodies_or_of_complex_numbers_are_refused(layout: str, tmp_path: Path) -> None:
    path = a_robot(tmp_path, BIPED)
    good = dict(np.load(saved(a_motion(path, 50.0), tmp_path, layout)))
    for name, wrong in (("body_pos_w", good["body_pos_w"][:, :0]), ("joint_pos", good["joint_pos"] * 1j)):
        np.savez(tmp_path / "wrong.npz", **{**good, name: wrong})
        with pytest.raises(FileProblem, match=name):
            load_motion(tmp_path / "wrong.npz", free(path, layout=layout))


def test_another_order_of_joints_is_refused(tmp_path: Path) -> None:
    robot = a_robot(tmp_path, BIPED)
    motion = a_motion(robot, 50.0)
    for name, other in (("beyondmimic", "mjlab"), ("mjlab", "beyondmimic")):
        path = saved(motion, tmp_path, name, name)
        with pytest.raises(FileProblem, match=rf"put them; in .*-first order they fit: its layout is '{name}'"):
            load_motion(path, free(robot, layout=other))


def test_quaternions_of_the_other_order_are_refused(tmp_path: Path) -> None:
    robot = a_robot(tmp_path, BIPED)
    figure = load_figure(robot)
    q = np.tile(figure.rest, (50, 1))
    q[:, 5] = np.linspace(1.2, 2.6, 50)
    walk = Motion(figure, q, fps=30.0)
    gmr = saved(walk, tmp_path, "gmr")
    held = pickle.loads(gmr.read_bytes())
    gmr.write_bytes(pickle.dumps(held | {"root_rot": np.roll(held["root_rot"], 1, axis=1)}, protocol=4))
    with pytest.raises(FileProblem, match="and in 100% with w first"):
        load_motion(gmr, free(robot, layout="gmr"))
    for name, other in (("unitree", "qpos"), ("qpos", "unitree")):
        path = saved(walk, tmp_path, name, name)
        assert len(load_motion(path, free(robot, layout=name))) == 50
        with pytest.raises(FileProblem, match=f"and in 100% as '{name}' has them"):
            load_motion(path, free(robot, layout=other))


def test_quaternions_of_the_other_order_make_feet_slide(tmp_path: Path) -> None:
    robot = a_robot(tmp_path, BIPED)
    figure = load_figure(robot)
    foot = figure.joint_index("left_ankle")
    still = Motion(figure, np.tile(figure.rest, (50, 1)), fps=30.0)
    q = np.array(still.q)
    q[:, 4:6] += 0.2 * np.sin(np.linspace(0.0, 6.0, 50))[:, None] * [1.0, 0.5]  # it stands in either order
    at = joint_positions(figure, q)[:, foot]
    q[:, :3] -= at - at[0]
    for motion, told in ((Motion(figure, q, fps=30.0), "feet slide"), (still, "")):
        for name, other in (("unitree", "qpos"), ("qpos", "unitree")):
            path = saved(motion if name == "unitree" else motion.moved(yaw=np.pi), tmp_path, name, name)
            assert any("doubtful" in note for note in load_motion(path, free(robot, layout=name)).notes) == (not told)
            if told:
                with pytest.raises(FileProblem, match=f"{told} by .* as '{name}' has them; read it with that layout"):
                    load_motion(path, free(robot, layout=other))


def test_bones_in_metres_and_by_name(tmp_path: Path) -> None:
    robot = a_robot(tmp_path, BIPED)
    figure = load_figure(robot)
    walk = Motion(figure, np.tile(figure.rest, (5, 1)) + np.linspace(0.0, 0.1, 5)[:, None], fps=120.0)
    path = saved(walk, tmp_path, "bones")
    lines = path.read_text().splitlines()
    rows = np.loadtxt(lines[1:], delimiter=",")
    order = [*range(7), 10, 8, 7, 9]
    head = lines[0].replace("_dof", "").split(",")
    mixed = [",".join(head[k] for k in order), *(",".join(f"{row[k]:.9f}" for k in order) for row in rows)]
    path.write_text("\n".join(mixed))
    np.testing.assert_allclose(load_motion(path, free(robot, layout="bones")).q, walk.q, atol=1e-7)
    rows[:, 1:4] /= 100.0
    np.savetxt(path, rows, delimiter=",", header=lines[0], comments="")
    with pytest.raises(FileProblem, match="it seems to be in metres and radians"):
        load_motion(path, free(robot, layout="bones"))
    path.write_text("\n".join([lines[0].replace("left_hip_dof", "left_hop_dof"), *lines[1:]]))
    with pytest.raises(FileProblem, match="has no joint 'left_hop'; did you mean 'left_hip'"):
        load_motion(path, free(robot, layout="bones"))


@pytest.mark.parametrize("turn_first", [False, True])
@pytest.mark.parametrize("objects", [0, 7])
def test_results_of_holosoma_and_omniretarget_are_read(turn_first: bool, objects: int, tmp_path: Path) -> None:
    robot = a_robot(tmp_path, random_urdf(1))
    motion = a_motion(robot, 30.0)
    qpos = simulated(robot, motion).qpos
    order = [3, 4, 5, 6, 0, 1, 2] if turn_first else list(range(7))
    rows = np.hstack([qpos[:, order], qpos[:, 7:], np.ones((len(qpos), objects))])
    np.savez(tmp_path / "a.npz", qpos=rows, fps=np.array(30), cost=np.array(1.0))
    again = load_motion(tmp_path / "a.npz", free(robot, layout="holosoma"))
    assert again.fps == 30.0
    assert same_turn(robot_motion(again).root_wxyz, qpos[:, 3:7]) < 1e-9
    np.testing.assert_allclose(robot_motion(again).root_position, qpos[:, :3], atol=1e-12)


def test_phc_files_of_several_clips_and_without_parts(tmp_path: Path) -> None:
    robot = a_robot(tmp_path, BIPED)
    motion = a_motion(robot, 30.0)
    path = saved(motion, tmp_path, "phc")
    clip = joblib.load(path)["clip"]
    bare = {name: clip[name] for name in ("root_trans_offset", "pose_aa")}
    old = {name: clip[name] for name in ("root_trans_offset", "root_rot", "dof", "fps")}
    joblib.dump({"bare": bare, "old": old, "0-whole": clip}, path, compress=True)
    for name in ("bare", "old", "0-whole"):
        again = load_motion(path, free(robot, layout="phc", animation=name))
        assert again.name == name
        np.testing.assert_allclose(again.q[:, 6:], motion.q[:, 6:], atol=1e-6)
    with pytest.raises(FileProblem, match="has no clip 'olds'; did you mean 'old'"):
        load_motion(path, free(robot, layout="phc", animation="olds"))
    (told,) = doubts(load_motion(path, free(robot, layout="phc")))
    assert "clip 'bare' was read; 2 other clips were left out" in told
    joblib.dump({"torn": clip | {"dof": clip["dof"] + 0.5}}, path)
    (told,) = doubts(load_motion(path, free(robot, layout="phc")))
    assert "two of its arrays differ by 0.5 rad" in told


def test_followers_are_left_out_where_a_layout_has_none(tmp_path: Path) -> None:
    robot = a_robot(tmp_path, BIPED)
    motion = a_motion(robot, 30.0)
    q = np.array(motion.q)
    figure = motion.figure
    q[:, figure.dof_index("right_hip.ry")] = -0.5 * q[:, figure.dof_index("left_hip.ry")] + 0.1
    path = saved(Motion(figure, q, 30.0), tmp_path, "pyroki")
    with np.load(path) as arrays:
        assert arrays["joint_angles"].shape[1] == 3
    np.testing.assert_allclose(load_motion(path, free(robot, layout="pyroki")).q[:, 6:], q[:, 6:], atol=1e-6)


def test_short_motions_have_velocities(tmp_path: Path) -> None:
    robot = a_robot(tmp_path, BIPED)
    for frames in (1, 2, 3):
        path = saved(a_motion(robot, 50.0, frames), tmp_path, "holosoma", f"n{frames}")
        again = load_motion(path, free(robot, layout="holosoma"))
        assert len(again) == frames
        with np.load(path) as arrays:
            assert np.isfinite(arrays["body_lin_vel_w"]).all()
            assert (frames == 1) == (not arrays["joint_vel"].any())


def test_wrong_calls_are_told(tmp_path: Path) -> None:
    from posewright.figures.catalogue import build

    robot = a_robot(tmp_path, BIPED)
    motion = a_motion(robot, 50.0)
    with pytest.raises(UnknownName, match="no layout 'mjlap'; did you mean 'mjlab'"):
        motion.save(tmp_path / "a.npz", layout="mjlap")
    with pytest.raises(FileProblem, match=r"layout 'mjlab' is a file that ends in '.npz'"):
        motion.save(tmp_path / "a.csv", layout="mjlab")
    with pytest.raises(FileProblem, match="layout 'sonic' is a folder"):
        motion.save(tmp_path / "a.csv", layout="sonic")
    person = build("human22")
    with pytest.raises(FileProblem, match="holds the motion of a robot: figure 'human22' did not come"):
        Motion(person, person.rest[None], fps=50.0).save(tmp_path / "a.npz", layout="mjlab")
    fixed = load_figure(robot, ReadOptions(base="fixed"))
    with pytest.raises(FileProblem, match="holds a moving root; the base of this robot is fixed"):
        Motion(fixed, fixed.rest[None], fps=50.0).save(tmp_path / "a.npz", layout="mjlab")
    np.savez(tmp_path / "a.npz", joint_pos=np.zeros((3, 4)))
    with pytest.raises(FileProblem, match="lacks 'body_pos_w', which layout 'mjlab' has; it holds joint_pos"):
        load_motion(tmp_path / "a.npz", free(robot, layout="mjlab"))
    with pytest.raises(FileProblem, match="the robot of this motion is not found"):
        load_motion(tmp_path / "a.npz", ReadOptions(layout="mjlab"))


def _doubled(times: int, end: bytes) -> bytes:
    """A pickle of a pair of a pair of ..., where both halves are the same; `end` says what becomes of it."""
    return b"\x80\x04)" + b"\x94" + b"".join(b"0h%c" % k + b"h%c" % k + b"\x86\x94" for k in range(times)) + end


@pytest.mark.parametrize(
    ("program", "says"),
    [
        (_doubled(40, b"."), "more than a file of [0-9]+ bytes can need"),
        (_doubled(60, b"}h\x3cK\x01s."), "a tuple is no key"),
        (_doubled(60, b"}(h\x3cK\x01u."), "a tuple is no key"),
        (_doubled(60, b"(h\x3cK\x01d."), "a tuple is no key"),
        (b"\x80\x05\x96" + struct.pack("<Q", 10**11) + b".", "is not a pickle or is damaged"),
        (b"\x80\x04\x8f(K\x01\x90.", "an instruction that arrays, numbers and texts do not need"),
    ],
)
def test_pickles_that_would_take_all_memory_or_time_are_refused(tmp_path: Path, program: bytes, says: str) -> None:
    (tmp_path / "bomb.pkl").write_bytes(program)
    with pytest.raises(FileProblem, match=says):
        unpickled(tmp_path / "bomb.pkl")
