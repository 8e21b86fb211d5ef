"""What is fuzzed: per format a small corpus made with our own code, a mutator, and what is done with files."""

from __future__ import annotations

import base64
import functools
import itertools
import json
import random
import tempfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import mutators
import numpy as np
from acclaim_samples import AMC, ASF
from gltf_samples import PNG, character
from robot_samples import BIPED
from sample_figures import mixed, wandering

import posewright as pw
from posewright.cli.info import describe
from posewright.errors import PosewrightError
from posewright.figures import Figure
from posewright.figures.catalogue import arm4, human40, norman
from posewright.formats import ReadOptions, layouts, load
from posewright.formats.npz import amass
from posewright.formats.robots.motion import is_robot
from posewright.matching import match_file
from posewright.models import Latent
from posewright.motions import Motion
from posewright.tasks import load_edit, load_task

BEFORE = Path(__file__).parents[1] / "files_before"
WRITTEN = (".npz", ".bvh", ".glb", ".gltf", ".yaml")


class NotReadBack(Exception):
    """What was written cannot be read."""


@dataclass(frozen=True)
class Target:
    """A format."""

    name: str
    suffix: str
    mutate: mutators.Mutator
    seeds: Callable[[], list[bytes]]
    use: Callable[[Path], object]
    beside: dict[str, Callable[[], bytes]] = field(default_factory=dict)
    """Files that it needs beside it, by name; those that begin with a dot have the name of the file itself."""
    share: float = 1.0
    """How many inputs, compared with other formats."""

    def prepare(self, folder: Path) -> Path:
        """Where the input goes, once the files beside it are there."""
        for name, content in self.beside.items():
            (folder / (f"input{name}" if name.startswith(".") else name)).write_bytes(content())
        return folder / f"input{self.suffix}"

    def inputs(self, seed: int, pool: list[bytes] | None = None) -> itertools.chain[bytes]:
        """The corpus itself, then what becomes of it without end; `pool` may grow meanwhile."""
        rng = random.Random(f"{self.name} {seed}")
        seeds = self.seeds() if pool is None else pool
        return itertools.chain(list(seeds), (self.mutate(rng.choice(seeds), rng) for _ in itertools.count()))


def read_and_write(path: Path) -> None:
    """Read a figure or motion, tell about it, write it in some format, and read that."""
    loaded = load(path)
    describe(loaded)
    figure = loaded if isinstance(loaded, Figure) else loaded.figure
    if len(figure.joints) <= 200:
        _ = figure.anatomy
    formats = (*WRITTEN, ".csv") if is_robot(figure) else WRITTEN
    suffix = formats[zlib.crc32(path.read_bytes()) % len(formats)]
    if suffix == ".yaml":
        loaded = figure
    again = path.with_name(f"again{suffix}")
    loaded.save(again)
    try:
        load(again, ReadOptions(skeleton=path.with_suffix(f".{figure.source.format}")) if suffix == ".csv" else None)
    except PosewrightError as error:
        raise NotReadBack(f"{suffix}: {error}") from error


def written(item: Figure | Motion, suffix: str) -> bytes:
    """The bytes of a file that we write."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"seed{suffix}")
        item.save(path)
        return path.read_bytes()


def saved(save: Callable[[Path], None]) -> bytes:
    """The bytes of what is saved otherwise."""
    with tempfile.TemporaryDirectory() as folder:
        save(Path(folder, "seed.npz"))
        return Path(folder, "seed.npz").read_bytes()


@functools.cache
def short_walk() -> Motion:
    """Of a figure that is quickly read."""
    return pw.clips.walk(human40(), seed=1, fps=15.0)[:12]


def standing() -> Motion:
    """Of AMASS's figure."""
    figure = amass.skeleton()
    return Motion(figure, np.tile(figure.rest, (4, 1)), 60.0)


@functools.cache
def arm_motion() -> Motion:
    rng = np.random.default_rng(0)
    return Motion(arm4(), np.cumsum(rng.normal(scale=0.1, size=(20, 4)), axis=0), 30.0, "arm")


@functools.cache
def arm_model() -> pw.MotionModel:
    return pw.MotionModel.fit([arm_motion().with_q(arm_motion().q * k) for k in (0.5, 1.0, 1.6)])


def use_model(path: Path) -> None:
    model = pw.MotionModel.load(path)
    model.save(path.with_name("again.npz"))
    try:
        pw.MotionModel.load(path.with_name("again.npz"))
    except PosewrightError as error:
        raise NotReadBack(str(error)) from error


