"""`posewright retarget` and input that cannot be: one sentence that says what to do, exit code 2."""

from dataclasses import replace

import numpy as np
import pytest

import posewright as pw
from posewright.clips import walk
from posewright.figures.catalogue import build

LEG = ("hip", "knee", "ankle", "toes")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A walk, and files of figures that something is wrong with."""
    folder = tmp_path_factory.mktemp("refusals")
    clip = walk(build("human40"), seed=3, fps=30.0)[:8]
    clip.save(folder / "walk.bvh")
    text = (folder / "walk.bvh").read_text()
    head, _, rows = text.partition("Frame Time:")
    (folder / "still.bvh").write_text(head + "Frame Time: 0\n" + rows.partition("\n")[2])
    (folder / "nan.bvh").write_text(text[: text.rindex(" ")] + " nan\n")
    arrays = dict(np.load(_saved(clip, folder / "walk.npz")))
    arrays["q"][3, 5] = np.nan
    np.savez(folder / "nan.npz", **arrays)
    clip[:1].save(folder / "one.bvh")
    figure = build("human40")
    limbless = tuple(joint for joint in figure.joints if not joint.name.endswith(LEG))
    sites = tuple(site for site in figure.sites if not site.joint.endswith(LEG))
    _figure(replace(figure, joints=limbless, sites=sites), folder / "no_legs.npz")
    flat = tuple(replace(j, offset=(0.0, 0.0, 0.0)) if j.name == "left_knee" else j for j in figure.joints)
    _figure(replace(figure, joints=flat), folder / "no_thigh.npz")
    return folder


def _saved(motion, path):
    motion.save(path)
    return path


def _figure(figure, path):
    pw.Motion(figure, figure.rest[None], 30.0).save(path)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["walk.bvh", "--to", "no_legs.npz"], "left knee"),
        (["walk.bvh", "--to", "no_legs.npz"], "use a figure with two legs and two arms"),
        (["no_legs.npz", "--to", "human40"], "--save-map writes one to fill in"),
        (["walk.bvh", "--to", "no_thigh.npz"], "has no length between left hip and left knee"),
        (["no_thigh.npz", "--to", "human40"], "has no length between left hip and left knee"),
        (["nan.bvh", "--to", "human40"], "is 'nan'; a finite decimal number is expected"),
        (["nan.npz", "--to", "human40"], "is not finite at [3, 5]"),
        (["still.bvh", "--to", "human40"], "the frame time is 0; it must be more than 0 seconds"),
        (["walk.bvh", "--to", "human40", "--fps", "0"], "'--fps': 0 is not a positive number of frames per second"),
        (["walk.bvh", "--to", "human40", "--up", "z"], "read its file with the right up axis"),
        (["walk.bvh", "--to", "walk.bvh", "--to-up", "z"], "of a target --to-up"),
        (
            ["walk.bvh", "--to", "human40", "--to-unit", "cm"],
            "--to-unit is for files, but human40 is a built-in",
        ),
        (["walk.bvh", "--to", "human40", "--to-up", "z"], "--to-up is for files, but human40 is a built-in"),
        (
            ["walk.bvh", "--to", "walk.bvh", "--to-unit", "meters"],
            "'--to-unit': 'meters' is neither a number",
        ),
        (["walk.bvh", "--to", "human40", "--frames", "5:5"], "--frames 5:5 selects no frame of"),
        (["walk.bvh", "--to", "human40", "--scale", "0"], "scale must be a positive number"),
        (["walk.bvh", "--to", "human40", "--floor", "nan"], "floor must be a height in m"),
    ],
)
def test_bad_input_is_one_sentence(posewright, folder, tmp_path, arguments, sentence):
    told = [folder / word if "." in word and (folder / word).exists() else word for word in arguments]
    done = posewright("retarget", *told, "-o", tmp_path / "out.npz")
    assert done.returncode == 2, done.stderr
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out.npz").exists()


def test_a_clip_of_one_frame_is_retargeted_with_every_option(posewright, folder, tmp_path):
    done = posewright(
        "retarget", folder / "one.bvh", "--to", "abnorman1", "-o", tmp_path / "out.npz", "--keep-hands",
        "--velocity-limits", "3", "--exit-zero",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "1 frame at 30" in done.stdout
    assert len(pw.motion(tmp_path / "out.npz")) == 1


def test_a_figure_that_is_not_recognised_can_be_told(posewright, folder, tmp_path):
    """One arm is longer than the other and no name says what is left: the map is written, filled in, passed back."""
    figure = build("human40")
    numbers = {joint.name: f"bone{k}" for k, joint in enumerate(figure.joints)}
    joints = tuple(
        replace(
            j, name=numbers[j.name], parent=numbers.get(j.parent or ""),
            offset=tuple(2.5 * x for x in j.offset) if j.name in ("left_elbow", "left_wrist") else j.offset,
        )
        for j in figure.joints
    )  # fmt: skip
    strange = replace(figure, joints=joints, sites=(), groups=(), constraints=())
    _figure(strange, tmp_path / "strange.npz")
    mapped, out = tmp_path / "map.yaml", tmp_path / "out.npz"
    call = ("retarget", folder / "walk.bvh", "--to", tmp_path / "strange.npz", "-o", out)
    refused = posewright(*call, "--save-map", mapped)
    assert refused.returncode == 2
    lines = mapped.read_text().splitlines()
    assert sum("target: []" in line for line in lines) >= 11
    filled = [
        line.replace("target: []", f"target: [{numbers[part]}]")
        if (part := line.split(":")[0].strip()) in numbers else line
        for line in lines
    ]  # fmt: skip
    mapped.write_text("\n".join(filled))
    done = posewright(*call, "--map", mapped)
    assert done.returncode == 0, done.stderr
