"""Generated figures and motions: hinges of all orders, balls, slides, any rest rotations."""

import itertools

import numpy as np
from hypothesis import strategies as st

from posewright.figures import Ball, Figure, Hinge, Joint, Site, Slide, free_slides
from posewright.figures.joint import X, Y, Z
from posewright.motions import Motion

AXES = (X, Y, Z)
ORDERS = [order for order in itertools.product(AXES, repeat=3) if order[0] != order[1] and order[1] != order[2]]


def random_unit(rng, n):
    vector = rng.normal(size=n)
    return tuple(vector / np.linalg.norm(vector))


def rotation(kind, rng):
    """A rotation of a joint: "ball", "three" hinges of any order or oblique to the world, "two", "one", "fixed"."""
    if kind == "ball":
        return Ball()
    if kind == "three":
        return tuple(Hinge(axis=axis) for axis in ORDERS[rng.integers(len(ORDERS))])
    if kind == "skew":  # perpendicular to each other, but not along the axes
        a = np.array(random_unit(rng, 3))
        b = np.cross(a, random_unit(rng, 3))
        b /= np.linalg.norm(b)
        tilt = rng.uniform(0, 2 * np.pi)
        c = np.cos(tilt) * a + np.sin(tilt) * np.cross(a, b)
        return tuple(Hinge(axis=tuple(axis)) for axis in (a, b, c))
    return tuple(
        Hinge(axis=axis) for axis in ORDERS[rng.integers(len(ORDERS))][: {"two": 2, "one": 1, "fixed": 0}[kind]]
    )


KINDS = ("ball", "three", "skew", "two", "one", "fixed")


@st.composite
def figures(draw):
    """A free root and a random tree below it."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=4))
    root_kind = draw(st.sampled_from(["ball", "three", "skew"]))
    joints = [
        Joint(
            name="root",
            offset=tuple(rng.normal(size=3)),
            slides=free_slides(),
            slides_replace_offset=bool(rng.integers(2)),
            rest=random_unit(rng, 4),
            rotation=rotation(root_kind, rng),
        )
    ]
    for k, kind in enumerate(kinds):
        joints.append(
            Joint(
                name=f"j{k}",
                parent=joints[rng.integers(len(joints))].name,
                offset=tuple(rng.uniform(-0.5, 0.5, 3)),
                rest=random_unit(rng, 4),
                slides=free_slides()[: rng.integers(3)],
                rotation=rotation(kind, rng),
            )
        )
    tip = Site(name="tip", joint=joints[-1].name, point=(0.1, 0.2, 0.3), tip=True)
    return Figure(name="generated", joints=tuple(joints), sites=(tip,))


A_FEW = st.integers(1, 20)


@st.composite
def motions(draw, n_frames=A_FEW, figure=None, jumpy=False):
    """A smooth motion of a generated figure; `jumpy` angles then change their branch at random."""
    figure = draw(figures()) if figure is None else figure
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    frames = draw(n_frames)
    speed = rng.uniform(-0.2, 0.2, figure.n_dofs)
    q = rng.uniform(-2, 2, figure.n_dofs) + np.arange(frames)[:, None] * speed
    q += 0.1 * np.sin(np.arange(frames)[:, None] * 0.3 + rng.uniform(0, 6, figure.n_dofs))
    motion = Motion(figure, q, fps=draw(st.sampled_from([24.0, 30.0, 60.0, 120.0])))
    return jumpy_branches(motion, rng) if jumpy else motion


def jumpy_branches(motion, rng):
    """The same motion with whole turns and second triples thrown in."""
    from posewright.figures.joint_coordinates import other_triple, turns_freely

    q = motion.q.copy()
    for index, joint in enumerate(motion.figure.joints):
        where = motion.figure.dof_slice(index)
        angles = q[:, where.start + len(joint.slides) : where.stop]
        if joint.ball:
            length = np.linalg.norm(angles, axis=1, keepdims=True)
            angles *= 1 + 2 * np.pi * rng.integers(-1, 2, (len(q), 1)) / length
        elif joint.hinges:
            if turns_freely(joint):
                angles[:] = np.where(rng.integers(2, size=(len(q), 1)) == 1, other_triple(joint, angles), angles)
            angles += 2 * np.pi * rng.integers(-1, 2, angles.shape)
    return motion.with_q(q)


def symmetric_figure(rng, limb="three"):
    """A trunk with two alike arms, whose frames and hinge axes are mirror images in the plane x = 0."""

    def mirrored_quaternion(wxyz):
        w, x, y, z = wxyz
        return w, x, -y, -z

    trunk_rest = (1.0, 0.0, 0.0, 0.0)
    upper, lower = (0.3, 0.5, 0.1), (0.4, -0.1, 0.05)
    rest = random_unit(rng, 4)
    turns = rotation(limb, rng)

    def side(name, sign):
        flip = (lambda p: p) if sign > 0 else (lambda p: (-p[0], p[1], p[2]))
        hinges = turns
        if sign < 0 and not isinstance(turns, Ball):
            # the reflected axis of a rotation, and for every second hinge its negative, so that signs differ too
            hinges = tuple(
                Hinge(axis=tuple((-1.0) ** k * np.array(turn.axis) * (1, -1, -1))) for k, turn in enumerate(turns)
            )
        return [
            Joint(
                name=f"{name}_shoulder",
                parent="chest",
                offset=flip(upper),
                rest=rest if sign > 0 else mirrored_quaternion(rest),
                rotation=hinges,
            ),
            Joint(
                name=f"{name}_elbow",
                parent=f"{name}_shoulder",
                offset=flip(lower),
                slides=(Slide(axis=flip((0.6, 0.0, 0.8))),),
                rotation=Ball(),
            ),
            Joint(name=f"{name}_wrist", parent=f"{name}_elbow", offset=flip((0.3, 0.0, 0.0)), rotation=()),
        ]

    root = Joint(name="hips", slides=free_slides(), rest=trunk_rest, rotation=tuple(Hinge(axis=a) for a in (Y, X, Z)))
    chest = Joint(name="chest", parent="hips", offset=(0.0, 0.4, 0.1), rotation=Ball())
    return Figure(name="symmetric", joints=(root, chest, *side("left", 1), *side("right", -1)))