def use_postures(path: Path) -> None:
    opened = pw.Postures.open(path)
    if len(opened):
        opened.on(opened.figure).values(opened.figure.joint_names[0])
        opened.pose(0)
    opened.save(path.with_name("again.npz"))
    try:
        pw.Postures.open(path.with_name("again.npz"))
    except PosewrightError as error:
        raise NotReadBack(str(error)) from error


def gltf_seeds() -> list[bytes]:
    sample = character()
    sample.document["buffers"] = [
        {"byteLength": len(sample.binary), "uri": "data:;base64," + base64.b64encode(sample.binary).decode()}
    ]
    alone = json.dumps(sample.document).encode()
    sample.document["buffers"] = [{"byteLength": len(sample.binary), "uri": "buffer.bin"}]
    sample.document["images"] = [{"uri": "skin.png"}]
    return [alone, json.dumps(sample.document).encode()]


def glb_seeds() -> list[bytes]:
    return [
        saved(lambda path: character().glb(path)),
        written(wandering(mixed()), ".glb"),
        written(arm_motion(), ".glb"),
    ]


def robot_motion() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "robot.urdf").write_text(BIPED)
        figure = pw.figure(Path(folder, "robot.urdf"))
        q = np.tile(figure.rest, (5, 1))
        q[:, 6:] += np.linspace(0.0, 0.1, 5)[:, None]
        Motion(figure, q, 50.0).save(Path(folder, "motion.csv"))
        return Path(folder, "motion.csv").read_bytes()


def in_layout(name: str) -> Callable[[], list[bytes]]:
    """The motion of a robot in a layout of trainers."""

    def seeds() -> list[bytes]:
        layout = layouts.LAYOUTS[name]
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "robot.urdf").write_text(BIPED)
            figure = pw.figure(Path(folder, "robot.urdf"))
            path = Path(folder, f"motion{layout.suffix}")
            layouts.write(Motion(figure, np.tile(figure.rest, (5, 1)), layout.fps), path, name)
            return [path.read_bytes()]

    return seeds


def read_layout(name: str) -> Callable[[Path], object]:
    return lambda path: load(path, ReadOptions(layout=name))


def before(*names: str) -> Callable[[], list[bytes]]:
    return lambda: [(BEFORE / name).read_bytes() for name in names]


MJCF = b"""<mujoco model="m"><compiler angle="degree"/><default><joint range="-60 80"/></default><worldbody>
<body name="torso" pos="0 0 1"><freejoint name="root"/><geom type="box" size=".1 .1 .2"/><site name="imu"/>
<body name="left_thigh" pos="0 .1 0"><joint name="hip" axis="0 1 0" ref="10"/>
<geom type="capsule" size=".05" fromto="0 0 0 0 0 -.4"/>
<body name="left_foot" pos="0 0 -.4"><joint name="ankle"/><geom type="box" size=".1 .05 .02"/></body></body>
<body name="pole"><joint name="lift" type="slide"/><joint name="swivel" type="ball" range="0 80"/><geom size=".1"/>
</body></body></worldbody><equality><joint joint1="ankle" joint2="hip" polycoef="0 1 0 0 0"/></equality></mujoco>"""
MJCF_MORE = b"""<mujoco><include file="part.xml"/><asset><mesh name="m" file="gone.stl"/>
<texture name="t" type="cube" builtin="flat" width="8" height="8"/>
<hfield name="h" nrow="3" ncol="3" size="1 1 1 1"/></asset><size nuser_body="2"/>
<worldbody><replicate count="3" euler="0 0 30"><body><joint axis="1 0 0"/><geom size=".1"/></body></replicate>
</worldbody></mujoco>"""
PART = b'<mujoco><worldbody><body name="tail"><geom size="0.1"/></body></worldbody></mujoco>'

TASK_NAMES = (
    *("left_hand", "right_hand", "view", "pelvis", "waist", "left_elbow.flexion", "human40", "arm4", "rest", "start"),
    *("position", "aim", "posture", "all", "grouped", "limb", "forward", "up", "prioritized", "LeastSquares"),
)
BVH_WORDS = (
    "HIERARCHY",
    "ROOT",
    "JOINT",
    "End Site",
    "OFFSET",
    "CHANNELS",
    "Xrotation",
    "Yposition",
    "MOTION",
    "Frames:",
)
ASF_WORDS = (":root", ":bonedata", ":hierarchy", "begin", "end", "root", "dof", "rx", "limits", "axis", "XYZ", "rad")

