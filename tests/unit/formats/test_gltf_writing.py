from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from gltf_oracles import assert_valid, load_with_three
from sample_figures import mixed, wandering

from posewright.errors import FileProblem, InvalidMotion
from posewright.figures import Ball, Figure, Hinge, Joint, Pose, Site, free_slides
from posewright.figures.kinematics import joint_frames
from posewright.formats import load, load_motion
from posewright.formats.gltf.body_mesh import rounded_cone
from posewright.formats.npz import amass
from posewright.motions import Motion
from posewright.rotations import continuous


def chain(n: int) -> Figure:
    joints = [Joint(name="j0", slides=free_slides((0, 1, 0)), rotation=Ball())]
    joints += [Joint(name=f"j{k}", parent=f"j{k - 1}", offset=(0, 0.01, 0), rotation=Ball()) for k in range(1, n)]
    return Figure(
        name="chain", joints=tuple(joints), sites=(Site(name="tip", joint=f"j{n - 1}", point=(0, 0.05, 0), tip=True),)
    )


FIGURES = {
    "mixed": mixed,
    "human": amass.skeleton,
    "chain of 300": lambda: chain(300),
    "no size": lambda: Figure(name="dot", joints=(Joint(name="only", rotation=(Hinge(axis=(1, 0, 0)),)),)),
}


@pytest.mark.parametrize("name", FIGURES)
def test_an_independent_loader_finds_every_joint_within_a_micrometre(tmp_path: Path, name: str) -> None:
    motion = wandering(FIGURES[name]())
    figure, path = motion.figure, tmp_path / "m.glb"
    motion.save(path)
    assert_valid(path)
    frames = [0, 1, 7, 11]
    read = load_with_three(path, [None, *(float(np.float32(frame / motion.fps)) for frame in frames)])
    ours = joint_frames(figure, np.vstack([figure.rest, motion.q[frames]])).positions
    theirs = read["matrices"][:, : len(figure.joints), :3, 3]
    assert np.abs(theirs - ours).max() < 1e-6


def test_between_frames_the_loader_turns_as_slerp_does(tmp_path: Path) -> None:
    figure = chain(2)
    q = np.zeros((2, figure.n_dofs))
    q[1, 3:6] = [0.0, 0.0, 2.0]
    Motion(figure, q, fps=1.0).save(tmp_path / "m.glb")
    read = load_with_three(tmp_path / "m.glb", [0.25])
    assert read["matrices"][0, 1, :3, 3] == pytest.approx([-0.01 * np.sin(0.5), 0.01 * np.cos(0.5), 0.0], abs=1e-7)


def test_the_skin_follows_the_joints(tmp_path: Path) -> None:
    motion = wandering(mixed())
    figure = motion.figure
    motion.save(tmp_path / "m.glb")
    read = load_with_three(tmp_path / "m.glb", [None, float(np.float32(5 / 30))])
    rest, moved = joint_frames(figure, figure.rest), joint_frames(figure, motion.q[5])
    owners = np.array(load(tmp_path / "m.glb").figure.skin.document["skins"][0]["joints"])
    assert len(owners) == len(figure.joints)
    for (index, *at_rest), (_, *at_five) in zip(*(frame[0] for frame in read["vertices"]), strict=True):
        # A vertex is fixed to one joint: some joint must carry it from where it was to where it is.
        local = np.einsum("jba,jb->ja", rest.rotations, np.array(at_rest) - rest.positions)
        carried = np.einsum("jab,jb->ja", moved.rotations, local) + moved.positions
        assert np.abs(carried - at_five).max(axis=1).min() < 1e-5, f"vertex {index}"


def test_a_pose_is_written_without_animation(tmp_path: Path) -> None:
    pose = Pose(mixed(), wandering(mixed()).q[4])
    for suffix in (".glb", ".gltf"):
        pose.save(tmp_path / f"p{suffix}")
        assert_valid(tmp_path / f"p{suffix}")
    back = load(tmp_path / "p.gltf")
    assert isinstance(back, Figure)
    expected = joint_frames(pose.figure, pose.q).positions
    assert np.abs(joint_frames(back, back.rest).positions - expected).max() < 1e-9
    read = load_with_three(tmp_path / "p.glb", [None])
    assert read["animations"] == []
    assert np.abs(read["matrices"][0, : len(expected), :3, 3] - expected).max() < 1e-6


