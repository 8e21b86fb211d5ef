"""Whatever a figure is changed into, converted coordinates put every segment where it was, and back again."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from posewright.conventions import Array
from posewright.figures import Figure, Pose
from posewright.figures.catalogue import CATALOGUE, build
from posewright.figures.kinematics import centre_of_mass, joint_frames, site_frames
from posewright.figures.transforms.coordinates import converted_q
from random_figures import random_figure, smooth_q

SEEDS = range(6)


TRANSFORMS: dict[str, Callable[[Figure, Array], Figure]] = {
    "balls": lambda figure, q: figure.with_balls(),
    "balls and back": lambda figure, q: figure.with_balls().with_hinges(),
    "another root": lambda figure, q: figure.rerooted(root=figure.joint_names[-1]),
    "a middle root": lambda figure, q: figure.rerooted(root="joint4"),
    "another root and back": lambda figure, q: figure.rerooted(root=figure.joint_names[-1]).rerooted(root="root"),
    "balls on another root": lambda figure, q: figure.with_balls().rerooted(root="joint6"),
}


def assert_same_world(a: Figure, qa: Array, b: Figure, qb: Array) -> None:
    names = [name for name in a.joint_names if name in b.joint_names]
    first, second = joint_frames(a, qa), joint_frames(b, qb)
    here, there = [a.joint_index(n) for n in names], [b.joint_index(n) for n in names]
    np.testing.assert_allclose(first.positions[..., here, :], second.positions[..., there, :], rtol=0.0, atol=1e-11)
    np.testing.assert_allclose(
        first.rotations[..., here, :, :], second.rotations[..., there, :, :], rtol=0.0, atol=1e-11
    )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS.keys())
def test_segments_sites_and_masses_stay_where_they_were(transform: Callable[..., Figure], seed: int) -> None:
    figure = random_figure(seed)
    q = smooth_q(figure, seed)
    changed = transform(figure, q)
    assert set(figure.joint_names) <= set(changed.joint_names)
    new = converted_q(figure, changed, q)
    assert_same_world(figure, q, changed, new)
    ours, theirs = site_frames(figure, q, figure.site_names), site_frames(changed, new, figure.site_names)
    np.testing.assert_allclose(ours.points, theirs.points, rtol=0.0, atol=1e-11)
    np.testing.assert_allclose(centre_of_mass(figure, q), centre_of_mass(changed, new), rtol=0.0, atol=1e-11)
    back = converted_q(changed, figure, new)
    assert_same_world(figure, q, figure, back)


@pytest.mark.parametrize("seed", SEEDS)
def test_single_turns_survive_the_way_to_another_root_and_back(seed: int) -> None:
    figure = random_figure(seed)
    q = smooth_q(figure, seed) + 0.2
    changed = figure.rerooted(root=figure.joint_names[-1])
    back = converted_q(changed, figure, converted_q(figure, changed, q))
    np.testing.assert_allclose(
        back[:, figure.dof_slice("root").stop :], q[:, figure.dof_slice("root").stop :], atol=1e-11
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_a_changed_figure_rests_where_the_figure_rests(seed: int) -> None:
    figure = random_figure(seed)
    for changed in (figure.with_balls(), figure.rerooted(root="joint7"), figure.locked("joint2")):
        assert_same_world(figure, figure.rest, changed, changed.rest)


@pytest.mark.parametrize("seed", SEEDS)
def test_locked_segments_keep_their_place_in_their_parents(seed: int) -> None:
    figure = random_figure(seed)
    q = smooth_q(figure, seed)
    frozen = figure.locked("joint3", "joint5", at=Pose(figure, q[0]))
    kept = [index for index, name in enumerate(figure.dof_names) if name in frozen.dof_names]
    assert frozen.n_dofs == len(kept)
    held = np.broadcast_to(q[0], q.shape).copy()
    held[:, kept] = q[:, kept]
    assert_same_world(figure, held, frozen, held[:, kept])
    np.testing.assert_array_equal(converted_q(figure, frozen, held), held[:, kept])
    again = converted_q(frozen, figure, held[:, kept], near=q[0])
    assert_same_world(figure, held, figure, again)


def test_everything_may_be_locked_and_unlocked() -> None:
    figure = random_figure(2)
    q = smooth_q(figure, 2, 1)[0]
    stone = figure.locked("root", at=Pose(figure, q))
    assert stone.n_dofs == 0
    assert converted_q(figure, stone, q).shape == (0,)
    assert_same_world(figure, converted_q(stone, figure, np.zeros(0), near=q), figure, q)


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_built_in_figures_can_be_changed_in_every_way(name: str) -> None:
    figure = build(name)
    q = figure.rest + 0.05 * np.random.default_rng(0).uniform(-1.0, 1.0, (3, figure.n_dofs))
    last = figure.joint_names[-1]
    hung = figure.rerooted(root=last)
    for changed in (figure.with_balls(drop_limits=True), hung, hung.with_balls()):
        new = converted_q(figure, changed, q)
        assert_same_world(figure, q, changed, new)
        assert_same_world(figure, q, figure, converted_q(changed, figure, new))
    frozen = figure.locked(last)
    assert_same_world(figure, figure.rest, frozen, frozen.rest)
    tall = figure.with_lengths(overall=1.1)
    positions = joint_frames(figure, figure.rest).positions
    np.testing.assert_allclose(joint_frames(tall, tall.rest).positions, 1.1 * positions, rtol=0.0, atol=1e-12)
    both = figure.beside(figure, prefix="other_")
    assert len(both.groups) == 2 * len(figure.groups)
    assert len(both.constraints) == 2 * len(figure.constraints)
    assert sum(joint.mass for joint in figure.with_masses(50.0).joints) == pytest.approx(50.0)
