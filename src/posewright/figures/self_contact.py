"""Where a body runs into itself, by the capsules of its segments.

Capsules of one segment, of neighbours in the tree, and capsules that touch at rest belong together and do not count.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from posewright.conventions import Array, IntArray
from posewright.figures.capsules import capsule_table
from posewright.figures.figure import Figure
from posewright.figures.kinematics import JointFrames, joint_frames
from posewright.kernels.kinematics import capsule_gaps


@dataclass(frozen=True, eq=False)
class CapsulePairs:
    """Pairs of capsules that should not meet."""

    figure: Figure
    joint: IntArray
    """(capsules,): index of the joint whose frame a capsule is in"""
    ends: Array
    """(capsules, 2, 3), m"""
    radii: Array
    """(capsules, 2), m"""
    pairs: IntArray
    """(pairs, 2): capsules"""

    def least_gaps(self, frames: JointFrames) -> tuple[Array, IntArray]:
        """The least gap (...,) of each pose, m, negative where two overlap, and the pair (...,) that has it.

        Without any pairs gaps are infinite and the pair is -1.
        """
        lead, n_joints = frames.positions.shape[:-2], len(self.figure.joints)
        n_poses = math.prod(lead)
        least, worst = np.empty(n_poses), np.empty(n_poses, dtype=np.int64)
        rotations = np.require(frames.rotations, np.float64, ["C", "W"]).reshape(n_poses, n_joints, 3, 3)
        positions = np.require(frames.positions, np.float64, ["C", "W"]).reshape(n_poses, n_joints, 3)
        capsule_gaps.least_gaps(rotations, positions, self.joint, self.ends, self.radii, self.pairs, least, worst)
        return least.reshape(lead), worst.reshape(lead)

    def joints(self, pair: int) -> tuple[str, str]:
        """Names of the joints whose segments a pair belongs to."""
        one, two = self.joint[self.pairs[pair]].tolist()
        return self.figure.joint_names[one], self.figure.joint_names[two]


def capsule_pairs(figure: Figure, *, margin: float = 0.0) -> CapsulePairs:
    """The pairs that count: further apart in the tree than neighbours, and at least `margin` (m) apart at rest."""
    table = capsule_table(figure)
    joint, ends, radii = table.joint.copy(), np.stack([table.start, table.end], axis=1), table.radii.copy()
    first, second = np.triu_indices(len(table), 1)
    parent = np.array(figure.parents)[joint]
    apart = (joint[first] != joint[second]) & (parent[first] != joint[second]) & (parent[second] != joint[first])
    pairs = np.stack([first[apart], second[apart]], axis=1).astype(np.int64)
    rest, gaps = joint_frames(figure, figure.rest[np.newaxis]), np.empty(len(pairs))
    capsule_gaps.pair_gaps(rest.rotations, rest.positions, joint, ends, radii, pairs, gaps)
    return CapsulePairs(figure, joint, ends, radii, np.ascontiguousarray(pairs[gaps >= margin]))
