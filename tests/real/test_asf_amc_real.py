"""CMU originals in ASF/AMC against the BVH conversion of the same trials."""

from pathlib import Path

import numpy as np
import pytest

from posewright.figures.kinematics import joint_frames
from posewright.formats import ReadOptions, load_figure, load_motion
from posewright.motions import Motion

SAME_PLACE = {
    "root": "Hips",
    "lowerback": "LowerBack",
    "upperback": "Spine",
    "thorax": "Spine1",
    **{
        f"{side[0].lower()}{bone}": f"{side}{joint}"
        for side in ("Left", "Right")
        for bone, joint in (("femur", "UpLeg"), ("tibia", "Leg"), ("foot", "Foot"), ("toes", "ToeBase"))
    },
}
TRIALS = {"02_01": 343, "07_05": 517, "09_06": 141, "11_01": 597, "35_01": 358, "49_18": 1102}


def places(motion: Motion, joints: list[str]) -> np.ndarray:
    positions = joint_frames(motion.figure, motion.q).positions
    return positions[:, [motion.figure.joint_index(joint) for joint in joints]]


@pytest.mark.parametrize("trial", TRIALS)
def test_legs_and_lower_spine_agree_with_the_bvh(trial: str, data_folder: Path) -> None:
    amc = load_motion(data_folder / "cmu" / "asfamc" / f"{trial}.amc")
    bvh = load_motion(data_folder / "cmu" / "bvh" / f"{trial}.bvh", ReadOptions(drop_first=True))
    assert len(amc) == len(bvh) == TRIALS[trial]
    unit = bvh.figure.source.metres_per_unit
    assert amc.figure.source.metres_per_unit == unit
    difference = np.abs(places(amc, list(SAME_PLACE)) - places(bvh, list(SAME_PLACE.values()))).max() / unit
    assert difference < 1e-4


def test_the_conversion_lost_the_thorax_length(data_folder: Path) -> None:
    amc = load_motion(data_folder / "cmu" / "asfamc" / "02_01.amc")
    bvh = load_motion(data_folder / "cmu" / "bvh" / "02_01.bvh", ReadOptions(drop_first=True))
    lost = places(amc, ["lowerneck"]) - places(bvh, ["Neck"])
    thorax = places(amc, ["lowerneck"]) - places(amc, ["thorax"])
    assert np.abs(lost - thorax).max() < 1e-4 * amc.figure.source.metres_per_unit
    assert np.isclose(np.linalg.norm(thorax[0, 0]), 0.117, atol=2e-3)


def test_every_original_reads_and_says_its_skeleton(data_folder: Path) -> None:
    folder = data_folder / "cmu" / "asfamc"
    for path in sorted(folder.glob("*.amc")):
        motion = load_motion(path)
        assert motion.figure.n_dofs == 62
        assert motion.fps == 120.0
        assert motion.notes[0] == f"skeleton: {path.stem.split('_')[0]}.asf, of the same subject"


def test_skeletons_have_limits(data_folder: Path) -> None:
    figure = load_figure(data_folder / "cmu" / "asfamc" / "02.asf")
    assert len(figure.joints) == 31
    femur = figure.joint("lfemur").hinges
    assert np.allclose(np.degrees([(hinge.lower, hinge.upper) for hinge in femur]), [(-60, 70), (-70, 70), (-160, 20)])
    assert figure.joint("lhipjoint").n_dofs == 0


def test_an_original_written_as_bvh_moves_the_same(data_folder: Path, tmp_path: Path) -> None:
    amc = load_motion(data_folder / "cmu" / "asfamc" / "09_06.amc")
    amc.save(tmp_path / "run.bvh")
    bvh = load_motion(tmp_path / "run.bvh")
    names = list(amc.figure.joint_names)
    assert np.abs(places(bvh, names) - places(amc, names)).max() < 1e-9