def test_only_what_moves_has_channels(tmp_path: Path) -> None:
    figure = mixed()
    q = np.tile(figure.rest, (5, 1))
    q[:, figure.dof_index("spine.rz")] += np.linspace(0, 1, 5)
    q[:, figure.dof_index("lift.ty")] += 0.25  # elsewhere, but still
    Motion(figure, q, fps=25.0, name="nod").save(tmp_path / "m.glb")
    document = load_motion(tmp_path / "m.glb").figure.skin.document
    (animation,) = document["animations"]
    targets = [(figure.joint_names[c["target"]["node"]], c["target"]["path"]) for c in animation["channels"]]
    assert animation["name"] == "nod"
    assert targets == [("spine", "rotation"), ("lift", "translation")]
    counts = [document["accessors"][sampler["output"]]["count"] for sampler in animation["samplers"]]
    assert counts == [5, 2]
    assert_valid(tmp_path / "m.glb")


def test_standing_still_keeps_its_length(tmp_path: Path) -> None:
    figure = mixed()
    away = figure.rest + 0.1 * (figure.lower == -np.inf)
    for q in (figure.rest, away):
        Motion(figure, np.tile(q, (100, 1)), fps=30.0).save(tmp_path / "m.glb")
        assert_valid(tmp_path / "m.glb")
        back = load_motion(tmp_path / "m.glb")
        assert (len(back), back.fps) == (100, 30.0)
        positions = joint_frames(back.figure, back.q).positions
        assert np.abs(positions - joint_frames(figure, q).positions).max() < 1e-6


def test_a_motion_of_no_frames_is_the_figure_at_rest(tmp_path: Path) -> None:
    figure = mixed()
    Motion(figure, np.zeros((0, figure.n_dofs)), fps=30.0).save(tmp_path / "m.glb")
    assert_valid(tmp_path / "m.glb")
    assert isinstance(load(tmp_path / "m.glb"), Figure)


def test_signs_of_quaternions_are_continuous() -> None:
    angles = np.linspace(0, 20, 50)
    q = np.stack([np.cos(angles / 2), np.sin(angles / 2), 0 * angles, 0 * angles], axis=-1)
    flipped = np.where(q[:, :1] < 0, -q, q)
    assert np.abs(continuous(flipped) - q).max() < 1e-15


@pytest.mark.parametrize(
    ("end", "radii"),
    [((0.3, 0.1, -0.2), (0.1, 0.05)), ((0, 0.5, 0), (0.05, 0.2)), ((0, 0, 0), (0.1, 0.1)), ((0, 0.02, 0), (0.2, 0.1))],
)
def test_a_rounded_cone_is_the_hull_of_two_spheres(end: tuple[float, float, float], radii: tuple[float, float]) -> None:
    start, stop = np.zeros(3), np.array(end, dtype=float)
    points, normals = rounded_cone(start, stop, *radii)
    fractions = np.linspace(0, 1, 2001)
    # Signed distance to the union of all spheres between the two
    centres = start + fractions[:, None] * (stop - start)
    sizes = radii[0] + fractions * (radii[1] - radii[0])
    distance = (np.linalg.norm(points[:, None] - centres, axis=-1) - sizes).min(axis=1)
    assert np.abs(distance).max() < 1e-6
    assert np.allclose(np.linalg.norm(normals, axis=1), 1.0)
    outside = (np.linalg.norm((points + 1e-3 * normals)[:, None] - centres, axis=-1) - sizes).min(axis=1)
    assert outside.min() > 0.9e-3


def test_triangles_face_outwards(tmp_path: Path) -> None:
    from posewright.figures.capsules import capsule_table
    from posewright.formats.gltf.body_mesh import body_mesh

    mesh = body_mesh(capsule_table(mixed()))
    a, b, c = (mesh.points[mesh.triangles[:, k]] for k in range(3))
    facing = np.sum(np.cross(b - a, c - a) * mesh.normals[mesh.triangles].mean(axis=1), axis=1)
    assert facing.min() > 0.0


def test_a_folder_that_does_not_exist_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="cannot write here"):
        replace(mixed(), name="x").save(tmp_path / "none" / "m.glb")


def test_a_figure_too_large_for_gltf_is_refused_in_one_sentence(tmp_path: Path) -> None:
    figure = Figure(
        name="vast",
        joints=(Joint(name="a", rotation=Ball()), Joint(name="b", parent="a", offset=(0, 1e60, 0), rotation=Ball())),
    )
    with pytest.raises(InvalidMotion, match="glTF has no numbers"):
        figure.save(tmp_path / "m.glb")
    assert not list(tmp_path.iterdir())
