"""Pelvis, spine, neck and head of a biped, and the outline of its trunk.

The trunk's outline is given once, by level, so that however many joints the spine has, each carries its part and the
whole bends as one body. The full spine has 17 vertebrae, L5 to T1, each with three hinges, and a joint group that bends
it with three numbers. Ranges per vertebra are after White & Panjabi 1990 (*Clinical Biomechanics of the Spine*): the
lumbar spine flexes, the thoracic spine turns. In the group (Zhao & Badler 1994, section 12) each vertebra takes the
share of the total bend that its range is of the total range, so that all reach their limits together.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from posewright.figures.catalogue import proportions as share
from posewright.figures.catalogue.building import across, capsule, segment, site, trunk_hinges
from posewright.figures.catalogue.limbs import COLLAR_MASS, rest_pelvis_height
from posewright.figures.catalogue.proportions import Proportions
from posewright.figures.group import JointGroup
from posewright.figures.joint import ORIGIN, Ball, Capsule, Hinge, Joint, Vector, Y, Z, free_slides
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


COORDINATES = ("flexion", "lateral", "axial")
FORWARD_SHARE = 0.65
"""Of a vertebra's range of flexion and extension, how much is forward."""


class Vertebra(NamedTuple):
    """One vertebra and the disc below it."""

    name: str
    height: float
    """mm, disc included; only the proportions count."""
    back: float
    """How far the disc below it lies behind the line from sacrum to neck, over the standing height."""
    flexion: float
    """Degrees, forward and backward together."""
    lateral: float
    """Degrees to one side."""
    axial: float
    """Degrees to one side."""


VERTEBRAE = (
    Vertebra("L5", 36, 0.000, 17, 3, 1),
    Vertebra("L4", 37, -0.006, 16, 6, 2),
    Vertebra("L3", 37, -0.009, 15, 8, 2),
    Vertebra("L2", 36, -0.008, 14, 6, 2),
    Vertebra("L1", 35, -0.004, 12, 6, 2),
    Vertebra("T12", 31, 0.001, 12, 8, 2),
    Vertebra("T11", 28, 0.005, 12, 9, 2),
    Vertebra("T10", 26, 0.009, 9, 7, 2),
    Vertebra("T9", 25, 0.012, 6, 6, 4),
    Vertebra("T8", 24, 0.015, 6, 6, 6),
    Vertebra("T7", 24, 0.017, 6, 6, 7),
    Vertebra("T6", 23, 0.018, 5, 6, 7),
    Vertebra("T5", 22, 0.018, 4, 6, 8),
    Vertebra("T4", 21, 0.016, 4, 6, 8),
    Vertebra("T3", 20, 0.013, 4, 5, 8),
    Vertebra("T2", 20, 0.009, 4, 6, 8),
    Vertebra("T1", 19, 0.005, 4, 5, 9),
)
UPPER_TRUNK = ("T9", "T8", "T7", "T6", "T5", "T4", "T3", "T2", "T1")
"""Those that carry the ribs' and breast's mass; the others that of the belly."""


def pelvis(body: Proportions, *, free: bool) -> Joint:
    """The root, at its place of the relaxed stance: free (three slides, then a ball) or fixed to the world."""
    height = rest_pelvis_height(body)
    buttock, flank = body.trunk(0.040, 0.518, -0.026), body.trunk(0.046, 0.540, 0.000)
    radii = body.girth(0.0430), body.girth(0.0440)
    return Joint(
        name="pelvis",
        offset=(0.0, 0.0 if free else height, 0.0),
        slides=free_slides((0.0, height, 0.0)) if free else (),
        rotation=Ball() if free else (),
        mass=share.LOWER_TRUNK_MASS * body.mass,
        centre=body.trunk(0.0, 0.557, -0.004),
        shape=(
            *outline(body, 0.540, share.SPINE_BASE, ORIGIN),
            capsule(buttock, flank, *radii),
            capsule(across(buttock), across(flank), *radii),
        ),
    )


def trunk_segment(
    body: Proportions, name: str, parent: str, parent_at: Vector, at: Vector, levels: tuple[float, float],
    hinges: tuple[Hinge, ...], mass: float,
) -> Joint:  # fmt: skip
    """A joint of the trunk at a place (m, pelvis' frame, zero pose) that carries all between two levels."""
    shape = outline(body, *levels, at)
    return segment(name, parent, minus(at, parent_at), hinges, mass * body.mass, _centre(body, *levels, at), *shape)


def outline(
    body: Proportions,
    low: float,
    high: float,
    origin: Vector,
    columns: tuple[float, ...] = ALL_COLUMNS,
) -> tuple[Capsule, ...]:
    """The trunk's shape between two levels, for a joint at `origin` (m, pelvis' frame, zero pose).

    Four columns of rounded cones, whose union at any level is nearly an ellipse with a furrow in the middle.
    """
    corners = [level for level in _OUTLINE[:, 0] if low + 0.005 < level < high - 0.005]
    capsules = []
    for below, above in itertools.pairwise([low, *corners, high]):
        start_width, start_radius, start_forward = _section(body, below)
        end_width, end_radius, end_forward = _section(body, above)
        capsules += [
            capsule(
                minus(body.trunk(side * start_width, below, start_forward), origin),
                minus(body.trunk(side * end_width, above, end_forward), origin),
                start_radius,
                end_radius,
            )
            for side in columns
        ]
    return tuple(capsules)


