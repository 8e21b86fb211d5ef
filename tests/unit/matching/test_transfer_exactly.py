"""Transfers beside the same worked out by SciPy: all bodies rest in one T-pose, so turns can be compared."""

from dataclasses import replace

import numpy as np
import pytest
from naming_conventions import CONVENTIONS, FINGERS, biped
from scipy.spatial.transform import Rotation

from posewright.figures import Ball, Figure, Hinge, Joint
from posewright.figures.kinematics import joint_frames, joint_positions
from posewright.matching import JointMatch, Scaling
from posewright.motions import Motion
from posewright.motions.floor import Floor

SIDES = ("left", "right")
FREE = tuple(Hinge(axis=axis) for axis in ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)))
SOURCE = CONVENTIONS["mixamo"]


def body(scale: float = 1.0, **parts: int) -> Figure:
    """A body with so many joints of some parts; fingers, spine and neck."""
    named = {
        part: [f"{{s}}{part}{k}" if part in FINGERS else f"{part}{k}" for k in range(n)] for part, n in parts.items()
    }
    named = {part: [name.replace("{s}", "{s}Hand") for name in names] for part, names in named.items()}
    return biped(replace(CONVENTIONS["mixamo"], parts={**CONVENTIONS["mixamo"].parts, **named}), scale=scale)


def random_posture(figure: Figure, seed: int, spread: float = 0.4, frames: int = 3) -> Motion:
    """Frames in which every joint is turned at random, the root far from where it rests."""
    q = figure.rest + np.random.default_rng(seed).normal(scale=spread, size=(frames, figure.n_dofs))
    return Motion(figure, q, 30.0, "odd", first_frame=7)


def turns(motion: Motion, joint: str) -> Rotation:
    return Rotation.from_matrix(joint_frames(motion.figure, motion.q).rotations[:, motion.figure.joint_index(joint)])


def at(knots: list[Rotation], place: float) -> Rotation:
    """Between rotations, by the shortest turn from one to the next."""
    k = min(int(place), len(knots) - 2)
    return knots[k] * Rotation.from_rotvec((place - k) * (knots[k].inv() * knots[k + 1]).as_rotvec())


def assert_alike(found: Rotation, expected: Rotation) -> None:
    np.testing.assert_allclose(found.as_matrix(), expected.as_matrix(), rtol=0.0, atol=1e-9)


@pytest.mark.parametrize(("spine", "neck", "finger"), [(1, 1, 1), (2, 2, 2), (3, 1, 3), (4, 3, 2), (5, 2, 3)])
def test_every_joint_is_turned_as_the_source_is_there(spine, neck, finger):
    """Chains of other numbers of joints: each takes the turn that the source has at its share of the chain."""
    source, target = random_posture(body(), spine), body(1.2, spine=spine, neck=neck, **dict.fromkeys(FINGERS, finger))
    match = JointMatch.between(source.figure, target)
    made = match.transfer(source, floor=0.0)
    ours, theirs = match.source.parts, match.target.parts
    assert [len(theirs[part]) for part in ("spine", "neck", "left_index")] == [spine, neck, finger]
    chains = {"spine": ("pelvis", "spine", None), "neck": ("spine", "neck", "head")}
    chains |= {f"{s}_{f}": (f"{s}_wrist", f"{s}_{f}", None) for s in SIDES for f in FINGERS}
    for before, part, after in chains.values():
        names = [ours[before][-1], *ours[part], *(ours[after] if after else ())]
        knots = [turns(source, name) for name in names]
        last = len(theirs[part]) + (after is not None)
        for k, name in enumerate(theirs[part], start=1):
            assert_alike(turns(made, name), at(knots, k / last * (len(knots) - 1)))
    for part in set(match.parts) - set(chains):
        assert_alike(turns(made, theirs[part][-1]), turns(source, ours[part][-1]))
    assert (made.name, made.fps, made.first_frame) == ("odd", 30.0, 7)


