"""Finding the parts of a body: every convention, no names at all, and what cannot be a anatomy."""

from dataclasses import replace

import numpy as np
import pytest
from naming_conventions import CONVENTIONS, Convention, biped

from posewright.anatomy import Anatomy
from posewright.errors import InvalidFigure
from posewright.figures import Figure
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
