"""Dofs coupled by equalities of two, as of robots' `mimic` joints, taken out of a motion problem.

Dofs coupled to each other form a group, in which each is `ratio · x + offset` of one of them, the leader. The objective
stays the same: with w the weights of the distances to the example r,

    Σ w (ratio x + offset - r)²  =  (Σ w ratio²) (x - mean)² + a constant,    mean = Σ w ratio (r - offset) / Σ w ratio²

so the leader alone, with these weights, this example and the narrowest limits, stands for all. The tree elimination
searches single dofs, so this affine map is applied around it instead of by a `Space`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from posewright.constraints import LinearConstraint
from posewright.conventions import Array, IntArray
from posewright.figures import Figure
from posewright.problem.lowering import lower
from posewright.problem.motion_lowering import LoweredMotion
from posewright.problem.problem import Problem

_SAME = 1e-9
"""How far two couplings of the same dofs may differ."""


@dataclass(frozen=True, eq=False)
class Coupling:
    """Dofs that move as one."""

    dofs: IntArray
    """The leader comes first."""
    ratios: Array
    offsets: Array
    entwined: bool = False
    """Whether goals depend on more than one of them."""

    def led_by(self, first: int) -> Coupling:
        """The same with another leader, by its position."""
        order = np.concatenate([[first], np.delete(np.arange(len(self.dofs)), first)])
        ratios = self.ratios / self.ratios[first]
        offsets = self.offsets - ratios * self.offsets[first]
        return replace(self, dofs=self.dofs[order], ratios=ratios[order], offsets=offsets[order])

    def mean(self, q: Array, weights: Array) -> Array:
        """The leader's value (frames,) for which the dofs are nearest to those of q (frames, dofs)."""
        own = weights[self.dofs]
        own = own if own.any() else np.ones(len(own))
        pull = own * self.ratios
        found = np.zeros(len(q))
        for dof, offset, share in zip(self.dofs, self.offsets, pull / float(pull @ self.ratios), strict=True):
            found += share * (q[:, dof] - offset)  # one by one: the same bits for a frame as for many
        return found

    def write(self, x: Array, q: Array) -> None:
        """Write the values of all dofs for the leader's values (frames,) into q (frames, dofs)."""
        q[:, self.dofs] = x[:, np.newaxis] * self.ratios + self.offsets


def couplings(figure: Figure, equalities: Iterable[LinearConstraint]) -> tuple[Coupling, ...] | None:
    """The groups that equalities of two dofs make; None if there are other equalities, or contradicting ones."""
    tied: dict[int, tuple[int, float, float]] = {}  # by dof: its leader, ratio and offset
    balls = {joint.name for joint in figure.joints if joint.ball is not None}
    for constraint in equalities:
        terms = [(figure.dof_index(dof), factor) for dof, factor in constraint.coefficients]
        if len(terms) != 2 or any(dof.rpartition(".")[0] in balls for dof, _ in constraint.coefficients):
            return None
        (first, f), (second, s) = terms
        (a, ra, oa), (b, rb, ob) = (tied.setdefault(dof, (dof, 1.0, 0.0)) for dof in (first, second))
        ratio, offset = -s * rb / (f * ra), (constraint.upper - f * oa - s * ob) / (f * ra)
        if a == b:
            if abs(ratio - 1.0) > _SAME or abs(offset) > _SAME:
                return None
            continue
        for dof, (leader, r, o) in list(tied.items()):
            if leader == a:
                tied[dof] = (b, r * ratio, r * offset + o)
    found = []
    by_leader = sorted(tied.items(), key=lambda item: (item[1][0], item[0] != item[1][0], item[0]))
    for _, members in itertools.groupby(by_leader, key=lambda item: item[1][0]):
        rows = list(members)
        dofs = np.array([dof for dof, _ in rows])
        found.append(Coupling(dofs, np.array([r for _, (_, r, _) in rows]), np.array([o for _, (_, _, o) in rows])))
    return tuple(found)


def groups_of(lowered: LoweredMotion) -> tuple[Coupling, ...] | None:
    """The coupled dofs of a motion problem, led by one that a goal depends on; None if it has other equalities."""
    problem, figure = lowered.problem, lowered.problem.figure
    relations = (*figure.constraints, *problem.constraints)
    found = couplings(figure, (one for one in relations if one.is_equality and len(one.coefficients) > 1))
    if found is None:
        return None
    above = {joint for term in lowered.frame.terms for joint in figure.ancestors(int(term["joint"]))}
    groups = []
    for group in found:
        moved = [k for k, dof in enumerate(group.dofs) if int(figure.tables.dofs[dof]["joint"]) in above]
        groups.append(replace(group.led_by(moved[0]) if moved else group, entwined=len(moved) > 1))
    return tuple(groups)


def uncoupled(lowered: LoweredMotion, groups: tuple[Coupling, ...], *, held: bool) -> LoweredMotion | None:
    """The problem of the leaders alone, without linear constraints; None if no value of a group is within limits.

    Args:
        lowered: the problem.
        groups: its coupled dofs.
        held: whether entwined dofs are as in the example; else each is searched for as if it were free.
    """
    problem, figure = lowered.problem, lowered.problem.figure
    kept = [one for one in (*figure.constraints, *problem.constraints) if len(one.coefficients) == 1]
    example, stiffness, reach = lowered.example.copy(), lowered.stiffness.copy(), lowered.reach.copy()
    frozen = {dof for name in problem.frozen for dof in range(figure.n_dofs)[figure.dofs_of(name)]}
    for group in groups:
        limits = _limits(lowered, group)
        if limits is None:
            return None
        kept.append(limits)
        reach[group.dofs] = np.abs(group.ratios) * float((reach[group.dofs] / np.abs(group.ratios)).min())
        if group.entwined and not held:
            continue
        for weights in (example, stiffness):
            weights[group.dofs[0]] = float(group.ratios**2 @ weights[group.dofs])
        still = group.dofs if group.entwined or frozen.intersection(group.dofs.tolist()) else group.dofs[1:]
        frozen |= set(still.tolist())
    bare, names = replace(figure, constraints=()), [figure.dof_names[dof] for dof in sorted(frozen)]
    frame = lower(Problem(bare, problem.frame_problem.goals, frozen=names, constraints=kept))
    return replace(lowered, frame=frame, example=example, stiffness=stiffness, reach=reach)


def example_weights(lowered: LoweredMotion) -> Array:
    """Weights (dofs,) of each dof's example in its group: only frozen ones count, if there are any."""
    weights = lowered.example.copy()
    for name in lowered.problem.frozen:
        weights[lowered.problem.figure.dofs_of(name)] = 1e12 * max(float(lowered.example.max(initial=0.0)), 1e-12)
    return weights


def _limits(lowered: LoweredMotion, group: Coupling) -> LinearConstraint | None:
    """The narrowest limits of the leader; None if they are empty."""
    region, names = lowered.frame.region, [lowered.problem.figure.dof_names[dof] for dof in group.dofs]
    ends = np.sort((np.stack([region.lower, region.upper])[:, group.dofs] - group.offsets) / group.ratios, axis=0)
    lower, upper = float(ends[0].max()), float(ends[1].min())
    if lower > upper:
        return None
    name = f"limits of {', '.join(names)}, which move as one"
    return LinearConstraint(name=name, coefficients=((names[0], 1.0),), lower=lower, upper=upper)