def _section(body: Proportions, level: float) -> tuple[float, float, float]:
    """At a level: how far out the side columns are (over the height), all radii (m), how far forward."""
    width, depth, forward = (float(np.interp(level, _OUTLINE[:, 0], column)) for column in _OUTLINE.T[1:])
    return width - depth, body.girth(depth), forward


def _centre(body: Proportions, low: float, high: float, origin: Vector) -> Vector:
    """The centre of the trunk between two levels, for a joint at `origin`."""
    level = 0.5 * (low + high)
    forward = float(np.interp(level, _OUTLINE[:, 0], _OUTLINE[:, 3]))
    return minus(body.trunk(0.0, level, forward), origin)


# The spine of 17 vertebrae.


def spine_joints(body: Proportions) -> tuple[Joint, ...]:
    """The vertebrae, lowest first, the lowest on `pelvis`; offsets follow the spine's double curve."""
    heights = list(itertools.accumulate((v.height for v in VERTEBRAE), initial=0.0))
    length = share.NECK_BASE - share.SPINE_BASE
    levels = [share.SPINE_BASE + length * height / heights[-1] for height in heights]  # of the discs
    places = [body.trunk(0.0, level, _on_line(level, v.back)) for level, v in zip(levels, VERTEBRAE, strict=False)]
    upper = sum(v.height for v in VERTEBRAE if v.name in UPPER_TRUNK)
    joints = []
    for k, vertebra in enumerate(VERTEBRAE):
        at = places[k]
        if vertebra.name in UPPER_TRUNK:
            mass = (share.UPPER_TRUNK_MASS - 2.0 * COLLAR_MASS) * vertebra.height / upper
        else:
            mass = share.MIDDLE_TRUNK_MASS * vertebra.height / (heights[-1] - upper)
        forward = FORWARD_SHARE * vertebra.flexion
        # Vertebrae carry the inner and the outer half of the trunk in turn, over two levels: half as much to draw.
        high = levels[min(k + 2, len(VERTEBRAE))]
        shape = outline(body, levels[k], high, at, OUTER_COLUMNS if k % 2 else INNER_COLUMNS)
        if k == 0:
            shape += outline(body, levels[0], levels[1], at, OUTER_COLUMNS)
        joints.append(
            segment(
                vertebra.name,
                VERTEBRAE[k - 1].name if k else "pelvis",
                minus(at, places[k - 1]) if k else at,
                trunk_hinges((forward - vertebra.flexion, forward), vertebra.lateral, vertebra.axial),
                mass * body.mass,
                _centre(body, levels[k], levels[k + 1], at),
                *shape,
            )
        )
    return tuple(joints)


def spine_group() -> JointGroup:
    """All vertebrae driven by the total flexion, lateral bend and axial turn; each column of shares sums to 1."""
    ranges = [(v.flexion, v.lateral, v.axial) for v in VERTEBRAE]
    totals = [sum(column) for column in zip(*ranges, strict=True)]
    return JointGroup(
        name="spine",
        coordinates=COORDINATES,
        members=tuple(f"{v.name}.{coordinate}" for v in VERTEBRAE for coordinate in COORDINATES),
        matrix=tuple(
            tuple(bends[k] / totals[k] if j == k else 0.0 for j in range(3)) for bends in ranges for k in range(3)
        ),
    )


def _on_line(level: float, back: float) -> float:
    along = (level - SPINE_BASE[1]) / (NECK_BASE[1] - SPINE_BASE[1])
    return SPINE_BASE[2] + along * (NECK_BASE[2] - SPINE_BASE[2]) - back


# Neck and head.


def neck_and_head(
    body: Proportions, parent: str, parent_at: Vector, *, neck: tuple[Hinge, ...], head: tuple[Hinge, ...]
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
    x, up, forward = (body.girth(high - low) for low, high in zip(NECK_BASE, SKULL_BASE, strict=True))
    both = share.HEAD_AND_NECK_MASS * body.mass
    joints = (
        segment(
            "neck", parent, minus(base, parent_at), neck, NECK_MASS * both, (0.0, 0.5 * up, 0.5 * forward),
            capsule((0.0, body.girth(-0.010), 0.0), (0.0, up, forward), body.girth(0.0320), body.girth(0.0290)),
        ),
        segment(
            "head", "neck", (x, up, forward), head, (1.0 - NECK_MASS) * both, _on_head(body, 0.945, 0.010),
            *(
                capsule(_on_head(body, *a), _on_head(body, *b), body.girth(start), body.girth(end))
                for a, b, start, end in _HEAD
            ),
        ),
    )  # fmt: skip
    sites = (
        site("view", "head", _on_head(body, share.EYES, 0.056), Z, Y),
        site("head_top", "head", _on_head(body, 1.0, 0.0), Y, Z, tip=True),
    )
    return joints, sites


_HEAD = (  # level and z of both ends, radii: over the height
    ((0.9530, -0.008), (0.9560, 0.010), 0.0430, 0.0440),  # skull
    ((0.9480, 0.0125), (0.9080, 0.0235), 0.0430, 0.0345),  # face
    ((0.9080, 0.0235), (0.8900, 0.0350), 0.0345, 0.0200),  # chin
    ((0.9530, -0.008), (0.9200, -0.004), 0.0425, 0.0310),  # back of the skull
    ((0.9320, 0.0530), (0.9155, 0.0590), 0.0055, 0.0078),  # nose
)


def _on_head(body: Proportions, level: float, z: float) -> Vector:
    """A point of the head in its frame; `level` a height over the standing height, z from the pelvis' plane."""
    return body.girth(0.0), body.girth(level - share.SKULL_BASE), body.girth(z - SKULL_BASE[2])
