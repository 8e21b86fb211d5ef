"""Modes of a drag: how much of the body follows. They are the recruiting levels of goals, for one command."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from posewright.figures import Figure
from posewright.studio.session.state import State

Mode = Literal["full body", "limb", "joint"]


def kept_still(state: State, goals: Iterable[str], mode: Mode) -> tuple[str, ...]:
    """Joints that do not move while goals are dragged: none, all but the limbs of their sites, all but one joint."""
    if mode == "full body":
        return ()
    figure = state.figure
    sites = [site for name in goals if (site := getattr(state.goal(name), "site", None)) is not None]
    moving = {joint for site in sites for joint in _moving(figure, site, mode)}
    return tuple(name for joint, name in enumerate(figure.joint_names) if joint not in moving) if sites else ()


def _moving(figure: Figure, site: str, mode: Mode) -> frozenset[int]:
    if mode == "limb":
        return figure.anatomy.limb_of(site)
    chain = figure.ancestors(figure.site(site).joint)
    return frozenset([next((joint for joint in chain if figure.joints[joint].n_dofs), chain[0])])
