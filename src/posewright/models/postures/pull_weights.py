"""How strongly each joint of a designed posture holds to its start (Li et al., section 5.2, K_w).

Joints near the root are changed more than joints near the ends to meet goals exactly: nothing holds the root and the
spine next to it, and from there it rises evenly to 1 at the end of each chain.
"""

from __future__ import annotations

from posewright.figures import Figure


def pull_weights(figure: Figure) -> dict[str, float]:
    """The weight of each joint that moves, 0 to 1, by name."""
    middle = figure.anatomy.trunk
    moves = [joint.n_dofs > 0 for joint in figure.joints]
    above, below = [0] * len(moves), [0] * len(moves)
    for index, parent in enumerate(figure.parents):
        if parent >= 0:
            above[index] = above[parent] + moves[index]
    for index in range(len(moves) - 1, -1, -1):
        parent = figure.parents[index]
        if parent >= 0:
            below[parent] = max(below[parent], below[index] + moves[index])
    found = {}
    for index, joint in enumerate(figure.joints):
        if moves[index]:
            free = figure.parents[index] < 0 or (index in middle and above[index] <= 1)
            found[joint.name] = 0.0 if free else above[index] / (above[index] + below[index])
    return found
