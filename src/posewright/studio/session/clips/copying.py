"""Keys copied from a frame of a clip to another: how far they displace the body, as it is turned there."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from posewright.conventions import UP, Array
from posewright.errors import InvalidSetting
from posewright.figures import Pose, Site
from posewright.figures.kinematics import joint_frames
from posewright.figures.vectors import vector
from posewright.studio.session.commands.clips import SetKey, SetKeys, open_clip
from posewright.studio.session.state import State
from posewright.studio.session.symmetry import middle, partner_site


@dataclass(frozen=True, eq=False)
class CopiedKey:
    """A site and how far a key displaces it."""

    later: int
    """Frames after the first that was copied."""
    site: str
    displaced: Array
    """m: to the left of the body, up, and to its front"""


def copied(state: State, frames: Collection[int]) -> tuple[CopiedKey, ...]:
    """The keys of some frames.

    Raises:
        InvalidSetting: one has none.
    """
    clip = open_clip(state)
    found: list[CopiedKey] = []
    for frame in sorted(set(frames)):
        keys = clip.keys_at(frame)
        pose = Pose(state.figure, clip.source[frame])
        axes = _axes(pose)
        for key in keys:
            displaced = axes @ (np.array(key.target) - pose.point(key.site))
            found.append(CopiedKey(frame - min(frames), key.site, displaced))
    return tuple(found)


def pasted(state: State, keys: tuple[CopiedKey, ...], frame: int, *, flipped: bool) -> SetKeys:
    """What sets them at a frame; flipped: for the other side of the body.

    Raises:
        InvalidSetting: nothing was copied, or a site is not there any more.
    """
    if not keys:
        raise InvalidSetting("no keys were copied yet; copy those of a frame first")
    clip, figure = open_clip(state), state.figure
    found = []
    for key in keys:
        clip.require_frame(frame + key.later)
        pose = Pose(figure, clip.source[frame + key.later])
        axes = _axes(pose)
        displaced = key.displaced * np.array([-1.0, 1.0, 1.0]) if flipped else key.displaced
        site = (partner_site(figure, key.site) if flipped else None) or figure.site(key.site)
        target = vector(_place(pose, site) + axes.T @ displaced)
        new = site.name not in (*figure.site_names, *figure.joint_names, *figure.anatomy.soles)
        found.append(
            SetKey(
                frame=frame + key.later,
                site=site.joint if new else site.name,
                point=site.point if new else None,
                target=target,
            )
        )
    return SetKeys(keys=tuple(found))


def _place(pose: Pose, site: Site) -> Array:
    """Where a site is that the figure need not have."""
    frames, joint = joint_frames(pose.figure, pose.q), pose.figure.joint_index(site.joint)
    place: Array = frames.positions[joint] + frames.rotations[joint] @ np.array(site.point)
    return place


def _axes(pose: Pose) -> Array:
    """(3, 3): left, up and front of a body, as rows."""
    left = middle(pose).normal
    return np.stack([left, np.array(UP), np.cross(left, np.array(UP))])
