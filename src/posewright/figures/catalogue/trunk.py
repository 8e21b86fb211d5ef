"""Pelvis, neck and head of a biped, and the outline of its trunk.

The trunk's outline is given once, by level, so that however many joints the spine has, each carries its part and the
whole bends as one body.
"""

from __future__ import annotations

import itertools

import numpy as np

from posewright.figures.catalogue import proportions as share
from posewright.figures.catalogue.leg import rest_pelvis_height
from posewright.figures.catalogue.proportions import Body
from posewright.figures.joint import ORIGIN, Ball, Capsule, Hinge, Joint, Vector, free_slides
from posewright.figures.site import Site
from posewright.figures.vectors import minus

SPINE_BASE = (0.0, share.SPINE_BASE, -0.022)
NECK_BASE = (0.0, share.NECK_BASE, -0.020)
SKULL_BASE = (0.0, share.SKULL_BASE, -0.004)
NECK_MASS = 0.2
"""Of the mass of head and neck."""

OUTER_COLUMNS, INNER_COLUMNS = (1.0, -1.0), (0.36, -0.36)
"""Columns of the outline, over how far out the outermost are."""
ALL_COLUMNS = OUTER_COLUMNS + INNER_COLUMNS

_OUTLINE = np.array(
    [  # level, half width, half depth, how far forward: over the height
        (0.525, 0.0850, 0.0540, -0.006),
        (0.550, 0.0930, 0.0590, -0.007),
        (0.585, 0.0860, 0.0540, -0.003),
        (0.640, 0.0740, 0.0480, 0.000),
        (0.690, 0.0840, 0.0540, -0.002),
        (0.740, 0.0960, 0.0600, -0.005),
        (0.775, 0.0980, 0.0580, -0.008),
        (0.805, 0.0860, 0.0480, -0.012),
        (0.830, 0.0560, 0.0360, -0.016),
        (0.848, 0.0330, 0.0290, -0.018),
    ]
)


def pelvis(body: Body, *, free: bool) -> Joint:
    """The root, at its place of the relaxed stance: free (three slides, then a ball) or fixed to the world."""
    height = rest_pelvis_height(body)
    buttock = body.trunk(0.040, 0.518, -0.026)
    flank = body.trunk(0.046, 0.540, 0.000)
    return Joint(
        name="pelvis",
        offset=(0.0, 0.0 if free else height, 0.0),
        slides=free_slides((0.0, height, 0.0)) if free else (),
        rotation=Ball() if free else (),
        mass=share.LOWER_TRUNK_MASS * body.mass,
        centre=body.trunk(0.0, 0.557, -0.004),
        shape=(
            *outline(body, 0.540, share.SPINE_BASE, ORIGIN),
            *(
                Capsule(
                    start=(side * buttock[0], buttock[1], buttock[2]),
                    end=(side * flank[0], flank[1], flank[2]),
                    start_radius=body.girth(0.0430),
                    end_radius=body.girth(0.0440),
                )
                for side in (1.0, -1.0)
            ),
        ),
    )


def outline(
    body: Body, low: float, high: float, origin: Vector, columns: tuple[float, ...] = ALL_COLUMNS
) -> tuple[Capsule, ...]:
    """The trunk's shape between two levels, for a joint at `origin` (m, pelvis' frame, zero pose).

    Four columns of rounded cones, whose union at any level is nearly an ellipse with a furrow in the middle.
    """
    corners = [level for level in _OUTLINE[:, 0] if low + 0.005 < level < high - 0.005]
    levels = [low, *corners, high]
    capsules = []
    for below, above in itertools.pairwise(levels):
        start_width, start_radius, start_forward = _section(body, below)
        end_width, end_radius, end_forward = _section(body, above)
        capsules += [
            Capsule(
                start=minus(body.trunk(side * start_width, below, start_forward), origin),
                end=minus(body.trunk(side * end_width, above, end_forward), origin),
                start_radius=start_radius,
                end_radius=end_radius,
            )
            for side in columns
        ]
    return tuple(capsules)


