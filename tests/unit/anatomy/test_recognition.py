"""Finding the parts of a body: every convention, no names at all, and what cannot be a anatomy."""

from dataclasses import replace

import numpy as np
import pytest
from naming_conventions import CONVENTIONS, NUMBERED, Convention, biped

from posewright.anatomy import Anatomy
from posewright.errors import InvalidFigure
from posewright.figures import Figure, Joint
from posewright.figures.catalogue import build


def as_lists(anatomy: Anatomy) -> dict[str, list[str]]:
    return {part: list(names) for part, names in anatomy.parts.items()}


def renamed(figure: Figure, names: dict[str, str]) -> Figure:
    joints = tuple(replace(j, name=names[j.name], parent=j.parent and names[j.parent]) for j in figure.joints)
    sites = tuple(replace(s, name=f"site{k}", joint=names[s.joint]) for k, s in enumerate(figure.sites))
    return Figure(name="nameless", joints=joints, sites=sites)


@pytest.mark.parametrize("name", CONVENTIONS)
def test_every_convention_is_recognised(name):
    convention = CONVENTIONS[name]
    anatomy = biped(convention, robot="robot" in name).anatomy
    assert as_lists(anatomy) == dict(sorted_parts(convention, anatomy))
    assert not anatomy.missing
    assert min(anatomy.confidence.values()) > 0.6


def sorted_parts(convention: Convention, anatomy: Anatomy):
    expected = convention.expected()
    assert set(expected) == set(anatomy.parts)
    return [(part, expected[part]) for part in anatomy.parts]


@pytest.mark.parametrize("facing", [0.0, 2.0, np.pi])
def test_a_biped_with_meaningless_names_is_recognised_by_topology_and_geometry(facing):
    convention = CONVENTIONS["vrm humanoid"]
    figure = biped(convention, scale=1.3, facing=facing)
    names = {name: f"joint{k}" for k, name in enumerate(figure.joint_names)}
    anatomy = renamed(figure, names).anatomy
    expected = {part: [names[n] for n in joints] for part, joints in convention.expected().items()}
    assert as_lists(anatomy) == {part: expected[part] for part in anatomy.parts}
    assert set(anatomy.parts) == set(expected)
    assert all(0.4 < value < 0.8 for value in anatomy.confidence.values())


@pytest.mark.parametrize("backwards", [False, True])
def test_limbs_whose_joints_are_numbered_are_cut_by_their_proportions(backwards):
    """Torso, arm and leg with numbers, which may run the other way on the other side."""
    figure = biped(NUMBERED, scale=0.7, facing=1.0)
    names = {name: name for name in figure.joint_names}
    if backwards:
        names |= {f"arm_L_{k}": f"arm_L__{4 - k}_" for k in (1, 2, 3)}
    anatomy = renamed(figure, names).anatomy
    expected = {part: [names[n] for n in joints] for part, joints in NUMBERED.expected().items()}
    assert as_lists(anatomy) == {part: expected[part] for part in anatomy.parts}
    assert set(anatomy.parts) == set(expected)


@pytest.mark.parametrize("name", ["cam_joint", "head_camera_joint", "d435_joint"])
def test_a_camera_is_no_head(name):
    """Not even where it is all that is above the arms: called so, or a joint that does not move and has no name."""
    convention = CONVENTIONS["abbreviating robot"]
    figure = biped(
        replace(convention, parts={k: v for k, v in convention.parts.items() if k != "head"}, extras={}), robot=True
    )
    camera = Joint(name=name, parent="body", offset=(0.0, 0.5, 0.0))
    anatomy = replace(figure, joints=(*figure.joints, camera)).anatomy
    assert not {"neck", "head"} & set(anatomy.parts)
    assert not anatomy.missing


