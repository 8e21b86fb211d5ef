"""Feet put on the ground by hand: where a contact is said to be, the foot stands still, and elsewhere it swings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from posewright.conventions import Array, BoolArray
from posewright.figures import Figure
from posewright.figures.kinematics import site_frames
from posewright.motions.contacts import Bars, Contacts, feet_of, intervals, with_bars
from posewright.motions.motion import Motion
from posewright.motions.splines import ease
from posewright.workflows.editing.feet import FAR
from posewright.workflows.editing.legs import legs_of, lowered, on_paths

_CATCHES_UP = 0.25
"""s: how long a foot takes at most to the place of a contact that was set by hand, and back to its own path."""

_IN_THE_AIR = 0.3
"""How much the path counts of a raised heel, while the toes stand: the foot may turn about them."""


@dataclass(frozen=True, eq=False)
class Standing:
    """A motion whose feet stand in contacts that are set by hand."""

    motion: Motion
    contacts: Contacts
    warnings: tuple[str, ...] = ()
    """Where a foot could not be put."""


def put_down(motion: Motion, bars: Bars) -> Standing:
    """A motion whose feet stand in contacts that are set by hand.

    A foot stays where it is where its contact was found anyway. In frames that a contact adds it stays where it stood,
    or, if it did not stand at all, on the floor under where it was. Frames far from what was added are as before.

    Args:
        motion: of a figure with feet.
        bars: by foot: first and last frame of each contact, counted from 0; feet that are not named keep theirs.

    Raises:
        InvalidSetting: a contact is outside the motion.
        UnknownName: the figure has no such foot.
    """
    found = motion.contacts()
    wanted = with_bars(found, motion.figure, bars)
    added = wanted.touching & ~found.touching
    if not added.any():
        return Standing(motion, wanted)
    sites = list(found.sites)
    points = site_frames(motion.figure, motion.q, sites).points
    displaced, counts = np.zeros_like(points), np.ones(added.shape)
    for names in feet_of(motion.figure).values():
        columns = [sites.index(site) for site in names]
        if added[:, columns].any():
            displaced[:, columns] = _displaced(motion.figure, points, found, wanted, columns)
            stands = wanted.touching[:, columns].any(axis=1, keepdims=True)
            counts[:, columns] = np.where(wanted.touching[:, columns] | ~stands, 1.0, _IN_THE_AIR)
    legs = legs_of(motion.figure, sites)
    paths = points + displaced
    made = on_paths(lowered(motion, motion, legs, displaced), motion, sites, legs, paths, counts)
    away = np.linalg.norm(site_frames(made.figure, made.q, sites).points - paths, axis=-1)
    away = np.where(added, away, 0.0)
    warnings = []
    if away.max() > FAR * motion.figure.height:
        frame, k = (int(i) for i in np.unravel_index(int(away.argmax()), away.shape))
        warnings.append(
            f"{sites[k]!r} is {1e3 * away[frame, k]:.0f} mm from its contact in frame {motion.first_frame + frame}: "
            "the leg does not reach"
        )
    return Standing(motion.with_q(made.q), wanted, tuple(warnings))


def _displaced(figure: Figure, points: Array, found: Contacts, wanted: Contacts, columns: list[int]) -> Array:
    """(frames, points of the foot, 3), m: how far a foot goes from its path to stand where it must."""
    own, touching = points[:, columns], wanted.touching[:, columns]
    moved = np.zeros_like(own)
    for first, after in intervals(np.asarray(touching.any(axis=1))).tolist():
        frames = np.arange(first, after)
        flat: Array | None = None
        for k, column in enumerate(columns):
            known = frames[found.touching[first:after, column]]
            if len(known):
                held = np.stack([np.interp(frames, known, own[known, k, axis]) for axis in range(3)], axis=-1)
            else:
                flat = _flat(figure, own[first:after].mean(axis=0), wanted, columns) if flat is None else flat
                held = flat[k]
            moved[first:after, k] = held - own[first:after, k]
    moved[~touching] = 0.0
    counts = touching.sum(axis=1)
    along = _eased(moved.sum(axis=1) / np.maximum(counts, 1)[:, None], counts > 0, _CATCHES_UP * wanted.fps)
    return np.where(touching[..., None], moved, along[:, None])  # points in the air go with the foot


def _flat(figure: Figure, points: Array, contacts: Contacts, columns: list[int]) -> Array:
    """Points of a foot (points, 3), m, brought down to the floor; they are as far apart as at rest."""
    lowest = contacts.floor.heights_of(points) - contacts.levels[columns]
    flat = points.copy()
    flat[:, 1] -= lowest
    rest = site_frames(figure, figure.rest, [contacts.sites[column] for column in columns]).points
    middle, middle_at_rest = flat.mean(axis=0), rest.mean(axis=0)
    across, wanted = flat - middle, rest - middle_at_rest
    heights = across[:, 1].copy()
    across[:, 1] = 0.0
    length = float(np.linalg.norm(across))
    scale = np.sqrt(max(float((wanted**2).sum() - (heights**2).sum()), 0.0)) / length if length > 1e-9 else 1.0
    placed: Array = middle + scale * across
    placed[:, 1] += heights
    return placed


def _eased(along: Array, stands: BoolArray, longest: float) -> Array:
    """Displacements (frames, 3) of a foot that stands in some frames, fading to either side of these."""
    found, frames = np.where(stands[:, None], along, 0.0), np.arange(len(along), dtype=np.float64)
    for first, after in intervals(~stands).tolist():
        over = min(longest, after - first + 1.0)
        here = frames[first:after]
        if first > 0:
            found[first:after] += (1.0 - ease((here - (first - 1)) / over))[:, None] * along[first - 1]
        if after < len(along):
            found[first:after] += (1.0 - ease((after - here) / over))[:, None] * along[after]
    return found
