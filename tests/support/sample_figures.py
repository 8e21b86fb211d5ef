"""Figures with every kind of joint, for the tests of files."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass

import numpy as np

from posewright.constraints import LinearConstraint
from posewright.figures import Ball, Capsule, Figure, Hinge, Joint, JointGroup, Site, Slide, Source, free_slides
from posewright.motions import Motion

SLANTED = (0.6, 0.0, 0.8)


def mixed() -> Figure:
    """Two bodies with slides, hinges, balls, fixed and zero-length joints, limits, groups, constraints, shapes."""
    return Figure(
        name="mixed",
        joints=(
            Joint(name="hips", offset=(0.1, 0.9, 0.0), slides=free_slides((0.0, 0.02, 0.0)), rotation=Ball(), mass=9.0),
            Joint(
                name="spine", parent="hips", offset=(0, 0.2, 0), rotation=(Hinge(axis=(0, 0, 1)), Hinge(axis=(1, 0, 0)))
            ),
            Joint(
                name="chest",
                parent="spine",
                offset=(0.0, 0.25, 0.01),
                rest=(math.cos(0.2), 0.0, math.sin(0.2), 0.0),
                rotation=(
                    Hinge(axis=SLANTED, label="lean", lower=-1.0, upper=0.7, rest=0.1, rigidity=0.25, max_speed=8.0),
                    Hinge(axis=(0.0, 1.0, 0.0), lower=-2.0),
                ),
                mass=12.5,
                centre=(0.0, 0.1, 0.02),
                shape=(Capsule(start=(0, 0, 0), end=(0, 0.3, 0), start_radius=0.12, end_radius=0.1),),
            ),
            Joint(name="twin", parent="chest"),
            Joint(
                name="arm",
                parent="twin",
                offset=(0.2, 0.1, 0.0),
                rotation=Ball(lower=(-1, -1, -1), upper=(1, 1, 1.5), rest=(0.0, 0.0, 0.3), rigidity=(0, 0.5, 1)),
            ),
            Joint(
                name="tray",
                parent="arm",
                offset=(0.3, 0.0, 0.0),
                slides=(Slide(axis=SLANTED, label="reach", lower=0.0, upper=0.4, rest=0.1),),
            ),
            Joint(
                name="lift",
                offset=(1.0, 0.5, 0.2),
                slides=(Slide(axis=(0, 1, 0)), Slide(axis=(0, 0, 1))),
                slides_replace_offset=True,
                rotation=(Hinge(axis=(0, 1, 0)),),
            ),
            Joint(name="hook", parent="lift", offset=(0.0, -0.4, 0.0), rotation=Ball(hinges=(Hinge(axis=(1, 0, 0)),))),
        ),
        sites=(
            Site(name="palm", joint="tray", point=(0.1, 0.0, 0.0), x_axis=(0.0, 0.6, 0.8), y_axis=(1, 0, 0), tip=True),
            Site(name="view", joint="chest", point=(0.0, 0.4, 0.1), x_axis=(0, 0, 1)),
        ),
        groups=(
            JointGroup(
                name="back",
                coordinates=("bend",),
                members=("spine.rz", "chest.lean", "tray.reach"),
                matrix=((0.5,), (1 / 3,), (0.1,)),
                offset=(0.2, 0.0, 0.05),
            ),
        ),
        constraints=(
            LinearConstraint.coupling("follow", "spine.rx", "chest.ry", 0.7, 0.1),
            LinearConstraint(name="balance", coefficients=(("lift.ty", 1.0), ("hips.ty", -2.0)), lower=-0.3),
            LinearConstraint(name="both", coefficients=(("tray.reach", 1.0), ("lift.ry", 0.1)), upper=2.0),
        ),
        source=Source(
            format="bvh",
            metres_per_unit=0.0254,
            up="z",
            channels=(("Xposition",), ()),
            names=("Hips", "Hips"),
            notes=("a doubt",),
        ),
    )


def wandering(figure: Figure, frames: int = 12, fps: float = 30.0, seed: int = 0) -> Motion:
    """A smooth motion of every dof."""
    rng = np.random.default_rng(seed)
    phase, size = rng.uniform(0, 6, figure.n_dofs), rng.uniform(0.1, 0.6, figure.n_dofs)
    t = np.arange(frames)[:, None] / fps
    return Motion(figure, figure.rest + size * np.sin(3.0 * t + phase), fps=fps, name="wander", notes=("made up",))


def assert_same(a: object, b: object, where: str = "figure") -> None:
    """Equal in every field, numbers to 1e-12."""
    if isinstance(a, float | int) and isinstance(b, float | int):
        assert a == b or abs(a - b) <= 1e-12, where
    elif isinstance(a, tuple):
        assert isinstance(b, tuple)
        assert len(a) == len(b), where
        for index, (x, y) in enumerate(zip(a, b, strict=True)):
            assert_same(x, y, f"{where}[{index}]")
    elif is_dataclass(a):
        assert type(a) is type(b), where
        for item in fields(a):
            assert_same(getattr(a, item.name), getattr(b, item.name), f"{where}.{item.name}")
    else:
        assert a == b, where
