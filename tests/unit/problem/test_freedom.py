"""How particles may move: atoms, blocks, ties and rows."""

import numpy as np
import pytest

import posewright as pw
from posewright.figures.catalogue import build, chain, hand
from posewright.figures.reach import reach
from posewright.kernels.sampling.particles import BALL, NUMBER, TIED, draw
from posewright.problem.lowering import lower
from posewright.solvers.sampling.blocks import SLIDE_SHARE, freedom_of


def freedom(space, **more):
    figure = space.figure if isinstance(space, pw.Space) else space
    problem = pw.Problem(space, [pw.Position(figure.sites[-1].name, (1.0, 1.0, 1.0))], **more)
    return freedom_of(lower(problem), 1.0, all_that_moves=True)


def ties(found):
    """Coordinates that follow others."""
    return found.atoms["first"][found.atoms["kind"] == TIED]


def blocks(found):
    """The first atom of each block, which says where it ends and what holds it together."""
    return found.atoms[[0, *np.unique(found.atoms["end"])[:-1]]]


def test_every_ball_of_a_chain_is_one_atom_and_one_block():
    found = freedom(chain(4))
    assert found.atoms["first"].tolist() == [0, 3, 6, 9]
    assert (found.atoms["kind"] == BALL).all()
    assert len(blocks(found)) == 4
    assert found.spread == pytest.approx(np.full(12, 0.5))  # shared by the root of four joints


def test_a_ball_with_a_frozen_component_is_drawn_as_numbers():
    found = freedom(chain(2), frozen=["segment1.wy"])
    assert found.atoms["first"].tolist() == [0, 2, 3]
    assert found.atoms["kind"].tolist() == [NUMBER, NUMBER, BALL]
    assert found.spread[1] == 0.0


def test_coupled_joints_follow_and_share_a_block():
    figure = hand()
    found = freedom(figure)
    followers = {figure.dof_names[c] for c in ties(found)}
    assert followers == {f"{finger}_end.flexion" for finger in ("index", "middle", "ring", "little", "thumb")}
    for atom in found.atoms[found.atoms["kind"] == TIED]:
        leaders = np.flatnonzero(found.numbers[atom["tie"], :-1])
        part = figure.dof_names[atom["first"]].replace("_end", "_middle")
        assert [figure.dof_names[c] for c in leaders] == [part]
        assert leaders[0] in found.atoms["first"][found.atoms["end"] == atom["end"]]
    assert len(np.unique(found.atoms["first"])) == len(found.atoms)
    assert len(blocks(found)) == 19


def test_a_tie_to_a_frozen_joint_freezes_its_partner():
    figure = hand()
    found = freedom(figure, frozen=["index_middle"])
    end = figure.dof_index("index_end.flexion")
    assert end not in found.atoms["first"]
    assert end not in ties(found)
    assert len(ties(found)) == 4


def test_a_coordinate_may_follow_one_that_follows_another():
    figure = chain(3, joints="hinge")
    a, b, c = figure.dof_names
    rows = [pw.LinearConstraint.coupling("c", c, b, 0.5), pw.LinearConstraint.coupling("b", b, a, 0.5)]
    found = freedom(figure, constraints=rows)
    base, out = np.zeros(3), np.empty(3)
    for seed in range(20):
        draw(found, base, base, base, 1.0, np.uint64(seed), 100, out)
        assert out[0] != 0.0
        assert out[1:] == pytest.approx([0.5 * out[0], 0.25 * out[0]], abs=1e-12)


def test_inequalities_hold_their_coordinates_together():
    figure = build("human")
    assert figure.constraints  # the shoulder polygons
    found = freedom(figure)
    firsts = blocks(found)
    sizes = np.diff([0, *firsts["end"]])
    held = firsts["row"] < firsts["row_end"]
    assert 1 <= held.sum() <= 4
    assert sizes[held].max() <= 4
    assert sizes.sum() == len(found.atoms)
    rows = sorted(row for first in firsts[held] for row in range(first["row"], first["row_end"]))
    assert rows == list(range(len(found.numbers) - len(rows), len(found.numbers)))


def test_groups_are_drawn_in_their_own_coordinates():
    space = pw.Space.grouped(build("human"))
    found = freedom(space)
    assert not (found.atoms["kind"] == BALL).any()
    assert len(found.atoms) == (found.spread > 0.0).sum()


def test_slides_move_metres_in_proportion_to_the_figure():
    figure = build("human40")
    found = freedom(figure)
    slide, turn = figure.dof_index("pelvis.tx"), figure.dof_index("left_elbow.flexion")
    assert found.spread[slide] / found.spread[turn] == pytest.approx(SLIDE_SHARE * reach(figure, None))


def test_what_no_goal_depends_on_is_not_drawn_and_does_not_share_the_spread():
    figure = build("human40")
    lowered = lower(pw.Problem(figure, [pw.Position("left_hand", (1.0, 1.0, 1.0))], frozen=["pelvis"]))
    few, all_of_them = freedom_of(lowered, 1.0), freedom_of(lowered, 1.0, all_that_moves=True)
    drawn = {figure.dof_names[c].split(".")[0] for c in few.atoms["first"]}
    assert {"left_shoulder", "left_elbow", "waist"} <= drawn
    assert not any("right" in name or "knee" in name for name in drawn)
    elbow = figure.dof_index("left_elbow.flexion")
    joints = len({figure.dof_names[c].split(".")[0] for c in all_of_them.atoms["first"]})
    assert few.spread[elbow] / all_of_them.spread[elbow] == pytest.approx((joints / len(drawn)) ** 0.5)
