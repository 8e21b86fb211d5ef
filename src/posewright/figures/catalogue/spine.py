"""The spine of 17 vertebrae, L5 to T1, each with three hinges, and the joint group that bends it with three numbers.

Ranges per vertebra are after White & Panjabi 1990 (*Clinical Biomechanics of the Spine*): the lumbar spine flexes, the
thoracic spine turns. In the group (Zhao & Badler 1994, section 12) each vertebra takes the
share of the total bend that its range is of the total range, so that all reach their limits together.
"""

from __future__ import annotations

from typing import NamedTuple

from posewright.figures.catalogue import proportions as share
from posewright.figures.catalogue.arm import COLLAR_MASS
from posewright.figures.catalogue.hinges import trunk_hinges
from posewright.figures.catalogue.proportions import Body
from posewright.figures.catalogue.trunk import (
    INNER_COLUMNS,
    NECK_BASE,
    OUTER_COLUMNS,
    SPINE_BASE,
    outline,
    trunk_centre,
)
from posewright.figures.group import JointGroup
from posewright.figures.joint import Capsule, Joint, Vector
from posewright.figures.vectors import minus

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


def spine_joints(body: Body) -> tuple[Joint, ...]:
    """The vertebrae, lowest first, the lowest on `pelvis`; offsets follow the spine's double curve."""
    levels = _levels()
    line = [_on_line(level, vertebra.back) for level, vertebra in zip(levels, VERTEBRAE, strict=False)]
    places = [body.trunk(0.0, level, z) for level, z in zip(levels, line, strict=False)]
    upper = sum(v.height for v in VERTEBRAE if v.name in UPPER_TRUNK)
    middle = sum(v.height for v in VERTEBRAE) - upper
    joints = []
    for k, vertebra in enumerate(VERTEBRAE):
        low, high, at = levels[k], levels[k + 1], places[k]
        if vertebra.name in UPPER_TRUNK:
            mass = (share.UPPER_TRUNK_MASS - 2.0 * COLLAR_MASS) * vertebra.height / upper
        else:
            mass = share.MIDDLE_TRUNK_MASS * vertebra.height / middle
        forward = FORWARD_SHARE * vertebra.flexion
        joints.append(
            Joint(
                name=vertebra.name,
                parent=VERTEBRAE[k - 1].name if k else "pelvis",
                offset=minus(at, places[k - 1]) if k else at,
                rotation=trunk_hinges((forward - vertebra.flexion, forward), vertebra.lateral, vertebra.axial),
                mass=mass * body.mass,
                centre=trunk_centre(body, low, high, at),
                shape=_shape(body, k, levels, at),
            )
        )
    return tuple(joints)


def spine_group() -> JointGroup:
    """All vertebrae driven by the total flexion, lateral bend and axial turn; each column of shares sums to 1."""
    ranges = [(v.flexion, v.lateral, v.axial) for v in VERTEBRAE]
    totals = [sum(column) for column in zip(*ranges, strict=True)]
    members, matrix = [], []
    for vertebra, bends in zip(VERTEBRAE, ranges, strict=True):
        for k, coordinate in enumerate(COORDINATES):
            members.append(f"{vertebra.name}.{coordinate}")
            matrix.append(tuple(bends[k] / totals[k] if j == k else 0.0 for j in range(3)))
    return JointGroup(name="spine", coordinates=COORDINATES, members=tuple(members), matrix=tuple(matrix))


def _shape(body: Body, k: int, levels: list[float], at: Vector) -> tuple[Capsule, ...]:
    """Vertebrae carry the inner and the outer half of the trunk in turn, over two levels: half as much to draw."""
    high = levels[min(k + 2, len(VERTEBRAE))]
    shape = outline(body, levels[k], high, at, OUTER_COLUMNS if k % 2 else INNER_COLUMNS)
    return shape if k else shape + outline(body, levels[0], levels[1], at, OUTER_COLUMNS)


def _levels() -> list[float]:
    """Heights over the standing height of the disc below each vertebra, and of the one above the last."""
    total, below = sum(v.height for v in VERTEBRAE), 0.0
    levels = [share.SPINE_BASE]
    for vertebra in VERTEBRAE:
        below += vertebra.height
        levels.append(share.SPINE_BASE + (share.NECK_BASE - share.SPINE_BASE) * below / total)
    return levels


def _on_line(level: float, back: float) -> float:
    along = (level - SPINE_BASE[1]) / (NECK_BASE[1] - SPINE_BASE[1])
    return SPINE_BASE[2] + along * (NECK_BASE[2] - SPINE_BASE[2]) - back
