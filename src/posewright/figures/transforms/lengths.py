"""Scale segments: factors per segment, and one for the whole figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from posewright.checks import require_number
from posewright.conventions import Array
from posewright.figures.figure import Figure
from posewright.figures.joint import Capsule, Joint
from posewright.figures.transforms.relations import changed_constraint, changed_group
from posewright.figures.vectors import times


def with_lengths(
    figure: Figure, factors: Mapping[str, float] | None = None, *, overall: float = 1.0, scale_masses: bool = False
) -> Figure:
    """A copy of the figure with scaled segments.

    The segment of joint `j` is scaled by `factors[j] · overall` (or `overall`): the offsets and slides of the joints
    attached to it, its sites, capsules and centre of mass. Radii are scaled by `overall` only. Angles keep their
    meaning; slides are lengths, so `lengths_q` rescales them.

    Args:
        figure: the figure to scale.
        factors: positive factors by joint name.
        overall: positive factor of the whole figure, including root slides and their limits.
        scale_masses: whether masses scale by the segment's factor (same cross-section) times `overall` cubed.

    Raises:
        InvalidSetting: a factor is not positive and finite.
        UnknownName: a factor is for a joint that does not exist.
    """
    chosen = dict(factors or {})
    for name, factor in (*chosen.items(), ("overall", overall)):
        require_number(factor, f"the length factor of {name!r}", above=0.0)
    for name in chosen:
        figure.joint_index(name)
    bones = {name: overall * chosen.get(name, 1.0) for name in figure.joint_names}
    scales = _dof_factors(figure, bones, overall)
    changed = {
        name: (name, float(factor)) for name, factor in zip(figure.dof_names, scales, strict=True) if factor != 1.0
    }
    return replace(
        figure,
        joints=tuple(_scaled_joint(joint, bones, overall, scale_masses) for joint in figure.joints),
        sites=tuple(replace(site, point=times(site.point, bones[site.joint])) for site in figure.sites),
        groups=tuple(changed_group(group, changed) for group in figure.groups),
        constraints=tuple(changed_constraint(constraint, changed) for constraint in figure.constraints),
    )


def lengths_q(figure: Figure, q: Array, factors: Mapping[str, float] | None = None, *, overall: float = 1.0) -> Array:
    """Dof values (..., dofs) of `with_lengths(figure, factors, overall=overall)` for the same posture as `q`."""
    bones = {name: overall * (factors or {}).get(name, 1.0) for name in figure.joint_names}
    scaled: Array = np.asarray(q) * _dof_factors(figure, bones, overall)
    return scaled


def _dof_factors(figure: Figure, bones: Mapping[str, float], overall: float) -> Array:
    """(dofs,): factor of each value of `q`."""
    factors = []
    for joint in figure.joints:
        length = bones[joint.parent] if joint.parent else overall
        factors += [length] * len(joint.slides) + [1.0] * (joint.n_dofs - len(joint.slides))
    return np.array(factors)


def _scaled_joint(joint: Joint, bones: Mapping[str, float], overall: float, scale_masses: bool) -> Joint:
    own, above = bones[joint.name], bones[joint.parent] if joint.parent else overall
    return replace(
        joint,
        offset=times(joint.offset, above),
        slides=tuple(
            replace(s, lower=above * s.lower, upper=above * s.upper, rest=above * s.rest, max_speed=above * s.max_speed)
            for s in joint.slides
        ),
        mass=joint.mass * (own * overall**2 if scale_masses else 1.0),
        centre=times(joint.centre, own),
        shape=tuple(_scaled_capsule(capsule, own, overall) for capsule in joint.shape),
    )


def _scaled_capsule(capsule: Capsule, length: float, radius: float) -> Capsule:
    return replace(
        capsule,
        start=times(capsule.start, length),
        end=times(capsule.end, length),
        start_radius=radius * capsule.start_radius,
        end_radius=radius * capsule.end_radius,
    )
