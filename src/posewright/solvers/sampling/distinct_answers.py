"""Distinct poses among many: clusters of a cloud, each stood for by its best member."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from posewright.conventions import Array
from posewright.figures import Figure
from posewright.figures.kinematics import joint_positions, site_frames
from posewright.figures.reach import reach

APART = 0.1
"""Two poses are distinct if a joint or tip is so far from its place in the other, over the longest chain."""


def distinct(
    figure: Figure, candidates: Array, wanted: int, finish: Callable[[Array], Array | None], *, first: Array
) -> list[Array]:
    """At most `wanted` distinct poses, among them `first`.

    Args:
        figure: whose poses they are.
        candidates: (poses, dofs), the best first.
        wanted: how many.
        finish: makes the final pose of a candidate, or None if it is no answer.
        first: (dofs,), an answer already.
    """
    far = APART * reach(figure, None)
    places = _places(figure, candidates)
    found, found_places = [first], [_places(figure, first[np.newaxis])[0]]
    tried = np.array(found_places)
    for q, place in zip(candidates, places, strict=True):
        if len(found) == wanted:
            break
        if _gap(tried, place) < far:
            continue
        tried = np.concatenate([tried, place[np.newaxis]])
        answer = finish(q)
        if answer is None:
            continue
        end = _places(figure, answer[np.newaxis])[0]
        if _gap(np.array(found_places), end) >= far:
            found.append(answer)
            found_places.append(end)
    return found


def _gap(places: Array, place: Array) -> float:
    """How far the furthest joint is from its place in the nearest pose, m."""
    return float(np.linalg.norm(places - place, axis=-1).max(axis=-1).min())


def _places(figure: Figure, q: Array) -> Array:
    """World positions (poses, joints and tips, 3)."""
    tips = [site.name for site in figure.sites if site.tip]
    points = site_frames(figure, q, tips).points if tips else np.zeros((len(q), 0, 3))
    return np.concatenate([joint_positions(figure, q), points], axis=1)
