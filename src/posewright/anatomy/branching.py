"""The trunk of any figure, by its tree alone.

The trunk is every joint from which two or more long chains branch (at least a fifth of the figure's longest chain), and
the joints above such a joint. Fingers are too short to make a trunk of the hand.
"""

from __future__ import annotations

import numpy as np

from posewright.figures.figure import Figure

_LONG = 0.2


def trunk(figure: Figure) -> frozenset[int]:
    """Indices of the joints of the trunk."""
    bones = np.linalg.norm([joint.offset for joint in figure.joints], axis=1)
    lengths = np.zeros(len(figure.joints))
    for site in figure.sites:
        index = figure.joint_index(site.joint)
        lengths[index] = max(lengths[index], float(np.linalg.norm(site.point)))
    for index in range(len(figure.joints) - 1, -1, -1):
        parent = figure.parents[index]
        if parent >= 0:
            lengths[parent] = max(lengths[parent], lengths[index] + bones[index])
    found: set[int] = set()
    for index, children in enumerate(figure.children):
        if sum(lengths[child] + bones[child] >= _LONG * lengths.max() for child in children) >= 2:
            found.update(figure.ancestors(index))
    return frozenset(found)
