"""Generated trees with every kind of joint, for tests of promises that hold for all figures."""

from __future__ import annotations

import numpy as np

from posewright.conventions import Array
from posewright.figures import Ball, Figure, Hinge, Joint, Site, Slide, free_slides

AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def random_figure(seed: int, n_joints: int = 12) -> Figure:
    """A branching figure: fixed joints, slides, one to three hinges about any axes, balls, rest rotations, masses."""
    rng = np.random.default_rng(seed)
    joints = [
        Joint(
            name="root",
            offset=_vector(rng),
            rest=_quaternion(rng),
            slides=free_slides(),
            slides_replace_offset=bool(rng.integers(2)),
            rotation=Ball() if rng.integers(2) else _hinges(rng, 3),
            mass=rng.uniform(0.5, 5.0),
            centre=_vector(rng),
        )
    ]
    for index in range(1, n_joints):
        kind = int(rng.integers(5))
        joints.append(
            Joint(
                name=f"joint{index}",
                parent=joints[int(rng.integers(max(0, index - 4), index))].name,
                offset=_vector(rng),
                rest=_quaternion(rng) if rng.integers(2) else (1.0, 0.0, 0.0, 0.0),
                slides=_slides(rng, int(rng.integers(1, 4))) if rng.integers(3) == 0 else (),
                rotation=Ball() if kind == 4 else _hinges(rng, kind),
                mass=rng.uniform(0.1, 3.0) if rng.integers(4) else 0.0,
                centre=_vector(rng),
            )
        )
    sites = [
        Site(name=f"site{k}", joint=joint.name, point=_vector(rng), x_axis=_unit(rng), y_axis=_unit(rng))
        for k, joint in enumerate(joints)
    ]
    return Figure(name=f"random{seed}", joints=tuple(joints), sites=tuple(sites))


def random_q(figure: Figure, seed: int, n: int = 3) -> Array:
    """Coordinates (n, dofs) well inside the branch of rotation vectors."""
    return np.random.default_rng(seed).uniform(-1.5, 1.5, (n, figure.n_dofs))


def smooth_q(figure: Figure, seed: int, n: int = 40) -> Array:
    """Coordinates (n, dofs) that wander from frame to frame by at most about 0.1."""
    steps = np.random.default_rng(seed).uniform(-0.1, 0.1, (n, figure.n_dofs))
    return np.cumsum(steps, axis=0)


def _hinges(rng: np.random.Generator, count: int) -> tuple[Hinge, ...]:
    return tuple(
        Hinge(axis=AXES[int(rng.integers(3))] if rng.integers(3) else _unit(rng), label=f"turn{k}")
        for k in range(count)
    )


def _slides(rng: np.random.Generator, count: int) -> tuple[Slide, ...]:
    return tuple(
        Slide(axis=AXES[k] if rng.integers(2) else _unit(rng), label=f"slide{k}", lower=-3.0, upper=4.0)
        for k in range(count)
    )


def _vector(rng: np.random.Generator) -> tuple[float, float, float]:
    x, y, z = rng.normal(scale=0.3, size=3).tolist()
    return x, y, z


def _unit(rng: np.random.Generator) -> tuple[float, float, float]:
    v = rng.normal(size=3)
    x, y, z = (v / np.linalg.norm(v)).tolist()
    return x, y, z


def _quaternion(rng: np.random.Generator) -> tuple[float, float, float, float]:
    v = rng.normal(size=4)
    w, x, y, z = (v / np.linalg.norm(v)).tolist()
    return w, x, y, z