@pytest.mark.parametrize("count", [2, 3])
def test_hands_with_fewer_than_three_fingers_have_not_recorded_them(count):
    parts = {part: names for part, names in SOURCE.parts.items() if part not in FINGERS[count:]}
    source, target = random_posture(biped(replace(SOURCE, parts=parts)), 5), body()
    made = JointMatch.between(source.figure, target).transfer(source, floor=0.0)
    for finger in FINGERS[:count]:
        for joint in target.anatomy.parts[f"right_{finger}"]:
            moved = np.ptp(made.q[:, target.dof_slice(joint)], axis=0).any()
            assert moved == (count == 3), joint


def test_a_spine_that_the_source_lacks_goes_with_the_pelvis():
    parts = {part: names for part, names in SOURCE.parts.items() if part != "spine"}
    source, target = random_posture(biped(replace(SOURCE, parts=parts)), 3), body(spine=2)
    match = JointMatch.between(source.figure, target)
    assert "spine" not in match.parts
    made = match.transfer(source, floor=0.0)
    for joint in match.target.parts["spine"]:
        assert_alike(turns(made, joint), turns(source, match.source.parts["pelvis"][-1]))


def straight(figure: Figure) -> Figure:
    """Limbs all in one line: what a hinge across it can bend, wherever its axis points."""
    below = {names[0] for part, names in figure.anatomy.parts.items() if part.endswith(("elbow", "wrist"))}
    lower = {names[0] for part, names in figure.anatomy.parts.items() if part.endswith(("knee", "ankle"))}
    kept = {**dict.fromkeys(below, (1.0, 0.0, 0.0)), **dict.fromkeys(lower, (0.0, 1.0, 0.0))}
    joints = (replace(j, offset=tuple(np.multiply(j.offset, kept.get(j.name, 1.0)))) for j in figure.joints)
    return replace(figure, joints=tuple(joints))


@pytest.mark.parametrize("upper", [Ball(), FREE], ids=["ball", "three hinges"])
@pytest.mark.parametrize("tilt", [-0.6, 0.0, 0.6])
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_limbs_twist_so_that_one_hinge_can_bend_them(upper, tilt, sign):
    """Elbows bend forward and knees back, whichever way the axis of their hinge points and is tilted."""
    figure, rng = straight(biped(SOURCE)), np.random.default_rng(4)
    parts = figure.anatomy.parts
    q = np.tile(figure.rest, (6, 1))
    hinges, bends = {}, {}
    for side, along in zip(SIDES, (1.0, -1.0), strict=True):
        for above, below, axis in (("shoulder", "elbow", (0.0, -along, 0.0)), ("hip", "knee", (1.0, 0.0, 0.0))):
            first, second = (parts[f"{side}_{part}"][0] for part in (above, below))
            bends[second] = rng.uniform(0.5, 1.8, 6)
            q[:, figure.dof_slice(first).stop - 3 : figure.dof_slice(first).stop] = rng.normal(scale=0.5, size=(6, 3))
            q[:, figure.dof_slice(second)] = bends[second][:, None] * np.array(axis)
            bone = (along, 0.0, 0.0) if below == "elbow" else (0.0, -1.0, 0.0)
            turned = sign * Rotation.from_rotvec(tilt * np.array(bone)).apply(axis)
            hinges[first], hinges[second] = upper, (Hinge(axis=tuple(turned)),)
    joints = tuple(replace(j, rotation=hinges[j.name]) if j.name in hinges else j for j in figure.joints)
    target, source = replace(figure, joints=joints), Motion(figure, q, 30.0)
    made = JointMatch.between(figure, target).transfer(source, floor=0.0)
    for name in ("shoulder", "elbow", "wrist", "hip", "knee", "ankle"):
        for side in SIDES:
            joint = figure.joint_index(parts[f"{side}_{name}"][0])
            places = [joint_positions(m.figure, m.q)[:, joint] for m in (made, source)]
            np.testing.assert_allclose(*places, rtol=0.0, atol=1e-7)
    for joint, bend in bends.items():
        np.testing.assert_allclose(made.q[:, target.dof_slice(joint).start], sign * bend, atol=1e-7)


