"""Soles on foreign figures: on the floor at rest, upright, and good enough to find contacts."""

from dataclasses import replace

import numpy as np
import pytest
from naming_conventions import CONVENTIONS, biped

from posewright.clips import walk
from posewright.errors import UnknownName
from posewright.figures.catalogue import build
from posewright.figures.kinematics import site_frames
from posewright.matching import JointMatch

NAMES = [f"{side}_{what}" for side in ("left", "right") for what in ("sole", "heel", "toe_tip")]


@pytest.mark.parametrize("name", ["mixamo", "maya", "smpl", "biped"])
@pytest.mark.parametrize("facing", [0.0, 1.0])
def test_soles_lie_on_the_floor_at_rest(name, facing):
    figure = biped(CONVENTIONS[name], facing=facing).with_soles()
    at = site_frames(figure, figure.rest, NAMES)
    assert np.ptp(at.points[:, 1]) < 1e-9
    np.testing.assert_allclose(at.y_axes, np.tile([0.0, 1.0, 0.0], (6, 1)), atol=1e-9)
    forward = np.array([np.sin(facing), 0.0, np.cos(facing)])
    assert (at.x_axes @ forward).min() > 0.99
    heel, toe = at.points[NAMES.index("left_heel")], at.points[NAMES.index("left_toe_tip")]
    assert 0.1 < (toe - heel) @ forward < 0.35


def test_feet_that_a_file_does_not_draw_are_as_long_as_peoples():
    robot = biped(CONVENTIONS["abbreviating robot"], robot=True)
    bare = replace(robot, sites=tuple(replace(site, point=(0.0, 0.0, 0.0)) for site in robot.sites)).with_soles()
    heel, toe = site_frames(bare, bare.rest, ["left_heel", "left_toe_tip"]).points
    assert 0.2 < np.linalg.norm(toe - heel) / robot.anatomy.segments.leg_length < 0.35


def test_figures_with_soles_keep_their_own():
    figure = build("human40")
    assert figure.with_soles() == figure
    assert figure.anatomy.contact_sites == ("left_heel", "left_toes", "right_heel", "right_toes")


def test_contacts_of_a_foreign_figure_are_those_of_the_source():
    source = walk(build("human40"), seed=1, fps=60.0)
    target = biped(CONVENTIONS["mixamo"])
    motion = JointMatch.between(source.figure, target).transfer(source)
    names = ("left_heel", "left_toe_tip", "right_heel", "right_toe_tip")
    ours, theirs = source.contacts(names), motion.contacts(names)
    for heel, toe in ((names[0], names[1]), (names[2], names[3])):
        assert np.mean(ours.any_of([heel, toe]) != theirs.any_of([heel, toe])) < 0.15


def test_soles_are_known_on_every_body_that_stands():
    figure = biped(CONVENTIONS["mixamo"])
    assert "left_sole" not in figure.site_names
    assert figure.site("left_sole") == figure.with_soles().site("left_sole")
    with pytest.raises(UnknownName, match="has no site 'left_sole'"):
        build("chain").site("left_sole")