def _section(body: Body, level: float) -> tuple[float, float, float]:
    """At a level: how far out the side columns are (over the height), all radii (m), how far forward."""
    width, depth, forward = (float(np.interp(level, _OUTLINE[:, 0], column)) for column in _OUTLINE.T[1:])
    return width - depth, body.girth(depth), forward


def trunk_centre(body: Body, low: float, high: float, origin: Vector) -> Vector:
    """The centre of the trunk between two levels, for a joint at `origin` (m, pelvis' frame, zero pose)."""
    level = 0.5 * (low + high)
    forward = float(np.interp(level, _OUTLINE[:, 0], _OUTLINE[:, 3]))
    return minus(body.trunk(0.0, level, forward), origin)


def neck_and_head(
    body: Body, parent: str, parent_at: Vector, *, neck: tuple[Hinge, ...], head: tuple[Hinge, ...]
) -> tuple[tuple[Joint, ...], tuple[Site, ...]]:
    """Joints and sites above the trunk; no hinges make a rigid joint.

    Args:
        body: whose head it is.
        parent: the uppermost joint of the spine.
        parent_at: where it is in the pelvis' frame, zero pose (m).
        neck: hinges between T1 and C7.
        head: hinges under the skull.
    """
    base = body.trunk(*NECK_BASE)
    neck_step = _up(body, NECK_BASE, SKULL_BASE)
    both = share.HEAD_AND_NECK_MASS * body.mass
    joints = (
        Joint(
            name="neck",
            parent=parent,
            offset=minus(base, parent_at),
            rotation=neck,
            mass=NECK_MASS * both,
            centre=(0.0, 0.5 * neck_step[1], 0.5 * neck_step[2]),
            shape=(
                Capsule(
                    start=(0.0, body.girth(-0.010), 0.0),
                    end=(0.0, neck_step[1], neck_step[2]),
                    start_radius=body.girth(0.0320),
                    end_radius=body.girth(0.0290),
                ),
            ),
        ),
        Joint(
            name="head",
            parent="neck",
            offset=neck_step,
            rotation=head,
            mass=(1.0 - NECK_MASS) * both,
            centre=_on_head(body, 0.0, 0.945, 0.010),
            shape=_head_shape(body),
        ),
    )
    sites = (
        Site(
            name="view",
            joint="head",
            point=_on_head(body, 0.0, share.EYES, 0.056),
            x_axis=(0.0, 0.0, 1.0),
            y_axis=(0.0, 1.0, 0.0),
        ),
        Site(
            name="head_top",
            joint="head",
            point=_on_head(body, 0.0, 1.0, 0.0),
            x_axis=(0.0, 1.0, 0.0),
            y_axis=(0.0, 0.0, 1.0),
            tip=True,
        ),
    )
    return joints, sites


def _head_shape(body: Body) -> tuple[Capsule, ...]:
    def part(a: Vector, b: Vector, start: float, end: float) -> Capsule:
        return Capsule(
            start=_on_head(body, *a), end=_on_head(body, *b), start_radius=body.girth(start), end_radius=body.girth(end)
        )

    return (
        part((0.0, 0.9530, -0.008), (0.0, 0.9560, 0.010), 0.0430, 0.0440),  # skull
        part((0.0, 0.9480, 0.0125), (0.0, 0.9080, 0.0235), 0.0430, 0.0345),  # face
        part((0.0, 0.9080, 0.0235), (0.0, 0.8900, 0.0350), 0.0345, 0.0200),  # chin
        part((0.0, 0.9530, -0.008), (0.0, 0.9200, -0.004), 0.0425, 0.0310),  # back of the skull
        part((0.0, 0.9320, 0.0530), (0.0, 0.9155, 0.0590), 0.0055, 0.0078),  # nose
    )


def _on_head(body: Body, x: float, level: float, z: float) -> Vector:
    """A point of the head in its frame; `level` a height over the standing height, z from the pelvis' plane."""
    return body.girth(x), body.girth(level - share.SKULL_BASE), body.girth(z - SKULL_BASE[2])


def _up(body: Body, low: Vector, high: Vector) -> Vector:
    return body.girth(high[0] - low[0]), body.girth(high[1] - low[1]), body.girth(high[2] - low[2])