@pytest.mark.parametrize("name", ["mixamo", "unreal", "makehuman", "smpl"])
def test_the_middle_of_the_hips_goes_where_the_sources_goes(name):
    source, target = random_posture(body(), 8, frames=5), biped(CONVENTIONS[name], scale=1.4)
    match = JointMatch.between(source.figure, target)
    made, floor = match.transfer(source, floor=Floor(0.2, tilt_x=0.02, tilt_z=-0.03), scale=1.3), (0.2, 0.02, -0.03)
    middles = []
    for motion, anatomy in ((source, match.source), (made, match.target)):
        hips = [anatomy.segments.centre(f"{side}_hip") for side in SIDES]
        middles.append(joint_positions(motion.figure, motion.q)[:, hips].mean(axis=1))
    (x, y, z), found = middles[0].T, middles[1]
    expected = 1.3 * np.stack([x, y - floor[0] - floor[1] * x - floor[2] * z, z], axis=1)
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-9)


def test_what_is_above_the_joint_that_slides_does_not_matter():
    """A root that cannot move, turned and put elsewhere; and slides that have limits."""
    source, plain = random_posture(body(), 9), biped(SOURCE)
    pelvis, turn = plain.joints[0], Rotation.from_rotvec([0.4, -0.7, 0.2])
    place, wxyz = np.array([0.3, -0.2, 0.5]), np.roll(turn.as_quat(), 1)
    back = tuple(np.roll(turn.inv().as_quat(), 1))
    root = Joint(name="world", offset=tuple(place), rest=tuple(wxyz))
    below = replace(pelvis, parent="world", offset=tuple(turn.inv().apply(np.array(pelvis.offset) - place)), rest=back)
    moved = replace(plain, joints=(root, below, *plain.joints[1:]))
    places = []
    for figure in (plain, moved):
        made = JointMatch.between(source.figure, figure).transfer(source, floor=0.0)
        places.append(joint_positions(figure, made.q)[:, -len(plain.joints) :])
    np.testing.assert_allclose(*places, rtol=0.0, atol=1e-9)
    free = JointMatch.between(source.figure, plain).transfer(source, floor=0.0).q[:, :3]
    slides = tuple(replace(slide, lower=-0.1, upper=0.2) for slide in pelvis.slides)
    narrow = replace(plain, joints=(replace(pelvis, slides=slides), *plain.joints[1:]))
    made = JointMatch.between(source.figure, narrow).transfer(source, floor=0.0)
    np.testing.assert_allclose(made.q[:, :3], np.clip(free, -0.1, 0.2), atol=1e-12)
    assert (free < -0.1).any()
    assert (free > 0.2).any()


def test_scalings_are_those_of_legs_and_floor_unless_given():
    source, target = random_posture(body(), 1), body(1.5)
    match = JointMatch.between(source.figure, target)
    scaling = Scaling.between(source, match, floor=0.25)
    assert scaling.factor == pytest.approx(1.5)
    np.testing.assert_allclose(scaling(np.array([[2.0, 1.25, -4.0]])), [[3.0, 1.5, -6.0]], atol=1e-12)
    assert Scaling.between(source, match, floor=Floor(0.5), scale=2.0) == Scaling(2.0, Floor(0.5))


def test_a_part_is_as_sure_as_in_the_less_certain_figure():
    figure = biped(SOURCE)
    match = JointMatch.between(figure, biped(CONVENTIONS["biped"])).with_parts(target={"head": []})
    assert "head" not in match.parts
    assert set(match.confidence) == set(match.parts)
    for part, sure in match.confidence.items():
        assert sure == min(match.source.confidence[part], match.target.confidence[part])
    assert len({*match.confidence.values()}) > 1
