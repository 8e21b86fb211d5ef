"""The commands, a file per subject: a dataclass that one of these files declares is one of `COMMANDS`."""

from __future__ import annotations

from posewright.studio.session.command import Command, declared_in
from posewright.studio.session.commands import (
    clips,
    contacts,
    designing,
    goals,
    modelling,
    opening,
    pose_library,
    poses,
    retargeting,
    settings,
    sites,
    spans,
    together,
)

COMMANDS: tuple[type[Command], ...] = tuple(
    declared_in(
        sites,
        goals,
        poses,
        settings,
        opening,
        clips,
        spans,
        contacts,
        modelling,
        retargeting,
        designing,
        pose_library,
        together,
    )
)