def quadruped() -> Figure:
    """A body with the names of a person on four legs."""
    figure = biped(CONVENTIONS["vrm humanoid"])
    places = {
        "hips": (0.0, 0.5, -0.3),
        "spine": (0.0, 0.55, -0.1),
        "chest": (0.0, 0.55, 0.05),
        "upperChest": (0.0, 0.55, 0.2),
    }
    places |= {"neck": (0.0, 0.6, 0.35), "head": (0.0, 0.7, 0.45)}
    for side, x in (("left", 0.1), ("right", -0.1)):
        arm = {"Shoulder": 0.52, "UpperArm": 0.48, "LowerArm": 0.25, "Hand": 0.03}
        leg = {"UpperLeg": 0.48, "LowerLeg": 0.27, "Foot": 0.05}
        places |= {f"{side}{part}": (x, height, 0.25) for part, height in arm.items()}
        places |= {f"{side}{part}": (x, height, -0.3) for part, height in leg.items()}
        places[f"{side}Toes"] = (x, 0.0, -0.25)
    joints = [
        replace(j, offset=tuple(np.subtract(places[j.name], places[j.parent] if j.parent else (0.0, 0.0, 0.0))))
        for j in figure.joints
    ]
    return Figure(name="dog", joints=joints)


def test_a_quadruped_is_refused_unless_a_person_says_what_is_what():
    anatomy = quadruped().anatomy
    with pytest.raises(InvalidFigure, match="figure 'dog' stands on four legs, so its parts are not guessed"):
        anatomy.require()
    assert anatomy.with_parts(anatomy.parts).require().parts == anatomy.parts


def test_names_do_not_overrule_topology():
    """Arms and legs with each other's names: proportions, order and rest pose win over no names, but sides stay."""
    figure = biped(CONVENTIONS["vrm humanoid"])
    names = {name: f"j{k}" for k, name in enumerate(figure.joint_names)}
    names["leftFoot"], names["rightFoot"] = "left_elbow", "right_elbow"  # one slip among joints without names
    anatomy = renamed(figure, names).anatomy
    assert anatomy.parts["left_ankle"] == ("left_elbow",)
    assert anatomy.parts["right_hip"] == (names["rightUpperLeg"],)


@pytest.mark.parametrize("name", ["human40", "norman", "abnorman1", "abnorman2", "human"])
def test_the_catalogue_is_recognised(name):
    anatomy = build(name).anatomy
    assert not anatomy.missing
    assert all(
        joint in (part, part.split("_", 1)[-1]) or part in ("spine", "neck")
        for part, (joint, *_) in anatomy.parts.items()
    )
    assert anatomy.unmatched == ()


@pytest.mark.parametrize(("name", "missing"), [("human22", "left hip"), ("chain", "pelvis"), ("hand", "pelvis")])
def test_what_is_no_biped_is_refused_with_what_to_do(name, missing):
    with pytest.raises(
        InvalidFigure,
        match=f"figure {build(name).name!r} could be recognised as .*{missing}.*; name them in a match file",
    ):
        build(name).anatomy.require()


def test_a_joint_cannot_be_two_parts():
    with pytest.raises(InvalidFigure, match="joint 'left_knee' of figure 'human40' is both left_hip and left_knee"):
        Anatomy(build("human40"), {"left_hip": ("left_knee",), "left_knee": ("left_knee",)})


def test_a_part_runs_outwards():
    with pytest.raises(InvalidFigure, match="joint 'waist' is not below 'back'"):
        Anatomy(build("human40"), {"spine": ("back", "waist")})


@pytest.mark.parametrize(("limbs", "joints"), [(100, 1), (3000, 1), (60, 3), (8, 60), (2, 2000)])
def test_figures_of_very_many_limbs_are_no_bodies(limbs: int, joints: int) -> None:
    """Every pair would be weighed with every other, in every way to cut them: that would take for ever."""
    made = [Joint(name="root")]
    for k in range(limbs):
        above = "root"
        for i in range(joints):
            made.append(Joint(name=f"b{k}.{i}", parent=above, offset=(0.01 * k, 1.0, 0.0)))
            above = made[-1].name
    assert not Figure(name="star", joints=tuple(made)).anatomy.parts