TARGETS = {
    target.name: target
    for target in (
        Target(
            "bvh",
            ".bvh",
            mutators.text_of(*BVH_WORDS),
            lambda: [written(wandering(mixed()), ".bvh"), written(arm_motion(), ".bvh")],
            read_and_write,
        ),
        Target("asf", ".asf", mutators.text_of(*ASF_WORDS), lambda: [ASF.encode()], read_and_write),
        Target(
            "amc",
            ".amc",
            mutators.text_of("root", "femur", "1", "2", ":DEGREES", ":RADIANS"),
            lambda: [AMC.encode()],
            read_and_write,
            {".asf": ASF.encode},
        ),
        Target(
            "gltf",
            ".gltf",
            mutators.as_json,
            gltf_seeds,
            read_and_write,
            {"buffer.bin": lambda: character().binary, "skin.png": lambda: PNG},
        ),
        Target("glb", ".glb", mutators.as_glb, glb_seeds, read_and_write),
        Target(
            "motion npz",
            ".npz",
            mutators.as_npz,
            lambda: [written(wandering(mixed()), ".npz"), written(arm_motion(), ".npz")],
            read_and_write,
        ),
        Target(
            "amass npz",
            ".npz",
            mutators.as_npz,
            lambda: [saved(lambda path: amass.write(standing(), path))],
            read_and_write,
        ),
        Target("model npz", ".npz", mutators.as_npz, lambda: [saved(arm_model().save)], use_model),
        Target(
            "latent npz",
            ".npz",
            mutators.as_npz,
            lambda: [saved(arm_model().encode(arm_motion()).save)],
            lambda path: Latent.load(path, arm_model()),
        ),
        Target(
            "postures", ".npz", mutators.as_npz, lambda: [saved(pw.Postures.build([arm_motion()]).save)], use_postures
        ),
        Target(
            "urdf",
            ".urdf",
            mutators.xml_of("revolute", "fixed", "floating", "pelvis", "left_thigh", "left_hip", "0 0 1"),
            lambda: [BIPED.encode()],
            read_and_write,
        ),
        Target(
            "mjcf",
            ".mjcf",
            mutators.xml_of("hip", "torso", "ball", "slide", "free", "part.xml", "0 0 1"),
            lambda: [MJCF, MJCF_MORE],
            read_and_write,
            {"part.xml": lambda: PART},
            share=0.02,
        ),
        Target(
            "robot csv",
            ".csv",
            mutators.text_of("time", "root_x", "root_qw", "left_hip", ",", ",,"),
            lambda: [robot_motion()],
            read_and_write,
            {".urdf": BIPED.encode},
        ),
        *(
            Target(
                f"{name} layout",
                layouts.LAYOUTS[name].suffix,
                mutate,
                in_layout(name),
                read_layout(name),
                {".urdf": BIPED.encode},
            )
            for name, mutate in (
                ("unitree", mutators.text_of(",", ",,", "1,2")),
                ("bones", mutators.text_of("Frame", "root_translateX", "left_hip_dof", ",")),
                ("beyondmimic", mutators.as_npz),
                ("pyroki", mutators.as_npz),
                ("gmr", mutators.as_pickle),
                ("phc", mutators.as_pickle),
            )
        ),
        Target(
            "figure yaml",
            ".yaml",
            mutators.yaml_of("hips", "spine.rz", "x", "name", "parent", "hinges", "ball"),
            lambda: [written(mixed(), ".yaml"), (BEFORE / "arm4.yaml").read_bytes()],
            read_and_write,
        ),
        Target(
            "task yaml",
            ".task.yaml",
            mutators.yaml_of(*TASK_NAMES),
            before("everything.task.yaml", "chain.task.yaml", "sampled.task.yaml"),
            load_task,
            {name: (BEFORE / name).read_bytes for name in ("arm4.yaml", "reach.pose.yaml", "walk.npz")},
            share=0.3,
        ),
        Target(
            "edit yaml",
            ".edit.yaml",
            mutators.yaml_of(*TASK_NAMES, "move", "frame", "start", "end"),
            before("lift.edit.yaml"),
            lambda path: load_edit(path, short_walk()),
        ),
        Target(
            "match yaml",
            ".match.yaml",
            mutators.yaml_of("pelvis", "spine", "left_elbow", "source", "target"),
            before("human40_norman.match.yaml"),
            lambda path: match_file.read(path, human40(), norman()),
        ),
    )
}
