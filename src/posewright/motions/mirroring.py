"""Mirrored motions: what the left side did, the right side does, reflected in the plane x = 0.

With M the reflection, j the partner of joint i, W world rotations and ⁰ the figure's symmetric pose with mirror
plane M⁰: a point of segment i is the image of one of segment j, `x_i = W_i⁰ᵀ M⁰ W_j⁰ x_j`, hence the mirrored pose
has `W_i = M W_j W_j⁰ᵀ M⁰ W_i⁰`. Going through world rotations makes this right for every kind of joint and any rest
rotations, as long as the two sides are alike.
"""

from __future__ import annotations

import numpy as np

from posewright.conventions import LEFT, Array
from posewright.errors import InvalidMotion
from posewright.figures.figure import Figure
from posewright.figures.joint import Joint
from posewright.figures.joint_coordinates import angles_of, slid_places, slide_values
from posewright.figures.kinematics import joint_frames
from posewright.motions.motion import Motion
from posewright.rotations import matrix_from_quaternion, quaternion_from_matrix

REFLECTION = np.diag([-1.0, 1.0, 1.0])


def mirrored(motion: Motion, *, tolerance: float = 0.05) -> Motion:
    """See `Motion.mirrored`; the sides of the figure must be known (`figure.anatomy.partners`) and alike."""
    figure = motion.figure
    partner = figure.anatomy.partners
    alike = likeness(figure, partner)
    frames = joint_frames(figure, motion.q)
    world = REFLECTION @ frames.rotations[:, partner] @ alike
    q = np.empty_like(motion.q)
    for index, joint in enumerate(figure.joints):
        other = figure.joints[partner[index]]
        theirs = motion.q[:, figure.dof_slice(partner[index])]
        where, parent, their_parent = figure.dof_slice(index), figure.parents[index], figure.parents[partner[index]]
        middle = where.start + len(joint.slides)
        above_from_world = np.eye(3) if parent < 0 else np.swapaxes(world[:, parent], -1, -2)
        if joint.slides:
            theirs_in_world = slid_places(other, theirs[:, : len(other.slides)])[..., None]
            if their_parent >= 0:
                theirs_in_world = frames.rotations[:, their_parent] @ theirs_in_world
            places = (above_from_world @ REFLECTION @ theirs_in_world)[..., 0]
            q[:, where.start : middle] = slide_values(joint, places)
        if middle < where.stop:
            rest = matrix_from_quaternion(np.array(joint.rest))
            turn = quaternion_from_matrix(rest.T @ above_from_world @ world[:, index])
            guess = _expected_angles(joint, other, theirs[:, len(other.slides) :], alike[index])
            near = figure.rest[middle : where.stop] if guess is None else guess
            q[:, middle : where.stop] = angles_of(joint, turn, near)
    image = motion.with_q(q)
    _check_image(image, frames.positions[:, partner] @ REFLECTION, tolerance)
    return image


def likeness(figure: Figure, partner: tuple[int, ...]) -> Array:
    """`W_j⁰ᵀ M⁰ W_i⁰` (joints, 3, 3) of the more symmetric of the zero pose and the rest pose."""
    found: list[tuple[float, Array]] = []
    for q in (np.zeros(figure.n_dofs), figure.rest):
        pose = joint_frames(figure, q)
        across = pose.positions - pose.positions[list(partner)]
        sides = np.array([side == "left" for side in figure.anatomy.sides])
        normal = across[sides].sum(axis=0)
        length = float(np.linalg.norm(normal))
        normal = normal / length if length > 1e-9 else np.array(LEFT)
        plane = np.eye(3) - 2.0 * np.outer(normal, normal)
        image = pose.positions[list(partner)] @ plane
        gap = pose.positions - image
        asymmetry = float(np.max(np.abs(gap - gap.mean(axis=0))))
        found.append((asymmetry, np.swapaxes(pose.rotations[list(partner)], -1, -2) @ plane @ pose.rotations))
    # A pose that is symmetric to rounding is as good as another: prefer zero, where angles keep their signs.
    return found[1][1] if found[1][0] < found[0][0] - 1e-9 else found[0][1]


def _expected_angles(joint: Joint, other: Joint, theirs: Array, likeness: Array) -> Array | None:
    """Their angles with the signs that a reflection gives them, where the axes of both joints agree in this way."""
    if joint.ball is not None and other.ball is not None:
        expected: Array = -theirs @ likeness
        return expected
    if joint.ball is not None or len(joint.hinges) != len(other.hinges):
        return None
    images = np.array([hinge.axis for hinge in other.hinges]) @ -likeness
    signs = np.sum(images * np.array([hinge.axis for hinge in joint.hinges]), axis=1)
    return theirs * np.round(signs) if np.all(np.abs(np.abs(signs) - 1.0) < 1e-6) else None


def _check_image(image: Motion, wanted: Array, tolerance: float) -> None:
    figure = image.figure
    distance = np.linalg.norm(joint_frames(figure, image.q).positions - wanted, axis=-1)
    allowed = tolerance * figure.height
    if np.max(distance, initial=0.0) > allowed:
        # the first joint down the tree that is off, not one that merely hangs on it
        joint = int(np.argmax((distance > allowed).any(axis=0)))
        raise InvalidMotion(
            f"joint {figure.joint_names[joint]!r} is up to {distance[:, joint].max():.3g} m from its mirror image, "
            f"more than {tolerance:g} of the figure's height: figure {figure.name!r} is not symmetric there"
        )
