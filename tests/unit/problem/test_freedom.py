"""How particles may move: atoms, blocks, ties and rows."""

import numpy as np
import pytest

import posewright as pw
from posewright.figures.catalogue import build, chain, hand
from posewright.problem.lowering import lower, reach
from posewright.solvers.sampling.blocks import SLIDE_SHARE, freedom_of


def freedom(space, **more):
    figure = space.figure if isinstance(space, pw.Space) else space
    return freedom_of(lower(pw.Problem(space, [pw.Position(figure.sites[-1].name, (1.0, 1.0, 1.0))], **more)), 1.0)


def ties(found):
    """Rows that make coordinates follow others."""
    return found.rows[found.rows["coordinate"] >= 0]


def test_every_ball_of_a_chain_is_one_atom_and_one_block():
    found = freedom(chain(4))
    assert found.atoms["first"].tolist() == [0, 3, 6, 9]
    assert found.atoms["ball"].all()
    assert len(found.blocks) == 4
    assert found.spread == pytest.approx(np.full(12, 0.5))  # shared by the root of four joints


def test_a_ball_with_a_frozen_component_is_drawn_as_numbers():
    found = freedom(chain(2), frozen=["segment1.wy"])
    assert found.atoms["first"].tolist() == [0, 2, 3]
    assert found.atoms["ball"].tolist() == [0, 0, 1]
    assert found.spread[1] == 0.0


def test_coupled_joints_follow_and_share_a_block():
    figure = hand()
    found = freedom(figure)
    followers = {figure.dof_names[c] for c in ties(found)["coordinate"]}
    assert followers == {f"{finger}_end.flexion" for finger in ("index", "middle", "ring", "little", "thumb")}
    assert found.entries["factor"].size == 5
    assert not set(ties(found)["coordinate"]) & set(found.atoms["first"])
    with_tie = found.blocks[found.blocks["tied"] < found.blocks["tied_end"]]
    assert len(with_tie) == 5
    assert len(found.blocks) == 19


def test_a_tie_to_a_frozen_joint_freezes_its_partner():
    figure = hand()
    found = freedom(figure, frozen=["index_middle"])
    end = figure.dof_index("index_end.flexion")
    assert end not in found.atoms["first"]
    assert end not in ties(found)["coordinate"]
    assert len(ties(found)) == 4


def test_inequalities_hold_their_coordinates_together():
    figure = build("human")
    assert figure.constraints  # the shoulder polygons
    found = freedom(figure)
    blocks = found.blocks[found.blocks["row"] < found.blocks["row_end"]]
    assert 1 <= len(blocks) <= 4
    assert (blocks["atom_end"] - blocks["atom"]).max() <= 4
    covered = sum(int(block["atom_end"] - block["atom"]) for block in found.blocks)
    assert covered == len(found.atoms)


def test_groups_are_drawn_in_their_own_coordinates():
    space = pw.Space.grouped(build("human"))
    found = freedom(space)
    assert not found.atoms["ball"].any()
    assert len(found.atoms) == (found.spread > 0.0).sum() - len(ties(found))


def test_slides_move_metres_in_proportion_to_the_figure():
    figure = build("human40")
    found = freedom(figure)
    slide, turn = figure.dof_index("pelvis.tx"), figure.dof_index("left_elbow.flexion")
    assert found.spread[slide] / found.spread[turn] == pytest.approx(SLIDE_SHARE * reach(figure, None))
